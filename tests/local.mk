# Tests speak TAP; automake's driver counts them (AQ_TIMED: a command before it).
TEST_EXTENSIONS = .sh
TAP_DRIVER = $(AQ_TIMED) env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
AM_TESTS_ENVIRONMENT = \
	CK_TAP_LOG_FILE_NAME=-; export CK_TAP_LOG_FILE_NAME; \
	AQ_SRCDIR='$(abs_top_srcdir)'; export AQ_SRCDIR; \
	AQ_BUILDDIR='$(abs_top_builddir)'; export AQ_BUILDDIR; \
	AQ_SANITIZERS='$(aq_sanitizers)'; export AQ_SANITIZERS; \
	AQ_CC='$(CC)'; export AQ_CC;
EXTRA_DIST += tests/tsan.supp tests/valgrind.supp
TESTS = $(dist_check_SCRIPTS)

# Parts of a Check program: a main(), helpers, the core with all symbols. A
# program of one file that needs no more is a name in check_PROGRAMS.
check_LIBRARIES += tests/support/libaqtest.a
tests_support_libaqtest_a_SOURCES = \
	tests/support/aqtest.c tests/support/aqtest.h \
	tests/support/fake_transport.c tests/support/fake_transport.h
tests_support_libaqtest_a_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
AM_CPPFLAGS += -I$(top_srcdir)/tests $(CHECK_CFLAGS)
AQ_TEST_CPPFLAGS = $(AM_CPPFLAGS)
AQ_TEST_LDADD = tests/support/libaqtest.a $(AQ_CORE_LDADD) $(CHECK_LIBS)
LDADD = $(AQ_TEST_LDADD)

# Scripts that compile programs or run for more than two seconds; `make check`
# leaves them out.
AQ_LONG_TESTS =
# Programs of which `make check` runs a slice; with AQ_LONG set they run all of
# their parts.
AQ_SLICED_TESTS =
# Long tests that cost the most for a case: tools/check.sh leaves them to
# `tools/check.sh all`, which continuous integration runs.
AQ_SLOW_TESTS = tests/arch/test_clang.sh tests/cli/test_doc_commands.sh \
	tests/cli/test_held_out.sh tests/cli/test_properties.sh \
	tests/cli/test_readme.sh tests/cli/test_site.sh \
	tests/cmdbuf/test_plain_cost.sh \
	tests/dropin/blas/test_blas_devices.sh tests/dropin/blas/test_objects.sh \
	tests/dropin/hsa/test_budget.sh tests/dropin/hsa/test_compile.sh \
	tests/dropin/hsa/test_hip.sh tests/dropin/kfd/test_installed.sh \
	tests/gpu/check/test_barriers.sh tests/gpu/check/test_heap.sh \
	tests/gpu/check/test_hosts.sh tests/gpu/check/test_incomplete.sh \
	tests/gpu/check/test_kept.sh tests/gpu/check/test_notes.sh \
	tests/gpu/check/test_offload.sh tests/gpu/check/test_pools.sh \
	tests/gpu/check/test_same.sh tests/gpu/check/test_sarif.sh \
	tests/gpu/check/test_schedule.sh tests/gpu/check/test_sites.sh \
	tests/gpu/check/test_waits.sh tests/gpu/devlib/test_objects.sh \
	tests/report/test_ops.sh tests/report/test_verdict.sh \
	tests/rocm/test_hip_api.sh tests/rocm/test_libraries.sh \
	tests/rocm/test_openmp.sh tests/rocm/test_textures.sh \
	tests/study/sweep/test_slurm.sh tests/trace/test_agreement_all.sh
# Scripts of which check-all runs a slice; with AQ_WHOLE set they run their whole
# matrix, for minutes each.
AQ_WHOLE_TESTS = tests/gpu/check/test_sites.sh tests/gpu/check/test_waits.sh \
	tests/gpu/check/test_same.sh \
	tests/cli/test_properties.sh tests/gpu/devlib/test_objects.sh \
	tests/gpu/check/test_offload.sh tests/python/test_module.sh \
	tests/arch/test_recipes.sh tests/rocm/test_hip_api.sh \
	tests/rocm/test_libraries.sh tests/rocm/test_openmp.sh

# Programs that run for minutes, each without arguments; they speak TAP too.
AQ_SOAKS =

