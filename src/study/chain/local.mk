# Chains of dependent kernels, launched in every way, on a device model.
libaqcore_a_SOURCES += \
	src/study/chain/chain.c src/study/chain/chain.h \
	src/study/chain/strategies.c src/study/chain/strategies.def \
	src/study/chain/strategies.h
