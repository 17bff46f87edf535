# The instruction set: tables, decoder, printer and control flow of machine
# code.
libaqcore_a_SOURCES += \
	src/gpu/isa/decode.c src/gpu/isa/decode.h src/gpu/isa/isa.h \
	src/gpu/isa/decode_gfx1250.c \
	src/gpu/isa/decode_memory.c \
	src/gpu/isa/decode_operands.c \
	src/gpu/isa/decode_rdna.c src/gpu/isa/decode_vector.c \
	src/gpu/isa/control_flow.c src/gpu/isa/control_flow.h \
	src/gpu/isa/instructions.def \
	src/gpu/isa/labels.c src/gpu/isa/labels.h \
	src/gpu/isa/print.c src/gpu/isa/print_gfx1250.c \
	src/gpu/isa/print_modifiers.c \
	src/gpu/isa/print_text.h \
	src/gpu/isa/print_rdna.c src/gpu/isa/print_fields.c \
	src/gpu/isa/print_fields.h \
	src/gpu/isa/table.c src/gpu/isa/table.h \
	src/gpu/isa/cfg_walk.c src/gpu/isa/cfg_walk.h
