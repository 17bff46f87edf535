# Tests of src/dropin/hsa: clients of the built library.
check_LIBRARIES += tests/dropin/hsa/libaqclient.a
tests_dropin_hsa_libaqclient_a_SOURCES = \
	tests/dropin/hsa/client.c tests/dropin/hsa/client.h \
	tests/dropin/hsa/object.c tests/dropin/hsa/object.h
AQ_CLIENT_LDADD = tests/dropin/hsa/libaqclient.a .libs/libhsa-runtime64.so \
	$(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_entries
tests_dropin_hsa_test_entries_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_exec_options
tests_dropin_hsa_test_exec_options_LDADD = src/dropin/hsa/libaqdropin.a \
	$(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_abi

check_PROGRAMS += tests/dropin/hsa/test_abuse
tests_dropin_hsa_test_abuse_LDADD = $(AQ_CLIENT_LDADD)

# Random abuse; `make check-abuse` runs it under the sanitizers too.
EXTRA_PROGRAMS += tests/dropin/hsa/stress_abuse
CLEANFILES += tests/dropin/hsa/stress_abuse$(EXEEXT)
tests_dropin_hsa_stress_abuse_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_callbacks
tests_dropin_hsa_test_callbacks_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_codes
tests_dropin_hsa_test_codes_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_devices
tests_dropin_hsa_test_devices_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_ext_images
tests_dropin_hsa_test_ext_images_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_system
tests_dropin_hsa_test_system_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_memory
tests_dropin_hsa_test_memory_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_protected
tests_dropin_hsa_test_protected_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_sharing
tests_dropin_hsa_test_sharing_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_shared_signals
tests_dropin_hsa_test_shared_signals_CPPFLAGS = $(AQ_TEST_CPPFLAGS) \
	-DTEST_PEER='"$(abs_top_builddir)/tests/dropin/hsa/signal_peer"'
tests_dropin_hsa_test_shared_signals_LDADD = $(AQ_CLIENT_LDADD)
EXTRA_PROGRAMS += tests/dropin/hsa/signal_peer
check_DATA += tests/dropin/hsa/signal_peer$(EXEEXT)
CLEANFILES += tests/dropin/hsa/signal_peer$(EXEEXT)
tests_dropin_hsa_signal_peer_LDADD = .libs/libhsa-runtime64.so

check_PROGRAMS += tests/dropin/hsa/test_signals
tests_dropin_hsa_test_signals_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_queues
tests_dropin_hsa_test_queues_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_raw
tests_dropin_hsa_test_raw_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_tuning
tests_dropin_hsa_test_tuning_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_newer
tests_dropin_hsa_test_newer_LDADD = $(AQ_CLIENT_LDADD)
check_PROGRAMS += tests/dropin/hsa/test_vmem
tests_dropin_hsa_test_vmem_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/hsa/test_executables
tests_dropin_hsa_test_executables_CPPFLAGS = $(AQ_TEST_CPPFLAGS) \
	-DTEST_KERNELS='"$(abs_top_builddir)/tests/dropin/hsa/.libs/libtestkernels.so"'
tests_dropin_hsa_test_executables_LDADD = $(AQ_CLIENT_LDADD)

# -rpath makes libtool build a shared library although it is never installed.
check_LTLIBRARIES += tests/dropin/hsa/libtestkernels.la
tests_dropin_hsa_libtestkernels_la_SOURCES = tests/dropin/hsa/testkernels.c
tests_dropin_hsa_libtestkernels_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere

EXTRA_DIST += tests/dropin/hsa/kill_abuse.sh tests/dropin/hsa/app.hip tests/dropin/hsa/recorded.c tests/dropin/hsa/steps.c tools/packages.sh
EXTRA_DIST += tests/dropin/hsa/bad_client.c tests/dropin/hsa/bad_hip.tsv tests/dropin/hsa/bad_kernels.hip
AQ_LONG_TESTS += tests/dropin/hsa/test_exec.sh \
	tests/dropin/hsa/test_budget.sh tests/dropin/hsa/test_ci.sh tests/dropin/hsa/test_exec_faults.sh \
	tests/dropin/hsa/test_bad_hip.sh \
	tests/dropin/hsa/test_captured_code.sh \
	tests/dropin/hsa/test_compile.sh \
	tests/dropin/hsa/test_exec_device.sh \
	tests/dropin/hsa/test_exec_processes.sh \
	tests/dropin/hsa/test_extract.sh \
	tests/dropin/hsa/test_fidelity.sh \
	tests/dropin/hsa/test_hip.sh \
	tests/dropin/hsa/test_hostcall.sh \
	tests/dropin/hsa/test_packets.sh \
	tests/dropin/hsa/test_recording.sh \
	tests/dropin/hsa/test_reports.sh
dist_check_SCRIPTS += \
	tests/dropin/hsa/test_exports.sh \
	tests/dropin/hsa/test_strict.sh \
	tests/dropin/hsa/test_tools.sh

check_PROGRAMS += tests/dropin/hsa/test_bad_kernels
tests_dropin_hsa_test_bad_kernels_SOURCES = tests/dropin/hsa/test_bad_kernels.c \
	tests/dropin/hsa/bad_kernels.def
tests_dropin_hsa_test_bad_kernels_LDADD = $(AQ_CLIENT_LDADD)
