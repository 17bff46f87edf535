# Libraries that stand for others: HSA's runtime, the driver below it, MLIR's
# runtime, and BLAS.
include src/dropin/hsa/local.mk
include src/dropin/kfd/local.mk
include src/dropin/mlir/local.mk
include src/dropin/blas/local.mk
