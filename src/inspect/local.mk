libaqcore_a_SOURCES += \
	src/inspect/disassembly.c src/inspect/disassembly.h \
	src/inspect/profile.c src/inspect/profile.h \
	src/inspect/reach.c src/inspect/reach.h
