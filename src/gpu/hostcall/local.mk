# Calls that kernels make of the host: printf, the heap, messages.
libaqcore_a_SOURCES += \
	src/gpu/hostcall/device_printf.c src/gpu/hostcall/device_printf.h \
	src/gpu/hostcall/heap.c src/gpu/hostcall/heap.h \
	src/gpu/hostcall/hostcall.c src/gpu/hostcall/hostcall.h \
	src/gpu/hostcall/signal_listener.c src/gpu/hostcall/signal_listener.h \
	src/gpu/hostcall/messages.c src/gpu/hostcall/messages.h
