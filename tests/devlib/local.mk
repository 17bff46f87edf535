# Tests of src/devlib.
check_PROGRAMS += tests/devlib/test_devlib
AQ_LONG_TESTS += tests/devlib/test_objects.sh tests/devlib/test_targets.sh
