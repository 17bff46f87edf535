# The executor: a dispatch's workgroups placed, started, run and stopped.
libaqcore_a_SOURCES += \
	src/gpu/wave/grid/grid.c src/gpu/wave/grid/grid.h \
	src/gpu/wave/grid/groups.c src/gpu/wave/grid/groups.h \
	src/gpu/wave/grid/gws.c src/gpu/wave/grid/gws.h \
	src/gpu/wave/grid/lost.c src/gpu/wave/grid/lost.h \
	src/gpu/wave/grid/missing.c src/gpu/wave/grid/missing.h \
	src/gpu/wave/grid/parts.c src/gpu/wave/grid/parts.h \
	src/gpu/wave/grid/schedule.c src/gpu/wave/grid/schedule.h \
	src/gpu/wave/grid/start.c src/gpu/wave/grid/start.h \
	src/gpu/wave/grid/stop.c \
	src/gpu/wave/grid/where.c src/gpu/wave/grid/where.h \
	src/gpu/wave/grid/wave.c
