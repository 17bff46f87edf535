# Tests of src/backend_hsa.
check_PROGRAMS += tests/backend_hsa/test_devices
tests_backend_hsa_test_devices_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_hsa/test_hsa

check_PROGRAMS += tests/backend_hsa/test_metrics
EXTRA_tests_backend_hsa_test_metrics_DEPENDENCIES = libhsa-runtime64.la

check_PROGRAMS += tests/backend_hsa/test_probe

# -rpath makes libtool build a shared library although it is never installed.
check_LTLIBRARIES += tests/backend_hsa/libfakehsa.la
tests_backend_hsa_libfakehsa_la_SOURCES = tests/backend_hsa/fake_hsa.c
tests_backend_hsa_libfakehsa_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere

# The drop-in's functions are found through it, so it must find the drop-in.
check_LTLIBRARIES += tests/backend_hsa/libskewedhsa.la
tests_backend_hsa_libskewedhsa_la_SOURCES = tests/backend_hsa/skewed_hsa.c
tests_backend_hsa_libskewedhsa_la_LIBADD = libhsa-runtime64.la
tests_backend_hsa_libskewedhsa_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere -Wl,-rpath,$(abs_top_builddir)/.libs
