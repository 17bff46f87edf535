check_PROGRAMS += \
	tests/study/workload/test_scenario \
	tests/study/workload/test_scenario_dnn

# The tests compare this page with the code.
EXTRA_DIST += doc/formats/plan.md doc/formats/scenario.md
