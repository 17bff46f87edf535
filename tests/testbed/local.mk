check_PROGRAMS += tests/testbed/test_testbed
