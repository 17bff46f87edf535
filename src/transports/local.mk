libaqcore_a_SOURCES += \
	src/transports/device_models.c src/transports/device_models.h \
	src/transports/transports.c

aq_folder_headers += src/transports/device_models.h
