# The packet processor: packets from the ring to their completion.
libaqcore_a_SOURCES += \
	src/backend_sim/packet/packet_text.c \
	src/backend_sim/packet/packet_text.h \
	src/backend_sim/packet/execution.c \
	src/backend_sim/packet/execution.h \
	src/backend_sim/packet/fetch.c \
	src/backend_sim/packet/fetch.h \
	src/backend_sim/packet/inflight.c \
	src/backend_sim/packet/inflight.h \
	src/backend_sim/packet/host_call.c \
	src/backend_sim/packet/type_barrier.c \
	src/backend_sim/packet/type_kernel.c \
	src/backend_sim/packet/type_pm4.c \
	src/backend_sim/packet/packet_types.c \
	src/backend_sim/packet/packet_types.h \
	src/backend_sim/packet/lifecycle.def \
	src/backend_sim/packet/memory_fault.c \
	src/backend_sim/packet/memory_fault.h \
	src/backend_sim/packet/packet_state.h \
	src/backend_sim/packet/packet_validate.c \
	src/backend_sim/packet/packet_validate.h \
	src/backend_sim/packet/pipes.c \
	src/backend_sim/packet/pipes.h \
	src/backend_sim/packet/pm4.c \
	src/backend_sim/packet/pm4.h \
	src/backend_sim/packet/processor.c \
	src/backend_sim/packet/processor.h \
	src/backend_sim/packet/ring.h \
	src/backend_sim/packet/kernel_dispatch.c \
	src/backend_sim/packet/kernel_dispatch.h \
	src/backend_sim/packet/kernel_launch.h
