# Real HSA queues: the runtime's library, its agents and their metrics.
EXTRA_DIST += doc/hsa.md
libaqcore_a_SOURCES += \
	src/backend_hsa/agents.c \
	src/backend_hsa/clock.c \
	src/backend_hsa/core.h \
	src/backend_hsa/events.c \
	src/backend_hsa/gpu_metrics.c src/backend_hsa/gpu_metrics.h \
	src/backend_hsa/metrics.c \
	src/backend_hsa/hsa.c src/backend_hsa/hsa.h \
	src/backend_hsa/state_dump.c \
	src/backend_hsa/library.c src/backend_hsa/library.h \
	src/backend_hsa/links.c \
	src/backend_hsa/memory.c \
	src/backend_hsa/modules.c \
	src/backend_hsa/signal_device.c \
	src/backend_hsa/probe.c src/backend_hsa/probe.h \
	src/backend_hsa/queues.c \
	src/backend_hsa/signals.c \
	src/backend_hsa/host_sleep.c \
	src/backend_hsa/symbols.def \
	src/backend_hsa/object_table.c src/backend_hsa/object_table.h \
	src/backend_hsa/waits.c
