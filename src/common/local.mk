# What every room knows: the contracts between rooms, the record, containers,
# text and files.
libaqcore_a_SOURCES += \
	src/common/allocations.c src/common/allocations.def \
	src/common/allocations.h \
	src/common/allocation_table.c src/common/allocation_table.h \
	src/common/arena.c src/common/arena.h \
	src/common/array.c src/common/array.h \
	src/common/copy_name.h \
	src/common/demangle.c src/common/demangle.h \
	src/common/order_hooks.h \
	src/common/dispatch_selector.c src/common/dispatch_selector.h \
	src/common/dispatch_file.c src/common/dispatch_file.h \
	src/common/diag.c \
	src/common/hsa_constants.def \
	src/common/hsa_sim.h \
	src/common/hsa_types.h \
	src/common/guest_memory.c src/common/guest_memory.h \
	src/common/json_in.c src/common/json_in.h \
	src/common/json_out.c src/common/json_out.h \
	src/common/host_kernels.c src/common/host_kernels.h \
	src/common/fnv.h \
	src/common/map.c src/common/map.h \
	src/common/memory_keep.h \
	src/common/memory_sink.c src/common/memory_sink.h \
	src/common/memory_value.c \
	src/common/notes.c src/common/notes.h \
	src/common/occupancy.c \
	src/common/resources.c src/common/resources.h \
	src/common/pm4.h \
	src/common/plugin.c src/common/plugin.h \
	src/common/record_modes.c src/common/record_modes.def src/common/record_modes.h \
	src/common/record.c \
	src/common/rng.c src/common/rng.h \
	src/common/sdma.h \
	src/common/slab.c src/common/slab.h \
	src/common/record_filter.c src/common/record_filter.h \
	src/common/spool.h \
	src/common/spool_format.h \
	src/common/signal_name.h \
	src/common/spool_read.c \
	src/common/spool_write.c \
	src/common/atomic_file.c src/common/atomic_file.h \
	src/common/run_info.c \
	src/common/status.c \
	src/common/strict_memory.c src/common/strict_memory.h \
	src/common/text.c src/common/text.h \
	src/common/time_text.c src/common/time_text.h \
	src/common/transport.c \
	src/common/utf8.c src/common/utf8.h \
	src/common/visible_devices.c src/common/visible_devices.h \
	src/common/wall_clock.h

# Installed as <aqueduct/…>; doc/api.md and doc/abi.md list them.
pkginclude_HEADERS += \
	src/common/aql.h \
	src/common/counters.def \
	src/common/device_hooks.h \
	src/common/devices.h \
	src/common/diag.h \
	src/common/executor.h \
	src/common/export.h \
	src/common/hsa_abi.h \
	src/common/kernel.h \
	src/common/kernel_desc.h \
	src/common/kernel_image.h \
	src/common/memory_value.h \
	src/common/occupancy.h \
	src/common/policy.h \
	src/common/policy_queues.h \
	src/common/counted.def src/common/counted.h \
	src/common/traced.def src/common/traced.h \
	src/common/frame.def src/common/memory_block.def src/common/launched.def src/common/host_op.def \
	src/common/ops.h \
	src/common/finding.def src/common/finding.h \
	src/common/instruction.def src/common/instruction.h \
	src/common/preempted.def src/common/preempted.h \
	src/common/record.def src/common/record.h \
	src/common/request.def src/common/request.h \
	src/common/ring.h \
	src/common/run_info.h \
	src/common/signal_desc.h \
	src/common/spin.h \
	src/common/status.def src/common/status.h \
	src/common/time.h \
	src/common/transport.h \
	src/common/transports.h \
	src/common/workload.h

# Where plug-ins are searched for.
nodist_libaqcore_a_SOURCES += src/common/plugin_dirs.h
BUILT_SOURCES += src/common/plugin_dirs.h
CLEANFILES += src/common/plugin_dirs.h
src/common/plugin_dirs.h: Makefile
	$(AM_V_GEN)$(MKDIR_P) src/common
	$(AM_V_at)printf '#define AQ_%s_DIR "%s"\n' \
	  BIN '$(bindir)' PLUGIN '$(pkglibdir)' > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@
