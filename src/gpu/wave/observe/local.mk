# The checker's view of each access, and where exact results end.
libaqcore_a_SOURCES += \
	src/gpu/wave/observe/exactness.c src/gpu/wave/observe/exactness.h \
	src/gpu/wave/observe/observe.c \
	src/gpu/wave/observe/touch.inc \
	src/gpu/wave/observe/watch.c
