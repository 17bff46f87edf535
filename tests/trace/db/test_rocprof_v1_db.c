/* SPDX-License-Identifier: MIT */
/* The results.db of rocprof v1 with --hip-trace, made as its tblextr.py does.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/db/databases.h"

#define OPS                                                                    \
  "(BeginNs INTEGER, EndNs INTEGER, \"dev-id\" INTEGER, \"queue-id\" "         \
  "INTEGER, Name TEXT, pid INTEGER, tid INTEGER, \"roctx-range\" TEXT, "       \
  "\"stream-id\" INTEGER, \"Index\" INTEGER, Data TEXT, __section INTEGER, "   \
  "__lane INTEGER)"

/* Two processes whose calls have the same numbers. */
static const char *make_v1(const char *name)
{
  const char *path = aqtest_write(name, "", 0);
  database_sql(
      path,
      "PRAGMA page_size = 512;"
      "CREATE TABLE HIP (BeginNs INTEGER, EndNs INTEGER, pid INTEGER,"
      " tid INTEGER, Name TEXT, args TEXT, \"Index\" INTEGER, Data TEXT,"
      " __section INTEGER, __lane INTEGER);"
      "CREATE TABLE OPS " OPS ";"
      "CREATE TABLE COPY " OPS ";"
      "INSERT INTO HIP VALUES (1000, 1100, 7, 8, 'hipMemcpy', '', 1, '', 2, 8),"
      " (2000, 2100, 7, 8, 'hipLaunchKernel', '', 2, '', 2, 8),"
      " (2500, 2600, 9, 9, 'hipLaunchKernel', '', 2, '', 2, 9),"
      " (3000, 3900, 7, 8, 'hipDeviceSynchronize', '', 3, '', 2, 8);"
      "INSERT INTO OPS VALUES"
      " (2200, 2300, 1, 4, '\"add(int*)\"', 7, 8, '', 3, 2, '', 7, 3),"
      " (2700, 2800, 0, 5, 'gemm', 9, 9, '', 0, 2, '', 6, 0),"
      " (3100, 3200, 1, 4, '\"<barrier packet>\"', 7, 8, '', 3, 3, '', 519, 3);"
      "INSERT INTO COPY VALUES"
      " (1050, 1090, 1, 0, 'hipMemcpy', 7, 8, '', 3, 1, '', 1, 3),"
      " (1200, 1250, 1, 0, 'FillBuffer', 7, 8, '', 3, 9, '', 1, 3)");
  return path;
}

START_TEST(operations_are_joined_with_the_calls_of_their_process)
{
  fixture f = database_import(make_v1("results.db"), NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(f.result.format, "rocprof-v1-db");
  const aq_record *add = fixture_row(&f, "add(int*)", AQ_KIND_KERNEL);
  ck_assert_int_eq(add->start - add->host_begin, 200 * AQ_NS);
  ck_assert_int_eq(add->end - add->start, 100 * AQ_NS);
  ck_assert_int_eq(add->stream, 3);
  ck_assert_int_eq(add->pid, 7);
  const aq_record *gemm = fixture_row(&f, "gemm", AQ_KIND_KERNEL);
  ck_assert_int_eq(gemm->start - gemm->host_begin, 200 * AQ_NS);
  ck_assert_int_eq(gemm->pid, 9);
  ck_assert_int_ne(gemm->device, add->device);
  ck_assert_int_eq(gemm->submit, AQ_TIME_NONE);
  const aq_record *copy = fixture_row(&f, "hipMemcpy", AQ_KIND_COPY);
  ck_assert_int_eq(copy->host_begin - add->host_begin, -1000 * AQ_NS);
  ck_assert_ptr_nonnull(fixture_row(&f, "FillBuffer", AQ_KIND_FILL));
  fixture_free(&f);
}
END_TEST

START_TEST(barrier_packets_and_bad_times_are_counted)
{
  const char *path = make_v1("results.db");
  fixture f = database_import(path, NULL);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  fixture_free(&f);
  database_sql(path, "UPDATE OPS SET BeginNs = 'soon' WHERE Name = 'gemm';"
                     "UPDATE HIP SET EndNs = -9 WHERE pid = 9");
  f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_ge(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 2);
  fixture_free(&f);
}
END_TEST

START_TEST(copies_of_no_known_device_are_counted)
{
  const char *path = make_v1("results.db");
  database_sql(path, "ALTER TABLE COPY RENAME COLUMN \"dev-id\" TO other");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 3);
  fixture_free(&f);
}
END_TEST

START_TEST(early_versions_have_no_streams)
{
  const char *path = make_v1("results.db");
  database_sql(path, "ALTER TABLE OPS RENAME COLUMN \"stream-id\" TO other");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(fixture_row(&f, "gemm", AQ_KIND_KERNEL)->stream, AQ_NONE);
  fixture_free(&f);
}
END_TEST

/* Numbers of tracks instead of process ids, which are in proc-id. */
START_TEST(calls_of_early_versions_belong_to_the_only_process)
{
  const char *path = make_v1("results.db");
  database_sql(path, "ALTER TABLE OPS ADD COLUMN \"proc-id\" INTEGER;"
                     "ALTER TABLE COPY ADD COLUMN \"proc-id\" INTEGER;"
                     "UPDATE OPS SET \"proc-id\" = 7, pid = 6;"
                     "UPDATE COPY SET \"proc-id\" = 7, pid = 1;"
                     "DELETE FROM OPS WHERE Name = 'gemm';"
                     "DELETE FROM HIP WHERE pid = 9; UPDATE HIP SET pid = 2;");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *add = fixture_row(&f, "add(int*)", AQ_KIND_KERNEL);
  ck_assert_int_eq(add->start - add->host_begin, 200 * AQ_NS);
  ck_assert_int_eq(add->pid, 7);
  ck_assert_int_eq(add->tid, 8);
  const aq_record *copy = fixture_row(&f, "hipMemcpy", AQ_KIND_COPY);
  ck_assert_int_eq(copy->host_begin - add->host_begin, -1000 * AQ_NS);
  fixture_free(&f);
  database_sql(path, "INSERT INTO OPS SELECT 2700, 2800, 0, 5, 'gemm', 6, 9,"
                     " '', 0, 2, '', 6, 0, 9");
  f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(fixture_row(&f, "gemm", AQ_KIND_KERNEL)->host_begin,
                   AQ_TIME_NONE);
  ck_assert_uint_ge(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 3);
  fixture_free(&f);
}
END_TEST

START_TEST(a_database_without_operations_names_the_file_to_import)
{
  const char *path = make_v1("results.db");
  database_sql(path, "DROP TABLE OPS");
  database_refused(path, "without the tables HIP and OPS");
  path = make_v1("results.db");
  database_sql(path, "ALTER TABLE OPS RENAME COLUMN \"queue-id\" TO other");
  database_refused(path, "queue-id");
}
END_TEST

AQ_TEST_MAIN("trace/db/rocprof_v1_db",
             operations_are_joined_with_the_calls_of_their_process,
             barrier_packets_and_bad_times_are_counted,
             copies_of_no_known_device_are_counted,
             early_versions_have_no_streams,
             calls_of_early_versions_belong_to_the_only_process,
             a_database_without_operations_names_the_file_to_import)
