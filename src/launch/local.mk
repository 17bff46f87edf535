libaqcore_a_SOURCES += \
	src/launch/launch.c src/launch/launch.h
