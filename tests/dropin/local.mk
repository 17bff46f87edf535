# Tests of src/dropin: clients of the built library.
check_LIBRARIES += tests/dropin/libaqclient.a
tests_dropin_libaqclient_a_SOURCES = \
	tests/dropin/client.c tests/dropin/client.h \
	tests/dropin/object.c tests/dropin/object.h
AQ_CLIENT_LDADD = tests/dropin/libaqclient.a .libs/libhsa-runtime64.so \
	$(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/test_entries
tests_dropin_test_entries_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_abi

check_PROGRAMS += tests/dropin/test_abuse
tests_dropin_test_abuse_LDADD = $(AQ_CLIENT_LDADD)

# Random abuse; `make check-abuse` runs it under the sanitizers too.
EXTRA_PROGRAMS += tests/dropin/stress_abuse
CLEANFILES += tests/dropin/stress_abuse$(EXEEXT)
tests_dropin_stress_abuse_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_callbacks
tests_dropin_test_callbacks_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_codes
tests_dropin_test_codes_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_devices
tests_dropin_test_devices_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_ext_images
tests_dropin_test_ext_images_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_system
tests_dropin_test_system_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_memory
tests_dropin_test_memory_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_protected
tests_dropin_test_protected_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_sharing
tests_dropin_test_sharing_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_shared_signals
tests_dropin_test_shared_signals_CPPFLAGS = $(AQ_TEST_CPPFLAGS) \
	-DTEST_PEER='"$(abs_top_builddir)/tests/dropin/signal_peer"'
tests_dropin_test_shared_signals_LDADD = $(AQ_CLIENT_LDADD)
EXTRA_PROGRAMS += tests/dropin/signal_peer
check_DATA += tests/dropin/signal_peer$(EXEEXT)
CLEANFILES += tests/dropin/signal_peer$(EXEEXT)
tests_dropin_signal_peer_LDADD = .libs/libhsa-runtime64.so

check_PROGRAMS += tests/dropin/test_signals
tests_dropin_test_signals_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_queues
tests_dropin_test_queues_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_raw
tests_dropin_test_raw_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_tuning
tests_dropin_test_tuning_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_newer
tests_dropin_test_newer_LDADD = $(AQ_CLIENT_LDADD)
check_PROGRAMS += tests/dropin/test_vmem
tests_dropin_test_vmem_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_executables
tests_dropin_test_executables_CPPFLAGS = $(AQ_TEST_CPPFLAGS) \
	-DTEST_KERNELS='"$(abs_top_builddir)/tests/dropin/.libs/libtestkernels.so"'
tests_dropin_test_executables_LDADD = $(AQ_CLIENT_LDADD)

# -rpath makes libtool build a shared library although it is never installed.
check_LTLIBRARIES += tests/dropin/libtestkernels.la
tests_dropin_libtestkernels_la_SOURCES = tests/dropin/testkernels.c
tests_dropin_libtestkernels_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere

EXTRA_DIST += tests/dropin/kill_abuse.sh tests/dropin/app.hip tests/dropin/recorded.c tools/packages.sh
EXTRA_DIST += tests/dropin/bad_client.c tests/dropin/bad_hip.tsv tests/dropin/bad_kernels.hip
AQ_LONG_TESTS += \
	tests/dropin/test_ci.sh tests/dropin/test_exec_faults.sh \
	tests/dropin/test_bad_hip.sh \
	tests/dropin/test_captured_code.sh \
	tests/dropin/test_compile.sh \
	tests/dropin/test_exec_device.sh \
	tests/dropin/test_extract.sh \
	tests/dropin/test_fidelity.sh \
	tests/dropin/test_hip.sh \
	tests/dropin/test_hostcall.sh \
	tests/dropin/test_packets.sh \
	tests/dropin/test_recording.sh \
	tests/dropin/test_reports.sh
dist_check_SCRIPTS += \
	tests/dropin/test_exec.sh \
	tests/dropin/test_exports.sh \
	tests/dropin/test_strict.sh \
	tests/dropin/test_tools.sh

check_PROGRAMS += tests/dropin/test_bad_kernels
tests_dropin_test_bad_kernels_SOURCES = tests/dropin/test_bad_kernels.c \
	tests/dropin/bad_kernels.def
tests_dropin_test_bad_kernels_LDADD = $(AQ_CLIENT_LDADD)
