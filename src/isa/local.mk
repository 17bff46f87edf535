libaqcore_a_SOURCES += \
	src/isa/decode.c src/isa/isa.h \
	src/isa/instructions.def \
	src/isa/print.c \
	src/isa/print_fields.c src/isa/print_fields.h \
	src/isa/table.c src/isa/table.h
