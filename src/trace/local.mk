# Importers and exporters of traces, one file a format.
libaqcore_a_SOURCES += \
	src/trace/formats.c

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
include src/trace/import/local.mk
include src/trace/export/local.mk
include src/trace/formats/local.mk
include src/trace/text/local.mk
