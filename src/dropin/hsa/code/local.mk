# Executables: code objects loaded, their symbols, kernels and host functions.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/code/rocclr_blits.c \
	src/dropin/hsa/code/codes.c \
	src/dropin/hsa/code/executables.c \
	src/dropin/hsa/code/externals.c \
	src/dropin/hsa/code/image_blits.c \
	src/dropin/hsa/code/isa.c \
	src/dropin/hsa/code/kernels.c \
	src/dropin/hsa/code/loader.c \
	src/dropin/hsa/code/program_device.c src/dropin/hsa/code/program_device.h \
	src/dropin/hsa/code/readers.c \
	src/dropin/hsa/code/symbols.c
