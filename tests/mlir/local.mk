# Tests of src/mlir.
check_PROGRAMS += tests/mlir/test_runtime
EXTRA_tests_mlir_test_runtime_DEPENDENCIES = libhsa-runtime64.la
