# Tests of src/backend_hsa.
check_PROGRAMS += tests/backend_hsa/test_hsa
tests_backend_hsa_test_hsa_SOURCES = tests/backend_hsa/test_hsa.c
tests_backend_hsa_test_hsa_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_hsa_test_hsa_LDADD = $(AQ_TEST_LDADD)

check_PROGRAMS += tests/backend_hsa/test_probe
tests_backend_hsa_test_probe_SOURCES = tests/backend_hsa/test_probe.c
tests_backend_hsa_test_probe_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_hsa_test_probe_LDADD = $(AQ_TEST_LDADD)

# -rpath makes libtool build a shared library although it is never installed.
check_LTLIBRARIES += tests/backend_hsa/libfakehsa.la
tests_backend_hsa_libfakehsa_la_SOURCES = tests/backend_hsa/fake_hsa.c
tests_backend_hsa_libfakehsa_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere
