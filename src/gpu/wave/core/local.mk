# The shared base of the interpreter's parts: the wave's state, its lanes, the
# forms of instructions.
libaqcore_a_SOURCES += \
	src/gpu/wave/core/access.h \
	src/gpu/wave/core/atomics.h \
	src/gpu/wave/core/buffer.h \
	src/gpu/wave/core/code.h \
	src/gpu/wave/core/counting.h \
	src/gpu/wave/core/direct.h \
	src/gpu/wave/core/each.h \
	src/gpu/wave/core/element.h \
	src/gpu/wave/core/elements.h \
	src/gpu/wave/core/finish.h \
	src/gpu/wave/core/flags.h \
	src/gpu/wave/core/form.h \
	src/gpu/wave/core/format.c src/gpu/wave/core/format.h \
	src/gpu/wave/core/guard.c src/gpu/wave/core/guard.h \
	src/gpu/wave/core/half.h \
	src/gpu/wave/core/host_level.h \
	src/gpu/wave/core/lanes.h \
	src/gpu/wave/core/lane_values.inc \
	src/gpu/wave/core/observe.h \
	src/gpu/wave/core/move.h \
	src/gpu/wave/core/mode.c src/gpu/wave/core/mode.h \
	src/gpu/wave/core/packed.h \
	src/gpu/wave/core/native.h \
	src/gpu/wave/core/native_options.h \
	src/gpu/wave/core/natives.h \
	src/gpu/wave/core/pair.h \
	src/gpu/wave/core/reach.c src/gpu/wave/core/reach.h \
	src/gpu/wave/core/resource.c src/gpu/wave/core/resource.h \
	src/gpu/wave/core/state.h \
	src/gpu/wave/core/steps.h \
	src/gpu/wave/core/trace.h \
	src/gpu/wave/core/unit.h \
	src/gpu/wave/core/watch.h \
	src/gpu/wave/core/wave.h
