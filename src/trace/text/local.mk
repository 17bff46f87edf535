# Reading and writing CSV, JSON and protocol buffers.
libaqcore_a_SOURCES += \
	src/trace/text/csv_reader.c src/trace/text/csv_reader.h \
	src/trace/text/csv_writer.c src/trace/text/csv_writer.h \
	src/trace/text/json.c src/trace/text/json.h \
	src/trace/text/json_scan.c src/trace/text/json_scan.h \
	src/trace/text/json_block.h src/trace/text/json_slice.c src/trace/text/json_slice.h \
	src/trace/text/json_lines.c src/trace/text/json_lines.h \
	src/trace/text/protobuf_writer.c src/trace/text/protobuf_writer.h \
	src/trace/text/protobuf_reader.c src/trace/text/protobuf_reader.h
