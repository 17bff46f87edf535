# Packets into one AQL ring, in order and within its size.
libaqcore_a_SOURCES += \
	src/queue/ring/aql_queue.c src/queue/ring/aql_queue.h \
	src/queue/ring/aql_queue_submit.c \
	src/queue/ring/aql_queue_priv.h \
	src/queue/ring/aql_queue_wait.c \
	src/queue/ring/kernarg_ring.h \
	src/queue/ring/aql_queue_profile.c \
	src/queue/ring/packet_batch.h
