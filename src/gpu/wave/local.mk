# Executes kernels' machine code: the waves, their memory and the grid that
# runs them.

include src/gpu/wave/core/local.mk
include src/gpu/wave/decode/local.mk
include src/gpu/wave/memory/local.mk
include src/gpu/wave/profile/local.mk
include src/gpu/wave/scalar/local.mk
include src/gpu/wave/vector/local.mk
include src/gpu/wave/threads/local.mk
include src/gpu/wave/observe/local.mk
include src/gpu/wave/grid/local.mk
include src/gpu/wave/image/local.mk
include src/gpu/wave/matrix/local.mk
include src/gpu/wave/levels/local.mk
