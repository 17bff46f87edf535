/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/db/databases.h"

/* As rpd_tracer writes it, with one of each. */
static const char *make_rpd(const char *name)
{
  const char *path = aqtest_write(name, "", 0);
  database_sql(
      path,
      "CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY"
      " AUTOINCREMENT, string varchar(4096) NOT NULL);"
      "CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT,"
      " gpuId integer, queueId integer, sequenceId integer, start integer,"
      " \"end\" integer, description_id integer, opType_id integer);"
      "CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT,"
      " pid integer, tid integer, start integer, \"end\" integer,"
      " apiName_id integer, args_id integer);"
      "CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY"
      " AUTOINCREMENT, api_id integer, op_id integer);"
      "CREATE TABLE rocpd_kernelapi (api_ptr_id integer NOT NULL PRIMARY KEY,"
      " stream varchar(18), gridX integer, gridY integer, gridZ integer,"
      " workgroupX integer, workgroupY integer, workgroupZ integer,"
      " groupSegmentSize integer);"
      "CREATE TABLE rocpd_copyapi (api_ptr_id integer NOT NULL PRIMARY KEY,"
      " size integer);"
      "INSERT INTO rocpd_string VALUES (1, ''), (2, 'add'),"
      " (3, 'KernelExecution'), (4, 'CopyHostToDevice'), (5, 'FillBuffer'),"
      " (6, 'hipLaunchKernel'), (7, 'hipExtModuleLaunchKernel'),"
      " (8, 'hipMemcpy'), (9, 'hipMemsetAsync'), (10, 'BarrierPacket'),"
      " (11, 'gemm');"
      "INSERT INTO rocpd_api VALUES (1, 7, 8, 1000, 1100, 8, 1),"
      " (2, 7, 8, 2000, 2100, 6, 1), (3, 7, 8, 3000, 3100, 7, 1),"
      " (4, 7, 8, 4000, 4100, 9, 1);"
      "INSERT INTO rocpd_copyapi VALUES (1, 4096);"
      "INSERT INTO rocpd_kernelapi VALUES (2, '0x0', 4, 2, 1, 64, 1, 1, 128),"
      " (3, '0x0', 512, 2, 1, 256, 1, 1, 0);"
      "INSERT INTO rocpd_op VALUES (1, 2, 0, 0, 1050, 1090, 1, 4),"
      " (2, 2, 0, 0, 2050, 2090, 2, 3), (3, 2, 0, 0, 3050, 3090, 11, 3),"
      " (4, 2, 0, 0, 4050, 4090, 1, 5), (5, 2, 0, 0, 4050, 4090, 1, 10);"
      "INSERT INTO rocpd_api_ops (api_id, op_id) VALUES (1, 1), (2, 2),"
      " (3, 3), (4, 4)");
  return path;
}

