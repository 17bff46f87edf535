# Hot machine code as machine code of the host, or as C, built by the system's
# compiler and kept for later runs.
libaqcore_a_SOURCES += \
	src/gpu/wave/jit/jit_builder.c src/gpu/wave/jit/jit_builder.h \
	src/gpu/wave/jit/library_cache.c src/gpu/wave/jit/library_cache.h \
	src/gpu/wave/jit/jit.c \
	src/gpu/wave/jit/jit_affine.c \
	src/gpu/wave/jit/code_memory.c src/gpu/wave/jit/code_memory.h \
	src/gpu/wave/jit/emit_unit.c src/gpu/wave/jit/emit_unit.h \
	src/gpu/wave/jit/scalar_code.c src/gpu/wave/jit/scalar_code.h \
	src/gpu/wave/jit/memory_code.c src/gpu/wave/jit/memory_code.h \
	src/gpu/wave/jit/strip.c src/gpu/wave/jit/strip.h \
	src/gpu/wave/jit/strip_avx.h \
	src/gpu/wave/jit/strip_divisions.c \
	src/gpu/wave/jit/strip_floats.c \
	src/gpu/wave/jit/strip_halves.c \
	src/gpu/wave/jit/strip_loads.c src/gpu/wave/jit/strip_moves.c \
	src/gpu/wave/jit/strip_shared.c \
	src/gpu/wave/jit/strip_registers.c \
	src/gpu/wave/jit/strip_words.c \
	src/gpu/wave/jit/strip_write.c \
	src/gpu/wave/jit/x86.c src/gpu/wave/jit/x86.h \
	src/gpu/wave/jit/jit_affine_select.c \
	src/gpu/wave/jit/jit_emit.c src/gpu/wave/jit/jit_emit.h \
	src/gpu/wave/jit/jit_lanes.c \
	src/gpu/wave/jit/jit_liveness.c src/gpu/wave/jit/jit_liveness.h \
	src/gpu/wave/jit/jit_memory.c \
	src/gpu/wave/jit/jit_moves.c \
	src/gpu/wave/jit/jit_prelude.c \
	src/gpu/wave/jit/jit_scalars.c \
	src/gpu/wave/jit/jit_segment.h \
	src/gpu/wave/jit/jit_table.c src/gpu/wave/jit/jit_table.h \
	src/gpu/wave/jit/jit_loops.c \
	src/gpu/wave/jit/jit_unit.c src/gpu/wave/jit/jit_unit.h
