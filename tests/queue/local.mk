check_PROGRAMS += \
	tests/queue/test_devices \
	tests/queue/test_kernarg_ring \
	tests/queue/test_pending_orders \
	tests/queue/test_pool_states \
	tests/queue/test_aql_queue
AQ_SLICED_TESTS += tests/queue/test_pending_orders tests/queue/test_pool_states

# The host queue on every transport, and in every way of waiting.
check_LIBRARIES += tests/queue/libaqground.a
tests_queue_libaqground_a_SOURCES = tests/queue/ground.c tests/queue/ground.h
AQ_GROUND_LDADD = tests/queue/libaqground.a $(AQ_TEST_LDADD)

check_PROGRAMS += tests/queue/test_queue
tests_queue_test_queue_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_file_io
tests_queue_test_file_io_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_programs
tests_queue_test_programs_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_reports
tests_queue_test_reports_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_contexts
tests_queue_test_contexts_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_executables
tests_queue_test_executables_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_operations
tests_queue_test_operations_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_families
tests_queue_test_families_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_queue_properties
tests_queue_test_queue_properties_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_values
tests_queue_test_values_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_values_code
tests_queue_test_values_code_LDADD = $(AQ_TEST_LDADD)
EXTRA_tests_queue_test_values_code_DEPENDENCIES = libhsa-runtime64.la

check_PROGRAMS += tests/queue/test_pool
tests_queue_test_pool_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_pending
tests_queue_test_pending_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_epoch
tests_queue_test_epoch_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_stopped
tests_queue_test_stopped_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_pm4
tests_queue_test_pm4_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_elision
tests_queue_test_elision_LDADD = $(AQ_GROUND_LDADD)

check_PROGRAMS += tests/queue/test_stress
tests_queue_test_stress_SOURCES = tests/queue/test_stress.c \
	tests/queue/stress.c tests/queue/stress.h
tests_queue_test_stress_LDADD = $(AQ_GROUND_LDADD)

EXTRA_PROGRAMS += tests/queue/soak_queue
AQ_SOAKS += tests/queue/soak_queue
tests_queue_soak_queue_SOURCES = tests/queue/soak_queue.c \
	tests/queue/stress.c tests/queue/stress.h
tests_queue_soak_queue_LDADD = $(AQ_GROUND_LDADD)

EXTRA_PROGRAMS += tests/queue/soak_lives
AQ_SOAKS += tests/queue/soak_lives
tests_queue_soak_lives_LDADD = $(AQ_GROUND_LDADD)

# Where memory runs out.
aq_shortage_ldflags = -Wl,--wrap=malloc -Wl,--wrap=calloc \
	-Wl,--wrap=realloc -Wl,--wrap=aligned_alloc -Wl,--wrap=free
check_PROGRAMS += tests/queue/test_no_memory
tests_queue_test_no_memory_SOURCES = tests/queue/test_no_memory.c \
	tests/queue/shortage.c tests/queue/shortage.h
tests_queue_test_no_memory_LDADD = $(AQ_GROUND_LDADD)
tests_queue_test_no_memory_LDFLAGS = $(aq_shortage_ldflags)

check_PROGRAMS += tests/queue/test_operations_no_memory
tests_queue_test_operations_no_memory_SOURCES = \
	tests/queue/test_operations_no_memory.c \
	tests/queue/shortage.c tests/queue/shortage.h
tests_queue_test_operations_no_memory_LDADD = $(AQ_GROUND_LDADD)
tests_queue_test_operations_no_memory_LDFLAGS = $(aq_shortage_ldflags)

# They open the drop-in library of this build.
EXTRA_tests_queue_test_contexts_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_executables_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_operations_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_programs_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_queue_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_stopped_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_reports_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_stress_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_test_records_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_soak_lives_DEPENDENCIES = libhsa-runtime64.la
EXTRA_tests_queue_soak_queue_DEPENDENCIES = libhsa-runtime64.la

# Published figures through the queue's own interface.
check_PROGRAMS += tests/queue/test_published
tests_queue_test_published_LDADD = $(AQSIM_TEST_LDADD)

check_PROGRAMS += tests/queue/test_records
tests_queue_test_records_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(SQLITE_CFLAGS)
tests_queue_test_records_LDADD = tests/queue/libaqground.a \
	$(AQ_STORE_TEST_LDADD)
