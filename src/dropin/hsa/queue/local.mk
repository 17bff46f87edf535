# Queues as a client creates and reads them.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/queue/queue_descs.c \
	src/dropin/hsa/queue/queue_indices.c \
	src/dropin/hsa/queue/queues.c
