# Launches one kernel of a code object with arguments from the command line.
libaqcore_a_SOURCES += \
	src/study/launch/args.c src/study/launch/args.h \
	src/study/launch/expect.c src/study/launch/expect.h \
	src/study/launch/dispatched.c src/study/launch/dispatched.h \
	src/study/launch/launch.c src/study/launch/launch.h \
	src/study/launch/launcher.c src/study/launch/launcher.h \
	src/study/launch/times.c src/study/launch/times.h \
	src/study/launch/watch.c src/study/launch/watch.h
