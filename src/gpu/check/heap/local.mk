# The blocks of malloc() in kernels.
libaqcore_a_SOURCES += \
	src/gpu/check/heap/heap_blocks.c \
	src/gpu/check/heap/heap_calls.c \
	src/gpu/check/heap/heap_functions.c
