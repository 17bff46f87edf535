# The suite that every transport must pass, and the conformance table.
check_PROGRAMS += tests/contract/test_contract
AQ_SLICED_TESTS += tests/contract/test_contract

tests_contract_test_contract_SOURCES = \
	tests/contract/contract.c tests/contract/contract.h \
	tests/contract/cases_agents.c \
	tests/contract/cases_barriers.c \
	tests/contract/cases_controls.c \
	tests/contract/cases_devices.c \
	tests/contract/cases_errors.c \
	tests/contract/cases_faults.c \
	tests/contract/cases_life.c \
	tests/contract/cases_memory.c \
	tests/contract/cases_order.c \
	tests/contract/cases_packets.c \
	tests/contract/cases_programs.c \
	tests/contract/cases_queues.c \
	tests/contract/cases_rings.c \
	tests/contract/cases_signals.c \
	tests/contract/cases_time.c \
	tests/contract/cases_updates.c \
	tests/contract/cases_values.c \
	tests/contract/cases_vendor.c \
	tests/contract/test_contract.c \
	tests/contract/transports.c tests/contract/transports.h
tests_contract_test_contract_LDADD = $(AQSIM_TEST_LDADD)
EXTRA_tests_contract_test_contract_DEPENDENCIES = libhsa-runtime64.la

# The suite on the installed HSA runtime, for example a GPU's (doc/hsa.md).
check-hsa: tests/contract/test_contract
	AQ_LONG=1 AQ_TRANSPORT=hsa AQ_TRANSPORT_OPTIONAL=1 \
	  ./tests/contract/test_contract

# Reads the logs of the tests that the table names, so it runs after them.
dist_check_SCRIPTS += tests/contract/test_conformance.sh
tests/contract/test_conformance.log: \
	tests/backend_sim/test_abi.log \
	tests/backend_sim/transfer/test_copies.log \
	tests/backend_sim/packet/test_lifecycle.log \
	tests/backend_sim/live/test_live.log \
	tests/backend_sim/packet/test_packets.log \
	tests/backend_sim/hwqueue/test_queue_life.log \
	tests/backend_sim/hwqueue/test_queues.log \
	tests/backend_sim/hwqueue/test_slots.log \
	tests/backend_sim/test_signals.log \
	tests/common/test_ring.log \
	tests/contract/test_contract.log \
	tests/dropin/hsa/test_entries.log \
	tests/dropin/hsa/test_raw.log \
	tests/model/test_order.log
