# A simulated device inside a unit test.
libaqcore_a_SOURCES += src/transport/testbed/testbed.c

aq_folder_headers += \
	src/transport/testbed/testbed.h
