# The dispatcher: workgroups of kernels, handed to compute units in the order
# of the hardware.
libaqcore_a_SOURCES += \
	src/backend_sim/dispatch/cohort.c \
	src/backend_sim/dispatch/cohort.h \
	src/backend_sim/dispatch/dispatcher.c \
	src/backend_sim/dispatch/dispatcher.h \
	src/backend_sim/dispatch/dispatcher_policy.c \
	src/backend_sim/dispatch/dispatcher_priv.h \
	src/backend_sim/dispatch/xcc.c \
	src/backend_sim/dispatch/xcc.h \
	src/backend_sim/dispatch/xcc_exclusive.c \
	src/backend_sim/dispatch/xcc_priv.h \
	src/backend_sim/dispatch/xcc_preempt.c
