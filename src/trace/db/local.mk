# Traces that are SQLite databases.
libaqcore_a_SOURCES += \
	src/trace/db/foreign_db.c src/trace/db/foreign_db.h \
	src/trace/db/modules.c \
	src/trace/db/nsys_import.c \
	src/trace/db/rocpd_counters.c \
	src/trace/db/rocpd_export.c src/trace/db/rocpd_export.h \
	src/trace/db/rocpd_import.c src/trace/db/rocpd_import.h \
	src/trace/db/rocpd_info.c \
	src/trace/db/rocpd_life.c \
	src/trace/db/rocpd_rows.c \
	src/trace/db/rocpd_schema.c src/trace/db/rocpd_schema.def \
	src/trace/db/rocpd_schema.h \
	src/trace/db/rocpd_views.def \
	src/trace/db/rocprof_v1_import.c \
	src/trace/db/rpd_import.c \
	src/trace/db/run_source.c src/trace/db/run_source.h \
	src/trace/db/tracedb.h

EXTRA_DIST += \
	doc/formats/nsys.md \
	doc/formats/rocpd.md \
	doc/formats/rpd.md
