# Copies between memories, alone and in batches.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/copy/copy_batches.c \
	src/dropin/hsa/copy/copies.c src/dropin/hsa/copy/copies.h \
	src/dropin/hsa/copy/file_copies.c
