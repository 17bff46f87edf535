# Device models: their keys and files, and the costs of packets.
libaqcore_a_SOURCES += \
	src/backend_sim/model/cost.c \
	src/backend_sim/model/cost.h \
	src/backend_sim/model/device_gaps.c \
	src/backend_sim/model/device_gaps.h \
	src/backend_sim/model/device_keys.def \
	src/backend_sim/model/device_library.c \
	src/backend_sim/model/device_library.h \
	src/backend_sim/model/device_model.c \
	src/backend_sim/model/device_model.h \
	src/backend_sim/model/device_set.c \
	src/backend_sim/model/device_set.h \
	src/backend_sim/model/device_show.c \
	src/backend_sim/model/device_value.c \
	src/backend_sim/model/device_value.h \
	src/backend_sim/model/occupancy.c \
	src/backend_sim/model/occupancy.h
