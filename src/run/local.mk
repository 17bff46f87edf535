libaqcore_a_SOURCES += \
	src/run/agenda.c src/run/agenda.h \
	src/run/decider.c src/run/decider.h \
	src/run/decider_device.c \
	src/run/decider_host.c \
	src/run/decider_preempted.c \
	src/run/distribution.c src/run/distribution.h \
	src/run/held.c src/run/held.h \
	src/run/jobs.c src/run/jobs.h \
	src/run/kernels.c src/run/kernels.h \
	src/run/launch.c src/run/launch.h \
	src/run/measure.c src/run/measure.h \
	src/run/plan.c src/run/plan.h src/run/plan_priv.h \
	src/run/plan_places.c \
	src/run/plan_points.c \
	src/run/plan_policies.c \
	src/run/plan_values.c \
	src/run/probe.c src/run/probe.def src/run/probe.h \
	src/run/request_log.c src/run/request_log.h \
	src/run/replay.c src/run/replay.h src/run/replay_priv.h \
	src/run/replay_jobs.c \
	src/run/replay_level.c \
	src/run/replay_rows.c \
	src/run/replay_waits.c \
	src/run/run.c src/run/run.h \
	src/run/run_queues.c src/run/run_priv.h \
	src/run/run_sink.c src/run/run_sink.h \
	src/run/run_submit.c \
	src/run/run_totals.c \
	src/run/run_wait.c \
	src/run/scenario.c src/run/scenario.h \
	src/run/scenario_clients.c src/run/scenario_model.h \
	src/run/scenario_cost.c \
	src/run/scenario_disb.c \
	src/run/scenario_dnn.c \
	src/run/scenario_parameters.c \
	src/run/scenario_player.c src/run/scenario_player.h \
	src/run/scenario_read.c \
	src/run/scenario_requests.c \
	src/run/scenario_sort.c \
	src/run/sums.c src/run/sums.h
