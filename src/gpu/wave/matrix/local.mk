# MFMA and WMMA: products of matrices that a wave's registers hold.
libaqcore_a_SOURCES += \
	src/gpu/wave/matrix/matrix.c src/gpu/wave/matrix/matrix.h \
	src/gpu/wave/matrix/matrix.inc \
	src/gpu/wave/matrix/matrix_shapes.def \
	src/gpu/wave/matrix/vectors.inc \
	src/gpu/wave/matrix/wmma.c \
	src/gpu/wave/matrix/wmma_shapes.def
