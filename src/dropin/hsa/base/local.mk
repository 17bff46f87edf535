# The shared base of the drop-in's parts: HSA's types, the runtime's state, its
# log and its personas.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/base/api_table.def \
	src/dropin/hsa/base/doorbells.h \
	src/dropin/hsa/base/check.h \
	src/dropin/hsa/base/events.h \
	src/dropin/hsa/base/exec_options.c src/dropin/hsa/base/exec_options.h \
	src/dropin/hsa/base/executables.h \
	src/dropin/hsa/base/ext_images.h \
	src/dropin/hsa/base/fidelity.h \
	src/dropin/hsa/base/functions.def \
	src/dropin/hsa/base/hooks.h \
	src/dropin/hsa/base/hsa.h \
	src/dropin/hsa/base/kernels.h \
	src/dropin/hsa/base/log.c src/dropin/hsa/base/log.h \
	src/dropin/hsa/base/memory.h \
	src/dropin/hsa/base/pools.h \
	src/dropin/hsa/base/process_end.h \
	src/dropin/hsa/base/protected.h \
	src/dropin/hsa/base/published.c src/dropin/hsa/base/published.h \
	src/dropin/hsa/base/queues.h \
	src/dropin/hsa/base/recording.h \
	src/dropin/hsa/base/runtime.c src/dropin/hsa/base/runtime.h \
	src/dropin/hsa/base/signals.h \
	src/dropin/hsa/base/sim_extension.h \
	src/dropin/hsa/base/status_text.def \
	src/dropin/hsa/base/vmem.h

# Programs that only describe devices link it too.
libaqcore_a_SOURCES += \
	src/dropin/hsa/base/device_identity.c src/dropin/hsa/base/device_identity.h \
	src/dropin/hsa/base/device_identities.def
