# Finds a transport by name; the only place that names concrete backends.
libaqcore_a_SOURCES += \
	src/transport/registry/device_models.c \
	src/transport/registry/device_models.h \
	src/transport/registry/transports.c

aq_folder_headers += src/transport/registry/device_models.h
