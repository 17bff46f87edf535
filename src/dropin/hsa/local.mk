# The drop-in libhsa-runtime64.so.1: in a folder of its own, so that no program
# loads it by accident. The linker takes only the needed core objects out of the
# archive, so the library contains no part of the store or of report.
noinst_LIBRARIES += src/dropin/hsa/libaqdropin.a
src_dropin_hsa_libaqdropin_a_CFLAGS = $(AM_CFLAGS) -fPIC
src_dropin_hsa_libaqdropin_a_CPPFLAGS = $(AM_CPPFLAGS) -DAQDROP_INSIDE
src_dropin_hsa_libaqdropin_a_SOURCES = \
	src/dropin/hsa/agents.c \
	src/dropin/hsa/api_table.def \
	src/dropin/hsa/batches.c \
	src/dropin/hsa/bells.c src/dropin/hsa/bells.h \
	src/dropin/hsa/blits.c \
	src/dropin/hsa/blocks.c src/dropin/hsa/blocks.h \
	src/dropin/hsa/capture.c src/dropin/hsa/capture.h \
	src/dropin/hsa/capture_lines.h src/dropin/hsa/capture_signals.c \
	src/dropin/hsa/capture_table.c \
	src/dropin/hsa/check.c src/dropin/hsa/check.h \
	src/dropin/hsa/codes.c \
	src/dropin/hsa/contents.c src/dropin/hsa/contents.h \
	src/dropin/hsa/copies.c src/dropin/hsa/copies.h \
	src/dropin/hsa/debugger.c \
	src/dropin/hsa/entries.c \
	src/dropin/hsa/events.c src/dropin/hsa/events.h \
	src/dropin/hsa/executables.c src/dropin/hsa/executables.h \
	src/dropin/hsa/ext_image_words.c \
	src/dropin/hsa/ext_image_copies.c \
	src/dropin/hsa/ext_image_formats.c src/dropin/hsa/ext_image_formats.h \
	src/dropin/hsa/ext_image_orders.def \
	src/dropin/hsa/ext_images.c src/dropin/hsa/ext_images.h \
	src/dropin/hsa/ext_samplers.c \
	src/dropin/hsa/externals.c \
	src/dropin/hsa/exts.c \
	src/dropin/hsa/faults.c src/dropin/hsa/faults.h \
	src/dropin/hsa/extract.c src/dropin/hsa/extract.h \
	src/dropin/hsa/fidelity.c src/dropin/hsa/fidelity.h \
	src/dropin/hsa/file_copies.c \
	src/dropin/hsa/functions.def \
	src/dropin/hsa/hooks.c src/dropin/hsa/hooks.h \
	src/dropin/hsa/hsa.h \
	src/dropin/hsa/image_blits.c \
	src/dropin/hsa/ipc.c src/dropin/hsa/ipc.h \
	src/dropin/hsa/isa.c \
	src/dropin/hsa/kernels.c src/dropin/hsa/kernels.h \
	src/dropin/hsa/life.c \
	src/dropin/hsa/loader.c \
	src/dropin/hsa/log.c src/dropin/hsa/log.h \
	src/dropin/hsa/locked.c src/dropin/hsa/locked.h \
	src/dropin/hsa/memory.c src/dropin/hsa/memory.h \
	src/dropin/hsa/memory_access.c src/dropin/hsa/memory_files.c \
	src/dropin/hsa/own_code.c src/dropin/hsa/own_code.h \
	src/dropin/hsa/persona.c src/dropin/hsa/persona.h \
	src/dropin/hsa/personas.def \
	src/dropin/hsa/pools.h \
	src/dropin/hsa/profiling.c \
	src/dropin/hsa/protected.c src/dropin/hsa/protected.h \
	src/dropin/hsa/published.c src/dropin/hsa/published.h \
	src/dropin/hsa/queue_descs.c \
	src/dropin/hsa/queue_indices.c \
	src/dropin/hsa/queues.c src/dropin/hsa/queues.h \
	src/dropin/hsa/readers.c \
	src/dropin/hsa/recording.c src/dropin/hsa/recording.h \
	src/dropin/hsa/regions.c \
	src/dropin/hsa/runtime.c src/dropin/hsa/runtime.h \
	src/dropin/hsa/shared_signals.c \
	src/dropin/hsa/sharing.c \
	src/dropin/hsa/signals.c src/dropin/hsa/signals.h \
	src/dropin/hsa/simulator.c src/dropin/hsa/simulator.h \
	src/dropin/hsa/status_text.def \
	src/dropin/hsa/timing.c src/dropin/hsa/timing.h \
	src/dropin/hsa/stubs.c \
	src/dropin/hsa/tools.c src/dropin/hsa/tools.h \
	src/dropin/hsa/svm.c \
	src/dropin/hsa/symbols.c \
	src/dropin/hsa/system.c \
	src/dropin/hsa/vmem.c src/dropin/hsa/vmem.h \
	src/dropin/hsa/waits.c

pkglib_LTLIBRARIES = libhsa-runtime64.la
libhsa_runtime64_la_SOURCES =
libhsa_runtime64_la_LDFLAGS = -version-info 1:0:0 -no-undefined \
	-Wl,--whole-archive,src/dropin/hsa/libaqdropin.a \
	-Wl,--no-whole-archive,libaqcore.a,-lm
libhsa_runtime64_la_DEPENDENCIES = libaqcore.a src/dropin/hsa/libaqdropin.a \
	src/dropin/hsa/rocr.map

# What `aqueduct exec` puts before it: a machine that looks as if it had a GPU.
pkglib_LTLIBRARIES += libaqueduct-shim.la
libaqueduct_shim_la_SOURCES = src/dropin/hsa/shim.c
libaqueduct_shim_la_LDFLAGS = -module -avoid-version -no-undefined
EXTRA_DIST += src/dropin/hsa/rocr.map doc/dropin.md
if HAVE_VERSION_SCRIPT
libhsa_runtime64_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/hsa/rocr.map
endif
