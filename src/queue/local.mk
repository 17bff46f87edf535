libaqcore_la_SOURCES += \
	src/queue/devices.c \
	src/queue/kernarg_ring.h \
	src/queue/observe.c \
	src/queue/on_device.c \
	src/queue/queue.c src/queue/queue.h \
	src/queue/submit.c src/queue/queue_priv.h
