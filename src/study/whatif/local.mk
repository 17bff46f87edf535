# Another device or policy for a stored run: the predicted change.
libaqcore_a_SOURCES += \
	src/study/whatif/provenance.c src/study/whatif/provenance.h \
	src/study/whatif/edits.c \
	src/study/whatif/changes.def \
	src/study/whatif/critical_path.c src/study/whatif/critical_path.h \
	src/study/whatif/recorded.c src/study/whatif/recorded.h \
	src/study/whatif/timeline.c src/study/whatif/timeline.h \
	src/study/whatif/variant.h \
	src/study/whatif/whatif.c src/study/whatif/whatif.h

EXTRA_DIST += doc/whatif.md
