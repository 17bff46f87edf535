# Regions and pools, and the blocks that they allocate: the agents that may access
# one, locked memory, and memory that the host must not touch.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/memory/allocation_table.c src/dropin/hsa/memory/allocation_table.h \
	src/dropin/hsa/memory/locked_memory.c src/dropin/hsa/memory/locked_memory.h \
	src/dropin/hsa/memory/memory.c \
	src/dropin/hsa/memory/memory_access.c \
	src/dropin/hsa/memory/memory_files.c \
	src/dropin/hsa/memory/protected.c \
	src/dropin/hsa/memory/regions.c
