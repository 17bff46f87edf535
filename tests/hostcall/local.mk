check_PROGRAMS += tests/hostcall/test_heap
dist_check_SCRIPTS += tests/hostcall/test_device_memory.sh tests/hostcall/test_stack.sh
EXTRA_DIST += tests/hostcall/device_memory.hip tests/hostcall/kernels.c tests/hostcall/stack.c
