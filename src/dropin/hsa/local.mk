# The drop-in libhsa-runtime64.so.1: in a folder of its own, so that no program
# loads it by accident. The linker takes only the needed core objects out of the
# archive, so the library contains no part of the store or of report.
noinst_LIBRARIES += src/dropin/hsa/libaqdropin.a
src_dropin_hsa_libaqdropin_a_CFLAGS = $(AM_CFLAGS) -fPIC
src_dropin_hsa_libaqdropin_a_CPPFLAGS = $(AM_CPPFLAGS) -DAQDROP_INSIDE
src_dropin_hsa_libaqdropin_a_SOURCES =

pkglib_LTLIBRARIES = libhsa-runtime64.la
libhsa_runtime64_la_SOURCES =
libhsa_runtime64_la_LDFLAGS = -version-info 1:0:0 -no-undefined \
	-Wl,--whole-archive,src/dropin/hsa/libaqdropin.a \
	-Wl,--no-whole-archive,libaqcore.a,-lm
libhsa_runtime64_la_DEPENDENCIES = libaqcore.a src/dropin/hsa/libaqdropin.a \
	src/dropin/hsa/rocr.map

# What `aqueduct exec` puts before it: a machine that looks as if it had a GPU.
pkglib_LTLIBRARIES += libaqueduct-shim.la
libaqueduct_shim_la_SOURCES =
libaqueduct_shim_la_LDFLAGS = -module -avoid-version -no-undefined
# And `exec --check`: HIP's calls for memory of its pools.
pkglib_LTLIBRARIES += libaqueduct-pools.la
libaqueduct_pools_la_SOURCES =
libaqueduct_pools_la_LDFLAGS = -module -avoid-version -no-undefined
# Constructors of other libraries call its names before a sanitizer is ready.
$(libaqueduct_shim_la_OBJECTS) $(libaqueduct_pools_la_OBJECTS): \
	CFLAGS += -fno-sanitize=all
EXTRA_DIST += src/dropin/hsa/rocr.map doc/dropin.md
if HAVE_VERSION_SCRIPT
libhsa_runtime64_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/hsa/rocr.map
endif

include src/dropin/hsa/init/local.mk
include src/dropin/hsa/base/local.mk
include src/dropin/hsa/copy/local.mk
include src/dropin/hsa/signal/local.mk
include src/dropin/hsa/code/local.mk
include src/dropin/hsa/memory/local.mk
include src/dropin/hsa/mapping/local.mk
include src/dropin/hsa/record/local.mk
include src/dropin/hsa/instrument/local.mk
include src/dropin/hsa/image/local.mk
include src/dropin/hsa/queue/local.mk
