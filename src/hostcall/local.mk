libaqcore_a_SOURCES += \
	src/hostcall/device_printf.c src/hostcall/device_printf.h \
	src/hostcall/heap.c src/hostcall/heap.h \
	src/hostcall/hostcall.c src/hostcall/hostcall.h \
	src/hostcall/listener.c src/hostcall/listener.h \
	src/hostcall/messages.c src/hostcall/messages.h
