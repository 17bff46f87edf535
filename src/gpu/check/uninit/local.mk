# Reads of registers and memory before their first write.
libaqcore_a_SOURCES += \
	src/gpu/check/uninit/init.c \
	src/gpu/check/uninit/init_access.c \
	src/gpu/check/uninit/init_sites.c \
	src/gpu/check/uninit/init_uses.c \
	src/gpu/check/uninit/unwritten.c
