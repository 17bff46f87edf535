# Tests of src/trace/db.
check_PROGRAMS += \
	tests/trace/db/test_losses \
	tests/trace/db/test_rocpd_export \
	tests/trace/db/test_rocpd_import \
	tests/trace/db/test_rocprof_v1_db \
	tests/trace/db/test_rpd_import

dist_check_SCRIPTS += tests/trace/db/test_nsys.sh

AQ_TRACEDB_FIXTURE = tests/trace/db/databases.c tests/trace/db/databases.h \
	$(AQ_TRACE_FIXTURE)
AQ_TRACEDB_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(SQLITE_CFLAGS) $(ZLIB_CFLAGS)
AQ_TRACEDB_LDADD = $(AQ_TEST_LDADD) $(SQLITE_LIBS) $(ZLIB_LIBS)

tests_trace_db_test_losses_SOURCES = \
	tests/trace/db/test_losses.c $(AQ_TRACEDB_FIXTURE)
tests_trace_db_test_losses_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_trace_db_test_losses_LDADD = $(AQ_TRACEDB_LDADD)

tests_trace_db_test_rocpd_export_SOURCES = \
	tests/trace/db/test_rocpd_export.c $(AQ_TRACEDB_FIXTURE)
tests_trace_db_test_rocpd_export_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_trace_db_test_rocpd_export_LDADD = $(AQ_TRACEDB_LDADD)

tests_trace_db_test_rocpd_import_SOURCES = \
	tests/trace/db/test_rocpd_import.c $(AQ_TRACEDB_FIXTURE)
tests_trace_db_test_rocpd_import_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_trace_db_test_rocpd_import_LDADD = $(AQ_TRACEDB_LDADD)

tests_trace_db_test_rocprof_v1_db_SOURCES = \
	tests/trace/db/test_rocprof_v1_db.c $(AQ_TRACEDB_FIXTURE)
tests_trace_db_test_rocprof_v1_db_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_trace_db_test_rocprof_v1_db_LDADD = $(AQ_TRACEDB_LDADD)
tests_trace_db_test_rpd_import_SOURCES = \
	tests/trace/db/test_rpd_import.c $(AQ_TRACEDB_FIXTURE)
tests_trace_db_test_rpd_import_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_trace_db_test_rpd_import_LDADD = $(AQ_TRACEDB_LDADD)
