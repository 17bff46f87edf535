# Tests of src/backend_null.
check_PROGRAMS += tests/backend_null/test_null
tests_backend_null_test_null_LDADD = $(AQSIM_TEST_LDADD)
