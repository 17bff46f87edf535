# Tests of src/gpu/compile.
check_PROGRAMS += tests/gpu/compile/test_objects
check_PROGRAMS += tests/gpu/compile/test_child
