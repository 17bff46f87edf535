# Another device or policy for a stored run: the predicted change.
libaqcore_a_SOURCES += \
	src/study/whatif/basis.c src/study/whatif/basis.h \
	src/study/whatif/change.c \
	src/study/whatif/changes.def \
	src/study/whatif/critical.c src/study/whatif/critical.h \
	src/study/whatif/timeline.c src/study/whatif/timeline.h \
	src/study/whatif/variant.h \
	src/study/whatif/whatif.c src/study/whatif/whatif.h

EXTRA_DIST += doc/whatif.md
