# Tests of src/devlib.
check_PROGRAMS += tests/devlib/test_devlib
tests_devlib_test_devlib_SOURCES = tests/devlib/test_devlib.c
tests_devlib_test_devlib_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_devlib_test_devlib_LDADD = $(AQ_TEST_LDADD)
dist_check_SCRIPTS += tests/devlib/test_objects.sh
