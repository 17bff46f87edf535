# Waits of queues and hosts: timelines, their positions and awaited points.
libaqcore_a_SOURCES += \
	src/queue/sync/queue_timeline.c src/queue/sync/queue_timeline.h \
	src/queue/sync/context_priv.h \
	src/queue/sync/notification_ring.h \
	src/queue/sync/frontier.c src/queue/sync/frontier.h \
	src/queue/sync/sync_domain.c src/queue/sync/sync_domain.h \
	src/queue/sync/waiter.c src/queue/sync/waiter.h \
	src/queue/sync/semaphore_priv.h
