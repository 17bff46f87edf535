# Addresses apart from the pools: reserved and mapped, described by attributes,
# shared between processes.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/mapping/ipc.c src/dropin/hsa/mapping/ipc.h \
	src/dropin/hsa/mapping/sharing.c \
	src/dropin/hsa/mapping/svm.c \
	src/dropin/hsa/mapping/vmem.c
