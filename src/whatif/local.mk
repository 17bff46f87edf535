libaqcore_a_SOURCES += \
	src/whatif/basis.c src/whatif/basis.h \
	src/whatif/change.c \
	src/whatif/changes.def \
	src/whatif/critical.c src/whatif/critical.h \
	src/whatif/timeline.c src/whatif/timeline.h \
	src/whatif/variant.h \
	src/whatif/whatif.c src/whatif/whatif.h

EXTRA_DIST += doc/whatif.md
