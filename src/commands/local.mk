# The table of commands and options; gendoc links it alone.
aqueduct_SOURCES += \
	src/commands/table.c src/commands/table.h \
	src/commands/table_options.c