if HAVE_CHECK
TESTS += $(check_PROGRAMS)
include tests/common/local.mk
include tests/gpu/codeobj/local.mk
include tests/gpu/isa/local.mk
include tests/gpu/wave/local.mk
include tests/gpu/check/local.mk
include tests/gpu/devlib/local.mk
include tests/cmdbuf/local.mk
include tests/queue/local.mk
include tests/queue/capture/local.mk
include tests/scheduler/local.mk
include tests/oracles/local.mk
include tests/study/loop/local.mk
include tests/study/serving/local.mk
include tests/study/workload/local.mk
include tests/backend_sim/local.mk
include tests/transport/null/local.mk
include tests/backend_hsa/local.mk
include tests/trace/local.mk
include tests/store/local.mk
include tests/trace/db/local.mk
include tests/report/local.mk
include tests/dropin/blas/local.mk
include tests/dropin/mlir/local.mk
include tests/gpu/wave/jit/local.mk
include tests/gpu/compile/local.mk
include tests/study/calibrate/local.mk
include tests/gpu/duration/local.mk
include tests/study/sweep/local.mk
include tests/cli/local.mk
include tests/contract/local.mk
include tests/model/local.mk
include tests/study/whatif/local.mk
include tests/transport/fault/local.mk
include tests/cli/doctor/local.mk
include tests/dropin/hsa/local.mk
include tests/dropin/kfd/local.mk
include tests/gpu/hostcall/local.mk
include tests/transport/testbed/local.mk
include tests/rocm/local.mk
include tests/suites/local.mk
include tests/python/local.mk
include tests/packaging/local.mk
endif

include tests/arch/local.mk
include tests/bench/local.mk
include tests/fuzz/local.mk
EXTRA_DIST += $(AQ_LONG_TESTS) tests/support/objects.sh

# What tests read and nothing installed is.
.PHONY: check-data
check-data: $(check_DATA) $(check_LTLIBRARIES)

# The long tests alone, and every test: one log and one count. The tests of
# tools/check.sh, and the rest of check-all.
.PHONY: check-long check-all check-most check-rest check-slice recheck-all \
	recheck-most recheck-rest
check-most recheck-most:
	$(MAKE) $(AM_MAKEFLAGS) $(@:-most=) \
	  TESTS='$(TESTS) $(filter-out $(AQ_SLOW_TESTS),$(AQ_LONG_TESTS))'
check-rest recheck-rest:
	$(MAKE) $(AM_MAKEFLAGS) $(@:-rest=) AQ_LONG=1 \
	  TESTS='$(AQ_SLICED_TESTS) $(AQ_SLOW_TESTS)'
check-long:
	$(MAKE) $(AM_MAKEFLAGS) check AQ_LONG=1 \
	  TESTS='$(AQ_SLICED_TESTS) $(AQ_LONG_TESTS)'
check-all:
	$(MAKE) $(AM_MAKEFLAGS) check AQ_LONG=1 TESTS='$(TESTS) $(AQ_LONG_TESTS)'
.PHONY: check-whole
check-whole:
	$(MAKE) $(AM_MAKEFLAGS) check AQ_LONG=1 AQ_WHOLE=1 TESTS='$(AQ_WHOLE_TESTS)'
# Every Nth of them: AQ_SLICE=I/N, of the environment.
aq_slice = `echo $(1) | tr ' ' '\n' | \
	$(AWK) -v slice="$${AQ_SLICE:-1/1}" \
	  'BEGIN { split(slice, s, "/") } NR % s[2] == s[1] % s[2]' | tr '\n' ' '`
check-slice:
	$(MAKE) $(AM_MAKEFLAGS) check AQ_LONG=1 \
	  TESTS="$(call aq_slice,$(TESTS) $(AQ_LONG_TESTS))"
recheck-all:
	$(MAKE) $(AM_MAKEFLAGS) recheck AQ_LONG=1 TESTS='$(TESTS) $(AQ_LONG_TESTS)'

# Whole builds of their own, in folders below this one.
.PHONY: check-abuse check-abuse-here check-asan check-hsa check-lives check-lives-here \
	check-mutants check-library-findings check-oracles check-rocm check-sarif check-soak \
	check-tsan check-valgrind library-times lint suites-docs
AQ_SANITIZED = check-all
check-asan:
	$(srcdir)/tools/check-sanitized.sh address,undefined $(AQ_SANITIZED)
# The drop-in under abuse, here and under the sanitizers.
AQ_ABUSE = tests/dropin/hsa/test_abuse tests/dropin/hsa/test_callbacks \
	tests/dropin/hsa/test_queues tests/dropin/hsa/test_raw \
	tests/dropin/hsa/test_shared_signals tests/dropin/hsa/test_signals
check-abuse: check-abuse-here
	AQ_KILLS=60 AQ_SRCDIR='$(abs_top_srcdir)' AQ_BUILDDIR='$(abs_top_builddir)' \
	  $(srcdir)/tests/dropin/hsa/kill_abuse.sh
	$(srcdir)/tools/check-sanitized.sh address,undefined check-abuse-here
	$(srcdir)/tools/check-sanitized.sh thread check-abuse-here
