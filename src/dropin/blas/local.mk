# libhipblas.so and librocblas.so for programs on machines that have none: simple kernels, checked in,
# which the program's own HIP runtime launches. In a folder of its own, which
# `aqueduct exec --with-blas` puts on the program's library path.
noinst_LIBRARIES += src/dropin/blas/libaqblas.a
src_dropin_blas_libaqblas_a_CFLAGS = $(AM_CFLAGS) -fPIC
src_dropin_blas_libaqblas_a_SOURCES = \
	src/dropin/blas/core.c src/dropin/blas/core.h \
	src/dropin/blas/device_args.h \
	src/dropin/blas/embedded.h \
	src/dropin/blas/gemm.c \
	src/dropin/blas/hip.c src/dropin/blas/hip.h \
	src/dropin/blas/kernels.def \
	src/dropin/blas/trsm.c \
	src/dropin/blas/typed.c src/dropin/blas/typed.h \
	src/dropin/blas/vector.c

# "exec" in its name: installed before the hook below.
blasexecdir = $(pkglibdir)/blas
blasexec_LTLIBRARIES = blas/libhipblas.la blas/librocblas.la
AQ_BLAS_FUNCTIONS = src/dropin/blas/forms.h src/dropin/blas/functions.inc
AQ_BLAS_LDFLAGS = -no-undefined -Wl,src/dropin/blas/libaqblas.a,-lm
blas_libhipblas_la_SOURCES = $(AQ_BLAS_FUNCTIONS) \
	src/dropin/blas/hipblas.c \
	src/dropin/blas/hipblas_functions.c \
	src/dropin/blas/hipblas_refused.c \
	src/dropin/blas/hipblas_status.h \
	src/dropin/blas/refused.def
blas_libhipblas_la_LDFLAGS = -version-info 2:0:0 $(AQ_BLAS_LDFLAGS)
blas_libhipblas_la_DEPENDENCIES = src/dropin/blas/libaqblas.a
blas_librocblas_la_SOURCES = $(AQ_BLAS_FUNCTIONS) src/dropin/blas/rocblas.c
blas_librocblas_la_LDFLAGS = -version-info 4:0:0 $(AQ_BLAS_LDFLAGS)
blas_librocblas_la_DEPENDENCIES = src/dropin/blas/libaqblas.a

# They take the values of all releases, so they serve under each name.
AQ_BLAS_NAMES = libhipblas.so.0 libhipblas.so.1 libhipblas.so.3 \
	librocblas.so.0 librocblas.so.3 librocblas.so.5
# Links to the libraries, which lie in the folder $from.
AQ_BLAS_LINK = case $$name in \
	*hip*) ln -sf $${from}libhipblas.so.2 $$name ;; \
	*) ln -sf $${from}librocblas.so.4 $$name ;; \
	esac

# exec looks for a folder blas/ beside the drop-in, which is in .libs here. Libtool
# removes names of its libraries that it does not know, so they have a folder.
noinst_DATA = blas/names.stamp
CLEANFILES += blas/names.stamp
blas/names.stamp: $(blasexec_LTLIBRARIES) src/dropin/blas/local.mk
	$(AM_V_GEN)rm -rf .libs/blas && $(MKDIR_P) .libs/blas
	$(AM_V_at)cd .libs/blas && from=../../blas/.libs/ && \
	  for name in $(AQ_BLAS_NAMES) libhipblas.so libhipblas.so.2 \
	  librocblas.so librocblas.so.4; do $(AQ_BLAS_LINK) || exit 1; done
	$(AM_V_at)echo > $@
install-exec-hook:
	cd '$(DESTDIR)$(blasexecdir)' && from= && \
	  for name in $(AQ_BLAS_NAMES); do $(AQ_BLAS_LINK) || exit 1; done
uninstall-hook:
	for name in $(AQ_BLAS_NAMES); do \
	  rm -f '$(DESTDIR)$(blasexecdir)'/$$name; done

blasincludedir = $(pkgincludedir)/blas/hipblas
blasinclude_HEADERS = src/dropin/blas/hipblas.h

# The objects are made from device/kernels.c by `make regenerate-blas`, which needs
# clang and lld of release 19 or later, and checked in; a test makes them again.
EXTRA_DIST += src/dropin/blas/compile.sh src/dropin/blas/embed.sh \
	$(AQ_BLAS_OBJECTS) \
	src/dropin/blas/device/device.h src/dropin/blas/device/gemm.inc \
	src/dropin/blas/device/kernels.c src/dropin/blas/device/trsm.inc \
	src/dropin/blas/device/vector.inc src/dropin/blas/device/vector_float.inc

.PHONY: regenerate-blas
regenerate-blas:
	$(AM_V_at)cd $(srcdir) && \
	  awk '$$2 == "exact" || $$2 == "both" {print $$1, $$4}' \
	    src/gpu/devlib/targets.tsv | \
	  $(SHELL) src/gpu/devlib/regenerate.sh $(AQ_DEVLIB_CLANG) src/dropin/blas

nodist_src_dropin_blas_libaqblas_a_SOURCES = src/dropin/blas/embedded.c
CLEANFILES += src/dropin/blas/embedded.c
src/dropin/blas/embedded.c: config.status $(AQ_BLAS_OBJECTS) \
		src/dropin/blas/embed.sh src/gpu/devlib/bundle.sh
	$(AM_V_GEN)$(MKDIR_P) src/dropin/blas
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/dropin/blas/embed.sh $(AQ_BLAS_OBJECTS)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@
