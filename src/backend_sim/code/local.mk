# What packets execute: kernels that the client registered, and the ones of
# loaded code objects.
libaqcore_a_SOURCES += \
	src/backend_sim/code/kernels.c \
	src/backend_sim/code/kernels.h \
	src/backend_sim/code/modules.c \
	src/backend_sim/code/modules.h
