# Rings of copy engines: packets of SDMA, read from memory and executed.
libaqcore_a_SOURCES += \
	src/backend_sim/sdma/sdma_packet.c \
	src/backend_sim/sdma/sdma_packet.h \
	src/backend_sim/sdma/sdma_ring.c \
	src/backend_sim/sdma/sdma_ring.h
