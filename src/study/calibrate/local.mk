# Fits a device model's constants to measurements.
libaqcore_a_SOURCES += \
	src/study/calibrate/calibration.c src/study/calibrate/calibration.h \
	src/study/calibrate/samples.c src/study/calibrate/samples.def \
	src/study/calibrate/samples.h \
	src/study/calibrate/fit.c src/study/calibrate/fit.def \
	src/study/calibrate/fit.h \
	src/study/calibrate/part_fit.c src/study/calibrate/part_fit.h \
	src/study/calibrate/gaps.c src/study/calibrate/gaps.h \
	src/study/calibrate/probe.c src/study/calibrate/probe.def \
	src/study/calibrate/probe.h \
	src/study/calibrate/probe_run.c src/study/calibrate/probe_run.h \
	src/study/calibrate/probe_results.c src/study/calibrate/probe_results.def \
	src/study/calibrate/probe_results.h \
	src/study/calibrate/idle_ramp.c src/study/calibrate/idle_ramp.h \
	src/study/calibrate/run_rows.c src/study/calibrate/run_rows.h
