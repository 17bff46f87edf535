check_PROGRAMS += tests/queue/capture/test_capture
tests_queue_capture_test_capture_LDADD = $(AQ_GROUND_LDADD)
check_PROGRAMS += tests/queue/capture/test_captured_code
tests_queue_capture_test_captured_code_LDADD = $(AQ_GROUND_LDADD)
