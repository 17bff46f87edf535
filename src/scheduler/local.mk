libaqcore_la_SOURCES += \
	src/scheduler/queue_map.c src/scheduler/queue_map.h
