check_LIBRARIES += tests/cmdbuf/libaqwalk.a
tests_cmdbuf_libaqwalk_a_SOURCES = \
	tests/cmdbuf/random_program.c tests/cmdbuf/random_program.h \
	tests/cmdbuf/walk.c tests/cmdbuf/walk.h
AQ_WALK_LDADD = tests/cmdbuf/libaqwalk.a $(AQ_TEST_LDADD)

AQ_CMDBUF_TESTS = \
	tests/cmdbuf/test_builder \
	tests/cmdbuf/test_device_walk \
	tests/cmdbuf/test_pm4 \
	tests/cmdbuf/test_print \
	tests/cmdbuf/test_processor \
	tests/cmdbuf/test_program_file \
	tests/cmdbuf/test_validate
check_PROGRAMS += $(AQ_CMDBUF_TESTS)

tests_cmdbuf_test_device_walk_LDADD = $(AQ_WALK_LDADD)
tests_cmdbuf_test_pm4_LDADD = $(AQ_WALK_LDADD)
tests_cmdbuf_test_processor_LDADD = $(AQ_WALK_LDADD)
tests_cmdbuf_test_program_file_LDADD = $(AQ_WALK_LDADD)

# Counts instructions of a helper that is no test itself, under valgrind.
AQ_LONG_TESTS += tests/cmdbuf/test_plain_cost.sh
tests_cmdbuf_plain_cost_CPPFLAGS = $(AM_CPPFLAGS)
tests_cmdbuf_plain_cost_LDADD = $(AQ_CORE_LDADD)
tests/cmdbuf/test_plain_cost.log: tests/cmdbuf/plain_cost
EXTRA_PROGRAMS += tests/cmdbuf/plain_cost
CLEANFILES += tests/cmdbuf/plain_cost

# The tests compare this page with the code.
EXTRA_DIST += doc/formats/program.md
