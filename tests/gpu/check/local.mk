# Tests of src/gpu/check: the order of packets and copies, and defects in programs.
check_PROGRAMS += tests/gpu/check/test_findings \
	tests/gpu/check/test_matrix_passes \
	tests/gpu/check/test_order tests/gpu/check/test_memory_model
tests_gpu_check_test_memory_model_SOURCES = \
	tests/gpu/check/test_memory_model.c tests/gpu/check/model_run.h \
	tests/gpu/check/model_page.h \
	tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/check/model.c tests/gpu/check/cells.tsv
check_PROGRAMS += tests/gpu/check/test_litmus
AQ_SLICED_TESTS += tests/gpu/check/test_litmus
tests_gpu_check_test_litmus_SOURCES = tests/gpu/check/test_litmus.c \
	tests/gpu/check/model_page.h tests/gpu/check/model_run.h \
	tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/check/sites.hpp tests/gpu/check/sites.hip \
	tests/gpu/check/values.hip tests/gpu/check/barriers.hip \
	tests/gpu/check/queues.c \
	tests/gpu/check/queues.cl tests/gpu/check/scopes.cl \
	tests/gpu/check/waits.cl \
	tests/gpu/check/offload.c tests/gpu/check/waves.c \
	tests/gpu/check/total.mlir \
	tests/gpu/check/waits.hip tests/gpu/check/cost.hip \
	tests/gpu/check/cost.sh \
	tests/gpu/check/schedule.hip tests/gpu/check/hazards.hip \
	tests/gpu/check/floats.hip tests/gpu/check/ends.hip \
	tests/gpu/check/same.hip tests/gpu/check/heap.hip \
	tests/gpu/check/pools.hip tests/gpu/check/stack.cl \
	tests/gpu/check/frames.hip \
	tests/gpu/check/variables.hip tests/gpu/check/hosts.hip \
	tests/gpu/check/matrices.cl tests/gpu/check/sarif.schema.json
EXTRA_DIST += tests/gpu/check/programs.sh tests/gpu/check/sites.sh
AQ_LONG_TESTS += tests/gpu/check/test_barriers.sh \
	tests/gpu/check/test_heap.sh tests/gpu/check/test_stack.sh \
	tests/gpu/check/test_pools.sh \
	tests/gpu/check/test_hosts.sh \
	tests/gpu/check/test_kept.sh tests/gpu/check/test_notes.sh \
	tests/gpu/check/test_same.sh tests/gpu/check/test_sites.sh \
	tests/gpu/check/test_scopes.sh tests/gpu/check/test_variables.sh \
	tests/gpu/check/test_offload.sh tests/gpu/check/test_waits.sh \
	tests/gpu/check/test_schedule.sh tests/gpu/check/test_sarif.sh \
	tests/gpu/check/test_incomplete.sh

# SARIF against the standard's own schema, from a package of npm that has it.
SARIF_PACKAGE = @microsoft/jest-sarif@1.0.0-beta.0
check-sarif: aqueduct
	$(AM_V_at)dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	  (cd "$$dir" && npm pack --silent $(SARIF_PACKAGE) && \
	    tar xzf *.tgz) > /dev/null && \
	  AQ_BUILDDIR=$(abs_builddir) AQ_SRCDIR=$(abs_srcdir) \
	  AQ_SARIF_SCHEMA="$$dir/package/lib/schemas/sarif-2.1.0-rtm.5.json" \
	  bash $(srcdir)/tests/gpu/check/test_sarif.sh
