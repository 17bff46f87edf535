libaqcore_a_SOURCES += \
	src/perform/capture.c src/perform/capture.h \
	src/perform/collectives.c src/perform/collectives.h \
	src/perform/containment.c src/perform/containment.h \
	src/perform/cost.c src/perform/cost.h \
	src/perform/counted.c src/perform/counted.h \
	src/perform/device_choice.c src/perform/device_choice.h \
	src/perform/gaps.c src/perform/gaps.h \
	src/perform/interval.c src/perform/interval.h \
	src/perform/meet.c \
	src/perform/peaks.c src/perform/peaks.h \
	src/perform/perform.c src/perform/perform.h \
	src/perform/product.c src/perform/product.h \
	src/perform/replay.c src/perform/replay.h \
	src/perform/replay_clock.c src/perform/replay_clock.h \
	src/perform/row_filter.c src/perform/row_filter.h \
	src/perform/run_model.c src/perform/run_model.h \
	src/perform/runs.c src/perform/runs.h \
	src/perform/scenario_run.c src/perform/scenario_run.h \
	src/perform/sums.c src/perform/sums.h \
	src/perform/traces.c src/perform/traces.h

aq_folder_headers += src/perform/runs.h
