# Tests of src/mlir.
check_PROGRAMS += tests/mlir/test_runtime
EXTRA_tests_mlir_test_runtime_DEPENDENCIES = libhsa-runtime64.la
AQ_LONG_TESTS += tests/mlir/test_mlir.sh tests/mlir/test_sources.sh
EXTRA_DIST += tests/mlir/async.mlir tests/mlir/kernels.mlir tests/mlir/print.mlir
EXTRA_DIST += tests/mlir/exp.ll tests/mlir/scale.hip tests/mlir/store.s
