# Queues: made and destroyed, noticed by their doorbells, and mapped to the
# slots of a device.
libaqcore_a_SOURCES += \
	src/backend_sim/hwqueue/context_switch.c \
	src/backend_sim/hwqueue/context_switch.h \
	src/backend_sim/hwqueue/doorbell.c \
	src/backend_sim/hwqueue/doorbell.h \
	src/backend_sim/hwqueue/mapping.h \
	src/backend_sim/hwqueue/queue_create.c \
	src/backend_sim/hwqueue/queue_create.h \
	src/backend_sim/hwqueue/slots.c \
	src/backend_sim/hwqueue/slots.h
