# Tests of src/dropin: clients of the built library.
check_LTLIBRARIES += tests/dropin/libaqclient.la
tests_dropin_libaqclient_la_SOURCES = \
	tests/dropin/client.c tests/dropin/client.h
tests_dropin_libaqclient_la_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
AQ_CLIENT_LDADD = tests/dropin/libaqclient.la libhsa-runtime64.la \
	$(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/test_entries
tests_dropin_test_entries_SOURCES = tests/dropin/test_entries.c
tests_dropin_test_entries_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_entries_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_abi
tests_dropin_test_abi_SOURCES = tests/dropin/test_abi.c
tests_dropin_test_abi_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_abi_LDADD = $(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/test_system
tests_dropin_test_system_SOURCES = tests/dropin/test_system.c
tests_dropin_test_system_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_system_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_memory
tests_dropin_test_memory_SOURCES = tests/dropin/test_memory.c
tests_dropin_test_memory_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_memory_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_signals
tests_dropin_test_signals_SOURCES = tests/dropin/test_signals.c
tests_dropin_test_signals_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_signals_LDADD = $(AQ_CLIENT_LDADD)

check_PROGRAMS += tests/dropin/test_queues
tests_dropin_test_queues_SOURCES = tests/dropin/test_queues.c
tests_dropin_test_queues_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_dropin_test_queues_LDADD = $(AQ_CLIENT_LDADD)

dist_check_SCRIPTS += tests/dropin/test_exec.sh tests/dropin/test_exports.sh
