libaqcore_a_SOURCES += \
	src/wave/atomics.c \
	src/wave/execution.c src/wave/execution.h \
	src/wave/fault.c \
	src/wave/instructions.h \
	src/wave/lane_math.h \
	src/wave/lds.c \
	src/wave/machine.c src/wave/wave.h \
	src/wave/memory.c src/wave/memory.h \
	src/wave/memory_map.c src/wave/memory_map.h \
	src/wave/packed.c src/wave/packed.def \
	src/wave/program.c src/wave/program.h \
	src/wave/scalar.c src/wave/scalar.def \
	src/wave/state.h \
	src/wave/values.c src/wave/values.def src/wave/values.h \
	src/wave/values_level.inc src/wave/values_v3.c src/wave/values_v4.c \
	src/wave/vector.c
