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

/* Of rocprof --timestamp on: the rows of results.csv, with all four times. */
START_TEST(a_database_of_kernels_alone_has_the_rows_of_results_csv)
{
  const char *path = aqtest_write("results.db", "", 0);
  database_sql(
      path,
      "CREATE TABLE KERN (\"Index\" INTEGER, KernelName TEXT, \"gpu-id\" "
      "INTEGER, \"queue-id\" INTEGER, \"queue-index\" INTEGER, pid INTEGER,"
      " tid INTEGER, grd INTEGER, wgr INTEGER, lds INTEGER, scr INTEGER,"
      " arch_vgpr INTEGER, sgpr INTEGER, DispatchNs INTEGER, BeginNs INTEGER,"
      " EndNs INTEGER, CompleteNs INTEGER);"
      "INSERT INTO KERN VALUES"
      " (0, '\"add(int*)\"', 1, 2, 0, 7, 8, 1024, 64, 512, 0, 24, 32,"
      "  1000, 2000, 2500, 2600),"
      " (1, 'gemm', 1, 2, 1, 7, 8, 128, 128, 0, 16, 8, 16,"
      "  3000, 4000, 4100, NULL)");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(f.result.format, "rocprof-v1-db");
  ck_assert_uint_eq(f.result.dispatches, 2);
  const aq_record *add = fixture_row(&f, "add(int*)", AQ_KIND_KERNEL);
  ck_assert_int_eq(add->start - add->submit, 1000 * AQ_NS);
  ck_assert_int_eq(add->end - add->start, 500 * AQ_NS);
  ck_assert_int_eq(add->complete - add->end, 100 * AQ_NS);
  ck_assert_int_eq(add->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(add->grid_x, 1024);
  ck_assert_int_eq(add->wg_x, 64);
  ck_assert_int_eq(add->lds, 512);
  ck_assert_int_eq(add->vgpr, 24);
  ck_assert_int_eq(add->agpr, AQ_NONE);
  ck_assert_int_eq(add->sgpr, 32);
  ck_assert_int_eq(add->pid, 7);
  ck_assert_int_eq(f.sink.devices[add->device].source_id, 1);
  const aq_record *gemm = fixture_row(&f, "gemm", AQ_KIND_KERNEL);
  ck_assert_int_eq(gemm->complete, AQ_TIME_NONE);
  ck_assert_int_eq(gemm->packet, 1);
  ck_assert_int_eq(gemm->start - add->start, 2000 * AQ_NS);
  fixture_free(&f);
  database_sql(path, "UPDATE KERN SET BeginNs = 'soon' WHERE \"Index\" = 1");
  f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  ck_assert_uint_eq(f.result.dispatches, 1);
  fixture_free(&f);
  database_sql(path, "ALTER TABLE KERN RENAME COLUMN EndNs TO other");
  database_refused(path, "table KERN has no KernelName, BeginNs or EndNs");
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
             a_database_of_kernels_alone_has_the_rows_of_results_csv,
             calls_of_early_versions_belong_to_the_only_process,
             a_database_without_operations_names_the_file_to_import)
