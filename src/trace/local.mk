libaqcore_la_SOURCES += \
	src/trace/api.c \
	src/trace/files.c \
	src/trace/formats.c \
	src/trace/import.c src/trace/import.h \
	src/trace/importers.h \
	src/trace/join.c src/trace/join.h \
	src/trace/json.c src/trace/json.h \
	src/trace/json_scan.c src/trace/json_scan.h \
	src/trace/kineto.c \
	src/trace/number.c src/trace/number.h \
	src/trace/reader.c src/trace/reader.h \
	src/trace/trace.h
