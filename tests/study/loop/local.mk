check_PROGRAMS += \
	tests/study/loop/test_jobs \
	tests/study/loop/test_on_sim \
	tests/study/loop/test_policy \
	tests/study/loop/test_published \
	tests/study/loop/test_replay \
	tests/study/loop/test_replay_closed \
	tests/study/loop/test_run
tests_study_loop_test_replay_SOURCES = tests/study/loop/test_replay.c \
	tests/study/loop/replay_rows.h
tests_study_loop_test_replay_closed_SOURCES = \
	tests/study/loop/test_replay_closed.c tests/study/loop/replay_rows.h
