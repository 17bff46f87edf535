# One exporter a format.
libaqcore_a_SOURCES += \
	src/trace/export/flow_events.c src/trace/export/flow_events.h \
	src/trace/export/chrome_export.c \
	src/trace/export/csv_export.c \
	src/trace/export/jsonl_export.c \
	src/trace/export/perfetto_export.c \
	src/trace/export/rocprofv3_export.c \
	src/trace/export/timeline.c src/trace/export/timeline.h
