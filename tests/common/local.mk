check_PROGRAMS += \
	tests/common/test_kernel_set \
	tests/common/test_map \
	tests/common/test_record \
	tests/common/test_rng

tests_common_test_kernel_set_SOURCES = tests/common/test_kernel_set.c
tests_common_test_kernel_set_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_kernel_set_LDADD = $(AQ_TEST_LDADD)

tests_common_test_map_SOURCES = tests/common/test_map.c
tests_common_test_map_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_map_LDADD = $(AQ_TEST_LDADD)

tests_common_test_record_SOURCES = tests/common/test_record.c
tests_common_test_record_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_record_LDADD = $(AQ_TEST_LDADD)

tests_common_test_rng_SOURCES = tests/common/test_rng.c
tests_common_test_rng_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_rng_LDADD = $(AQ_TEST_LDADD)

check_PROGRAMS += tests/common/test_ring
tests_common_test_ring_SOURCES = tests/common/test_ring.c
tests_common_test_ring_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_ring_LDADD = $(AQ_TEST_LDADD)

check_PROGRAMS += tests/common/test_spool
tests_common_test_spool_SOURCES = tests/common/test_spool.c
tests_common_test_spool_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_common_test_spool_LDADD = $(AQ_TEST_LDADD)
