# Rows from any format into the store's sink: joined, ordered, counted.
libaqcore_a_SOURCES += \
	src/trace/import/host_calls.c \
	src/trace/import/wave_steps.c src/trace/import/wave_steps.h \
	src/trace/import/queue_depth.c src/trace/import/queue_depth.h \
	src/trace/import/dependencies.c src/trace/import/dependencies.h \
	src/trace/import/device_waits.c src/trace/import/device_waits.h \
	src/trace/import/file_sets.c \
	src/trace/import/forward_ops.c src/trace/import/forward_ops.h \
	src/trace/import/graph_nodes.c src/trace/import/graph_nodes.h \
	src/trace/import/import.c src/trace/import/import.h \
	src/trace/import/importers.h \
	src/trace/import/correlation.c src/trace/import/correlation.h \
	src/trace/import/module.h \
	src/trace/import/memory_events.c src/trace/import/memory_events.h \
	src/trace/import/context.c src/trace/import/context.h \
	src/trace/import/context_put.c src/trace/import/context_priv.h \
	src/trace/import/decimal.c src/trace/import/decimal.h \
	src/trace/import/ranges.c src/trace/import/ranges.h \
	src/trace/import/stream_reader.c src/trace/import/stream_reader.h \
	src/trace/import/repeats.c src/trace/import/repeats.h \
	src/trace/import/trace.h
