libaqcore_la_SOURCES += \
	src/queue/kernarg_ring.h \
	src/queue/observe.c \
	src/queue/on_device.c \
	src/queue/feed.c src/queue/feed.h \
	src/queue/feed_submit.c src/queue/feed_priv.h
