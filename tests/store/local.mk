# Tests of src/store: one program a file, with helpers in store_test.c.
AQ_STORE_TEST_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(SQLITE_CFLAGS)
AQ_STORE_TEST_LDADD = tests/store/libstoretest.a $(AQ_TEST_LDADD) \
	$(SQLITE_LIBS)

check_LIBRARIES += tests/store/libstoretest.a
tests_store_libstoretest_a_SOURCES = \
	tests/store/store_test.c tests/store/store_test.h
tests_store_libstoretest_a_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)

check_PROGRAMS += \
	tests/store/test_check \
	tests/store/test_crash \
	tests/store/test_group \
	tests/store/test_location \
	tests/store/test_merge \
	tests/store/test_reader \
	tests/store/test_runs \
	tests/store/test_schema \
	tests/store/test_store \
	tests/store/test_writer

tests_store_test_check_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_check_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_crash_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_crash_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_group_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_group_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_location_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_location_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_merge_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_merge_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_reader_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_reader_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_runs_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_runs_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_schema_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_schema_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_store_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_store_LDADD = $(AQ_STORE_TEST_LDADD)

tests_store_test_writer_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_store_test_writer_LDADD = $(AQ_STORE_TEST_LDADD)
