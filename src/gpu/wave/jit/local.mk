# Hot machine code as C, built by the system's compiler and kept for later
# runs.
libaqcore_a_SOURCES += \
	src/gpu/wave/jit/builder.c src/gpu/wave/jit/builder.h \
	src/gpu/wave/jit/kept.c src/gpu/wave/jit/kept.h \
	src/gpu/wave/jit/native.c \
	src/gpu/wave/jit/native_affine.c \
	src/gpu/wave/jit/native_fast.c \
	src/gpu/wave/jit/native_emit.c src/gpu/wave/jit/native_emit.h \
	src/gpu/wave/jit/native_lanes.c \
	src/gpu/wave/jit/native_live.c src/gpu/wave/jit/native_live.h \
	src/gpu/wave/jit/native_memory.c \
	src/gpu/wave/jit/native_moves.c \
	src/gpu/wave/jit/native_prelude.c \
	src/gpu/wave/jit/native_scalars.c \
	src/gpu/wave/jit/native_segment.h \
	src/gpu/wave/jit/native_table.c src/gpu/wave/jit/native_table.h \
	src/gpu/wave/jit/native_turns.c \
	src/gpu/wave/jit/native_unit.c src/gpu/wave/jit/native_unit.h
