# Tests of src/store.
AQ_STORE_TESTS = tests/store/test_store
check_PROGRAMS += $(AQ_STORE_TESTS)

tests_store_test_store_SOURCES = tests/store/test_store.c
tests_store_test_store_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_store_test_store_LDADD = $(AQ_TEST_LDADD)
