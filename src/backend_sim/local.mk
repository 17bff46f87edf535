# The simulator of AQL queues and the device behind them, in virtual time or
# live.
libaqcore_a_SOURCES += \
	src/backend_sim/calendar.c \
	src/backend_sim/calendar.h \
	src/backend_sim/clock.c \
	src/backend_sim/clock.h \
	src/backend_sim/completion.c \
	src/backend_sim/completion.h \
	src/backend_sim/core.h \
	src/backend_sim/devices.c \
	src/backend_sim/devices.h \
	src/backend_sim/futex.h \
	src/backend_sim/gate.c \
	src/backend_sim/gate.h \
	src/backend_sim/handlers.c \
	src/backend_sim/handlers.h \
	src/backend_sim/inspect.c \
	src/backend_sim/inspect.h \
	src/backend_sim/kernels.c \
	src/backend_sim/kernels.h \
	src/backend_sim/modules.c \
	src/backend_sim/modules.h \
	src/backend_sim/pages.c \
	src/backend_sim/pages.h \
	src/backend_sim/published.c \
	src/backend_sim/published.h \
	src/backend_sim/records.c \
	src/backend_sim/records.h \
	src/backend_sim/sampler.c \
	src/backend_sim/sampler.h \
	src/backend_sim/signals.c \
	src/backend_sim/signals.h \
	src/backend_sim/sim.c \
	src/backend_sim/sim.h \
	src/backend_sim/dispatch/cohort.c \
	src/backend_sim/dispatch/cohort.h \
	src/backend_sim/dispatch/dispatcher.c \
	src/backend_sim/dispatch/dispatcher.h \
	src/backend_sim/dispatch/dispatcher_policy.c \
	src/backend_sim/dispatch/dispatcher_priv.h \
	src/backend_sim/dispatch/xcc.c \
	src/backend_sim/dispatch/xcc.h \
	src/backend_sim/dispatch/xcc_alone.c \
	src/backend_sim/dispatch/xcc_priv.h \
	src/backend_sim/dispatch/xcc_stop.c \
	src/backend_sim/hwqueue/context.c \
	src/backend_sim/hwqueue/context.h \
	src/backend_sim/hwqueue/doorbell.c \
	src/backend_sim/hwqueue/doorbell.h \
	src/backend_sim/hwqueue/queue_life.c \
	src/backend_sim/hwqueue/queue_life.h \
	src/backend_sim/hwqueue/slots.c \
	src/backend_sim/hwqueue/slots.h \
	src/backend_sim/live/live.c \
	src/backend_sim/live/live.h \
	src/backend_sim/live/live_device.c \
	src/backend_sim/live/live_device.h \
	src/backend_sim/live/live_handlers.c \
	src/backend_sim/live/live_handlers.h \
	src/backend_sim/live/live_lead.c \
	src/backend_sim/live/live_lead.h \
	src/backend_sim/live/live_wait.c \
	src/backend_sim/live/live_wait.h \
	src/backend_sim/model/cost.c \
	src/backend_sim/model/cost.h \
	src/backend_sim/model/device_keys.def \
	src/backend_sim/model/device_library.c \
	src/backend_sim/model/device_library.h \
	src/backend_sim/model/device_gaps.c \
	src/backend_sim/model/device_gaps.h \
	src/backend_sim/model/device_model.c \
	src/backend_sim/model/device_model.h \
	src/backend_sim/model/device_set.c \
	src/backend_sim/model/device_set.h \
	src/backend_sim/model/device_show.c \
	src/backend_sim/model/device_value.c \
	src/backend_sim/model/device_value.h \
	src/backend_sim/model/occupancy.c \
	src/backend_sim/model/occupancy.h \
	src/backend_sim/model/resources.def \
	src/backend_sim/deadlock.c \
	src/backend_sim/deadlock.h \
	src/backend_sim/packet/decode.c \
	src/backend_sim/packet/decode.h \
	src/backend_sim/packet/execution.c \
	src/backend_sim/packet/execution.h \
	src/backend_sim/packet/fetch.c \
	src/backend_sim/packet/fetch.h \
	src/backend_sim/packet/flight.c \
	src/backend_sim/packet/flight.h \
	src/backend_sim/packet/host_call.c \
	src/backend_sim/packet/kind_barrier.c \
	src/backend_sim/packet/kind_kernel.c \
	src/backend_sim/packet/kind_pm4.c \
	src/backend_sim/packet/kinds.c \
	src/backend_sim/packet/kinds.h \
	src/backend_sim/packet/lifecycle.def \
	src/backend_sim/packet/memory_fault.c \
	src/backend_sim/packet/memory_fault.h \
	src/backend_sim/packet/packets.c \
	src/backend_sim/packet/packets.h \
	src/backend_sim/packet/pipes.c \
	src/backend_sim/packet/pipes.h \
	src/backend_sim/packet/pm4.c \
	src/backend_sim/packet/pm4.h \
	src/backend_sim/packet/processor.c \
	src/backend_sim/packet/processor.h \
	src/backend_sim/packet/ring.h \
	src/backend_sim/packet/waves.c \
	src/backend_sim/packet/waves.h \
	src/backend_sim/policy/device_policy.c \
	src/backend_sim/policy/device_policy.h \
	src/backend_sim/policy/device_ops.h \
	src/backend_sim/policy/policy_actions.c \
	src/backend_sim/policy/policy_items.c \
	src/backend_sim/policy/policy_preempt.c \
	src/backend_sim/policy/policy_preempted.c \
	src/backend_sim/policy/policy_priv.h \
	src/backend_sim/policy/policy_queues.c \
	src/backend_sim/policy/policy_runs.c \
	src/backend_sim/transfer/boxes.c \
	src/backend_sim/transfer/boxes.h \
	src/backend_sim/transfer/copies.c \
	src/backend_sim/transfer/copies.h \
	src/backend_sim/transfer/links.c \
	src/backend_sim/transfer/links.h \
	src/backend_sim/transfer/memory.c \
	src/backend_sim/transfer/memory.h \
	src/backend_sim/transfer/traffic.c \
	src/backend_sim/transfer/traffic.h \
	src/backend_sim/yields.h

