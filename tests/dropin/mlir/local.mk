# Tests of src/dropin/mlir.
check_PROGRAMS += tests/dropin/mlir/test_runtime
EXTRA_tests_dropin_mlir_test_runtime_DEPENDENCIES = libhsa-runtime64.la
AQ_LONG_TESTS += tests/dropin/mlir/test_mlir.sh tests/dropin/mlir/test_sources.sh
EXTRA_DIST += tests/dropin/mlir/async.mlir tests/dropin/mlir/kernels.mlir tests/dropin/mlir/print.mlir
EXTRA_DIST += tests/dropin/mlir/exp.ll tests/dropin/mlir/scale.hip tests/dropin/mlir/store.s
