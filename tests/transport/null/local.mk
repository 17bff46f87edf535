# Tests of src/transport/null.
check_PROGRAMS += tests/transport/null/test_null
tests_transport_null_test_null_LDADD = $(AQSIM_TEST_LDADD)
