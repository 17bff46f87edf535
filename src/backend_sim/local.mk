# The simulator of AQL queues and the device behind them, in virtual time or
# live.
libaqcore_a_SOURCES += \
	src/backend_sim/client.h \
	src/backend_sim/event_loop.c \
	src/backend_sim/event_loop.h \
	src/backend_sim/completion.c \
	src/backend_sim/completion.h \
	src/backend_sim/core.h \
	src/backend_sim/deadlock.c \
	src/backend_sim/deadlock.h \
	src/backend_sim/device_state.h \
	src/backend_sim/devices.c \
	src/backend_sim/devices.h \
	src/backend_sim/queue_state.h \
	src/backend_sim/sim.c \
	src/backend_sim/sim.h \
	src/backend_sim/types.h \
	src/backend_sim/thread_yield.h

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

include src/backend_sim/code/local.mk
include src/backend_sim/dispatch/local.mk
include src/backend_sim/engine/local.mk
include src/backend_sim/hwqueue/local.mk
include src/backend_sim/live/local.mk
include src/backend_sim/match/local.mk
include src/backend_sim/model/local.mk
include src/backend_sim/observe/local.mk
include src/backend_sim/packet/local.mk
include src/backend_sim/policy/local.mk
include src/backend_sim/sdma/local.mk
include src/backend_sim/transfer/local.mk
