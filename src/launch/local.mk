libaqcore_a_SOURCES += \
	src/launch/args.c src/launch/args.h \
	src/launch/expect.c src/launch/expect.h \
	src/launch/dispatched.c src/launch/dispatched.h \
	src/launch/launch.c src/launch/launch.h \
	src/launch/launcher.c src/launch/launcher.h \
	src/launch/times.c src/launch/times.h \
	src/launch/watch.c src/launch/watch.h
