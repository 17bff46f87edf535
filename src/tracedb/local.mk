libaqcore_a_SOURCES += \
	src/tracedb/database.c src/tracedb/database.h \
	src/tracedb/modules.c \
	src/tracedb/rocpd_counters.c \
	src/tracedb/rocpd_export.c src/tracedb/rocpd_export.h \
	src/tracedb/rocpd_import.c src/tracedb/rocpd_import.h \
	src/tracedb/rocpd_info.c \
	src/tracedb/rocpd_life.c \
	src/tracedb/rocpd_rows.c \
	src/tracedb/rocpd_schema.c src/tracedb/rocpd_schema.def \
	src/tracedb/rocpd_schema.h \
	src/tracedb/rocpd_views.def \
	src/tracedb/rocprof_v1_import.c \
	src/tracedb/rpd_import.c \
	src/tracedb/stored.c src/tracedb/stored.h \
	src/tracedb/tracedb.h

EXTRA_DIST += \
	doc/formats/rocpd.md \
	doc/formats/rpd.md
