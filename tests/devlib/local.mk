# Tests of src/devlib.
check_PROGRAMS += tests/devlib/test_devlib
dist_check_SCRIPTS += tests/devlib/test_objects.sh tests/devlib/test_targets.sh
