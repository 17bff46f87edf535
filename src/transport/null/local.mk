# A transport without time, on which every packet completes at once.
libaqcore_a_SOURCES += \
	src/transport/null/null.c src/transport/null/null.h \
	src/transport/null/null_retire.c src/transport/null/null_retire.h
