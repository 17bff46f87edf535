libaqcore_la_SOURCES += \
	src/cmdbuf/builder.c src/cmdbuf/builder.h \
	src/cmdbuf/opcodes.def \
	src/cmdbuf/processor.c src/cmdbuf/processor.h \
	src/cmdbuf/program.h
