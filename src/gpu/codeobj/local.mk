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
	src/gpu/codeobj/fat_binary.c \
	src/gpu/codeobj/file_stub.c \
	src/gpu/codeobj/functions.c src/gpu/codeobj/functions.h \
	src/gpu/codeobj/loaded.c src/gpu/codeobj/loaded.h \
	src/gpu/codeobj/loader.c src/gpu/codeobj/loader.h \
	src/gpu/codeobj/kernel_text.c src/gpu/codeobj/kernel_text.h \
	src/gpu/codeobj/line_table.c src/gpu/codeobj/line_table.h \
	src/gpu/codeobj/inlined.c src/gpu/codeobj/inlined.h \
	src/gpu/codeobj/dwarf_entries.c src/gpu/codeobj/dwarf_entries.h \
	src/gpu/codeobj/frames.c src/gpu/codeobj/frames.h \
	src/gpu/codeobj/host_symbols.c src/gpu/codeobj/host_symbols.h \
	src/gpu/codeobj/dwarf.h src/gpu/codeobj/dwarf_form.c \
	src/gpu/codeobj/dwarf_form.h \
	src/gpu/codeobj/metadata.c src/gpu/codeobj/metadata.h \
	src/gpu/codeobj/metadata_yaml.c \
	src/gpu/codeobj/msgpack.c src/gpu/codeobj/msgpack.h \
	src/gpu/codeobj/names.c \
	src/gpu/codeobj/offload.c src/gpu/codeobj/offload.h \
	src/gpu/codeobj/processors.def \
	src/gpu/codeobj/parser.c src/gpu/codeobj/parser.h \
	src/gpu/codeobj/relocations.c \
	src/gpu/codeobj/plugin_stub.c \
	src/gpu/codeobj/target.c src/gpu/codeobj/target.h \
	src/gpu/codeobj/decompress.c src/gpu/codeobj/decompress.h \
	src/gpu/codeobj/code_object_v2.c \
	src/gpu/codeobj/hidden.c src/gpu/codeobj/hidden.h \
	src/gpu/codeobj/variables.c src/gpu/codeobj/variables.h

aq_folder_headers += src/gpu/codeobj/code_object.h
