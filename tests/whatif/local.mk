# Tests of src/whatif.
check_PROGRAMS += \
	tests/whatif/test_critical \
	tests/whatif/test_change \
	tests/whatif/test_moves
AQ_SLICED_TESTS += tests/whatif/test_moves
dist_check_SCRIPTS += tests/whatif/test_whatif.sh
