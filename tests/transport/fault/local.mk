# Tests of src/transport/fault, and of plug-ins.
check_LIBRARIES += tests/transport/fault/libaqfaulty.a
tests_transport_fault_libaqfaulty_a_SOURCES = \
	tests/transport/fault/faulty.c tests/transport/fault/faulty.h \
	tests/transport/fault/seeds.c tests/transport/fault/seeds.h \
	tests/transport/fault/shapes.c tests/transport/fault/shapes.h
AQ_WRAP_LDADD = tests/transport/fault/libaqfaulty.a tests/model/libaqmodel.a \
	$(AQSIM_TEST_LDADD)

check_PROGRAMS += \
	tests/transport/fault/test_fault \
	tests/transport/fault/test_fault_matrix \
	tests/transport/fault/test_fault_schedule \
	tests/transport/fault/test_fault_seeds

tests_transport_fault_test_fault_LDADD = $(AQ_WRAP_LDADD)
tests_transport_fault_test_fault_matrix_LDADD = $(AQ_WRAP_LDADD)
tests_transport_fault_test_fault_schedule_LDADD = $(AQ_WRAP_LDADD)
tests_transport_fault_test_fault_seeds_LDADD = $(AQ_WRAP_LDADD)

EXTRA_PROGRAMS += tests/transport/fault/soak_faults
AQ_SOAKS += tests/transport/fault/soak_faults
tests_transport_fault_soak_faults_LDADD = $(AQ_WRAP_LDADD)

dist_check_SCRIPTS += tests/transport/fault/test_program.sh
AQ_LONG_TESTS += tests/transport/fault/test_plugins.sh
