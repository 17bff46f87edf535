# Reports of the simulator on itself: records, counters, and lines about queues.
libaqcore_a_SOURCES += \
	src/backend_sim/observe/recorder.c \
	src/backend_sim/observe/recorder.h \
	src/backend_sim/observe/sampler.c \
	src/backend_sim/observe/sampler.h \
	src/backend_sim/observe/state_dump.c \
	src/backend_sim/observe/state_dump.h
