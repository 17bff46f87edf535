# A quick part in make check, all of them in make check-oracles, which writes
# doc/tables/oracles.md anew; check its differences.
aq_oracles = tests/oracles/test_exact tests/oracles/test_orders \
	tests/oracles/test_stations
check_PROGRAMS += $(aq_oracles)
check_LIBRARIES += tests/oracles/liboracles.a
tests_oracles_liboracles_a_SOURCES = \
	tests/oracles/device.c tests/oracles/device.h \
	tests/oracles/oracle.c tests/oracles/oracle.h \
	tests/oracles/station.c tests/oracles/station.h

aq_oracles_ldadd = tests/oracles/liboracles.a $(AQ_TEST_LDADD)
tests_oracles_test_exact_LDADD = $(aq_oracles_ldadd)
tests_oracles_test_orders_LDADD = $(aq_oracles_ldadd)
tests_oracles_test_stations_LDADD = $(aq_oracles_ldadd)

# Reads the logs of the programs above.
dist_check_SCRIPTS += tests/oracles/test_table.sh
tests/oracles/test_table.log: $(aq_oracles:=.log)
EXTRA_DIST += tests/oracles/oracles.tsv tests/oracles/table.sh

# LLVM_TESTS=FOLDER: LLVM's llvm/test/MC/Disassembler/AMDGPU.
check-oracles: check-vectors check-compiled
check-oracles: $(aq_oracles) $(aq_wave_oracles) $(aq_isa_oracles)
	$(AM_V_at)rm -f oracles.rows
	$(AM_V_at)for test in $(aq_isa_oracles); do \
	  AQ_ORACLES=all AQ_LLVM_TESTS='$(LLVM_TESTS)' CK_TIMEOUT_MULTIPLIER=400 \
	    $$test || exit 1; \
	done
	$(AM_V_at)for test in $(aq_wave_oracles); do \
	  AQ_ORACLES=all AQ_SRCDIR='$(abs_top_srcdir)' \
	    CK_TIMEOUT_MULTIPLIER=20 $$test || exit 1; \
	done
	$(AM_V_at)for test in $(aq_oracles); do \
	  AQ_ORACLES=all AQ_ORACLES_TABLE=oracles.rows CK_DEFAULT_TIMEOUT=300 \
	    $$test || exit 1; \
	done
	$(AM_V_at)$(SHELL) $(srcdir)/tests/oracles/table.sh \
	  $(srcdir)/tests/oracles/oracles.tsv oracles.rows > oracles.tmp
	$(AM_V_at)cmp -s oracles.tmp $(srcdir)/doc/tables/oracles.md || \
	  cp oracles.tmp $(srcdir)/doc/tables/oracles.md
	$(AM_V_at)rm -f oracles.rows oracles.tmp
