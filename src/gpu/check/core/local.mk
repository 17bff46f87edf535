# The checker's state: dispatches, orders, shadows of memory, and its
# interface.
libaqcore_a_SOURCES += \
	src/gpu/check/core/check.h \
	src/gpu/check/core/clocks.h \
	src/gpu/check/core/core.h \
	src/gpu/check/core/order.h \
	src/gpu/check/core/shadow.h \
	src/gpu/check/core/states.h \
	src/gpu/check/core/unwritten.h
