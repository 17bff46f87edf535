check_PROGRAMS += tests/capture/test_capture
tests_capture_test_capture_SOURCES = tests/capture/test_capture.c
tests_capture_test_capture_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_capture_test_capture_LDADD = $(AQ_GROUND_LDADD)
