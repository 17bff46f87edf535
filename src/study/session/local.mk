# Runs a scenario or a replay into a store: transport, policy and record
# together.
libaqcore_a_SOURCES += \
	src/study/session/capture.c src/study/session/capture.h \
	src/study/session/collectives.c src/study/session/collectives.h \
	src/study/session/containment.c src/study/session/containment.h \
	src/study/session/cost.c src/study/session/cost.h \
	src/study/session/counted.c src/study/session/counted.h \
	src/study/session/device_choice.c src/study/session/device_choice.h \
	src/study/session/gaps.c src/study/session/gaps.h \
	src/study/session/interval.c src/study/session/interval.h \
	src/study/session/meet.c \
	src/study/session/peaks.c src/study/session/peaks.h \
	src/study/session/perform.c src/study/session/perform.h \
	src/study/session/product.c src/study/session/product.h \
	src/study/session/replay.c src/study/session/replay.h \
	src/study/session/replay_clock.c src/study/session/replay_clock.h \
	src/study/session/row_filter.c src/study/session/row_filter.h \
	src/study/session/run_model.c src/study/session/run_model.h \
	src/study/session/runs.c src/study/session/runs.h \
	src/study/session/scenario_run.c src/study/session/scenario_run.h \
	src/study/session/sums.c src/study/session/sums.h \
	src/study/session/traces.c src/study/session/traces.h

aq_folder_headers += src/study/session/runs.h
