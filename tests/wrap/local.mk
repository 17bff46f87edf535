# Tests of src/wrap, and of plug-ins.
check_LIBRARIES += tests/wrap/libaqfaulty.a
tests_wrap_libaqfaulty_a_SOURCES = \
	tests/wrap/faulty.c tests/wrap/faulty.h \
	tests/wrap/seeds.c tests/wrap/seeds.h \
	tests/wrap/shapes.c tests/wrap/shapes.h
AQ_WRAP_LDADD = tests/wrap/libaqfaulty.a tests/model/libaqmodel.a \
	$(AQSIM_TEST_LDADD)

check_PROGRAMS += \
	tests/wrap/test_fault \
	tests/wrap/test_fault_matrix \
	tests/wrap/test_fault_schedule \
	tests/wrap/test_fault_seeds

tests_wrap_test_fault_LDADD = $(AQ_WRAP_LDADD)
tests_wrap_test_fault_matrix_LDADD = $(AQ_WRAP_LDADD)
tests_wrap_test_fault_schedule_LDADD = $(AQ_WRAP_LDADD)
tests_wrap_test_fault_seeds_LDADD = $(AQ_WRAP_LDADD)

EXTRA_PROGRAMS += tests/wrap/soak_faults
AQ_SOAKS += tests/wrap/soak_faults
tests_wrap_soak_faults_LDADD = $(AQ_WRAP_LDADD)

dist_check_SCRIPTS += tests/wrap/test_program.sh
AQ_LONG_TESTS += tests/wrap/test_plugins.sh
