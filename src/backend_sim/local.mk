libaqcore_a_SOURCES += \
	src/backend_sim/calendar.c src/backend_sim/calendar.h \
	src/backend_sim/clock.c src/backend_sim/clock.h \
	src/backend_sim/cohort.c src/backend_sim/cohort.h \
	src/backend_sim/context.c src/backend_sim/context.h \
	src/backend_sim/copies.c src/backend_sim/copies.h \
	src/backend_sim/core.h \
	src/backend_sim/cost.c src/backend_sim/cost.h \
	src/backend_sim/deadlock.c src/backend_sim/deadlock.h \
	src/backend_sim/decode.c src/backend_sim/decode.h \
	src/backend_sim/device_keys.def \
	src/backend_sim/device_library.c src/backend_sim/device_library.h \
	src/backend_sim/device_model.c src/backend_sim/device_model.h \
	src/backend_sim/device_policy.c src/backend_sim/device_policy.h \
	src/backend_sim/device_set.c src/backend_sim/device_set.h \
	src/backend_sim/device_show.c \
	src/backend_sim/device_value.c src/backend_sim/device_value.h \
	src/backend_sim/devices.c src/backend_sim/devices.h \
	src/backend_sim/dispatcher.c src/backend_sim/dispatcher.h \
	src/backend_sim/dispatcher_policy.c \
	src/backend_sim/dispatcher_priv.h \
	src/backend_sim/execute.c src/backend_sim/execute.h \
	src/backend_sim/flight.c src/backend_sim/flight.h \
	src/backend_sim/gate.c src/backend_sim/gate.h \
	src/backend_sim/handlers.c src/backend_sim/handlers.h \
	src/backend_sim/inspect.c src/backend_sim/inspect.h \
	src/backend_sim/kernels.c src/backend_sim/kernels.h \
	src/backend_sim/lifecycle.def \
	src/backend_sim/links.c src/backend_sim/links.h \
	src/backend_sim/futex.h \
	src/backend_sim/live.c src/backend_sim/live.h \
	src/backend_sim/live_device.c src/backend_sim/live_device.h \
	src/backend_sim/live_handlers.c src/backend_sim/live_handlers.h \
	src/backend_sim/live_wait.c src/backend_sim/live_wait.h \
	src/backend_sim/memory.c src/backend_sim/memory.h \
	src/backend_sim/memory_fault.c src/backend_sim/memory_fault.h \
	src/backend_sim/null.c src/backend_sim/null.h \
	src/backend_sim/null_retire.c src/backend_sim/null_retire.h \
	src/backend_sim/occupancy.c src/backend_sim/occupancy.h \
	src/backend_sim/packets.c src/backend_sim/packets.h \
	src/backend_sim/pipes.c src/backend_sim/pipes.h \
	src/backend_sim/pm4.c src/backend_sim/pm4.h \
	src/backend_sim/policy_actions.c \
	src/backend_sim/policy_items.c \
	src/backend_sim/policy_preempt.c \
	src/backend_sim/policy_preempted.c \
	src/backend_sim/policy_priv.h \
	src/backend_sim/policy_queues.c \
	src/backend_sim/policy_runs.c \
	src/backend_sim/processor.c src/backend_sim/processor.h \
	src/backend_sim/queue_life.c src/backend_sim/queue_life.h \
	src/backend_sim/queues.c src/backend_sim/queues.h \
	src/backend_sim/records.c src/backend_sim/records.h \
	src/backend_sim/resources.def \
	src/backend_sim/sampler.c src/backend_sim/sampler.h \
	src/backend_sim/signals.c src/backend_sim/signals.h \
	src/backend_sim/sim.c src/backend_sim/sim.h \
	src/backend_sim/slots.c src/backend_sim/slots.h \
	src/backend_sim/testbed.c \
	src/backend_sim/traffic.c src/backend_sim/traffic.h \
	src/backend_sim/waves.c src/backend_sim/waves.h \
	src/backend_sim/xcc.c src/backend_sim/xcc.h \
	src/backend_sim/xcc_alone.c \
	src/backend_sim/xcc_priv.h \
	src/backend_sim/xcc_stop.c

# Device models are installed to be read and copied, and embedded so that the
# program needs no files. Add a model: its name here.
AQSIM_DEVICES = \
	src/backend_sim/devices/mi300x.device \
	src/backend_sim/devices/gfx1151-unprofiled.device \
	src/backend_sim/devices/gfx1151.device \
	src/backend_sim/devices/mi100.device \
	src/backend_sim/devices/mi210.device \
	src/backend_sim/devices/mi250.device \
	src/backend_sim/devices/mi250x.device \
	src/backend_sim/devices/mi300a.device \
	src/backend_sim/devices/mi300x-rocm6.4-vf.device \
	src/backend_sim/devices/mi300x-rocm7.0.device \
	src/backend_sim/devices/mi300x-rocm7.14.device \
	src/backend_sim/devices/mi300x-rocprof1.device \
	src/backend_sim/devices/mi300x-unprofiled.device \
	src/backend_sim/devices/mi325x-unprofiled.device \
	src/backend_sim/devices/mi325x.device \
	src/backend_sim/devices/mi350x.device \
	src/backend_sim/devices/mi355x.device \
	src/backend_sim/devices/mi50.device \
	src/backend_sim/devices/r9700-unprofiled.device \
	src/backend_sim/devices/r9700.device \
	src/backend_sim/devices/rx6900xt.device \
	src/backend_sim/devices/rx7900xtx-unprofiled.device \
	src/backend_sim/devices/rx7900xtx.device \
	src/backend_sim/devices/rx9070xt-unprofiled.device \
	src/backend_sim/devices/rx9070xt.device
devicesdir = $(pkgdatadir)/devices
dist_devices_DATA = $(AQSIM_DEVICES)
EXTRA_DIST += src/backend_sim/embed.sh \
	doc/device.md doc/formats/device.md doc/hardware-queues.md doc/lifecycle.md doc/live.md

nodist_libaqcore_a_SOURCES += src/backend_sim/embedded.c
CLEANFILES += src/backend_sim/embedded.c
src/backend_sim/embedded.c: $(AQSIM_DEVICES) src/backend_sim/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/backend_sim
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/backend_sim/embed.sh $(AQSIM_DEVICES)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@
