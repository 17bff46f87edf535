# The HTML page of a run: its data, tracks, tables and findings.
libaqcore_a_SOURCES += \
	src/report/page/page.c src/report/page/page.h \
	src/report/page/page_data.c src/report/page/page_data.h \
	src/report/page/page_embedded.h \
	src/report/page/page_program.c src/report/page/page_program.h \
	src/report/page/page_json.c src/report/page/page_json.h \
	src/report/page/page_rows.c src/report/page/page_rows.h \
	src/report/page/page_tracks.c src/report/page/page_tracks.h \
	src/report/page/page_work.c src/report/page/page_work.h \
	src/report/page/page_code.c src/report/page/page_code.h \
	src/report/page/page_findings.c src/report/page/page_findings.h
