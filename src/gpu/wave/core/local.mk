# The shared base of the interpreter's parts: the wave's state, its lanes, the
# forms of instructions.
libaqcore_a_SOURCES += \
	src/gpu/wave/core/access.h \
	src/gpu/wave/core/atomics.h \
	src/gpu/wave/core/buffer.h \
	src/gpu/wave/core/code.h \
	src/gpu/wave/core/work_counters.h \
	src/gpu/wave/core/lds_direct_load.h \
	src/gpu/wave/core/lane_handlers.h \
	src/gpu/wave/core/small_floats.h \
	src/gpu/wave/core/gfx1250_addressing.h \
	src/gpu/wave/core/output_modifiers.h \
	src/gpu/wave/core/condition_sources.h \
	src/gpu/wave/core/operand_modifiers.h \
	src/gpu/wave/core/format.c src/gpu/wave/core/format.h \
	src/gpu/wave/core/guard.c src/gpu/wave/core/guard.h \
	src/gpu/wave/core/vector_f16.h \
	src/gpu/wave/core/host_level.h \
	src/gpu/wave/core/lanes.h \
	src/gpu/wave/core/lane_values.inc \
	src/gpu/wave/core/observe.h \
	src/gpu/wave/core/dpp.h \
	src/gpu/wave/core/mode.c src/gpu/wave/core/mode.h \
	src/gpu/wave/core/packed.h \
	src/gpu/wave/core/jit.h \
	src/gpu/wave/core/jit_options.h \
	src/gpu/wave/core/jit_page.h \
	src/gpu/wave/core/vopd.h \
	src/gpu/wave/core/address_translate.c src/gpu/wave/core/address_translate.h \
	src/gpu/wave/core/buffer_descriptor.c src/gpu/wave/core/buffer_descriptor.h \
	src/gpu/wave/core/execution_state.h \
	src/gpu/wave/core/wave_trace_rows.h \
	src/gpu/wave/core/trace.h \
	src/gpu/wave/core/execution_unit.h \
	src/gpu/wave/core/instrumented_loop.h \
	src/gpu/wave/core/wave.h
