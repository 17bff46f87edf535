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
	$(AM_V_at)sed '/^## Kernels of others execute whole$$/,$$d' \
	  $(srcdir)/doc/oracles.md | sed -e :a -e '/^\n*$$/{$$d;N;ba' -e '}' \
	  > static.page
	$(AM_V_at)$(SHELL) $(srcdir)/tests/isa/static.sh page \
	  $(srcdir)/tests/isa/static.tsv >> static.page
	$(AM_V_at)cp static.page $(srcdir)/doc/oracles.md
	$(AM_V_at)rm -f static.row static.rows static.page
EXTRA_DIST += tests/isa/static.sh tests/isa/static.tsv
