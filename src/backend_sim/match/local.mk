# Fits a device model to the code objects of a program.
libaqcore_a_SOURCES += \
	src/backend_sim/match/device_match.c src/backend_sim/match/device_match.h \
	src/backend_sim/match/program_code.c \
	src/backend_sim/match/program_code.h
