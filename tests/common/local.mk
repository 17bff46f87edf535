check_PROGRAMS += \
	tests/common/test_allocations \
	tests/common/test_array \
	tests/common/test_kernel_set \
	tests/common/test_dispatch_file \
	tests/common/test_map \
	tests/common/test_profiling \
	tests/common/test_record \
	tests/common/test_rng \
	tests/common/test_row_choice \
	tests/common/test_text

check_PROGRAMS += tests/common/test_ring

check_PROGRAMS += tests/common/test_spool
