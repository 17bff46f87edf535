check_PROGRAMS += \
	tests/run/test_jobs \
	tests/run/test_on_sim \
	tests/run/test_policy \
	tests/run/test_published \
	tests/run/test_replay \
	tests/run/test_run
