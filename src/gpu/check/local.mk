# The checker of executed kernels: the drop-in runs it, exec reports findings.
libaqcore_a_SOURCES += \
	src/gpu/check/api.c \
	src/gpu/check/check.c src/gpu/check/check.h \
	src/gpu/check/clocks.c src/gpu/check/clocks.h \
	src/gpu/check/core.h \
	src/gpu/check/findings.c \
	src/gpu/check/float_sites.c \
	src/gpu/check/floats.c src/gpu/check/floats.h \
	src/gpu/check/hazards.c src/gpu/check/hazards.h \
	src/gpu/check/init.c \
	src/gpu/check/init_access.c \
	src/gpu/check/init_sites.c \
	src/gpu/check/init_uses.c \
	src/gpu/check/matrices.c \
	src/gpu/check/memory.c \
	src/gpu/check/observe.c src/gpu/check/observe.h \
	src/gpu/check/order.c src/gpu/check/order.h \
	src/gpu/check/race.c \
	src/gpu/check/race_reports.c src/gpu/check/races.h \
	src/gpu/check/scopes.c src/gpu/check/scopes.h \
	src/gpu/check/shadow.c src/gpu/check/shadow.h \
	src/gpu/check/source.c src/gpu/check/states.c src/gpu/check/states.h \
	src/gpu/check/sync.c \
	src/gpu/check/unwritten.c src/gpu/check/unwritten.h \
	src/gpu/check/wait_sites.c \
	src/gpu/check/waits.c
