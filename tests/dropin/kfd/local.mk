# Tests of src/dropin/kfd: its calls without a preload, and AMD's own runtime
# above it where that is installed.
AQ_KFD_CLIENT = tests/dropin/kfd/client.c tests/dropin/kfd/client.h
AQ_KFD_LDADD = src/dropin/kfd/libaqkfd.a $(AQ_TEST_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_abi
tests_dropin_kfd_test_abi_SOURCES = tests/dropin/kfd/test_abi.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_abi_LDADD = $(AQ_KFD_LDADD)
tests_dropin_kfd_test_abi_CPPFLAGS = $(AM_CPPFLAGS) \
	-I$(top_srcdir)/tests/dropin/kfd/kernel
EXTRA_DIST += tests/dropin/kfd/kernel/drm/drm.h

check_PROGRAMS += tests/dropin/kfd/test_copy_rings
tests_dropin_kfd_test_copy_rings_SOURCES = tests/dropin/kfd/test_copy_rings.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_copy_rings_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_driver
tests_dropin_kfd_test_driver_SOURCES = tests/dropin/kfd/test_driver.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_driver_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_memory
tests_dropin_kfd_test_memory_SOURCES = tests/dropin/kfd/test_memory.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_memory_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_no_memory
tests_dropin_kfd_test_no_memory_SOURCES = tests/dropin/kfd/test_no_memory.c \
	tests/queue/shortage.c tests/queue/shortage.h $(AQ_KFD_CLIENT)
tests_dropin_kfd_test_no_memory_LDADD = $(AQ_KFD_LDADD)
tests_dropin_kfd_test_no_memory_LDFLAGS = $(aq_shortage_ldflags)

# It loads the library that libhsakmt would.
check_PROGRAMS += tests/dropin/kfd/test_model
tests_dropin_kfd_test_model_SOURCES = tests/dropin/kfd/test_model.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_model_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_queues
tests_dropin_kfd_test_queues_SOURCES = tests/dropin/kfd/test_queues.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_queues_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_tables
tests_dropin_kfd_test_tables_LDADD = $(AQ_KFD_LDADD)

check_PROGRAMS += tests/dropin/kfd/test_sharing
tests_dropin_kfd_test_sharing_SOURCES = tests/dropin/kfd/test_sharing.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_test_sharing_LDADD = $(AQ_KFD_LDADD)

# What test_door.sh runs under exec: it is no test itself.
EXTRA_PROGRAMS += tests/dropin/kfd/drive_door
check_DATA += tests/dropin/kfd/drive_door$(EXEEXT)
CLEANFILES += tests/dropin/kfd/drive_door$(EXEEXT)
tests_dropin_kfd_drive_door_SOURCES = tests/dropin/kfd/drive_door.c \
	$(AQ_KFD_CLIENT)
tests_dropin_kfd_drive_door_LDADD = $(AQ_KFD_LDADD)

dist_check_SCRIPTS += tests/dropin/kfd/test_door.sh
EXTRA_DIST += tests/dropin/kfd/contract_fails.tsv tests/dropin/kfd/measure_door.sh tests/dropin/kfd/defects.hip
AQ_LONG_TESTS += tests/dropin/kfd/test_installed.sh
