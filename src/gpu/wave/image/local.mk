# Images and their samplers.
libaqcore_a_SOURCES += \
	src/gpu/wave/image/image.c src/gpu/wave/image/image.h \
	src/gpu/wave/image/image_sample.c \
	src/gpu/wave/image/image_view.c src/gpu/wave/image/image_view.h \
	src/gpu/wave/image/image_descriptor.c src/gpu/wave/image/image_descriptor.h