# One after the other: `all` is a make of its own, which builds the library too.
check-abuse-here: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) $(AQ_ABUSE) tests/dropin/hsa/stress_abuse \
	  tests/dropin/hsa/signal_peer
	$(AM_V_at)for test in $(AQ_ABUSE); do \
	  echo "$$test" && ./$$test || exit 1; done
	$(AM_V_at)for seed in 1 2 3 4 5 6 7 8; do \
	  echo "tests/dropin/hsa/stress_abuse $$seed" && \
	  AQ_ABUSE_SEED=$$seed ./tests/dropin/hsa/stress_abuse || exit 1; done
# Known bugs, put into a copy one at a time: tests must notice each.
EXTRA_DIST += tests/mutants/mutants.py tests/mutants/mutants.tsv
check-mutants:
	python3 $(srcdir)/tests/mutants/mutants.py '$(abs_top_srcdir)' . $(MUTANTS)
check-soak: $(AQ_SOAKS) tests/cmdbuf/test_device_walk tests/cli/test_crash tests/store/test_crash
	$(AM_V_at)for soak in $(AQ_SOAKS); do \
	  echo "$$soak" && CK_TIMEOUT_MULTIPLIER=5 ./$$soak || exit 1; done
	CK_FORK=no AQ_WALK_PROGRAMS=100000 ./tests/cmdbuf/test_device_walk
	AQ_KILLS=201 CK_FORK=no ./tests/cli/test_crash
	AQ_KILLS=201 CK_FORK=no ./tests/store/test_crash
# Threads of a queue's life, ten minutes on fifteen grounds, then so under TSan.
check-lives: check-lives-here
	$(srcdir)/tools/check-sanitized.sh thread check-lives-here
check-lives-here: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) tests/queue/soak_lives
	CK_FORK=no AQ_SOAK_SECONDS=40 ./tests/queue/soak_lives
check-tsan:
	$(srcdir)/tools/check-sanitized.sh thread $(AQ_SANITIZED)
# Valgrind has one rounding mode and no flushed denormals, reports the faults that
# these cause on purpose, and loses count of stacks that are copied.
AQ_NOT_VALGRIND = tests/dropin/hsa/test_bad_kernels tests/dropin/hsa/test_protected \
	tests/gpu/wave/test_convert tests/gpu/wave/test_grid tests/gpu/wave/test_guard \
	tests/gpu/wave/test_opcodes tests/queue/test_pending_orders
check-valgrind: $(check_PROGRAMS)
	@echo 'without $(AQ_NOT_VALGRIND), which valgrind cannot run'
	$(MAKE) check CK_FORK=no AQ_LONG=1 \
	  TESTS="$(call aq_slice,$(filter-out $(AQ_NOT_VALGRIND),$(check_PROGRAMS)))" \
	  LOG_COMPILER='valgrind --quiet --error-exitcode=99 --leak-check=full \
	  --errors-for-leak-kinds=definite \
	  --suppressions=$(abs_srcdir)/tests/valgrind.supp'
# Both commands of the README in a new Debian 12 root (root, debootstrap, network),
# and how long they took, for doc/HACKING.md.
.PHONY: bare-check bare-docs times
EXTRA_DIST += tests/skips.sh tests/skips.tsv tools/bare.sh tools/bare-check.sh \
	tools/timed.sh tools/times.sh
bare-check:
	@$(srcdir)/tools/bare-check.sh 2>&1 | tee bare-check.log; \
	  tail -n 1 bare-check.log | grep -q '^[1-9][0-9]* passed, 0 failed'
bare-docs: bare-check
	$(AM_V_at){ echo '| step | s |'; echo '|---|---|'; \
	  $(SED) -n 's/^\(tools.*\|check\): \(.*\) s$$/| \1: \2 |/; s/: \([0-9]* |\)$$/ | \1/p' \
	    bare-check.log; } | $(srcdir)/tools/doc-block.sh bare doc/HACKING.md
# Where a build and its tests spend their time: tables, for an idle machine.
times:
	$(AM_V_at)rm -rf times && $(MKDIR_P) times && cd times && \
	  $(abs_top_srcdir)/configure --silent CFLAGS=-O2 \
	    CC='$(abs_top_srcdir)/tools/timed.sh '"$$PWD"'/times.log cc $(CC)' && \
	  $(MAKE) -s && $(MAKE) -s -k check-all CFLAGS='-O1 -Wno-format-truncation' \
	    AQ_TIMED="$(abs_top_srcdir)/tools/timed.sh $$PWD/times.log test"
	@$(srcdir)/tools/times.sh times/times.log
# The long targets above and the targets of the documentation, one after the other,
# and their results (build/long.tsv).
.PHONY: long long-status
EXTRA_DIST += tests/long.tsv tools/long.py
long:
	@$(srcdir)/tools/long.py run . $(LONG)
long-status:
	@$(srcdir)/tools/long.py status .
lint: all
	$(srcdir)/tools/lint.sh '$(abs_top_builddir)'
