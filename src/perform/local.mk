libaqcore_a_SOURCES += \
	src/perform/perform.c src/perform/perform.h \
	src/perform/sums.c src/perform/sums.h
