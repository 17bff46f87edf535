# Tests of src/gpu/devlib.
check_PROGRAMS += tests/gpu/devlib/test_devlib
AQ_LONG_TESTS += tests/gpu/devlib/test_objects.sh tests/gpu/devlib/test_targets.sh
