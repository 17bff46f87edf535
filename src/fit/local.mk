libaqcore_a_SOURCES += \
	src/fit/device_fit.c src/fit/device_fit.h \
	src/fit/program_code.c src/fit/program_code.h
