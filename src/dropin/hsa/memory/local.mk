# Regions, pools and blocks of memory: allocated, locked, mapped, shared
# between processes.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/memory/blocks.c src/dropin/hsa/memory/blocks.h \
	src/dropin/hsa/memory/ipc.c src/dropin/hsa/memory/ipc.h \
	src/dropin/hsa/memory/locked.c src/dropin/hsa/memory/locked.h \
	src/dropin/hsa/memory/memory.c \
	src/dropin/hsa/memory/memory_access.c \
	src/dropin/hsa/memory/memory_files.c \
	src/dropin/hsa/memory/protected.c \
	src/dropin/hsa/memory/regions.c \
	src/dropin/hsa/memory/sharing.c \
	src/dropin/hsa/memory/svm.c \
	src/dropin/hsa/memory/vmem.c src/dropin/hsa/memory/vmem.h
