# Tests of src/study/whatif.
check_PROGRAMS += \
	tests/study/whatif/test_critical \
	tests/study/whatif/test_change \
	tests/study/whatif/test_moves
AQ_SLICED_TESTS += tests/study/whatif/test_moves
AQ_LONG_TESTS += tests/study/whatif/test_whatif.sh
