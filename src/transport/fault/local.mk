# A wrapper that makes chosen operations of another transport fail.
libaqcore_a_SOURCES += \
	src/transport/fault/fault.c src/transport/fault/fault.h \
	src/transport/fault/fault_core.h \
	src/transport/fault/fault_kinds.def \
	src/transport/fault/fault_queue.c \
	src/transport/fault/fault_schedule.c \
	src/transport/fault/fault_schedule.h \
	src/transport/fault/fault_time.c
