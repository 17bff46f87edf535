# One importer a format.
libaqcore_a_SOURCES += \
	src/trace/formats/att.c \
	src/trace/formats/ireeperf.c \
	src/trace/formats/jsonl_import.c \
	src/trace/formats/kineto.c src/trace/formats/kineto.h \
	src/trace/formats/kineto_ops.c \
	src/trace/formats/kineto_rows.c \
	src/trace/formats/perfetto.c src/trace/formats/perfetto.h \
	src/trace/formats/perfetto_clocks.c \
	src/trace/formats/perfetto_rows.c \
	src/trace/formats/rocprof_v1.c src/trace/formats/rocprof_v1.h \
	src/trace/formats/rocprofv3.c src/trace/formats/rocprofv3.h \
	src/trace/formats/rocprofv3_csv.c \
	src/trace/formats/rocprofv3_json.c src/trace/formats/rocprofv3_json.h \
	src/trace/formats/rocprofv3_rows.c \
	src/trace/formats/xplane.c
