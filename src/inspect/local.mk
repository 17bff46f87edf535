libaqcore_a_SOURCES += \
	src/inspect/counters.c src/inspect/counters.h src/inspect/counters.def \
	src/inspect/disassembly.c src/inspect/disassembly.h \
	src/inspect/profile.c src/inspect/profile.h \
	src/inspect/reach.c src/inspect/reach.h
