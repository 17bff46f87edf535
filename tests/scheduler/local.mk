check_PROGRAMS += \
	tests/scheduler/test_papers \
	tests/scheduler/test_queue_map \
	tests/scheduler/test_turns

# They take the headers that examples are built with.
dist_check_SCRIPTS += \
	tests/scheduler/test_plugin.sh \
	tests/scheduler/test_same_decisions.sh
AQ_LONG_TESTS += tests/scheduler/test_containment.sh
EXTRA_DIST += tests/scheduler/bad_policy.c tests/scheduler/decisions.json
check_DATA += public/stamp
