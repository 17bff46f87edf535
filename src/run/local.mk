libaqcore_a_SOURCES += \
	src/run/agenda.c src/run/agenda.h \
	src/run/decider.c src/run/decider.h \
	src/run/decider_device.c \
	src/run/decider_host.c \
	src/run/decider_parts.c \
	src/run/decider_preempted.c \
	src/run/decider_submit.c \
	src/run/decider_words.c \
	src/run/held.c src/run/held.h \
	src/run/jobs.c src/run/jobs.h \
	src/run/kernels.c src/run/kernels.h \
	src/run/measure.c src/run/measure.h \
	src/run/replay_events.c src/run/replay_host.c src/run/replay.c src/run/replay.h src/run/replay_priv.h \
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
	src/run/run_wall.c
