# Starting and ending the runtime, its table of functions, agents and the
# shim.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/init/agents.c \
	src/dropin/hsa/init/debugger.c \
	src/dropin/hsa/init/entries.c \
	src/dropin/hsa/init/init.c \
	src/dropin/hsa/init/sim_extension.c \
	src/dropin/hsa/init/stubs.c \
	src/dropin/hsa/init/system.c

libaqueduct_shim_la_SOURCES += \
	src/dropin/hsa/init/shim.c src/dropin/hsa/init/shim.h \
	src/dropin/hsa/init/shim_dropin.c

libaqueduct_pools_la_SOURCES += src/dropin/hsa/init/hip_pools.c
