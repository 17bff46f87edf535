libaqcore_a_SOURCES += src/doctor/doctor.c src/doctor/doctor.h
