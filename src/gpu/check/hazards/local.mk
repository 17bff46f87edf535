# Waits and gaps that an instruction needs before the next, and code that
# lacks them.
libaqcore_a_SOURCES += \
	src/gpu/check/hazards/hazards.c src/gpu/check/hazards/hazards.h \
	src/gpu/check/hazards/hazards_mfma.c \
	src/gpu/check/hazards/waitcnt_sites.c \
	src/gpu/check/hazards/waitcnt.c
