libaqcore_a_SOURCES += \
	src/backend_null/null.c src/backend_null/null.h \
	src/backend_null/null_retire.c src/backend_null/null_retire.h
