libaqcore_a_SOURCES += \
	src/devlib/device_args.h \
	src/devlib/devlib.c src/devlib/devlib.h \
	src/devlib/host.c \
	src/devlib/kernels.def

# The objects are made from cmdbuf/device/library.c by `make regenerate-devlib`,
# which needs clang and lld of a release that has all targets, and checked in; a
# test makes them again. Add a target: its name here.
AQ_DEVLIB_TARGETS = gfx9-generic gfx908 gfx90a gfx942 gfx9-4-generic \
	gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic
AQ_DEVLIB_OBJECTS = $(AQ_DEVLIB_TARGETS:%=src/devlib/objects/%.hsaco)
AQ_DEVLIB_CLANG = clang-22
EXTRA_DIST += src/devlib/compile.sh src/devlib/embed.sh \
	src/devlib/device/device.h src/devlib/device/kernels.c \
	src/cmdbuf/device/library.c src/cmdbuf/device/shim/assert.h \
	src/cmdbuf/device/shim/config.h src/cmdbuf/device/shim/string.h \
	$(AQ_DEVLIB_OBJECTS)

.PHONY: regenerate-devlib
regenerate-devlib:
	$(AM_V_at)cd $(srcdir) && for target in $(AQ_DEVLIB_TARGETS); do \
	  echo "  DEVLIB   $$target" && \
	  $(SHELL) src/devlib/compile.sh $(AQ_DEVLIB_CLANG) $$target \
	    src/devlib/objects/$$target.hsaco && \
	  chmod 644 src/devlib/objects/$$target.hsaco || exit 1; done

nodist_libaqcore_a_SOURCES += src/devlib/embedded.c
CLEANFILES += src/devlib/embedded.c
src/devlib/embedded.c: $(AQ_DEVLIB_OBJECTS) src/devlib/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/devlib
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/devlib/embed.sh $(AQ_DEVLIB_OBJECTS)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@

# Installed: builtins.h of cmdbuf needs it.
aq_folder_headers += src/devlib/device_args.h
