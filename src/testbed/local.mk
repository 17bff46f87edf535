libaqcore_a_SOURCES += src/testbed/testbed.c
