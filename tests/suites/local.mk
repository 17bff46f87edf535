# Suites of others, which somebody built somewhere; nothing of them is here.
EXTRA_DIST += tests/suites/suite.sh tests/suites/hecbench tests/suites/hip \
	tests/suites/rocprim tests/suites/rocrand tests/suites/hecbench.tsv \
	tests/suites/table.awk
dist_check_SCRIPTS += tests/suites/test_suites.sh
