# Launches one kernel of a code object with arguments from the command line.
libaqcore_a_SOURCES += \
	src/study/launch/args.c src/study/launch/args.h \
	src/study/launch/expectations.c src/study/launch/expectations.h \
	src/study/launch/dispatch_memory.c src/study/launch/dispatch_memory.h \
	src/study/launch/launch.c src/study/launch/launch.h \
	src/study/launch/launcher.c src/study/launch/launcher.h \
	src/study/launch/times.c src/study/launch/times.h \
	src/study/launch/watchdog.c src/study/launch/watchdog.h
