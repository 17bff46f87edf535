# Rows from any format into the store's sink: joined, ordered, counted.
libaqcore_a_SOURCES += \
	src/trace/import/api.c \
	src/trace/import/waves.c src/trace/import/waves.h \
	src/trace/import/depth.c src/trace/import/depth.h \
	src/trace/import/edges.c src/trace/import/edges.h \
	src/trace/import/files.c \
	src/trace/import/import.c src/trace/import/import.h \
	src/trace/import/importers.h \
	src/trace/import/join.c src/trace/import/join.h \
	src/trace/import/module.h \
	src/trace/import/number.c src/trace/import/number.h \
	src/trace/import/ranges.c src/trace/import/ranges.h \
	src/trace/import/reader.c src/trace/import/reader.h \
	src/trace/import/repeats.c src/trace/import/repeats.h \
	src/trace/import/trace.h
