check_PROGRAMS += \
	tests/queue/test_kernarg_ring \
	tests/queue/test_feed

tests_queue_test_kernarg_ring_SOURCES = tests/queue/test_kernarg_ring.c
tests_queue_test_kernarg_ring_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_queue_test_kernarg_ring_LDADD = $(AQ_TEST_LDADD)

tests_queue_test_queue_SOURCES = tests/queue/test_feed.c
tests_queue_test_queue_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_queue_test_queue_LDADD = $(AQ_TEST_LDADD)
