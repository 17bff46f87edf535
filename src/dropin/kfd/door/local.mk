# The doors by which programs reach the driver: a library that exec preloads,
# which needs only libc, and the machine behind it; and a library that libhsakmt
# loads as a model.
pkglib_LTLIBRARIES += libaqueduct-driver.la libaqueduct-machine.la \
	libaqueduct-model.la
libaqueduct_driver_la_SOURCES = \
	src/dropin/hsa/init/shim.c src/dropin/hsa/init/shim.h \
	src/dropin/kfd/door/preload.c
libaqueduct_driver_la_LDFLAGS = -module -avoid-version -no-undefined
# As the drop-in's shim.
$(libaqueduct_driver_la_OBJECTS): CFLAGS += -fno-sanitize=all

libaqueduct_machine_la_SOURCES = \
	src/dropin/kfd/door/loaded_code.c src/dropin/kfd/door/loaded_code.h \
	src/dropin/kfd/door/machine.c src/dropin/kfd/door/machine.h
libaqueduct_machine_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,src/dropin/kfd/libaqkfd.a,src/dropin/hsa/libaqdropin.a,libaqcore.a,-lm
libaqueduct_machine_la_DEPENDENCIES = libaqcore.a src/dropin/hsa/libaqdropin.a \
	src/dropin/kfd/libaqkfd.a src/dropin/kfd/door/machine.map
EXTRA_DIST += src/dropin/kfd/door/machine.map
if HAVE_VERSION_SCRIPT
libaqueduct_machine_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/kfd/door/machine.map
endif

libaqueduct_model_la_SOURCES = \
	src/dropin/kfd/door/loaded_code.c src/dropin/kfd/door/loaded_code.h \
	src/dropin/kfd/door/machine.c src/dropin/kfd/door/machine.h \
	src/dropin/kfd/door/model.c src/dropin/kfd/door/model_abi.h
libaqueduct_model_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,src/dropin/kfd/libaqkfd.a,src/dropin/hsa/libaqdropin.a,libaqcore.a,-lm
libaqueduct_model_la_DEPENDENCIES = libaqcore.a src/dropin/hsa/libaqdropin.a \
	src/dropin/kfd/libaqkfd.a src/dropin/kfd/door/model.map
EXTRA_DIST += src/dropin/kfd/door/model.map
if HAVE_VERSION_SCRIPT
libaqueduct_model_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/src/dropin/kfd/door/model.map
endif
