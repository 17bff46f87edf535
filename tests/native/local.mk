# Tests of src/native.
check_PROGRAMS += tests/native/test_kept
