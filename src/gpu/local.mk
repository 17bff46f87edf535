# Code objects and machine code: loaded, decoded, executed, compiled, checked
# and timed.
include src/gpu/codeobj/local.mk
include src/gpu/isa/local.mk
include src/gpu/wave/local.mk
include src/gpu/wave/jit/local.mk
include src/gpu/check/local.mk
include src/gpu/inspect/local.mk
include src/gpu/devlib/local.mk
include src/gpu/hostcall/local.mk
include src/gpu/compile/local.mk
include src/gpu/duration/local.mk
