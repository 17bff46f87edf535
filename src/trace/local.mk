# Importers and exporters of traces, one file a format.
libaqcore_a_SOURCES += \
	src/trace/api.c \
	src/trace/arrows.c src/trace/arrows.h \
	src/trace/att.c \
	src/trace/waves.c src/trace/waves.h \
	src/trace/chrome.c \
	src/trace/csv.c src/trace/csv.h \
	src/trace/csv_export.c \
	src/trace/csv_out.c src/trace/csv_out.h \
	src/trace/depth.c src/trace/depth.h \
	src/trace/edges.c src/trace/edges.h \
	src/trace/files.c \
	src/trace/formats.c \
	src/trace/import.c src/trace/import.h \
	src/trace/importers.h \
	src/trace/ireeperf.c \
	src/trace/join.c src/trace/join.h \
	src/trace/json.c src/trace/json.h \
	src/trace/json_scan.c src/trace/json_scan.h \
	src/trace/jsonl.c \
	src/trace/jsonl_import.c \
	src/trace/kineto.c src/trace/kineto.h \
	src/trace/kineto_rows.c \
	src/trace/lines.c src/trace/lines.h \
	src/trace/module.h \
	src/trace/number.c src/trace/number.h \
	src/trace/perfetto.c \
	src/trace/protobuf.c src/trace/protobuf.h \
	src/trace/protobuf_in.c src/trace/protobuf_in.h \
	src/trace/ranges.c src/trace/ranges.h \
	src/trace/reader.c src/trace/reader.h \
	src/trace/repeats.c src/trace/repeats.h \
	src/trace/rocprof_v1.c \
	src/trace/rocprofv3.c src/trace/rocprofv3.h \
	src/trace/rocprofv3_csv.c \
	src/trace/rocprofv3_export.c \
	src/trace/rocprofv3_json.c src/trace/rocprofv3_json.h \
	src/trace/rocprofv3_rows.c \
	src/trace/timeline.c src/trace/timeline.h \
	src/trace/trace.h \
	src/trace/xplane.c

EXTRA_DIST += \
	doc/formats/att.md doc/formats/chrome.md \
	doc/formats/csv.md \
	doc/formats/edges.md \
	doc/formats/ireeperf.md \
	doc/formats/jsonl.md \
	doc/formats/kineto.md \
	doc/formats/perfetto.md \
	doc/formats/rocprof-v1.md \
	doc/formats/rocprofv3.md \
	doc/formats/xplane.md

include src/trace/db/local.mk
