# The run loop: which job, when, on which queue; and replays of measured rows.
libaqcore_a_SOURCES += \
	src/study/loop/agenda.c src/study/loop/agenda.h \
	src/study/loop/decider.c src/study/loop/decider.h \
	src/study/loop/decider_device.c \
	src/study/loop/decider_host.c \
	src/study/loop/decider_parts.c \
	src/study/loop/decider_preempted.c \
	src/study/loop/decider_submit.c \
	src/study/loop/decider_words.c \
	src/study/loop/held.c src/study/loop/held.h \
	src/study/loop/jobs.c src/study/loop/jobs.h \
	src/study/loop/kernels.c src/study/loop/kernels.h \
	src/study/loop/measure.c src/study/loop/measure.h \
	src/study/loop/replay_events.c src/study/loop/replay_host.c \
	src/study/loop/replay.c src/study/loop/replay.h \
	src/study/loop/replay_priv.h \
	src/study/loop/replay_jobs.c \
	src/study/loop/replay_level.c \
	src/study/loop/replay_rows.c \
	src/study/loop/replay_waits.c \
	src/study/loop/run.c src/study/loop/run.h \
	src/study/loop/run_queues.c src/study/loop/run_priv.h \
	src/study/loop/run_sink.c src/study/loop/run_sink.h \
	src/study/loop/run_submit.c \
	src/study/loop/run_totals.c \
	src/study/loop/run_wait.c \
	src/study/loop/run_wall.c
