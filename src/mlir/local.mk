# The runtime that MLIR's GPU programs link or load: MLIR's own interface on our
# host queue. The wrappers alone are outside of the core, which has the rest.
libaqcore_a_SOURCES += \
	src/mlir/compiled.c \
	src/mlir/core.h \
	src/mlir/memory.c \
	src/mlir/modules.c \
	src/mlir/records.c src/mlir/records.h \
	src/mlir/runtime.c src/mlir/runtime.h \
	src/mlir/streams.c

pkglib_LTLIBRARIES += libaqueduct_mlir_runtime.la
libaqueduct_mlir_runtime_la_SOURCES = src/mlir/wrappers.c
libaqueduct_mlir_runtime_la_LDFLAGS = -avoid-version -module -no-undefined \
	-Wl,--as-needed,libaqcore.a $(AQ_CORE_WL_LIBS)
libaqueduct_mlir_runtime_la_DEPENDENCIES = libaqcore.a src/mlir/mlir.map
EXTRA_DIST += src/mlir/mlir.map
if HAVE_VERSION_SCRIPT
libaqueduct_mlir_runtime_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/mlir/mlir.map
endif
