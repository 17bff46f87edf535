# Live mode: a thread that drives time, one that calls back, and waits of hosts.
libaqcore_a_SOURCES += \
	src/backend_sim/live/live.c \
	src/backend_sim/live/live.h \
	src/backend_sim/live/device_thread.c \
	src/backend_sim/live/device_thread.h \
	src/backend_sim/live/live_handlers.c \
	src/backend_sim/live/live_handlers.h \
	src/backend_sim/live/interrupt_delay.c \
	src/backend_sim/live/interrupt_delay.h \
	src/backend_sim/live/live_wait.c \
	src/backend_sim/live/live_wait.h
