# The run loop: which job, when, on which queue; and replays of measured rows.
libaqcore_a_SOURCES += \
	src/study/loop/policy_timers.c src/study/loop/policy_timers.h \
	src/study/loop/policy_driver.c src/study/loop/policy_driver.h \
	src/study/loop/policy_driver_device.c \
	src/study/loop/policy_driver_host.c \
	src/study/loop/inflight_parts.c \
	src/study/loop/policy_driver_preempted.c \
	src/study/loop/policy_driver_submit.c \
	src/study/loop/decision_log.c src/study/loop/graph_batch.h \
	src/study/loop/policy_jobs.c src/study/loop/policy_jobs.h \
	src/study/loop/inflight_jobs.c src/study/loop/inflight_jobs.h \
	src/study/loop/kernels.c src/study/loop/kernels.h \
	src/study/loop/signal_timestamps.c src/study/loop/signal_timestamps.h \
	src/study/loop/replay_events.c src/study/loop/replay_host.c \
	src/study/loop/replay.c src/study/loop/replay.h \
	src/study/loop/replay_priv.h \
	src/study/loop/replay_jobs.c \
	src/study/loop/replay_level.c \
	src/study/loop/replay_rows.c \
	src/study/loop/replay_waits.c \
	src/study/loop/run.c src/study/loop/run.h \
	src/study/loop/run_queues.c src/study/loop/run_priv.h \
	src/study/loop/record_annotator.c src/study/loop/record_annotator.h \
	src/study/loop/run_submit.c \
	src/study/loop/run_totals.c \
	src/study/loop/run_wait.c \
	src/study/loop/run_wall.c
