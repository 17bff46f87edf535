# Hot machine code as C, built by the system's compiler and kept for later
# runs.
libaqcore_a_SOURCES += \
	src/gpu/wave/jit/builder.c src/gpu/wave/jit/builder.h \
	src/gpu/wave/jit/kept.c src/gpu/wave/jit/kept.h
