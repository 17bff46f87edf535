# Lowered instructions: from machine code to handlers and operands, a page at
# a time.
libaqcore_a_SOURCES += \
	src/gpu/wave/decode/aliases.c src/gpu/wave/decode/aliases.def \
	src/gpu/wave/decode/code.c \
	src/gpu/wave/decode/gfx1250_addressing.c \
	src/gpu/wave/decode/condition_sources.c \
	src/gpu/wave/decode/operand_modifiers.c \
	src/gpu/wave/decode/operand_modifiers_run.c \
	src/gpu/wave/decode/lower.c src/gpu/wave/decode/lower.h \
	src/gpu/wave/decode/dpp.c \
	src/gpu/wave/decode/jit_page.c \
	src/gpu/wave/decode/vopd.c
