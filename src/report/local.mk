# From stored rows to statistics, comparisons, explanations and the page.
libaqcore_a_SOURCES += \
	src/report/align.c src/report/align.h \
	src/report/compare.c src/report/compare.h \
	src/report/compare_by.h \
	src/report/compare_json.c src/report/compare_json.h \
	src/report/compare_runs.c src/report/compare_runs.h \
	src/report/diff.c src/report/diff.h \
	src/report/dispatches.c src/report/dispatches.h \
	src/report/explain.c src/report/explain.h \
	src/report/explain_run.c src/report/explain_run.h \
	src/report/confidence.c src/report/confidence.h \
	src/report/counter_summary.c src/report/counter_summary.h \
	src/report/formula.c src/report/formula.h \
	src/report/latency.c src/report/latency.h \
	src/report/match.c src/report/match.h \
	src/report/metrics.c src/report/metrics.h \
	src/report/page.c src/report/page.h \
	src/report/page_data.c src/report/page_data.h \
	src/report/page_embedded.h \
	src/report/page_put.c src/report/page_put.h \
	src/report/page_rows.c src/report/page_rows.h \
	src/report/page_tracks.c src/report/page_tracks.h \
	src/report/plot.c src/report/plot.h \
	src/report/range_summary.c src/report/range_summary.h \
	src/report/quantile.c src/report/quantile.h \
	src/report/queue_summary.c src/report/queue_summary.h \
	src/report/short_names.c src/report/short_names.h \
	src/report/stats.c src/report/stats.h \
	src/report/thresholds.c src/report/thresholds.h \
	src/report/page_code.c src/report/page_code.h \
	src/report/page_findings.c src/report/page_findings.h \
	src/report/clock_offset.c src/report/clock_offset.h \
	src/report/timestamp_step.c src/report/timestamp_step.h \
	src/report/verdict.c src/report/verdict.h \
	src/report/versions.c src/report/versions.h

aq_folder_headers += \
	src/report/compare.h \
	src/report/compare_by.h \
	src/report/compare_runs.h \
	src/report/diff.h \
	src/report/metrics.h

# The page of the report, embedded. The order is the order of the scripts.
AQ_PAGE = \
	src/report/page/page.css \
	src/report/page/page.html \
	src/report/page/data.js \
	src/report/page/stats.js \
	src/report/page/dom.js \
	src/report/page/diagnosis.js \
	src/report/page/view.js \
	src/report/page/tracks.js \
	src/report/page/draw.js \
	src/report/page/pick.js \
	src/report/page/find.js \
	src/report/page/timeline.js \
	src/report/page/charts.js \
	src/report/page/table.js \
	src/report/page/differences.js \
	src/report/page/versions.js \
	src/report/page/whatif.js \
	src/report/page/code.js src/report/page/findings.js \
	src/report/page/main.js
EXTRA_DIST += $(AQ_PAGE) src/report/embed.sh
nodist_libaqcore_a_SOURCES += src/report/page_embedded.c
CLEANFILES += src/report/page_embedded.c
src/report/page_embedded.c: $(AQ_PAGE) src/report/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/report
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/report/embed.sh $(AQ_PAGE)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@

EXTRA_DIST += doc/compare.md doc/report.md doc/stats.md
