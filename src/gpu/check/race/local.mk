# Accesses of memory without an order between them.
libaqcore_a_SOURCES += \
	src/gpu/check/race/vector_clock.c \
	src/gpu/check/race/happens_before.c \
	src/gpu/check/race/race.c \
	src/gpu/check/race/race_reports.c \
	src/gpu/check/race/races.h \
	src/gpu/check/race/synchronisation.c \
	src/gpu/check/race/synchronisation.h \
	src/gpu/check/race/memory_model.c src/gpu/check/race/memory_model.h \
	src/gpu/check/race/polling.c \
	src/gpu/check/race/shadow.c \
	src/gpu/check/race/access_history.c
