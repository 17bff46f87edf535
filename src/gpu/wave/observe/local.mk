# The checker's view of each access, and where exact results end.
libaqcore_a_SOURCES += \
	src/gpu/wave/observe/exactness.c src/gpu/wave/observe/exactness.h \
	src/gpu/wave/observe/observe.c \
	src/gpu/wave/observe/access_sites.inc \
	src/gpu/wave/observe/instrumented_loop.c
