# Loads, stores and atomics: buffers, flat addresses, scalar memory and LDS.
libaqcore_a_SOURCES += \
	src/gpu/wave/memory/access.inc \
	src/gpu/wave/memory/access_atomics.inc \
	src/gpu/wave/memory/atomics.c \
	src/gpu/wave/memory/buffer.c \
	src/gpu/wave/memory/lds_direct_load.c \
	src/gpu/wave/memory/lds_direct_load_lower.c \
	src/gpu/wave/memory/vector_memory.c \
	src/gpu/wave/memory/lds.c src/gpu/wave/memory/lds.h \
	src/gpu/wave/memory/lds_lanes.c \
	src/gpu/wave/memory/access_subword.def src/gpu/wave/memory/access_subword.inc \
	src/gpu/wave/memory/scalar_memory.c \
	src/gpu/wave/memory/buffer_typed.c
