# A run against another: matched rows, differences, verdicts.
libaqcore_a_SOURCES += \
	src/report/compare/sequence_align.c src/report/compare/sequence_align.h \
	src/report/compare/compare.c \
	src/report/compare/compare_json.c src/report/compare/compare_json.h \
	src/report/compare/compare_runs.c \
	src/report/compare/diff.c src/report/compare/diff.h \
	src/report/compare/diff_window.h \
	src/report/compare/diff_verdict.c src/report/compare/diff_verdict.h \
	src/report/compare/formula.c \
	src/report/compare/hash_names.c src/report/compare/hash_names.h \
	src/report/compare/latency.c \
	src/report/compare/match.c src/report/compare/match.h \
	src/report/compare/match_devices.c src/report/compare/match_devices.h \
	src/report/compare/metrics.c src/report/compare/metrics.h \
	src/report/compare/plot.c src/report/compare/plot.h \
	src/report/compare/run_ordinals.c src/report/compare/run_ordinals.h \
	src/report/compare/step_match.c src/report/compare/step_match.h \
	src/report/compare/renamed.c src/report/compare/renamed.h \
	src/report/compare/thresholds.c src/report/compare/thresholds.h \
	src/report/compare/ci_report.c src/report/compare/ci_report.h \
	src/report/compare/ab_compare.c src/report/compare/ab_compare.h

aq_folder_headers += \
	src/report/compare/diff.h \
	src/report/compare/metrics.h
