# The runtime that MLIR's GPU programs link or load: MLIR's own interface on our
# host queue. The wrappers alone are outside of the core, which has the rest.
libaqcore_a_SOURCES += \
	src/dropin/mlir/compiled.c \
	src/dropin/mlir/core.h \
	src/dropin/mlir/memory.c \
	src/dropin/mlir/modules.c \
	src/dropin/mlir/records.c src/dropin/mlir/records.h \
	src/dropin/mlir/runtime.c src/dropin/mlir/runtime.h \
	src/dropin/mlir/streams.c

pkglib_LTLIBRARIES += libaqueduct_mlir_runtime.la
libaqueduct_mlir_runtime_la_SOURCES = src/dropin/mlir/wrappers.c
libaqueduct_mlir_runtime_la_LDFLAGS = -avoid-version -module -no-undefined \
	-Wl,--as-needed,libaqcore.a $(AQ_CORE_WL_LIBS)
libaqueduct_mlir_runtime_la_DEPENDENCIES = libaqcore.a src/dropin/mlir/mlir.map
EXTRA_DIST += src/dropin/mlir/mlir.map
if HAVE_VERSION_SCRIPT
libaqueduct_mlir_runtime_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/mlir/mlir.map
endif
