# One operation from its submission to its retirement.
libaqcore_a_SOURCES += \
	src/queue/core/wait_packets.c \
	src/queue/core/wait_elision.c \
	src/queue/core/epoch.c \
	src/queue/core/operation_names.c \
	src/queue/core/operation_rows.c src/queue/core/operation_rows.h \
	src/queue/core/pending.c \
	src/queue/core/host_wait.c \
	src/queue/core/issue.c \
	src/queue/core/queue.c \
	src/queue/core/queue_failure.c \
	src/queue/core/queue_priv.h \
	src/queue/core/retire.c \
	src/queue/core/semaphore.c \
	src/queue/core/semaphore_wait.c \
	src/queue/core/submit.c \
	src/queue/core/submit_hooks_priv.h \
	src/queue/core/task.h
