# Tests of src/isa.
check_PROGRAMS += tests/isa/test_decode tests/isa/test_objdump \
	tests/isa/test_llvm tests/isa/test_roundtrip tests/isa/test_walk
tests_isa_test_objdump_SOURCES = tests/isa/test_objdump.c \
	tests/isa/objdump.c tests/isa/objdump.h
tests_isa_test_llvm_SOURCES = tests/isa/test_llvm.c \
	tests/isa/objdump.c tests/isa/objdump.h
tests_isa_test_roundtrip_SOURCES = tests/isa/test_roundtrip.c \
	tests/isa/objdump.c tests/isa/objdump.h
# With AQ_LLVM_TESTS=FOLDER: LLVM's llvm/test/MC/Disassembler/AMDGPU.
aq_isa_oracles = tests/isa/test_objdump tests/isa/test_llvm \
	tests/isa/test_roundtrip
