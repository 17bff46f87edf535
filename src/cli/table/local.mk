# The table of commands and options; gendoc links it alone.
aqueduct_SOURCES += \
	src/cli/table/table.c src/cli/table/table.h \
	src/cli/table/table_options.c
