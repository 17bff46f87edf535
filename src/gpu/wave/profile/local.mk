# Counts of a dispatch's work: instructions, steps, cache lines, traces of
# waves.
libaqcore_a_SOURCES += \
	src/gpu/wave/profile/caches.c src/gpu/wave/profile/caches.h \
	src/gpu/wave/profile/counting.c \
	src/gpu/wave/profile/counting_priv.h \
	src/gpu/wave/profile/counting_run.c \
	src/gpu/wave/profile/pattern.c src/gpu/wave/profile/pattern.h \
	src/gpu/wave/profile/profile.c src/gpu/wave/profile/profile.h \
	src/gpu/wave/profile/steps.c \
	src/gpu/wave/profile/trace.c \
	src/gpu/wave/profile/unit.c
