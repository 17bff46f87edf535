# From stored rows to statistics, comparisons, explanations and the page.
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
	src/report/page/code.js src/report/page/roofline.js \
	src/report/page/program.js \
	src/report/page/findings.js \
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

include src/report/compare/local.mk
include src/report/stats/local.mk
include src/report/explain/local.mk
include src/report/page/local.mk
