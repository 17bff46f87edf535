# Counts of a dispatch's work: instructions, steps, cache lines, traces of
# waves.
libaqcore_a_SOURCES += \
	src/gpu/wave/profile/caches.c src/gpu/wave/profile/caches.h \
	src/gpu/wave/profile/repeats.c \
	src/gpu/wave/profile/work_counters.c \
	src/gpu/wave/profile/work_counters_priv.h \
	src/gpu/wave/profile/work_counters_run.c \
	src/gpu/wave/profile/access_pattern.c src/gpu/wave/profile/access_pattern.h \
	src/gpu/wave/profile/profile.c src/gpu/wave/profile/profile.h \
	src/gpu/wave/profile/wave_trace_rows.c \
	src/gpu/wave/profile/trace.c \
	src/gpu/wave/profile/execution_unit.c
