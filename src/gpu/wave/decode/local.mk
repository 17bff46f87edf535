# Lowered instructions: from machine code to handlers and operands, a page at
# a time.
libaqcore_a_SOURCES += \
	src/gpu/wave/decode/aliases.c src/gpu/wave/decode/aliases.def \
	src/gpu/wave/decode/code.c \
	src/gpu/wave/decode/elements.c \
	src/gpu/wave/decode/flags.c \
	src/gpu/wave/decode/form.c \
	src/gpu/wave/decode/form_run.c \
	src/gpu/wave/decode/lower.c src/gpu/wave/decode/lower.h \
	src/gpu/wave/decode/move.c \
	src/gpu/wave/decode/natives.c \
	src/gpu/wave/decode/pair.c
