# The drop-in libhsa-runtime64.so.1: in a folder of its own, so that no program
# loads it by accident. The linker takes only the needed core objects out of the
# archive, so the library contains no part of the store or of report.
noinst_LIBRARIES += src/dropin/libaqdropin.a
src_dropin_libaqdropin_a_CFLAGS = $(AM_CFLAGS) -fPIC
src_dropin_libaqdropin_a_CPPFLAGS = $(AM_CPPFLAGS) -DAQDROP_INSIDE
src_dropin_libaqdropin_a_SOURCES = \
	src/dropin/agents.c \
	src/dropin/api_table.def \
	src/dropin/batches.c \
	src/dropin/bells.c src/dropin/bells.h \
	src/dropin/blits.c \
	src/dropin/blocks.c src/dropin/blocks.h \
	src/dropin/capture.c src/dropin/capture.h \
	src/dropin/capture_lines.h src/dropin/capture_signals.c \
	src/dropin/capture_table.c \
	src/dropin/check.c src/dropin/check.h \
	src/dropin/codes.c \
	src/dropin/contents.c src/dropin/contents.h \
	src/dropin/copies.c src/dropin/copies.h \
	src/dropin/debugger.c \
	src/dropin/entries.c \
	src/dropin/events.c src/dropin/events.h \
	src/dropin/executables.c src/dropin/executables.h \
	src/dropin/ext_image_words.c \
	src/dropin/ext_image_copies.c \
	src/dropin/ext_image_formats.c src/dropin/ext_image_formats.h \
	src/dropin/ext_image_orders.def \
	src/dropin/ext_images.c src/dropin/ext_images.h \
	src/dropin/ext_samplers.c \
	src/dropin/externals.c \
	src/dropin/exts.c \
	src/dropin/faults.c src/dropin/faults.h \
	src/dropin/extract.c src/dropin/extract.h \
	src/dropin/fidelity.c src/dropin/fidelity.h \
	src/dropin/file_copies.c \
	src/dropin/functions.def \
	src/dropin/hooks.c src/dropin/hooks.h \
	src/dropin/hsa.h \
	src/dropin/image_blits.c \
	src/dropin/ipc.c src/dropin/ipc.h \
	src/dropin/isa.c \
	src/dropin/kernels.c src/dropin/kernels.h \
	src/dropin/life.c \
	src/dropin/loader.c \
	src/dropin/log.c src/dropin/log.h \
	src/dropin/locked.c src/dropin/locked.h \
	src/dropin/memory.c src/dropin/memory.h \
	src/dropin/memory_access.c src/dropin/memory_files.c \
	src/dropin/own_code.c src/dropin/own_code.h \
	src/dropin/persona.c src/dropin/persona.h \
	src/dropin/personas.def \
	src/dropin/pools.h \
	src/dropin/profiling.c \
	src/dropin/protected.c src/dropin/protected.h \
	src/dropin/published.c src/dropin/published.h \
	src/dropin/queue_descs.c \
	src/dropin/queue_indices.c \
	src/dropin/queues.c src/dropin/queues.h \
	src/dropin/readers.c \
	src/dropin/recording.c src/dropin/recording.h \
	src/dropin/regions.c \
	src/dropin/runtime.c src/dropin/runtime.h \
	src/dropin/shared_signals.c \
	src/dropin/sharing.c \
	src/dropin/signals.c src/dropin/signals.h \
	src/dropin/simulator.c src/dropin/simulator.h \
	src/dropin/status_text.def \
	src/dropin/timing.c src/dropin/timing.h \
	src/dropin/stubs.c \
	src/dropin/tools.c src/dropin/tools.h \
	src/dropin/svm.c \
	src/dropin/symbols.c \
	src/dropin/system.c \
	src/dropin/vmem.c src/dropin/vmem.h \
	src/dropin/waits.c

pkglib_LTLIBRARIES = libhsa-runtime64.la
libhsa_runtime64_la_SOURCES =
libhsa_runtime64_la_LDFLAGS = -version-info 1:0:0 -no-undefined \
	-Wl,--whole-archive,src/dropin/libaqdropin.a \
	-Wl,--no-whole-archive,libaqcore.a,-lm
libhsa_runtime64_la_DEPENDENCIES = libaqcore.a src/dropin/libaqdropin.a \
	src/dropin/rocr.map

# What `aqueduct exec` puts before it: a machine that looks as if it had a GPU.
pkglib_LTLIBRARIES += libaqueduct-shim.la
libaqueduct_shim_la_SOURCES = src/dropin/shim.c
libaqueduct_shim_la_LDFLAGS = -module -avoid-version -no-undefined
EXTRA_DIST += src/dropin/rocr.map doc/dropin.md
if HAVE_VERSION_SCRIPT
libhsa_runtime64_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/rocr.map
endif
