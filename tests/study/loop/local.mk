check_PROGRAMS += \
	tests/study/loop/test_jobs \
	tests/study/loop/test_on_sim \
	tests/study/loop/test_policy \
	tests/study/loop/test_published \
	tests/study/loop/test_replay \
	tests/study/loop/test_run
