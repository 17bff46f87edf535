# Tests of src/check: the order of packets and copies, and defects in programs.
check_PROGRAMS += tests/check/test_order
EXTRA_DIST += tests/check/sites.hpp tests/check/sites.hip \
	tests/check/values.hip tests/check/barriers.hip tests/check/queues.c \
dist_check_SCRIPTS += tests/check/test_sites.sh tests/check/test_waits.sh \
