# Where a run's time went.
libaqcore_a_SOURCES += \
	src/report/explain/explain.c src/report/explain/explain.h \
	src/report/explain/explain_run.c src/report/explain/explain_run.h
