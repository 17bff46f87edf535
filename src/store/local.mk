libaqcore_la_SOURCES += \
	src/store/location.c src/store/location.h \
	src/store/reader.c \
	src/store/runs.c src/store/runs.h \
	src/store/schema.c src/store/schema.h \
	src/store/store.c src/store/store.h src/store/store_priv.h \
	src/store/writer.c
