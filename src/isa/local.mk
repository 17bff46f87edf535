libaqcore_a_SOURCES += \
	src/isa/decode.c src/isa/decode.h src/isa/isa.h \
	src/isa/decode_gfx1250.c \
	src/isa/decode_memory.c \
	src/isa/decode_operands.c \
	src/isa/decode_rdna.c src/isa/decode_vector.c \
	src/isa/flow.c src/isa/flow.h \
	src/isa/instructions.def src/isa/instructions_rdna.def \
	src/isa/instructions_gfx1250.def \
	src/isa/labels.c src/isa/labels.h \
	src/isa/print.c src/isa/print_gfx1250.c src/isa/print_modifiers.c \
	src/isa/print_text.h \
	src/isa/print_rdna.c src/isa/print_fields.c src/isa/print_fields.h \
	src/isa/table.c src/isa/table.h \
	src/isa/walk.c src/isa/walk.h
