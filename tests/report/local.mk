# Tests of src/report.
AQ_REPORT_TESTS = \
	tests/report/test_compare \
	tests/report/test_confidence \
	tests/report/test_align \
	tests/report/test_explain \
	tests/report/test_formula \
	tests/report/test_match \
	tests/report/test_metrics \
	tests/report/test_name_cuts \
	tests/report/test_plot \
	tests/report/test_short_names \
	tests/report/test_stats
check_PROGRAMS += $(AQ_REPORT_TESTS)

tests_report_test_formula_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS)

AQ_LONG_TESTS += tests/report/test_differences.sh \
	tests/report/test_ops.sh tests/report/test_page.sh \
	tests/report/test_memory.sh tests/report/test_names.sh \
	tests/report/test_ranges.sh \
	tests/report/test_parts.sh \
	tests/report/test_program.sh tests/report/test_questions.sh \
	tests/report/test_ranks.sh tests/report/test_tasks.sh \
	tests/report/test_roofline.sh \
	tests/report/test_renamed.sh \
	tests/report/test_timeline.sh tests/report/test_verdict.sh \
	tests/report/test_work.sh
EXTRA_DIST += tests/report/browser.py tests/report/drive_page.py \
	tests/report/drive_timeline.py tests/report/read_ops.py \
	tests/report/read_steps.py tests/report/read_tables.py \
	tests/report/read_memory.py tests/report/read_part.py tests/report/read_ranges.py \
	tests/report/read_occurrences.py \
	tests/report/read_collectives.py tests/report/read_tasks.py \
	tests/report/read_differences.py \
	tests/report/read_renamed.py tests/report/read_names.py \
	tests/report/kineto_times.py \
	tests/report/split_ranks.py \
	tests/report/screens.py \
	tests/report/hostile.jsonl tests/report/timeline.jsonl \
	tests/report/screens
