libaqcore_a_SOURCES += \
	src/wave/access.h src/wave/aliases.c src/wave/aliases.def src/wave/access.inc \
	src/wave/access_atomics.inc \
	src/wave/atomics.c src/wave/atomics.h \
	src/wave/buffer.c src/wave/buffer.h \
	src/wave/caches.c src/wave/caches.h \
	src/wave/code.c src/wave/code.h \
	src/wave/counting.c src/wave/counting.h \
	src/wave/counting_priv.h src/wave/counting_run.c \
	src/wave/control.c \
	src/wave/convert.c \
	src/wave/crew.c src/wave/crew.h \
	src/wave/cross.c \
	src/wave/direct.c src/wave/direct.h \
	src/wave/direct_lower.c \
	src/wave/division.c \
	src/wave/each.h \
	src/wave/element.h src/wave/elements.c src/wave/elements.h \
	src/wave/exactness.c src/wave/exactness.h \
	src/wave/finish.c src/wave/finish.h \
	src/wave/flags.c src/wave/flags.h \
	src/wave/form.c src/wave/form.h src/wave/form_run.c \
	src/wave/format.c src/wave/format.h \
	src/wave/grid.c src/wave/grid.h \
	src/wave/groups.c src/wave/groups.h \
	src/wave/guard.c src/wave/guard.h \
	src/wave/gws.c src/wave/gws.h \
	src/wave/half.c src/wave/half.h \
	src/wave/hand.c src/wave/hand.h \
	src/wave/image.c src/wave/image.h src/wave/image_sample.c \
	src/wave/image_view.c src/wave/image_view.h \
	src/wave/image_words.c src/wave/image_words.h \
	src/wave/host_level.h src/wave/lanes.h src/wave/lane_values.inc \
	src/wave/lost.c src/wave/lost.h \
	src/wave/lower.c src/wave/lower.h \
	src/wave/matrix.c src/wave/matrix.h \
	src/wave/matrix.inc src/wave/matrix_shapes.def \
	src/wave/matrix_base.c \
	src/wave/matrix_v3.c \
	src/wave/matrix_v4.c \
	src/wave/memory.c \
	src/wave/observe.c src/wave/observe.h \
	src/wave/missing.c src/wave/missing.h \
	src/wave/move.c src/wave/move.h \
	src/wave/mode.c src/wave/mode.h \
	src/wave/packed.c src/wave/packed.h \
	src/wave/native.c src/wave/native.h \
	src/wave/native_affine.c src/wave/native_fast.c \
	src/wave/native_emit.c src/wave/native_emit.h \
	src/wave/native_lanes.c \
	src/wave/native_live.c src/wave/native_live.h \
	src/wave/native_memory.c src/wave/native_moves.c \
	src/wave/native_options.h \
	src/wave/native_prelude.c src/wave/native_scalars.c \
	src/wave/native_segment.h \
	src/wave/native_table.c src/wave/native_table.h \
	src/wave/native_turns.c \
	src/wave/native_unit.c src/wave/native_unit.h \
	src/wave/natives.c src/wave/natives.h \
	src/wave/pair.c src/wave/pair.h \
	src/wave/parts.c src/wave/parts.h \
	src/wave/pattern.c src/wave/pattern.h \
	src/wave/profile.c src/wave/profile.h \
	src/wave/pool.c src/wave/pool.h \
	src/wave/rare.c \
	src/wave/rdna.c \
	src/wave/reach.c src/wave/reach.h \
	src/wave/resource.c src/wave/resource.h \
	src/wave/scalar.c src/wave/scalar.def \
	src/wave/scalar_functions.inc \
	src/wave/schedule.c src/wave/schedule.h \
	src/wave/scalar_float.c \
	src/wave/semantics.c \
	src/wave/shared.c src/wave/shared.h \
	src/wave/shared_lanes.c \
	src/wave/short.c \
	src/wave/small.def src/wave/small.inc \
	src/wave/smem.c \
	src/wave/special.c src/wave/special.h \
	src/wave/start.c src/wave/start.h \
	src/wave/state.h \
	src/wave/steps.c src/wave/steps.h \
	src/wave/stop.c \
	src/wave/trace.c src/wave/trace.h \
	src/wave/touch.inc src/wave/typed.c \
	src/wave/unit.c src/wave/unit.h \
	src/wave/vector.def src/wave/vector.inc src/wave/vector_lane.inc \
	src/wave/vector_division.inc src/wave/vector_functions.inc \
	src/wave/vector_packed.inc \
	src/wave/vector_base.c \
	src/wave/vector_v3.c \
	src/wave/vector_v4.c \
	src/wave/where.c src/wave/where.h \
	src/wave/watch.c src/wave/watch.h \
	src/wave/wmma.c src/wave/wmma_shapes.def \
	src/wave/wave.c src/wave/wave.h
