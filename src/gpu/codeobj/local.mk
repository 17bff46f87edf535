# Code objects as files hold them: bundles, ELF, metadata, kernels'
# descriptors and debug lines.
libaqcore_a_SOURCES += \
	src/gpu/codeobj/bundle.c src/gpu/codeobj/bundle.h \
	src/gpu/codeobj/code_file.c src/gpu/codeobj/code_file.h \
	src/gpu/codeobj/code_json.c src/gpu/codeobj/code_json.h \
	src/gpu/codeobj/code_object.c \
	src/gpu/codeobj/codeobj.c src/gpu/codeobj/codeobj.h \
	src/gpu/codeobj/descriptor.c src/gpu/codeobj/descriptor.h \
	src/gpu/codeobj/elf.c src/gpu/codeobj/elf.h \
	src/gpu/codeobj/fat.c \
	src/gpu/codeobj/file_stub.c \
	src/gpu/codeobj/functions.c src/gpu/codeobj/functions.h \
	src/gpu/codeobj/image.c src/gpu/codeobj/image.h \
	src/gpu/codeobj/layout.c src/gpu/codeobj/layout.h \
	src/gpu/codeobj/lines.c src/gpu/codeobj/lines.h \
	src/gpu/codeobj/dwarf.h \
	src/gpu/codeobj/metadata.c src/gpu/codeobj/metadata.h \
	src/gpu/codeobj/metadata_yaml.c \
	src/gpu/codeobj/msgpack.c src/gpu/codeobj/msgpack.h \
	src/gpu/codeobj/names.c \
	src/gpu/codeobj/offload.c src/gpu/codeobj/offload.h \
	src/gpu/codeobj/processors.def \
	src/gpu/codeobj/reading.c src/gpu/codeobj/reading.h \
	src/gpu/codeobj/relocations.c \
	src/gpu/codeobj/stub.c \
	src/gpu/codeobj/target.c src/gpu/codeobj/target.h \
	src/gpu/codeobj/unpack.c src/gpu/codeobj/unpack.h \
	src/gpu/codeobj/version2.c \
	src/gpu/codeobj/hidden.c src/gpu/codeobj/hidden.h

aq_folder_headers += src/gpu/codeobj/code_object.h
