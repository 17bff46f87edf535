check_PROGRAMS += tests/capture/test_capture
tests_capture_test_capture_LDADD = $(AQ_GROUND_LDADD)
check_PROGRAMS += tests/capture/test_captured_code
tests_capture_test_captured_code_LDADD = $(AQ_GROUND_LDADD)