START_TEST(operations_are_joined_with_their_calls)
{
  fixture f = database_import(make_rpd("a.rpd"), NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(f.result.format, "rpd");
  const aq_record *k = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(k->host_begin, 1000 * AQ_NS);
  ck_assert_int_eq(k->grid_x, 256); /* 4 workgroups */
  ck_assert_int_eq(k->grid_y, 2);
  ck_assert_int_eq(k->wg_x, 64);
  ck_assert_int_eq(k->lds, 128);
  ck_assert_int_eq(k->pid, 7);
  /* This call takes work-items. */
  ck_assert_int_eq(fixture_row(&f, "gemm", AQ_KIND_KERNEL)->grid_x, 512);
  ck_assert_int_eq(fixture_row(&f, "CopyHostToDevice", AQ_KIND_COPY)->bytes,
                   4096);
  fixture_row(&f, "FillBuffer", AQ_KIND_FILL);
  fixture_row(&f, "hipMemcpy", AQ_KIND_WAIT);
  ck_assert_int_eq(f.sink.devices[0].source_id, 2);
  fixture_repaired(&f, AQ_REPAIR_SKIPPED_ROW, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(the_kernels_of_a_graph_are_tasks)
{
  const char *path = make_rpd("a.rpd");
  database_sql(path,
               "INSERT INTO rocpd_string VALUES (12, 'Task'),"
               " (13, 'node_a'), (14, 'node_b'), (15, 'hipGraphLaunch');"
               "INSERT INTO rocpd_api VALUES (5, 7, 8, 5000, 5100, 15, 1);"
               "INSERT INTO rocpd_op VALUES"
               " (6, 2, 0, 0, 5050, 5090, 13, 12),"
               " (7, 2, 0, 0, 5090, 5120, 14, 12);"
               "INSERT INTO rocpd_api_ops (api_id, op_id) VALUES"
               " (5, 6), (5, 7)");
  fixture f = database_import(path, NULL);
  fixture_repaired(&f, AQ_REPAIR_SKIPPED_ROW, 1); /* the barrier, as before */
  ck_assert_str_eq(f.result.examples[0].text,
                   "id 5: opType: \"BarrierPacket\"");
  ck_assert_int_eq(fixture_row(&f, "node_a", AQ_KIND_KERNEL)->flags,
                   AQ_FLAG_GRAPH_FIRST);
  const aq_record *second = fixture_row(&f, "node_b", AQ_KIND_KERNEL);
  ck_assert_int_eq(second->via, AQ_VIA_GRAPH);
  ck_assert_int_eq(second->grid_x, AQ_NONE);
  fixture_free(&f);
}
END_TEST

START_TEST(user_markers_are_ranges)
{
  const char *path = make_rpd("a.rpd");
  database_sql(path, "INSERT INTO rocpd_string VALUES (12, 'UserMarker'),"
                     " (13, 'step 1');"
                     "INSERT INTO rocpd_api VALUES (5, 7, 8, 900, 5100, 12,"
                     " 13)");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *range = fixture_row(&f, "step 1", AQ_KIND_RANGE);
  ck_assert_uint_eq(f.result.ranges, 1);
  ck_assert_int_eq(range->host_begin, -100 * AQ_NS);
  ck_assert_int_eq(range->host_end, 4100 * AQ_NS);
  ck_assert_int_eq(range->pid, 7);
  fixture_free(&f);
}
END_TEST

/* Schema 3: keys are bigint, so rows have numbers of their own, and arguments
 * of calls are in a table of their own, whose ids other texts have, too. */
START_TEST(schema_3_has_keys_and_arguments_of_its_own)
{
  const char *path = make_rpd("a.rpd");
  database_sql(
      path,
      "ALTER TABLE rocpd_kernelapi RENAME TO old;"
      "CREATE TABLE rocpd_kernelapi (api_ptr_id bigint NOT NULL PRIMARY KEY,"
      " stream varchar(18), gridX integer, gridY integer, gridZ integer,"
      " workgroupX integer, workgroupY integer, workgroupZ integer,"
      " groupSegmentSize integer);"
      "INSERT INTO rocpd_kernelapi SELECT * FROM old ORDER BY api_ptr_id DESC;"
      "DROP TABLE old; DROP TABLE rocpd_copyapi;"
      "CREATE TABLE rocpd_copyapi (api_ptr_id bigint NOT NULL PRIMARY KEY,"
      " size integer);"
      "INSERT INTO rocpd_copyapi VALUES (9, 1), (1, 4096);"
      "CREATE TABLE rocpd_ustring (id integer NOT NULL PRIMARY KEY"
      " AUTOINCREMENT, string varchar(4096) NOT NULL);"
      "INSERT INTO rocpd_ustring VALUES (1, ''), (2, 'step 1');"
      "INSERT INTO rocpd_string VALUES (12, 'UserMarker');"
      "ALTER TABLE rocpd_api RENAME TO old;"
      "CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT,"
      " pid integer, tid integer, start integer, \"end\" integer,"
      " apiName_id bigint, args_id bigint NOT NULL REFERENCES"
      " rocpd_ustring (id));"
      "INSERT INTO rocpd_api SELECT * FROM old;"
      "INSERT INTO rocpd_api VALUES (5, 7, 8, 900, 5100, 12, 2);"
      "DROP TABLE old");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *k = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(k->host_begin, 1000 * AQ_NS);
  ck_assert_int_eq(k->grid_x, 256);
  ck_assert_int_eq(k->lds, 128);
  ck_assert_int_eq(fixture_row(&f, "gemm", AQ_KIND_KERNEL)->grid_x, 512);
  ck_assert_int_eq(fixture_row(&f, "CopyHostToDevice", AQ_KIND_COPY)->bytes,
                   4096);
  ck_assert_int_eq(fixture_row(&f, "step 1", AQ_KIND_RANGE)->host_begin,
                   -100 * AQ_NS);
  fixture_free(&f);
  database_sql(path, "DROP TABLE rocpd_ustring");
  database_refused(path, "no table rocpd_ustring, which rocpd_api refers to");
}
END_TEST

START_TEST(an_operation_without_a_gpu_is_counted)
{
  const char *path = make_rpd("a.rpd");
  database_sql(path, "UPDATE rocpd_op SET gpuId = NULL WHERE id = 3");
  fixture f = database_import(path, NULL);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNLISTED_DEVICE], 1);
  ck_assert_str_eq(f.result.examples[0].text,
                   "id 3: no device or agent is recorded: counted as device 0");
  fixture_free(&f);
}
END_TEST

/* Counted by `SELECT count(*) FROM rocpd_op` of sqlite3. */
START_TEST(every_operation_of_a_published_graph_trace_is_read)
{
  const char *raw = aqtest_data("measured/raw/rpd_raptor_mytrace.rpd.gz");
  if (!raw) {
    aqtest_skip_unpublished();
    return;
  }
  fixture f = database_import(raw, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 0);
  ck_assert_uint_eq(f.result.dispatches + f.result.copies, 10124);
  fixture_free(&f);
}
END_TEST

START_TEST(a_truncated_file_is_refused)
{
  size_t size;
  char *bytes = database_bytes(make_rpd("a.rpd"), &size);
  for (size_t cut = size - 1; cut > 200; cut -= cut > 4000 ? 511 : 17) {
    fixture f = database_import_bytes(bytes, cut);
    ck_assert_msg(f.status == AQ_ERR_INPUT, "cut at byte %zu of %zu", cut,
                  size);
    fixture_free(&f);
  }
  free(bytes);
}
END_TEST

START_TEST(a_file_without_its_tables_is_refused)
{
  const char *path = make_rpd("a.rpd");
  database_sql(path, "DROP TABLE rocpd_api_ops");
  database_refused(path, "no table rocpd_api_ops, which every rpd file has");
}
END_TEST

/* norm/ was read from the same file by another program. It numbers operations
 * where the importer has the call's number, calls a fill a marker, and
 * multiplies the grid of hipExtModuleLaunchKernel, which is in work-items, by
 * the workgroup. */
START_TEST(the_published_file_equals_norm)
{
  const char *raw = aqtest_data("measured/raw/rpd_matmul.rpd.gz");
  if (!raw) {
    aqtest_skip_unpublished();
    return;
  }
  fixture f = database_import(raw, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  gzFile norm =
      gzopen(aqtest_data("measured/norm/rpd_matmul.norm.csv.gz"), "rb");
  char line[4096];
  gzgets(norm, line, sizeof line);
  size_t rows = 0, at = 0;
  for (; gzgets(norm, line, sizeof line); rows++) {
    long long gpu, queue, begin, end, start, stop, grid, wg;
    char kind[16], via[16];
    int got = sscanf(line, "%*d,%lld,%lld,%15[^,],%15[^,],%lld,%lld,,%lld,%lld",
                     &gpu, &queue, kind, via, &begin, &end, &start, &stop);
    ck_assert_int_eq(got, 8);
    while (f.sink.rows[at].kind == AQ_KIND_WAIT)
      at++;
    const aq_record *row = &f.sink.rows[at++];
    const long long base = f.result.base_ns - INT64_C(8306017479780699);
    ck_assert_str_eq(row->kind == AQ_KIND_FILL ? "marker"
                                               : aq_record_kind_name(row->kind),
                     kind);
    ck_assert_str_eq(aq_record_via_name(row->via), via);
    ck_assert_int_eq(row->host_begin / AQ_NS + base, begin);
    ck_assert_int_eq(row->host_end / AQ_NS + base, end);
    ck_assert_int_eq(row->start / AQ_NS + base, start);
    ck_assert_int_eq(row->end / AQ_NS + base, stop);
    ck_assert_int_eq(f.sink.devices[row->device].source_id, gpu);
    ck_assert_int_eq(f.sink.queues[row->queue].source_id, queue);
    got = sscanf(line, "%*d,%*d,%*d,%*[^,],%*[^,],%*d,%*d,,%*d,%*d,,%lld,%lld",
                 &grid, &wg);
    if (got == 2) {
      const int64_t items = row->grid_x * row->grid_y * row->grid_z;
      ck_assert_int_eq(row->wg_x * row->wg_y * row->wg_z, wg);
      ck_assert(items == grid || items * wg == grid);
    }
  }
  gzclose(norm);
  ck_assert_uint_eq(rows, f.result.dispatches + f.result.copies);
  fixture_free(&f);
}
END_TEST

AQ_TEST_MAIN("trace/db/rpd_import", operations_are_joined_with_their_calls,
             an_operation_without_a_gpu_is_counted, user_markers_are_ranges,
             the_kernels_of_a_graph_are_tasks,
             schema_3_has_keys_and_arguments_of_its_own,
             every_operation_of_a_published_graph_trace_is_read,
             a_truncated_file_is_refused, a_file_without_its_tables_is_refused,
             the_published_file_equals_norm)
