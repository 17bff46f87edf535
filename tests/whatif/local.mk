# Tests of src/whatif.
check_PROGRAMS += \
	tests/whatif/test_critical \
	tests/whatif/test_change
dist_check_SCRIPTS += tests/whatif/test_whatif.sh
