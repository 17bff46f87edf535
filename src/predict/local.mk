libaqcore_a_SOURCES += \
	src/predict/executed.c src/predict/executed.h \
	src/predict/families.def \
	src/predict/family.c src/predict/family.h \
	src/predict/gemm.c src/predict/gemm.h \
	src/predict/gemm.def \
	src/predict/gemm_read.c \
	src/predict/parts.def \
	src/predict/patterns.def \
	src/predict/rates.def \
	src/predict/transfer.c src/predict/transfer.h
