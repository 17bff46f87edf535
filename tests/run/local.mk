check_PROGRAMS += \
	tests/run/test_jobs \
	tests/run/test_on_sim \
	tests/run/test_policy \
	tests/run/test_probe \
	tests/run/test_published \
	tests/run/test_replay \
	tests/run/test_run \
	tests/run/test_scenario \
	tests/run/test_scenario_dnn

# The tests compare this page with the code.
EXTRA_DIST += doc/formats/plan.md doc/formats/scenario.md
