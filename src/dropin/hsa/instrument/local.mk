# The checker, faults, timing and tools between a client's call and its
# effect.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/instrument/check.c \
	src/dropin/hsa/instrument/fault_injection.c src/dropin/hsa/instrument/fault_injection.h \
	src/dropin/hsa/instrument/hooks.c \
	src/dropin/hsa/instrument/duration_model.c src/dropin/hsa/instrument/duration_model.h \
	src/dropin/hsa/instrument/tools.c src/dropin/hsa/instrument/tools.h
