# What this machine has and lacks, with advice.
libaqcore_a_SOURCES += src/cli/doctor/doctor.c src/cli/doctor/doctor.h

libaqcore_a_SOURCES += \
	src/cli/doctor/file_system.c src/cli/doctor/file_system.h
