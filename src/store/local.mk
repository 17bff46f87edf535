# The run store: the only owner of its SQLite file.
libaqcore_a_SOURCES += \
	src/store/maintenance.h \
	src/store/check.c \
	src/store/foreach_row.c src/store/foreach_row.h \
	src/store/side_tables.c src/store/side_tables.h \
	src/store/join.c src/store/join.h \
	src/store/location.c src/store/location.h \
	src/store/merge.c \
	src/store/reader.c \
	src/store/runs.c src/store/runs.h \
	src/store/schema.c src/store/schema.h \
	src/store/store.c src/store/store.h src/store/store_priv.h \
	src/store/vacuum.c \
	src/store/writer.c src/store/writer_metadata.c src/store/writer_priv.h

aq_folder_headers += src/store/store.h

# What tests/store checks against the code.
EXTRA_DIST += \
	doc/formats/counters.md \
	doc/formats/record.md \
	doc/formats/store.md
