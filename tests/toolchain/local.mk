# Tests of src/toolchain.
check_PROGRAMS += tests/toolchain/test_objects
check_PROGRAMS += tests/toolchain/test_child
