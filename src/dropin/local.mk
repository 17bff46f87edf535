# Libraries that stand for others: HSA's runtime, the driver below it, and
# MLIR's.
include src/dropin/hsa/local.mk
include src/dropin/kfd/local.mk
include src/dropin/mlir/local.mk
