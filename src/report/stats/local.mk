# Statistics of a run's rows: classes, quantiles, confidence, clocks.
libaqcore_a_SOURCES += \
	src/report/stats/compare.h \
	src/report/stats/compare_by.h \
	src/report/stats/compare_runs.h \
	src/report/stats/collective_calls.c \
	src/report/stats/collective_calls.h \
	src/report/stats/dispatches.c src/report/stats/dispatches.h \
	src/report/stats/confidence.c src/report/stats/confidence.h \
	src/report/stats/counter_summary.c src/report/stats/counter_summary.h \
	src/report/stats/fit_part.h \
	src/report/stats/formula.h \
	src/report/stats/rank_clocks.c src/report/stats/rank_clocks.h \
	src/report/stats/interval_class.c \
	src/report/stats/interval_class.h \
	src/report/stats/lateness.c src/report/stats/lateness.h \
	src/report/stats/memory_summary.c src/report/stats/memory_summary.h \
	src/report/stats/selection.c src/report/stats/selection.h \
	src/report/stats/latency.h \
	src/report/stats/device_peaks.c src/report/stats/device_peaks.h \
	src/report/stats/op_arguments.c src/report/stats/op_arguments.h \
	src/report/stats/op_work.c src/report/stats/op_work.h \
	src/report/stats/work_summary.c src/report/stats/work_summary.h \
	src/report/stats/launch_context.c src/report/stats/launch_context.h \
	src/report/stats/steps.c src/report/stats/steps.h \
	src/report/stats/launch_ranges.c src/report/stats/launch_ranges.h \
	src/report/stats/part_spans.c src/report/stats/part_spans.h \
	src/report/stats/range_summary.c src/report/stats/range_summary.h \
	src/report/stats/quantile.c src/report/stats/quantile.h \
	src/report/stats/queue_summary.c src/report/stats/queue_summary.h \
	src/report/stats/step_summary.c src/report/stats/step_summary.h \
	src/report/stats/name_cuts.c src/report/stats/name_cuts.h \
	src/report/stats/short_names.c src/report/stats/short_names.h \
	src/report/stats/stats.c src/report/stats/stats.h \
	src/report/stats/clock_offset.c src/report/stats/clock_offset.h \
	src/report/stats/timestamp_resolution.c src/report/stats/timestamp_resolution.h

aq_folder_headers += \
	src/report/stats/compare.h \
	src/report/stats/compare_by.h \
	src/report/stats/compare_runs.h \
	src/report/stats/interval_class.h
