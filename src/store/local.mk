# The run store: the only owner of its SQLite file.
libaqcore_a_SOURCES += \
	src/store/care.h \
	src/store/check.c \
	src/store/each.c src/store/each.h \
	src/store/facts.c src/store/facts.h \
	src/store/location.c src/store/location.h \
	src/store/merge.c \
	src/store/reader.c \
	src/store/runs.c src/store/runs.h \
	src/store/schema.c src/store/schema.h \
	src/store/store.c src/store/store.h src/store/store_priv.h \
	src/store/vacuum.c \
	src/store/writer.c src/store/writer_known.c src/store/writer_priv.h

aq_folder_headers += src/store/store.h

# What tests/store checks against the code.
EXTRA_DIST += \
	doc/formats/counters.md \
	doc/formats/record.md \
	doc/formats/store.md
