# Reads of registers and memory before their first write.
libaqcore_a_SOURCES += \
	src/gpu/check/uninit/uninit.c \
	src/gpu/check/uninit/uninit_access.c \
	src/gpu/check/uninit/uninit_sites.c \
	src/gpu/check/uninit/uninit_uses.c \
	src/gpu/check/uninit/uninit_shadow.c
