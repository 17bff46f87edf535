# Packets into one AQL ring, in order and within its size.
libaqcore_a_SOURCES += \
	src/queue/ring/feed.c src/queue/ring/feed.h \
	src/queue/ring/feed_submit.c \
	src/queue/ring/feed_priv.h \
	src/queue/ring/feed_wait.c \
	src/queue/ring/kernarg_ring.h \
	src/queue/ring/observe.c \
	src/queue/ring/part.h
