# How long a kernel takes, from its products, counted work or another device.
libaqcore_a_SOURCES += \
	src/gpu/duration/executed.c src/gpu/duration/executed.h \
	src/gpu/duration/families.def \
	src/gpu/duration/family.c src/gpu/duration/family.h \
	src/gpu/duration/gemm.c src/gpu/duration/gemm.h \
	src/gpu/duration/gemm.def \
	src/gpu/duration/gemm_read.c \
	src/gpu/duration/parts.def \
	src/gpu/duration/patterns.def \
	src/gpu/duration/rates.def \
	src/gpu/duration/transfer.c src/gpu/duration/transfer.h \
	src/gpu/duration/rccl_name.h
