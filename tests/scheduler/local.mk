check_PROGRAMS += \
	tests/scheduler/test_papers \
	tests/scheduler/test_queue_map

tests_scheduler_test_papers_SOURCES = tests/scheduler/test_papers.c
tests_scheduler_test_papers_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_scheduler_test_papers_LDADD = $(AQ_TEST_LDADD)

tests_scheduler_test_queue_map_SOURCES = tests/scheduler/test_queue_map.c
tests_scheduler_test_queue_map_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_scheduler_test_queue_map_LDADD = $(AQ_TEST_LDADD)

# It takes the headers that examples are built with.
dist_check_SCRIPTS += tests/scheduler/test_plugin.sh
check_DATA += public/stamp
