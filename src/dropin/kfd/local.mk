# The kernel driver of AMD's GPUs in user space: its calls over the simulator's
# devices, and the files that describe them.
libaqcore_a_SOURCES += \
	src/dropin/kfd/topology.c src/dropin/kfd/topology.h

noinst_LIBRARIES += src/dropin/kfd/libaqkfd.a
src_dropin_kfd_libaqkfd_a_CFLAGS = $(AM_CFLAGS) -fPIC
src_dropin_kfd_libaqkfd_a_SOURCES = \
	src/dropin/kfd/calls.c src/dropin/kfd/calls.def \
	src/dropin/kfd/client_memory.c \
	src/dropin/kfd/copy_rings.c \
	src/dropin/kfd/driver.c \
	src/dropin/kfd/events.c \
	src/dropin/kfd/info.c \
	src/dropin/kfd/kernels.c \
	src/dropin/kfd/kfd.h src/dropin/kfd/kfd_priv.h \
	src/dropin/kfd/memory.c \
	src/dropin/kfd/queues.c \
	src/dropin/kfd/render.c \
	src/dropin/kfd/sharing.c \
	src/dropin/kfd/svm.c \
	src/dropin/kfd/uapi.h

EXTRA_DIST += doc/kfd.md
include src/dropin/kfd/door/local.mk
