check_PROGRAMS += tests/transport/testbed/test_testbed
