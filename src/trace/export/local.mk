# One exporter a format.
libaqcore_a_SOURCES += \
	src/trace/export/arrows.c src/trace/export/arrows.h \
	src/trace/export/chrome.c \
	src/trace/export/csv_export.c \
	src/trace/export/jsonl.c \
	src/trace/export/perfetto.c \
	src/trace/export/rocprofv3_export.c \
	src/trace/export/timeline.c src/trace/export/timeline.h
