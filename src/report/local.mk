libaqcore_la_SOURCES += \
	src/report/calibrate.c src/report/calibrate.def src/report/calibrate.h \
	src/report/calibrate_rows.c src/report/calibrate_rows.h \
	src/report/compare.c src/report/compare.h \
	src/report/compare_runs.c src/report/compare_runs.h \
	src/report/formula.c src/report/formula.h \
	src/report/metrics.c src/report/metrics.h \
	src/report/quantile.c src/report/quantile.h \
	src/report/timestamp_step.c src/report/timestamp_step.h

EXTRA_DIST += doc/compare.md
