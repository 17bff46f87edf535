# Libraries that stand for others: HSA's runtime and MLIR's.
include src/dropin/hsa/local.mk
include src/dropin/mlir/local.mk
