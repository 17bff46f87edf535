check_PROGRAMS += tests/hostcall/test_heap
dist_check_SCRIPTS += tests/hostcall/test_stack.sh
AQ_LONG_TESTS += tests/hostcall/test_device_memory.sh
EXTRA_DIST += tests/hostcall/device_memory.hip tests/hostcall/kernels.c tests/hostcall/stack.c
