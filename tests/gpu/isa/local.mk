# Tests of src/gpu/isa.
check_PROGRAMS += tests/gpu/isa/test_decode tests/gpu/isa/test_objdump \
	tests/gpu/isa/test_llvm tests/gpu/isa/test_roundtrip \
	tests/gpu/isa/test_gfx1250 \
	tests/gpu/isa/test_walk
tests_gpu_isa_test_objdump_SOURCES = tests/gpu/isa/test_objdump.c \
	tests/gpu/isa/objdump.c tests/gpu/isa/objdump.h
tests_gpu_isa_test_llvm_SOURCES = tests/gpu/isa/test_llvm.c \
	tests/gpu/isa/objdump.c tests/gpu/isa/objdump.h
tests_gpu_isa_test_roundtrip_SOURCES = tests/gpu/isa/test_roundtrip.c \
	tests/gpu/isa/assembled.c tests/gpu/isa/assembled.h \
	tests/gpu/isa/objdump.c tests/gpu/isa/objdump.h
tests_gpu_isa_test_gfx1250_SOURCES = tests/gpu/isa/test_gfx1250.c \
	tests/gpu/isa/assembled.c tests/gpu/isa/assembled.h \
	tests/gpu/isa/objdump.c tests/gpu/isa/objdump.h
# With AQ_LLVM_TESTS=FOLDER: LLVM's llvm/test/MC/Disassembler/AMDGPU.
aq_isa_oracles = tests/gpu/isa/test_objdump tests/gpu/isa/test_llvm \
	tests/gpu/isa/test_roundtrip tests/gpu/isa/test_gfx1250

# CORPUS=NAME CODE=FOLDER: the code objects of another project.
check-static: aqueduct
	$(AM_V_at)test -n '$(CORPUS)' && test -d '$(CODE)' || { \
	  echo 'usage: make check-static CORPUS=NAME CODE=FOLDER' >&2; exit 2; }
	$(AM_V_at)$(SHELL) $(srcdir)/tests/gpu/isa/static.sh count ./aqueduct \
	  '$(CORPUS)' '$(CODE)' > static.row
	$(AM_V_at)awk -F '\t' 'NR == FNR { row = $$0; name = $$1; next } \
	  $$1 != name { print } END { print row }' static.row \
	  $(srcdir)/tests/gpu/isa/static.tsv | sort > static.rows
	$(AM_V_at)cp static.rows $(srcdir)/tests/gpu/isa/static.tsv
	$(AM_V_at)rm -f static.row static.rows
	$(aq_isa_page)

# The sections of doc/tables/oracles.md on instructions, which are its last ones.
aq_isa_page = $(AM_V_at)sed '/^\#\# Kernels of others execute whole$$/,$$d' \
	  $(srcdir)/doc/tables/oracles.md | sed -e :a -e '/^\n*$$/{$$d;N;ba' -e '}' \
	  > static.page && $(SHELL) $(srcdir)/tests/gpu/isa/static.sh page \
	  $(srcdir)/tests/gpu/isa/static.tsv $(srcdir)/tests/gpu/isa/llvm.tsv \
	  >> static.page && cp static.page $(srcdir)/doc/tables/oracles.md && \
	  rm -f static.page

# LLVM_TESTS=FOLDER: the disassembler tests of LLVM_VERSION=NAME.
check-llvm: tests/gpu/isa/test_llvm
	$(AM_V_at)test -d '$(LLVM_TESTS)' && test -n '$(LLVM_VERSION)' || { \
	  echo 'usage: make check-llvm LLVM_TESTS=FOLDER LLVM_VERSION=NAME' >&2; \
	  exit 2; }
	$(AM_V_at)echo '$(LLVM_VERSION)' > llvm.rows
	$(AM_V_at)AQ_LLVM_TESTS='$(LLVM_TESTS)' AQ_LLVM_ROWS=llvm.rows \
	  CK_TIMEOUT_MULTIPLIER=400 tests/gpu/isa/test_llvm
	$(AM_V_at)mv llvm.rows $(srcdir)/tests/gpu/isa/llvm.tsv
	$(aq_isa_page)
EXTRA_DIST += tests/gpu/isa/static.sh tests/gpu/isa/static.tsv tests/gpu/isa/llvm.tsv
