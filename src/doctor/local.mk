libaqcore_a_SOURCES += src/doctor/doctor.c src/doctor/doctor.h

libaqcore_a_SOURCES += \
	src/doctor/file_system.c src/doctor/file_system.h
