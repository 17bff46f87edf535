# The host queue: operations become packets in AQL rings, ordered by timelines
# and semaphores.
libaqcore_a_SOURCES += \
	src/queue/context.h \
	src/queue/devices.c \
	src/queue/operations.def src/queue/operations.h \
	src/queue/alloca_states.h \
	src/queue/queue.h \
	src/queue/queue_families.c \
	src/queue/semaphore.h \
	src/queue/submit_hooks.h

aq_folder_headers += \
	src/queue/context.h \
	src/queue/operations.def \
	src/queue/operations.h \
	src/queue/queue.h \
	src/queue/queue_families.h \
	src/queue/semaphore.h

include src/queue/capture/local.mk
include src/queue/sync/local.mk
include src/queue/ops/local.mk
include src/queue/core/local.mk
include src/queue/ring/local.mk
