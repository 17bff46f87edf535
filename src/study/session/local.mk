# Runs a scenario or a replay into a store: transport, policy and record
# together.
libaqcore_a_SOURCES += \
	src/study/session/capture.c src/study/session/capture.h \
	src/study/session/collectives.c src/study/session/collectives.h \
	src/study/session/policy_sandbox.c src/study/session/policy_sandbox.h \
	src/study/session/cost.c src/study/session/cost.h \
	src/study/session/counted_durations.c src/study/session/counted_durations.h \
	src/study/session/device_choice.c src/study/session/device_choice.h \
	src/study/session/fitted_part.c src/study/session/fitted_part.h \
	src/study/session/kernel_gaps.c src/study/session/kernel_gaps.h \
	src/study/session/uncertainty.c src/study/session/uncertainty.h \
	src/study/session/collective_rendezvous.c \
	src/study/session/peak_utilization.c src/study/session/peak_utilization.h \
	src/study/session/session.c src/study/session/session.h \
	src/study/session/inputs_digest.c src/study/session/inputs_digest.h \
	src/study/session/gemm_duration.c src/study/session/gemm_duration.h \
	src/study/session/replay.c src/study/session/replay.h \
	src/study/session/replay_clock.c src/study/session/replay_clock.h \
	src/study/session/row_filter.c src/study/session/row_filter.h \
	src/study/session/run_model.c src/study/session/run_model.h \
	src/study/session/runs.c src/study/session/runs.h \
	src/study/session/scenario_run.c src/study/session/scenario_run.h \
	src/study/session/sums.c src/study/session/sums.h \
	src/study/session/traces.c src/study/session/traces.h

aq_folder_headers += src/study/session/runs.h
