# What scalar instructions compute, and the wave's control flow.
libaqcore_a_SOURCES += \
	src/gpu/wave/scalar/control.c \
	src/gpu/wave/scalar/scalar.c src/gpu/wave/scalar/scalar.def \
	src/gpu/wave/scalar/scalar_functions.inc \
	src/gpu/wave/scalar/scalar_float.c
