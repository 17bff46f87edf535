# The handlers compiled once for each level of the host's vector instructions.
libaqcore_a_SOURCES += \
	src/gpu/wave/levels/matrix_base.c \
	src/gpu/wave/levels/matrix_v3.c \
	src/gpu/wave/levels/matrix_v4.c \
	src/gpu/wave/levels/semantics.c \
	src/gpu/wave/levels/vector_base.c \
	src/gpu/wave/levels/vector_v3.c \
	src/gpu/wave/levels/vector_v4.c
