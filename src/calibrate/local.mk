libaqcore_a_SOURCES += \
	src/calibrate/calibration.c src/calibrate/calibration.h \
	src/calibrate/figures.c src/calibrate/figures.def \
	src/calibrate/figures.h \
	src/calibrate/fit.c src/calibrate/fit.def src/calibrate/fit.h \
	src/calibrate/gaps.c src/calibrate/gaps.h \
	src/calibrate/probe.c src/calibrate/probe.def src/calibrate/probe.h \
	src/calibrate/probe_run.c src/calibrate/probe_run.h \
	src/calibrate/probed.c src/calibrate/probed.def src/calibrate/probed.h \
	src/calibrate/ramp.c src/calibrate/ramp.h \
	src/calibrate/rows.c src/calibrate/rows.h
