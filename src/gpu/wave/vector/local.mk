# What vector instructions compute, a lane at a time.
libaqcore_a_SOURCES += \
	src/gpu/wave/vector/convert.c \
	src/gpu/wave/vector/cross.c \
	src/gpu/wave/vector/division.c \
	src/gpu/wave/vector/finish.c \
	src/gpu/wave/vector/half.c \
	src/gpu/wave/vector/packed.c \
	src/gpu/wave/vector/rare.c \
	src/gpu/wave/vector/rdna.c \
	src/gpu/wave/vector/short.c \
	src/gpu/wave/vector/special.c src/gpu/wave/vector/special.h \
	src/gpu/wave/vector/vector.def src/gpu/wave/vector/vector.inc \
	src/gpu/wave/vector/vector_lane.inc \
	src/gpu/wave/vector/vector_division.inc \
	src/gpu/wave/vector/vector_functions.inc \
	src/gpu/wave/vector/vector_packed.inc
