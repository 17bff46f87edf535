# The checker's state: dispatches, orders, shadows of memory, and its
# interface.
libaqcore_a_SOURCES += \
	src/gpu/check/core/check.h \
	src/gpu/check/core/vector_clock.h \
	src/gpu/check/core/core.h \
	src/gpu/check/core/happens_before.h \
	src/gpu/check/core/heap.h \
	src/gpu/check/core/shadow.h \
	src/gpu/check/core/stack.h \
	src/gpu/check/core/access_history.h \
	src/gpu/check/core/uninit_shadow.h
