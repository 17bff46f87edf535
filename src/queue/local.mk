libaqcore_la_SOURCES += \
	src/queue/kernarg_ring.h \
	src/queue/queue.c src/queue/queue.h
