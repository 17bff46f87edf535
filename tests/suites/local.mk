# Other projects' suites, built elsewhere; the repository contains none of them.
EXTRA_DIST += tests/suites/suite.sh tests/suites/conformance \
	tests/suites/conformance.tsv \
	tests/suites/hecbench tests/suites/hip tests/suites/hipcatch \
	tests/suites/mlir \
	tests/suites/rocprim tests/suites/rocrand tests/suites/rocrtst \
	tests/suites/hecbench.tsv tests/suites/hipcatch.tsv \
	tests/suites/table.awk $(aq_suite_results)
AQ_LONG_TESTS += tests/suites/test_suites.sh

# The table of doc/tables/suites.md, from the results that the scripts wrote (-o).
aq_suite_results = traces/suites/conformance.tsv traces/suites/hecbench.tsv \
	traces/suites/hip.tsv traces/suites/hipcatch.tsv \
	traces/suites/mlir.tsv traces/suites/perfetto.tsv \
	traces/suites/rocprim.tsv traces/suites/rocrand.tsv \
	traces/suites/rocrtst.tsv
suites-docs:
	$(AM_V_at)cd $(srcdir) && $(AWK) -f tests/suites/table.awk \
	  $(aq_suite_results) | tools/doc-block.sh suites doc/tables/suites.md
