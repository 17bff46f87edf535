# Tests of src/report.
AQ_REPORT_TESTS = \
	tests/report/test_compare \
	tests/report/test_confidence \
	tests/report/test_align \
	tests/report/test_explain \
	tests/report/test_formula \
	tests/report/test_metrics \
	tests/report/test_plot \
	tests/report/test_study
check_PROGRAMS += $(AQ_REPORT_TESTS)

tests_report_test_compare_SOURCES = tests/report/test_compare.c
tests_report_test_compare_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_compare_LDADD = $(AQ_TEST_LDADD)

tests_report_test_confidence_SOURCES = tests/report/test_confidence.c
tests_report_test_confidence_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_confidence_LDADD = $(AQ_TEST_LDADD)

tests_report_test_formula_SOURCES = tests/report/test_formula.c
tests_report_test_formula_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_formula_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS)

tests_report_test_metrics_SOURCES = tests/report/test_metrics.c
tests_report_test_metrics_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_metrics_LDADD = $(AQ_TEST_LDADD)

tests_report_test_plot_SOURCES = tests/report/test_plot.c
tests_report_test_plot_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_plot_LDADD = $(AQ_TEST_LDADD)

tests_report_test_study_SOURCES = tests/report/test_study.c
tests_report_test_study_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_study_LDADD = $(AQ_TEST_LDADD)

dist_check_SCRIPTS += tests/report/test_page.sh
EXTRA_DIST += tests/report/drive_page.py tests/report/hostile.jsonl

tests_report_test_explain_SOURCES = tests/report/test_explain.c
tests_report_test_explain_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_explain_LDADD = $(AQ_TEST_LDADD)

tests_report_test_align_SOURCES = tests/report/test_align.c
tests_report_test_align_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_report_test_align_LDADD = $(AQ_TEST_LDADD)
