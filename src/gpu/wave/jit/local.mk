# Hot machine code as machine code of the host.
libaqcore_a_SOURCES += \
	src/gpu/wave/jit/jit_builder.c src/gpu/wave/jit/jit_builder.h \
	src/gpu/wave/jit/jit.c \
	src/gpu/wave/jit/code_memory.c src/gpu/wave/jit/code_memory.h \
	src/gpu/wave/jit/emit_unit.c src/gpu/wave/jit/emit_unit.h \
	src/gpu/wave/jit/scalar_code.c src/gpu/wave/jit/scalar_code.h \
	src/gpu/wave/jit/memory_code.c src/gpu/wave/jit/memory_code.h \
	src/gpu/wave/jit/strip.c src/gpu/wave/jit/strip.h \
	src/gpu/wave/jit/strip_avx.h \
	src/gpu/wave/jit/strip_divisions.c \
	src/gpu/wave/jit/strip_floats.c \
	src/gpu/wave/jit/strip_halves.c \
	src/gpu/wave/jit/strip_lines.c \
	src/gpu/wave/jit/strip_loads.c src/gpu/wave/jit/strip_moves.c \
	src/gpu/wave/jit/strip_nexts.c \
	src/gpu/wave/jit/strip_shared.c \
	src/gpu/wave/jit/strip_registers.c \
	src/gpu/wave/jit/strip_words.c \
	src/gpu/wave/jit/strip_write.c \
	src/gpu/wave/jit/x86.c src/gpu/wave/jit/x86.h \
	src/gpu/wave/jit/jit_liveness.c src/gpu/wave/jit/jit_liveness.h \
	src/gpu/wave/jit/jit_table.c src/gpu/wave/jit/jit_table.h \
	src/gpu/wave/jit/jit_unit.c src/gpu/wave/jit/jit_unit.h
