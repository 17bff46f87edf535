libaqcore_a_SOURCES += \
	src/hostcall/device_printf.c src/hostcall/device_printf.h \
	src/hostcall/heap.c src/hostcall/heap.h \
	src/hostcall/hostcall.c src/hostcall/hostcall.h
