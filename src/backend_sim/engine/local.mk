# Events in virtual time, signals and the dependency waits that watch them, and the memory
# of clients that the simulator looks at.
libaqcore_a_SOURCES += \
	src/backend_sim/engine/allocation_publish.c \
	src/backend_sim/engine/allocation_publish.h \
	src/backend_sim/engine/calendar.c \
	src/backend_sim/engine/calendar.h \
	src/backend_sim/engine/dependency_wait.c \
	src/backend_sim/engine/dependency_wait.h \
	src/backend_sim/engine/futex.h \
	src/backend_sim/engine/memory_ops.c \
	src/backend_sim/engine/memory_ops.h \
	src/backend_sim/engine/page_probe.c \
	src/backend_sim/engine/page_probe.h \
	src/backend_sim/engine/signal_handlers.c \
	src/backend_sim/engine/signal_handlers.h \
	src/backend_sim/engine/signals.c \
	src/backend_sim/engine/signals.h
