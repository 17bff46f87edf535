# One operation from its submission to its retirement.
libaqcore_a_SOURCES += \
	src/queue/core/edge.c \
	src/queue/core/elide.c \
	src/queue/core/epoch.c \
	src/queue/core/operation_names.c \
	src/queue/core/operation_rows.c src/queue/core/operation_rows.h \
	src/queue/core/park.c \
	src/queue/core/progress.c \
	src/queue/core/put.c \
	src/queue/core/queue.c \
	src/queue/core/queue_priv.h \
	src/queue/core/retire.c \
	src/queue/core/semaphore.c \
	src/queue/core/semaphore_wait.c \
	src/queue/core/submit.c \
	src/queue/core/tap_priv.h \
	src/queue/core/task.h
