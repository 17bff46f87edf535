# Tests of src/isa.
check_PROGRAMS += tests/isa/test_decode tests/isa/test_objdump tests/isa/test_walk
