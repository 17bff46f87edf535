# What each operation does: copies, files, host work, marks, commands of PM4.
libaqcore_a_SOURCES += \
	src/queue/ops/context.c \
	src/queue/ops/file_io.c \
	src/queue/ops/host_operation.c src/queue/ops/host_operation.h \
	src/queue/ops/aql_queue_device_walk.c \
	src/queue/ops/operations.c \
	src/queue/ops/marker_ranges.c src/queue/ops/marker_ranges.h \
	src/queue/ops/pm4.c src/queue/ops/pm4.h \
	src/queue/ops/alloca_pool.c src/queue/ops/alloca_pool.h \
	src/queue/ops/staging.c src/queue/ops/staging.h \
	src/queue/ops/packet_timestamps.c src/queue/ops/packet_timestamps.h \
	src/queue/ops/transfer.c \
	src/queue/ops/values.c \
	src/queue/ops/device_walk_execute.c src/queue/ops/device_walk_execute.h
