libaqcore_a_SOURCES += \
	src/native/builder.c src/native/builder.h \
	src/native/kept.c src/native/kept.h
