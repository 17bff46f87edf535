libaqcore_a_SOURCES += \
	src/codeobj/bundle.c src/codeobj/bundle.h \
	src/codeobj/code_file.c src/codeobj/code_file.h \
	src/codeobj/code_json.c src/codeobj/code_json.h \
	src/codeobj/code_object.c \
	src/codeobj/codeobj.c src/codeobj/codeobj.h \
	src/codeobj/descriptor.c src/codeobj/descriptor.h \
	src/codeobj/elf.c src/codeobj/elf.h \
	src/codeobj/fat.c \
	src/codeobj/file_stub.c \
	src/codeobj/functions.c src/codeobj/functions.h \
	src/codeobj/image.c src/codeobj/image.h \
	src/codeobj/layout.c src/codeobj/layout.h \
	src/codeobj/lines.c src/codeobj/lines.h src/codeobj/dwarf.h \
	src/codeobj/metadata.c src/codeobj/metadata.h \
	src/codeobj/metadata_yaml.c \
	src/codeobj/msgpack.c src/codeobj/msgpack.h \
	src/codeobj/names.c \
	src/codeobj/offload.c src/codeobj/offload.h \
	src/codeobj/processors.def \
	src/codeobj/reading.c src/codeobj/reading.h \
	src/codeobj/relocations.c \
	src/codeobj/stub.c \
	src/codeobj/target.c src/codeobj/target.h \
	src/codeobj/unpack.c src/codeobj/unpack.h \
	src/codeobj/version2.c \
	src/codeobj/hidden.c src/codeobj/hidden.h

aq_folder_headers += src/codeobj/code_object.h
