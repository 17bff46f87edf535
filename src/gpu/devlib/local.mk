# Our own kernels for GPUs, compiled and checked in, and their host functions.
libaqcore_a_SOURCES += \
	src/gpu/devlib/device_args.h \
	src/gpu/devlib/devlib.c src/gpu/devlib/devlib.h \
	src/gpu/devlib/host.c \
	src/gpu/devlib/kernels.def

# The objects are made from cmdbuf/device/library.c by `make regenerate-devlib`,
# which needs clang and lld of release 19 or later, and checked in; a test makes
# them again. targets.tsv lists them, and configure chooses which are embedded.
EXTRA_DIST += src/gpu/devlib/bundle.sh src/gpu/devlib/compile.sh src/gpu/devlib/embed.sh \
	src/gpu/devlib/regenerate.sh src/gpu/devlib/targets.tsv $(AQ_DEVLIB_OBJECTS) \
	src/gpu/devlib/device/device.h src/gpu/devlib/device/kernels.c \
	src/cmdbuf/device/library.c src/cmdbuf/device/shim/assert.h \
	src/cmdbuf/device/shim/config.h src/cmdbuf/device/shim/string.h

.PHONY: regenerate-devlib
regenerate-devlib:
	$(AM_V_at)cd $(srcdir) && \
	  grep -v '^#' src/gpu/devlib/targets.tsv | cut -f 1,4 | \
	  $(SHELL) src/gpu/devlib/regenerate.sh $(AQ_DEVLIB_CLANG) src/gpu/devlib

nodist_libaqcore_a_SOURCES += src/gpu/devlib/embedded.c
CLEANFILES += src/gpu/devlib/embedded.c
src/gpu/devlib/embedded.c: config.status $(AQ_DEVLIB_OBJECTS) \
		src/gpu/devlib/targets.tsv src/gpu/devlib/embed.sh src/gpu/devlib/bundle.sh
	$(AM_V_GEN)$(MKDIR_P) src/gpu/devlib
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/gpu/devlib/embed.sh $(AQ_DEVICE_TARGETS)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@

# tests/gpu/devlib and tests/queue with each choice of configure, in this build, which
# has its own choice again afterwards.
.PHONY: check-device-targets
check-device-targets:
	$(AM_V_at)programs=`echo $(check_PROGRAMS) | tr ' ' '\n' | \
	    grep -E '^tests/(gpu/devlib|queue)/' | tr '\n' ' '`; \
	for which in exact generic family bundle; do \
	  echo "  CHECK    --with-device-targets=$$which" && \
	  rm -f src/gpu/devlib/embedded.c && \
	  $(MAKE) -s check AQ_DEVICE_TARGETS=$$which \
	    check_PROGRAMS="$$programs" TESTS="$$programs" || status=1; \
	done; rm -f src/gpu/devlib/embedded.c; exit $${status:-0}
	$(AM_V_at)$(MAKE) -s all

# Installed: builtins.h of cmdbuf needs it.
aq_folder_headers += src/gpu/devlib/device_args.h
