check_PROGRAMS += \
	tests/scheduler/test_papers \
	tests/scheduler/test_queue_map

# It takes the headers that examples are built with.
dist_check_SCRIPTS += tests/scheduler/test_plugin.sh
check_DATA += public/stamp
