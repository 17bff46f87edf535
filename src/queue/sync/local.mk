# Waits of queues and hosts: timelines, their positions and awaited points.
libaqcore_a_SOURCES += \
	src/queue/sync/axis.c src/queue/sync/axis.h \
	src/queue/sync/context_priv.h \
	src/queue/sync/due.h \
	src/queue/sync/frontier.c src/queue/sync/frontier.h \
	src/queue/sync/hub.c src/queue/sync/hub.h \
	src/queue/sync/seat.c src/queue/sync/seat.h \
	src/queue/sync/semaphore_priv.h
