# Accesses of memory without an order between them.
libaqcore_a_SOURCES += \
	src/gpu/check/race/clocks.c \
	src/gpu/check/race/order.c \
	src/gpu/check/race/race.c \
	src/gpu/check/race/race_reports.c \
	src/gpu/check/race/races.h \
	src/gpu/check/race/scopes.c src/gpu/check/race/scopes.h \
	src/gpu/check/race/shadow.c \
	src/gpu/check/race/states.c
