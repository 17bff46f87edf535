# Tests of src/backend_sim.
check_LIBRARIES += tests/backend_sim/libaqrig.a
tests_backend_sim_libaqrig_a_SOURCES = \
	tests/backend_sim/policy/policy_rig.c \
	tests/backend_sim/policy/policy_rig.h \
	tests/backend_sim/rig.c tests/backend_sim/rig.h
AQSIM_TEST_LDADD = tests/backend_sim/libaqrig.a $(AQ_TEST_LDADD)

check_PROGRAMS += \
	tests/backend_sim/test_calendar \
	tests/backend_sim/test_clock \
	tests/backend_sim/transfer/test_copies \
	tests/backend_sim/model/test_device_base \
	tests/backend_sim/model/test_device_model \
	tests/backend_sim/dispatch/test_cohort \
	tests/backend_sim/dispatch/test_dispatcher \
	tests/backend_sim/test_docs \
	tests/backend_sim/packet/test_lifecycle \
	tests/backend_sim/packet/test_packets \
	tests/backend_sim/packet/test_pm4 \
	tests/backend_sim/hwqueue/test_queue_life \
	tests/backend_sim/test_signals \
	tests/backend_sim/test_mutation \
	tests/backend_sim/hwqueue/test_queues \
	tests/backend_sim/hwqueue/test_slots

tests_backend_sim_test_calendar_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_test_clock_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_transfer_test_copies_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_model_test_device_base_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_model_test_device_model_LDADD = $(AQSIM_TEST_LDADD)

tests_backend_sim_dispatch_test_cohort_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_dispatch_test_dispatcher_SOURCES = \
	tests/backend_sim/dispatch/test_dispatcher.c \
	tests/backend_sim/dispatch/reference.c \
	tests/backend_sim/dispatch/reference.h
tests_backend_sim_dispatch_test_dispatcher_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_packet_test_lifecycle_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_test_mutation_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_hwqueue_test_queues_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_test_docs_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_packet_test_packets_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_packet_test_pm4_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_hwqueue_test_queue_life_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_test_signals_LDADD = $(AQSIM_TEST_LDADD)


check_PROGRAMS += tests/backend_sim/test_abi
tests_backend_sim_test_abi_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/live/test_turns
tests_backend_sim_live_test_turns_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/live/test_live
tests_backend_sim_live_test_live_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/live/test_live_handlers
tests_backend_sim_live_test_live_handlers_LDADD = $(AQSIM_TEST_LDADD)

# The live tests with a million packets.
EXTRA_PROGRAMS += tests/backend_sim/live/soak_live
AQ_SOAKS += tests/backend_sim/live/soak_live
tests_backend_sim_live_soak_live_SOURCES = tests/backend_sim/live/test_live.c
tests_backend_sim_live_soak_live_CPPFLAGS = $(AQ_TEST_CPPFLAGS) \
	-DLIVE_PACKETS=1000000
tests_backend_sim_live_soak_live_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/test_inspect
tests_backend_sim_test_inspect_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_hwqueue_test_slots_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/policy/test_device_policy
tests_backend_sim_policy_test_device_policy_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/policy/test_policy_choices
tests_backend_sim_policy_test_policy_choices_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/model/test_device_set
tests_backend_sim_model_test_device_set_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/transfer/test_links
tests_backend_sim_transfer_test_links_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/transfer/test_traffic
tests_backend_sim_transfer_test_traffic_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/policy/test_reef

check_PROGRAMS += tests/backend_sim/dispatch/test_waves
tests_backend_sim_dispatch_test_waves_LDADD = $(AQSIM_TEST_LDADD)

# Random mixes by the thousand.
EXTRA_PROGRAMS += tests/backend_sim/dispatch/soak_dispatcher
AQ_SOAKS += tests/backend_sim/dispatch/soak_dispatcher
tests_backend_sim_dispatch_soak_dispatcher_SOURCES = \
	$(tests_backend_sim_dispatch_test_dispatcher_SOURCES)
tests_backend_sim_dispatch_soak_dispatcher_CPPFLAGS = $(AQ_TEST_CPPFLAGS) -DMIXES=10000
tests_backend_sim_dispatch_soak_dispatcher_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/packet/test_execution
tests_backend_sim_packet_test_execution_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/backend_sim/test_modules
tests_backend_sim_test_modules_LDADD = tests/dropin/hsa/libaqclient.a \
	$(AQSIM_TEST_LDADD)

check_PROGRAMS += \
	tests/backend_sim/sdma/test_sdma_packet \
	tests/backend_sim/sdma/test_sdma_ring
tests_backend_sim_sdma_test_sdma_packet_LDADD = $(AQSIM_TEST_LDADD)
tests_backend_sim_sdma_test_sdma_ring_LDADD = $(AQSIM_TEST_LDADD)
