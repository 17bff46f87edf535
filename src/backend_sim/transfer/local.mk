# Copies: engines, links between devices, and the traffic that shares them.
libaqcore_a_SOURCES += \
	src/backend_sim/transfer/copy_rect.c \
	src/backend_sim/transfer/copy_rect.h \
	src/backend_sim/transfer/copies.c \
	src/backend_sim/transfer/copies.h \
	src/backend_sim/transfer/copy_engine.h \
	src/backend_sim/transfer/links.c \
	src/backend_sim/transfer/links.h \
	src/backend_sim/transfer/memory.c \
	src/backend_sim/transfer/memory.h \
	src/backend_sim/transfer/bandwidth.c \
	src/backend_sim/transfer/bandwidth.h
