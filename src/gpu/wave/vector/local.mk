# What vector instructions compute, a lane at a time.
libaqcore_a_SOURCES += \
	src/gpu/wave/vector/convert.c \
	src/gpu/wave/vector/cross_lane.c \
	src/gpu/wave/vector/division.c \
	src/gpu/wave/vector/output_modifiers.c \
	src/gpu/wave/vector/vector_f16.c \
	src/gpu/wave/vector/packed.c \
	src/gpu/wave/vector/vector_misc.c \
	src/gpu/wave/vector/rdna.c \
	src/gpu/wave/vector/vector_int16.c \
	src/gpu/wave/vector/transcendental.c src/gpu/wave/vector/transcendental.h \
	src/gpu/wave/vector/vector.def src/gpu/wave/vector/vector.inc \
	src/gpu/wave/vector/vector_lane.inc \
	src/gpu/wave/vector/vector_division.inc \
	src/gpu/wave/vector/vector_functions.inc \
	src/gpu/wave/vector/vector_packed.inc
