# Executes kernels' machine code: the waves, their memory and the grid that
# runs them.
libaqcore_a_SOURCES += \
	src/gpu/wave/access.h src/gpu/wave/aliases.c src/gpu/wave/aliases.def \
	src/gpu/wave/access.inc \
	src/gpu/wave/access_atomics.inc \
	src/gpu/wave/atomics.c src/gpu/wave/atomics.h \
	src/gpu/wave/buffer.c src/gpu/wave/buffer.h \
	src/gpu/wave/caches.c src/gpu/wave/caches.h \
	src/gpu/wave/code.c src/gpu/wave/code.h \
	src/gpu/wave/counting.c src/gpu/wave/counting.h \
	src/gpu/wave/counting_priv.h src/gpu/wave/counting_run.c \
	src/gpu/wave/control.c \
	src/gpu/wave/convert.c \
	src/gpu/wave/crew.c src/gpu/wave/crew.h \
	src/gpu/wave/cross.c \
	src/gpu/wave/direct.c src/gpu/wave/direct.h \
	src/gpu/wave/direct_lower.c \
	src/gpu/wave/division.c \
	src/gpu/wave/each.h \
	src/gpu/wave/element.h src/gpu/wave/elements.c src/gpu/wave/elements.h \
	src/gpu/wave/exactness.c src/gpu/wave/exactness.h \
	src/gpu/wave/finish.c src/gpu/wave/finish.h \
	src/gpu/wave/flags.c src/gpu/wave/flags.h \
	src/gpu/wave/form.c src/gpu/wave/form.h src/gpu/wave/form_run.c \
	src/gpu/wave/format.c src/gpu/wave/format.h \
	src/gpu/wave/grid.c src/gpu/wave/grid.h \
	src/gpu/wave/groups.c src/gpu/wave/groups.h \
	src/gpu/wave/guard.c src/gpu/wave/guard.h \
	src/gpu/wave/gws.c src/gpu/wave/gws.h \
	src/gpu/wave/half.c src/gpu/wave/half.h \
	src/gpu/wave/hand.c src/gpu/wave/hand.h \
	src/gpu/wave/image.c src/gpu/wave/image.h src/gpu/wave/image_sample.c \
	src/gpu/wave/image_view.c src/gpu/wave/image_view.h \
	src/gpu/wave/image_words.c src/gpu/wave/image_words.h \
	src/gpu/wave/host_level.h src/gpu/wave/lanes.h \
	src/gpu/wave/lane_values.inc \
	src/gpu/wave/lost.c src/gpu/wave/lost.h \
	src/gpu/wave/lower.c src/gpu/wave/lower.h \
	src/gpu/wave/matrix.c src/gpu/wave/matrix.h \
	src/gpu/wave/matrix.inc src/gpu/wave/matrix_shapes.def \
	src/gpu/wave/matrix_base.c \
	src/gpu/wave/matrix_v3.c \
	src/gpu/wave/matrix_v4.c \
	src/gpu/wave/memory.c \
	src/gpu/wave/observe.c src/gpu/wave/observe.h \
	src/gpu/wave/missing.c src/gpu/wave/missing.h \
	src/gpu/wave/move.c src/gpu/wave/move.h \
	src/gpu/wave/mode.c src/gpu/wave/mode.h \
	src/gpu/wave/packed.c src/gpu/wave/packed.h \
	src/gpu/wave/native.c src/gpu/wave/native.h \
	src/gpu/wave/native_affine.c src/gpu/wave/native_fast.c \
	src/gpu/wave/native_emit.c src/gpu/wave/native_emit.h \
	src/gpu/wave/native_lanes.c \
	src/gpu/wave/native_live.c src/gpu/wave/native_live.h \
	src/gpu/wave/native_memory.c src/gpu/wave/native_moves.c \
	src/gpu/wave/native_options.h \
	src/gpu/wave/native_prelude.c src/gpu/wave/native_scalars.c \
	src/gpu/wave/native_segment.h \
	src/gpu/wave/native_table.c src/gpu/wave/native_table.h \
	src/gpu/wave/native_turns.c \
	src/gpu/wave/native_unit.c src/gpu/wave/native_unit.h \
	src/gpu/wave/natives.c src/gpu/wave/natives.h \
	src/gpu/wave/pair.c src/gpu/wave/pair.h \
	src/gpu/wave/parts.c src/gpu/wave/parts.h \
	src/gpu/wave/pattern.c src/gpu/wave/pattern.h \
	src/gpu/wave/profile.c src/gpu/wave/profile.h \
	src/gpu/wave/pool.c src/gpu/wave/pool.h \
	src/gpu/wave/rare.c \
	src/gpu/wave/rdna.c \
	src/gpu/wave/reach.c src/gpu/wave/reach.h \
	src/gpu/wave/resource.c src/gpu/wave/resource.h \
	src/gpu/wave/scalar.c src/gpu/wave/scalar.def \
	src/gpu/wave/scalar_functions.inc \
	src/gpu/wave/schedule.c src/gpu/wave/schedule.h \
	src/gpu/wave/scalar_float.c \
	src/gpu/wave/semantics.c \
	src/gpu/wave/shared.c src/gpu/wave/shared.h \
	src/gpu/wave/shared_lanes.c \
	src/gpu/wave/short.c \
	src/gpu/wave/small.def src/gpu/wave/small.inc \
	src/gpu/wave/smem.c \
	src/gpu/wave/special.c src/gpu/wave/special.h \
	src/gpu/wave/start.c src/gpu/wave/start.h \
	src/gpu/wave/state.h \
	src/gpu/wave/steps.c src/gpu/wave/steps.h \
	src/gpu/wave/stop.c \
	src/gpu/wave/trace.c src/gpu/wave/trace.h \
	src/gpu/wave/touch.inc src/gpu/wave/typed.c \
	src/gpu/wave/unit.c src/gpu/wave/unit.h \
	src/gpu/wave/vector.def src/gpu/wave/vector.inc \
	src/gpu/wave/vector_lane.inc \
	src/gpu/wave/vector_division.inc src/gpu/wave/vector_functions.inc \
	src/gpu/wave/vector_packed.inc \
	src/gpu/wave/vector_base.c \
	src/gpu/wave/vector_v3.c \
	src/gpu/wave/vector_v4.c \
	src/gpu/wave/where.c src/gpu/wave/where.h \
	src/gpu/wave/watch.c src/gpu/wave/watch.h \
	src/gpu/wave/wmma.c src/gpu/wave/wmma_shapes.def \
	src/gpu/wave/wave.c src/gpu/wave/wave.h
