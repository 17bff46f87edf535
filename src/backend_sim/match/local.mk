# Fits a device model to the code objects of a program.
libaqcore_a_SOURCES += \
	src/backend_sim/match/device_fit.c src/backend_sim/match/device_fit.h \
	src/backend_sim/match/program_code.c \
	src/backend_sim/match/program_code.h
