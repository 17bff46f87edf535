# Tests of src/check: the order of packets and copies, and defects in programs.
check_PROGRAMS += tests/check/test_order
EXTRA_DIST += tests/check/sites.hpp tests/check/sites.hip \
	tests/check/values.hip tests/check/barriers.hip tests/check/queues.c \
	tests/check/queues.cl tests/check/scopes.cl tests/check/waits.cl \
	tests/check/offload.c tests/check/total.mlir \
	tests/check/waits.hip tests/check/cost.hip tests/check/cost.sh \
	tests/check/schedule.hip tests/check/hazards.hip \
	tests/check/floats.hip tests/check/ends.hip \
	tests/check/matrices.cl tests/check/sarif.schema.json
EXTRA_DIST += tests/check/programs.sh tests/check/sites.sh
AQ_LONG_TESTS += tests/check/test_kept.sh tests/check/test_notes.sh \
	tests/check/test_sites.sh \
	tests/check/test_scopes.sh \
	tests/check/test_offload.sh tests/check/test_waits.sh \
	tests/check/test_schedule.sh tests/check/test_sarif.sh \
	tests/check/test_incomplete.sh

# SARIF against the standard's own schema, from a package of npm that has it.
SARIF_PACKAGE = @microsoft/jest-sarif@1.0.0-beta.0
check-sarif: aqueduct
	$(AM_V_at)dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	  (cd "$$dir" && npm pack --silent $(SARIF_PACKAGE) && \
	    tar xzf *.tgz) > /dev/null && \
	  AQ_BUILDDIR=$(abs_builddir) AQ_SRCDIR=$(abs_srcdir) \
	  AQ_SARIF_SCHEMA="$$dir/package/lib/schemas/sarif-2.1.0-rtm.5.json" \
	  bash $(srcdir)/tests/check/test_sarif.sh
