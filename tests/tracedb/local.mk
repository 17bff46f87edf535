# Tests of src/tracedb.
check_PROGRAMS += \
	tests/tracedb/test_losses \
	tests/tracedb/test_rocpd_export \
	tests/tracedb/test_rocpd_import \
	tests/tracedb/test_rocprof_v1_db \
	tests/tracedb/test_rpd_import

AQ_TRACEDB_FIXTURE = tests/tracedb/databases.c tests/tracedb/databases.h \
	$(AQ_TRACE_FIXTURE)
AQ_TRACEDB_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(SQLITE_CFLAGS) $(ZLIB_CFLAGS)
AQ_TRACEDB_LDADD = $(AQ_TEST_LDADD) $(SQLITE_LIBS) $(ZLIB_LIBS)

tests_tracedb_test_losses_SOURCES = \
	tests/tracedb/test_losses.c $(AQ_TRACEDB_FIXTURE)
tests_tracedb_test_losses_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_tracedb_test_losses_LDADD = $(AQ_TRACEDB_LDADD)

tests_tracedb_test_rocpd_export_SOURCES = \
	tests/tracedb/test_rocpd_export.c $(AQ_TRACEDB_FIXTURE)
tests_tracedb_test_rocpd_export_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_tracedb_test_rocpd_export_LDADD = $(AQ_TRACEDB_LDADD)

tests_tracedb_test_rocpd_import_SOURCES = \
	tests/tracedb/test_rocpd_import.c $(AQ_TRACEDB_FIXTURE)
tests_tracedb_test_rocpd_import_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_tracedb_test_rocpd_import_LDADD = $(AQ_TRACEDB_LDADD)

tests_tracedb_test_rocprof_v1_db_SOURCES = \
	tests/tracedb/test_rocprof_v1_db.c $(AQ_TRACEDB_FIXTURE)
tests_tracedb_test_rocprof_v1_db_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_tracedb_test_rocprof_v1_db_LDADD = $(AQ_TRACEDB_LDADD)
tests_tracedb_test_rpd_import_SOURCES = \
	tests/tracedb/test_rpd_import.c $(AQ_TRACEDB_FIXTURE)
tests_tracedb_test_rpd_import_CPPFLAGS = $(AQ_TRACEDB_CPPFLAGS)
tests_tracedb_test_rpd_import_LDADD = $(AQ_TRACEDB_LDADD)
