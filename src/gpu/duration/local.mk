# How long a kernel takes, from its products, counted work or another device.
libaqcore_a_SOURCES += \
	src/gpu/duration/roofline.c src/gpu/duration/roofline.h \
	src/gpu/duration/families.def \
	src/gpu/duration/kernel_class.c src/gpu/duration/kernel_class.h \
	src/gpu/duration/gemm.c src/gpu/duration/gemm.h \
	src/gpu/duration/gemm.def \
	src/gpu/duration/gemm_parse.c \
	src/gpu/duration/parts.def \
	src/gpu/duration/patterns.def \
	src/gpu/duration/rates.def \
	src/gpu/duration/cross_device.c src/gpu/duration/cross_device.h \
	src/gpu/duration/rccl_name.h
