# The checker of executed kernels: the drop-in runs it, exec reports findings.
libaqcore_a_SOURCES += \
	src/check/api.c \
	src/check/check.c src/check/check.h \
	src/check/clocks.c src/check/clocks.h \
	src/check/core.h \
	src/check/findings.c \
	src/check/float_sites.c \
	src/check/floats.c src/check/floats.h \
	src/check/hazards.c src/check/hazards.h \
	src/check/init.c \
	src/check/init_access.c \
	src/check/init_sites.c \
	src/check/init_uses.c \
	src/check/matrices.c \
	src/check/memory.c \
	src/check/observe.c src/check/observe.h \
	src/check/order.c src/check/order.h \
	src/check/race.c \
	src/check/race_reports.c src/check/races.h \
	src/check/scopes.c src/check/scopes.h \
	src/check/shadow.c src/check/shadow.h \
	src/check/source.c src/check/states.c src/check/states.h \
	src/check/sync.c \
	src/check/unwritten.c src/check/unwritten.h \
	src/check/wait_sites.c \
	src/check/waits.c
