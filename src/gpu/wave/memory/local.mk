# Loads, stores and atomics: buffers, flat addresses, scalar memory and LDS.
libaqcore_a_SOURCES += \
	src/gpu/wave/memory/access.inc \
	src/gpu/wave/memory/access_atomics.inc \
	src/gpu/wave/memory/atomics.c \
	src/gpu/wave/memory/buffer.c \
	src/gpu/wave/memory/direct.c \
	src/gpu/wave/memory/direct_lower.c \
	src/gpu/wave/memory/memory.c \
	src/gpu/wave/memory/shared.c src/gpu/wave/memory/shared.h \
	src/gpu/wave/memory/shared_lanes.c \
	src/gpu/wave/memory/small.def src/gpu/wave/memory/small.inc \
	src/gpu/wave/memory/smem.c \
	src/gpu/wave/memory/typed.c
