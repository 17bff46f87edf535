# Reading and writing CSV, JSON and protocol buffers.
libaqcore_a_SOURCES += \
	src/trace/text/csv.c src/trace/text/csv.h \
	src/trace/text/csv_out.c src/trace/text/csv_out.h \
	src/trace/text/json.c src/trace/text/json.h \
	src/trace/text/json_scan.c src/trace/text/json_scan.h \
	src/trace/text/lines.c src/trace/text/lines.h \
	src/trace/text/protobuf.c src/trace/text/protobuf.h \
	src/trace/text/protobuf_in.c src/trace/text/protobuf_in.h
