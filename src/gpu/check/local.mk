# The checker of executed kernels: the drop-in runs it, exec reports findings.
libaqcore_a_SOURCES += \
	src/gpu/check/api.c \
	src/gpu/check/check.c \
	src/gpu/check/findings.c \
	src/gpu/check/nan_sites.c \
	src/gpu/check/nan_tracking.c src/gpu/check/nan_tracking.h \
	src/gpu/check/memory.c \
	src/gpu/check/observe.c src/gpu/check/observe.h \
	src/gpu/check/pools.c \
	src/gpu/check/source.c \
	src/gpu/check/variables.c \
	src/gpu/check/barrier_divergence.c

include src/gpu/check/core/local.mk
include src/gpu/check/race/local.mk
include src/gpu/check/hazards/local.mk
include src/gpu/check/uninit/local.mk
include src/gpu/check/heap/local.mk
include src/gpu/check/stack/local.mk
