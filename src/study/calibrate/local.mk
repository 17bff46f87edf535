# Fits a device model's constants to measurements.
libaqcore_a_SOURCES += \
	src/study/calibrate/calibration.c src/study/calibrate/calibration.h \
	src/study/calibrate/figures.c src/study/calibrate/figures.def \
	src/study/calibrate/figures.h \
	src/study/calibrate/fit.c src/study/calibrate/fit.def \
	src/study/calibrate/fit.h \
	src/study/calibrate/gaps.c src/study/calibrate/gaps.h \
	src/study/calibrate/probe.c src/study/calibrate/probe.def \
	src/study/calibrate/probe.h \
	src/study/calibrate/probe_run.c src/study/calibrate/probe_run.h \
	src/study/calibrate/probed.c src/study/calibrate/probed.def \
	src/study/calibrate/probed.h \
	src/study/calibrate/ramp.c src/study/calibrate/ramp.h \
	src/study/calibrate/rows.c src/study/calibrate/rows.h
