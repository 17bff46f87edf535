check_PROGRAMS += tests/gpu/hostcall/test_heap
dist_check_SCRIPTS += tests/gpu/hostcall/test_stack.sh
AQ_LONG_TESTS += tests/gpu/hostcall/test_device_memory.sh
EXTRA_DIST += tests/gpu/hostcall/device_memory.hip tests/gpu/hostcall/kernels.c tests/gpu/hostcall/stack.c
