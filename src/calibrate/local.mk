libaqcore_a_SOURCES += \
	src/calibrate/figures.c src/calibrate/figures.def \
	src/calibrate/figures.h \
	src/calibrate/probe.c src/calibrate/probe.def src/calibrate/probe.h \
	src/calibrate/rows.c src/calibrate/rows.h