# Device models are installed to be read and copied, and embedded so that the
# program needs no files. Add a model: its name here.
AQSIM_DEVICES = \
	src/backend_sim/model/devices/mi300x.device \
	src/backend_sim/model/devices/gfx1151-unprofiled.device \
	src/backend_sim/model/devices/gfx1151.device \
	src/backend_sim/model/devices/mi100.device \
	src/backend_sim/model/devices/mi210.device \
	src/backend_sim/model/devices/mi250.device \
	src/backend_sim/model/devices/mi250x.device \
	src/backend_sim/model/devices/mi300a.device \
	src/backend_sim/model/devices/mi300x-rocm6.4-vf.device \
	src/backend_sim/model/devices/mi300x-rocm7.0.device \
	src/backend_sim/model/devices/mi300x-rocm7.13.device \
	src/backend_sim/model/devices/mi300x-rocm7.14.device \
	src/backend_sim/model/devices/mi300x-rpd.device \
	src/backend_sim/model/devices/mi300x-rocprof1.device \
	src/backend_sim/model/devices/mi300x-unprofiled.device \
	src/backend_sim/model/devices/mi325x-unprofiled.device \
	src/backend_sim/model/devices/mi325x.device \
	src/backend_sim/model/devices/mi350x.device \
	src/backend_sim/model/devices/mi355x.device \
	src/backend_sim/model/devices/mi50.device \
	src/backend_sim/model/devices/mi25.device \
	src/backend_sim/model/devices/r9700-unprofiled.device \
	src/backend_sim/model/devices/r9700-rocprof1.device \
	src/backend_sim/model/devices/r9700.device \
	src/backend_sim/model/devices/rx6900xt.device \
	src/backend_sim/model/devices/rx7900xtx-unprofiled.device \
	src/backend_sim/model/devices/rx7900xtx.device \
	src/backend_sim/model/devices/rx9070xt-unprofiled.device \
	src/backend_sim/model/devices/rx9070xt.device
devicesdir = $(pkgdatadir)/devices
dist_devices_DATA = $(AQSIM_DEVICES)
EXTRA_DIST += src/backend_sim/model/embed.sh \
	doc/device.md doc/formats/device.md doc/hardware-queues.md doc/lifecycle.md doc/live.md

nodist_libaqcore_a_SOURCES += src/backend_sim/embedded.c
CLEANFILES += src/backend_sim/embedded.c
src/backend_sim/embedded.c: $(AQSIM_DEVICES) src/backend_sim/model/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/backend_sim
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/backend_sim/model/embed.sh $(AQSIM_DEVICES)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@

include src/backend_sim/match/local.mk
