# The host queue: operations become packets in AQL rings, ordered by timelines
# and semaphores.
libaqcore_a_SOURCES += \
	src/queue/axis.c src/queue/axis.h \
	src/queue/context.c src/queue/context.h src/queue/context_priv.h \
	src/queue/devices.c \
	src/queue/due.h \
	src/queue/edge.c \
	src/queue/elide.c \
	src/queue/epoch.c \
	src/queue/feed.c src/queue/feed.h \
	src/queue/feed_submit.c src/queue/feed_priv.h \
	src/queue/feed_wait.c \
	src/queue/file.c \
	src/queue/frontier.c src/queue/frontier.h \
	src/queue/host_work.c src/queue/host_work.h \
	src/queue/hub.c src/queue/hub.h \
	src/queue/kernarg_ring.h \
	src/queue/observe.c \
	src/queue/on_device.c \
	src/queue/operations.c src/queue/operations.def src/queue/operations.h \
	src/queue/operation_names.c \
	src/queue/marks.c src/queue/marks.h \
	src/queue/operation_rows.c src/queue/operation_rows.h \
	src/queue/park.c \
	src/queue/part.h \
	src/queue/pm4.c src/queue/pm4.h \
	src/queue/pool.c src/queue/pool.h src/queue/pool_states.h \
	src/queue/progress.c \
	src/queue/put.c \
	src/queue/queue.c src/queue/queue.h src/queue/queue_priv.h \
	src/queue/retire.c \
	src/queue/seat.c src/queue/seat.h \
	src/queue/semaphore.c src/queue/semaphore.h src/queue/semaphore_priv.h \
	src/queue/semaphore_wait.c \
	src/queue/staging.c src/queue/staging.h \
	src/queue/submit.c \
	src/queue/tap.h src/queue/tap_priv.h \
	src/queue/task.h \
	src/queue/times.c src/queue/times.h \
	src/queue/transfer.c \
	src/queue/walk.c src/queue/walk.h

aq_folder_headers += \
	src/queue/context.h \
	src/queue/operations.def \
	src/queue/operations.h \
	src/queue/queue.h \
	src/queue/semaphore.h

include src/queue/capture/local.mk
