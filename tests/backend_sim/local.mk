# Tests of src/backend_sim.
check_LTLIBRARIES += tests/backend_sim/libaqrig.la
tests_backend_sim_libaqrig_la_SOURCES = \
	tests/backend_sim/rig.c tests/backend_sim/rig.h
tests_backend_sim_libaqrig_la_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
AQSIM_TEST_LDADD = tests/backend_sim/libaqrig.la $(AQ_TEST_LDADD)

check_PROGRAMS += \
	tests/backend_sim/test_calendar \
	tests/backend_sim/test_device_model \
	tests/backend_sim/test_lifecycle \
	tests/backend_sim/test_mutation

tests_backend_sim_test_calendar_SOURCES = tests/backend_sim/test_calendar.c
tests_backend_sim_test_calendar_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_sim_test_calendar_LDADD = $(AQSIM_TEST_LDADD)

tests_backend_sim_test_device_model_SOURCES = \
	tests/backend_sim/test_device_model.c
tests_backend_sim_test_device_model_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_sim_test_device_model_LDADD = $(AQSIM_TEST_LDADD)

tests_backend_sim_test_lifecycle_SOURCES = tests/backend_sim/test_lifecycle.c
tests_backend_sim_test_lifecycle_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_sim_test_lifecycle_LDADD = $(AQSIM_TEST_LDADD)

tests_backend_sim_test_mutation_SOURCES = tests/backend_sim/test_mutation.c
tests_backend_sim_test_mutation_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_backend_sim_test_mutation_LDADD = $(AQSIM_TEST_LDADD)
