# Tests of src/isa.
check_PROGRAMS += tests/isa/test_decode tests/isa/test_objdump \
	tests/isa/test_llvm tests/isa/test_roundtrip tests/isa/test_gfx1250 \
	tests/isa/test_walk
tests_isa_test_objdump_SOURCES = tests/isa/test_objdump.c \
	tests/isa/objdump.c tests/isa/objdump.h
tests_isa_test_llvm_SOURCES = tests/isa/test_llvm.c \
	tests/isa/objdump.c tests/isa/objdump.h
tests_isa_test_roundtrip_SOURCES = tests/isa/test_roundtrip.c \
	tests/isa/assembled.c tests/isa/assembled.h \
	tests/isa/objdump.c tests/isa/objdump.h
tests_isa_test_gfx1250_SOURCES = tests/isa/test_gfx1250.c \
	tests/isa/assembled.c tests/isa/assembled.h \
	tests/isa/objdump.c tests/isa/objdump.h
# With AQ_LLVM_TESTS=FOLDER: LLVM's llvm/test/MC/Disassembler/AMDGPU.
aq_isa_oracles = tests/isa/test_objdump tests/isa/test_llvm \
	tests/isa/test_roundtrip tests/isa/test_gfx1250

# CORPUS=NAME CODE=FOLDER: the code objects of another project.
check-static: aqueduct
	$(AM_V_at)test -n '$(CORPUS)' && test -d '$(CODE)' || { \
	  echo 'usage: make check-static CORPUS=NAME CODE=FOLDER' >&2; exit 2; }
	$(AM_V_at)$(SHELL) $(srcdir)/tests/isa/static.sh count ./aqueduct \
	  '$(CORPUS)' '$(CODE)' > static.row
	$(AM_V_at)awk -F '\t' 'NR == FNR { row = $$0; name = $$1; next } \
	  $$1 != name { print } END { print row }' static.row \
	  $(srcdir)/tests/isa/static.tsv | sort > static.rows
	$(AM_V_at)cp static.rows $(srcdir)/tests/isa/static.tsv
	$(AM_V_at)rm -f static.row static.rows
	$(aq_isa_page)

# The sections of doc/tables/oracles.md on instructions, which are its last ones.
aq_isa_page = $(AM_V_at)sed '/^\#\# Kernels of others execute whole$$/,$$d' \
	  $(srcdir)/doc/tables/oracles.md | sed -e :a -e '/^\n*$$/{$$d;N;ba' -e '}' \
	  > static.page && $(SHELL) $(srcdir)/tests/isa/static.sh page \
	  $(srcdir)/tests/isa/static.tsv $(srcdir)/tests/isa/llvm.tsv \
	  >> static.page && cp static.page $(srcdir)/doc/tables/oracles.md && \
	  rm -f static.page

# LLVM_TESTS=FOLDER: the disassembler tests of LLVM_VERSION=NAME.
check-llvm: tests/isa/test_llvm
	$(AM_V_at)test -d '$(LLVM_TESTS)' && test -n '$(LLVM_VERSION)' || { \
	  echo 'usage: make check-llvm LLVM_TESTS=FOLDER LLVM_VERSION=NAME' >&2; \
	  exit 2; }
	$(AM_V_at)echo '$(LLVM_VERSION)' > llvm.rows
	$(AM_V_at)AQ_LLVM_TESTS='$(LLVM_TESTS)' AQ_LLVM_ROWS=llvm.rows \
	  CK_TIMEOUT_MULTIPLIER=400 tests/isa/test_llvm
	$(AM_V_at)mv llvm.rows $(srcdir)/tests/isa/llvm.tsv
	$(aq_isa_page)
EXTRA_DIST += tests/isa/static.sh tests/isa/static.tsv tests/isa/llvm.tsv
