libaqcore_la_SOURCES += \
	src/run/jobs.c src/run/jobs.h \
	src/run/kernels.c src/run/kernels.h \
	src/run/replay.c src/run/replay.h \
	src/run/run.c src/run/run.h \
	src/run/run_sink.c src/run/run_sink.h
