# The executor: a dispatch's workgroups placed, started, run and stopped.
libaqcore_a_SOURCES += \
	src/gpu/wave/grid/grid.c src/gpu/wave/grid/grid.h \
	src/gpu/wave/grid/workgroups.c src/gpu/wave/grid/workgroups.h \
	src/gpu/wave/grid/gws.c src/gpu/wave/grid/gws.h \
	src/gpu/wave/grid/page_fault.c src/gpu/wave/grid/page_fault.h \
	src/gpu/wave/grid/unsupported_instructions.c src/gpu/wave/grid/unsupported_instructions.h \
	src/gpu/wave/grid/parallel_step.c src/gpu/wave/grid/parallel_step.h \
	src/gpu/wave/grid/time_spent.c src/gpu/wave/grid/time_spent.h \
	src/gpu/wave/grid/schedule.c src/gpu/wave/grid/schedule.h \
	src/gpu/wave/grid/wave_init.c src/gpu/wave/grid/wave_init.h \
	src/gpu/wave/grid/wave_exit.c \
	src/gpu/wave/grid/wave_status.c src/gpu/wave/grid/wave_status.h \
	src/gpu/wave/grid/wave.c
