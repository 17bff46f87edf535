# Tests of src/gpu/wave/jit.
check_PROGRAMS += tests/gpu/wave/jit/test_refusal tests/gpu/wave/jit/test_x86
