libaqcore_a_SOURCES += \
	src/wrap/fault.c src/wrap/fault.h \
	src/wrap/fault_core.h \
	src/wrap/fault_kinds.def \
	src/wrap/fault_queue.c \
	src/wrap/fault_schedule.c src/wrap/fault_schedule.h \
	src/wrap/fault_time.c
