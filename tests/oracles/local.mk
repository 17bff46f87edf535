# A quick part in make check, all of them in make check-oracles.
check_PROGRAMS += tests/oracles/test_oracles
tests_oracles_test_oracles_SOURCES = tests/oracles/test_oracles.c \
	tests/oracles/station.c tests/oracles/station.h
tests_oracles_test_oracles_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_oracles_test_oracles_LDADD = $(AQ_TEST_LDADD)

check-oracles: tests/oracles/test_oracles
	AQ_ORACLES=all CK_DEFAULT_TIMEOUT=300 tests/oracles/test_oracles
