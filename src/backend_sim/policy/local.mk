# The device half of scheduling policies, and their operations on a device.
libaqcore_a_SOURCES += \
	src/backend_sim/policy/device_ops.h \
	src/backend_sim/policy/device_policy.c \
	src/backend_sim/policy/device_policy.h \
	src/backend_sim/policy/policy_actions.c \
	src/backend_sim/policy/policy_events.c \
	src/backend_sim/policy/policy_preempt.c \
	src/backend_sim/policy/preemption_report.c \
	src/backend_sim/policy/policy_priv.h \
	src/backend_sim/policy/policy_queues.c \
	src/backend_sim/policy/policy_kernels.c \
	src/backend_sim/policy/policy_state.h
