/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/db/databases.h"
#include "trace/db/rocpd_schema.h"

/* ---- a database as rocprofv3 writes it ---- */

/* Two processes on two machines, each with tables of its own. In both a kernel
 * was launched by HIP, which stored a doorbell through HSA; a copy and its
 * call; a call that waited; a marker that is called like a launch. */
static void fill_set(const char *path, const char *suffix, int pid,
                     const char *machine)
{
  static const char sql[] =
      "INSERT INTO \"rocpd_string%1$s\" (id, string) VALUES (1, ''),"
      " (2, 'HIP_RUNTIME_API'), (3, 'HSA_CORE_API'), (4, 'hipLaunchKernel'),"
      " (5, 'hsa_signal_store_screlease'), (6, 'KERNEL_DISPATCH'),"
      " (7, 'MEMORY_COPY'), (8, 'MEMORY_COPY_HOST_TO_DEVICE'),"
      " (9, 'hipMemcpyAsync'), (10, 'hipDeviceSynchronize'),"
      " (11, 'MARKER_CORE_RANGE_API'), (12, 'hipLaunchKernelMarker');"
      "INSERT INTO \"rocpd_info_node%1$s\" (id, hash, machine_id)"
      " VALUES (77, 5, '%3$s');"
      "INSERT INTO \"rocpd_info_process%1$s\" (id, nid, pid, environment)"
      " VALUES (%2$d, 77, %2$d, '{\"TOKEN\": \"SECRET\"}');"
      "INSERT INTO \"rocpd_info_thread%1$s\" (id, nid, pid, tid)"
      " VALUES (3, 77, %2$d, 4711);"
      "INSERT INTO \"rocpd_info_agent%1$s\" (id, nid, pid, type,"
      " absolute_index, name, product_name, extdata) VALUES"
      " (1, 77, %2$d, 'CPU', 0, 'EPYC', 'EPYC', '{}'),"
      " (2, 77, %2$d, 'GPU', 4, 'gfx942', 'AMD Instinct MI300X',"
      " '{\"cu_count\": 304}');"
      "INSERT INTO \"rocpd_info_queue%1$s\" (id, nid, pid, name)"
      " VALUES (9, 77, %2$d, 'Queue 1');"
      "INSERT INTO \"rocpd_info_stream%1$s\" (id, nid, pid, name)"
      " VALUES (6, 77, %2$d, 'Stream 6');"
      "INSERT INTO \"rocpd_info_code_object%1$s\" (id, nid, pid)"
      " VALUES (1, 77, %2$d);"
      "INSERT INTO \"rocpd_info_kernel_symbol%1$s\" (id, nid, pid,"
      " code_object_id, kernel_name, display_name, sgpr_count,"
      " arch_vgpr_count, accum_vgpr_count)"
      " VALUES (21, 77, %2$d, 1, '_Z3addPf.kd', 'add(float*)', 96, 32, 4);"
      "INSERT INTO \"rocpd_event%1$s\" (id, category_id, stack_id,"
      " parent_stack_id, correlation_id) VALUES (1, 2, 100, 0, 0),"
      " (2, 3, 101, 100, 0), (3, 6, 101, 101, 0), (4, 2, 102, 0, 0),"
      " (5, 7, 102, 102, 0), (6, 2, 103, 0, 0), (7, 11, 101, 0, 0);"
      "INSERT INTO \"rocpd_region%1$s\" (id, nid, pid, tid, start, \"end\","
      " name_id, event_id) VALUES (1, 77, %2$d, 3, 1000, 1900, 4, 1),"
      " (2, 77, %2$d, 3, 1400, 1500, 5, 2), (3, 77, %2$d, 3, 2000, 2100, 9, 4),"
      " (4, 77, %2$d, 3, 3000, 9000, 10, 6), (5, 77, %2$d, 3, 1, 9000, 12, 7);"
      "INSERT INTO \"rocpd_kernel_dispatch%1$s\" (id, nid, pid, tid, agent_id,"
      " kernel_id, dispatch_id, queue_id, stream_id, start, \"end\","
      " private_segment_size, group_segment_size, workgroup_size_x,"
      " workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y,"
      " grid_size_z, region_name_id, event_id) VALUES (1, 77, %2$d, 3, 2, 21,"
      " 1, 9, 6, 1800, 2500, 16, 512, 256, 1, 1, 4096, 2, 1, 1, 3);"
      "INSERT INTO \"rocpd_memory_copy%1$s\" (id, nid, pid, tid, start,"
      " \"end\", name_id, dst_agent_id, src_agent_id, size, stream_id,"
      " event_id) VALUES (1, 77, %2$d, 3, 2600, 2900, 8, 2, 1, 4096, 6, 5);";
  char text[8192];
  snprintf(text, sizeof text, sql, suffix, pid, machine);
  database_sql(path, text);
}

static void make_set(const char *path, const char *suffix, int pid,
                     const char *machine)
{
  aq_rocpd_id id;
  snprintf(id.guid, sizeof id.guid, "guid-%d", pid);
  snprintf(id.suffix, sizeof id.suffix, "%s", suffix);
  sqlite3 *db = database_open(path);
  ck_assert_msg(aq_rocpd_schema_make(db, &id), "%s", sqlite3_errmsg(db));
  sqlite3_close(db);
  fill_set(path, suffix, pid, machine);
}

static const char *one_process(const char *name)
{
  const char *path = aqtest_write(name, "", 0);
  make_set(path, "_aa", 4242, "m1");
  return path;
}

/* Views of one set are in the way of another set's. */
static void drop_views(const char *path)
{
  for (;;) {
    char sql[256];
    char *name = database_text(
        path, "SELECT name FROM sqlite_master WHERE type = 'view'");
    snprintf(sql, sizeof sql, "DROP VIEW \"%s\"", name);
    const bool found = name[0] != '\0';
    free(name);
    if (!found)
      return;
    database_sql(path, sql);
  }
}

START_TEST(allocations_are_read_but_for_scratch)
{
  const char *path = one_process("allocations.db");
  database_sql(
      path,
      "INSERT INTO rocpd_memory_allocate_aa (nid, pid, tid, agent_id, type,"
      " level, start, \"end\", address, size, extdata) VALUES"
      " (77, 4242, 3, 2, 'ALLOC', 'REAL', 1000, 1100, 4096, 1024, '{}'),"
      " (77, 4242, 3, 2, 'ALLOC', 'VIRTUAL', 1200, 1300, 8192, 512, '{}'),"
      " (77, 4242, 3, 1, 'ALLOC', 'REAL', 1300, 1350, 65536, 99, '{}'),"
      " (77, 4242, 3, NULL, 'FREE', 'REAL', 1400, 1500, 4096, 0, '{}'),"
      " (77, 4242, 3, 2, 'RECLAIM', 'REAL', 1500, 1600, 8192, 512, '{}'),"
      " (77, 4242, 3, 2, 'ALLOC', 'SCRATCH', 1600, 1700, 0, 7, '{}')");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.allocations, 3);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_OP], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SCRATCH_GROWTH], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNLISTED_DEVICE], 0);
  /* In use on the GPU at the end of each call that allocates, and at the begin
   * of the one that frees. */
  static const struct {
    int64_t time, bytes;
  } want[] = {{100, 1024}, {300, 1536}, {400, 512}};
  ck_assert_uint_eq(f.sink.sample_count, 3);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(f.sink.samples[i].counter, AQ_COUNTER_memory_allocated);
    ck_assert_int_eq(f.sink.samples[i].time, want[i].time * AQ_NS);
    ck_assert_int_eq(f.sink.samples[i].value, want[i].bytes);
  }
  fixture_free(&f);
}
END_TEST

START_TEST(kernels_copies_and_calls_are_joined)
{
  fixture f = database_import(one_process("r.db"), NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(f.result.format, "rocpd");
  ck_assert_uint_eq(f.sink.count, 4);
  const aq_record *k = fixture_row(&f, "add(float*)", AQ_KIND_KERNEL);
  ck_assert_int_eq(f.result.base_ns, 1000);
  ck_assert_int_eq(k->start, 800 * AQ_NS);
  ck_assert_int_eq(k->end, 1500 * AQ_NS);
  /* By the call of HIP, not by that of HSA within it. */
  ck_assert_int_eq(k->host_begin, 0);
  ck_assert_int_eq(k->host_end, 900 * AQ_NS);
  ck_assert_int_eq(k->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(k->correlation, 100);
  ck_assert_int_eq(k->pid, 4242);
  ck_assert_int_eq(k->tid, 4711);
  ck_assert_int_eq(k->stream, 6);
  ck_assert_int_eq(k->grid_x, 4096);
  ck_assert_int_eq(k->grid_y, 2);
  ck_assert_int_eq(k->wg_x, 256);
  ck_assert_int_eq(k->lds, 512);
  ck_assert_int_eq(k->scratch, 16);
  ck_assert_int_eq(k->vgpr, 32);
  ck_assert_int_eq(k->agpr, 4);
  ck_assert_int_eq(k->sgpr, 96);
  ck_assert_int_eq(f.sink.queues[k->queue].source_id, 9);
  const aq_record *c =
      fixture_row(&f, "MEMORY_COPY_HOST_TO_DEVICE", AQ_KIND_COPY);
  ck_assert_int_eq(c->host_begin, 1000 * AQ_NS);
  ck_assert_int_eq(c->bytes, 4096);
  ck_assert_int_eq(c->device, k->device);
  fixture_row(&f, "hipDeviceSynchronize", AQ_KIND_WAIT);
  /* A marker may be called like a call. */
  ck_assert_int_eq(fixture_row(&f, "hipLaunchKernelMarker", AQ_KIND_RANGE)->tid,
                   4711);
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_str_eq(f.sink.devices[0].gfx, "gfx942");
  ck_assert_int_eq(f.sink.devices[0].cus, 304);
  ck_assert_int_eq(f.sink.devices[0].source_id, 4);
  for (size_t i = 0; i < AQ_REPAIR_COUNT; i++)
    ck_assert_uint_eq(f.result.repairs[i], 0);
  fixture_free(&f);
}
END_TEST

START_TEST(markers_are_ranges_with_their_message)
{
  const char *path = one_process("marked.db");
  database_sql(
      path,
      "INSERT INTO rocpd_string_aa (id, string) VALUES (51, 'roctxRangePushA'),"
      " (52, 'MARKER_CORE_API'), (53, 'a mark');"
      "INSERT INTO rocpd_event_aa (id, category_id, extdata) VALUES"
      " (50, 52, '{\"message\": \"say \\\"a\\\"\"}'), (51, 52, 'not JSON');"
      "INSERT INTO rocpd_region_aa (id, nid, pid, tid, start, \"end\", name_id,"
      " event_id) VALUES (50, 77, 4242, 3, 900, 5000, 51, 50),"
      " (51, 77, 4242, 3, 1200, 1200, 53, 51)");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.ranges, 3); /* and the one of every set */
  ck_assert_int_eq(fixture_row(&f, "say \"a\"", AQ_KIND_RANGE)->host_begin,
                   -100 * AQ_NS);
  ck_assert_int_eq(fixture_row(&f, "a mark", AQ_KIND_RANGE)->tid, 4711);
  fixture_free(&f);
}
END_TEST

START_TEST(processes_and_machines_are_kept_apart)
{
  const char *path = one_process("both.db");
  drop_views(path);
  make_set(path, "_bb", 4243, "m2");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.sink.count, 8);
  ck_assert_uint_eq(f.sink.device_count, 2);
  ck_assert_uint_eq(f.result.with_host, 4);
  int64_t pids = 0;
  for (size_t i = 0; i < f.sink.count; i++)
    pids += f.sink.rows[i].pid;
  ck_assert_int_eq(pids, 4 * (4242 + 4243));
  fixture_free(&f);
}
END_TEST

START_TEST(the_environment_of_the_process_is_dropped)
{
  fixture f = database_import(one_process("r.db"), NULL);
  for (size_t i = 0; i < f.sink.names.count; i++)
    ck_assert_ptr_null(
        strstr(aq_names_text(&f.sink.names, (int64_t)i), "SECRET"));
  char *text = fixture_export(&f, "jsonl");
  ck_assert_ptr_null(strstr(text, "SECRET"));
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(a_clock_that_is_off_is_reported)
{
  const char *path = one_process("r.db");
  database_sql(path, "UPDATE rocpd_kernel_dispatch_aa SET start = start - 900,"
                     " \"end\" = start - 1000");
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NEGATIVE_DURATION], 1);
  fixture_free(&f);
}
END_TEST

/* ---- there and back ---- */

static int64_t ns_of(int64_t ps)
{
  return ps == AQ_NONE ? AQ_NONE : (ps - (ps < 0 ? AQ_NS - 1 : 0)) / AQ_NS;
}

static int row_order(const void *a, const void *b)
{
  const aq_record *x = a, *y = b;
  const int64_t p = x->kind == AQ_KIND_WAIT ? x->host_begin : x->start;
  const int64_t q = y->kind == AQ_KIND_WAIT ? y->host_begin : y->start;
  return p != q ? (p > q) - (p < q) : (x->kind > y->kind) - (x->kind < y->kind);
}

static void check_same(const fixture *a, const fixture *b)
{
  static const int carried[] = {
      AQ_RECORD_FIELD_kind,    AQ_RECORD_FIELD_via,
      AQ_RECORD_FIELD_flags,   AQ_RECORD_FIELD_correlation,
      AQ_RECORD_FIELD_pid,     AQ_RECORD_FIELD_grid_x,
      AQ_RECORD_FIELD_grid_y,  AQ_RECORD_FIELD_grid_z,
      AQ_RECORD_FIELD_wg_x,    AQ_RECORD_FIELD_wg_y,
      AQ_RECORD_FIELD_wg_z,    AQ_RECORD_FIELD_lds,
      AQ_RECORD_FIELD_scratch, AQ_RECORD_FIELD_vgpr,
      AQ_RECORD_FIELD_agpr,    AQ_RECORD_FIELD_sgpr,
      AQ_RECORD_FIELD_bytes,
  };
  ck_assert_uint_eq(a->sink.count, b->sink.count);
  const int64_t shift = a->result.base_ns - b->result.base_ns;
  for (size_t i = 0; i < a->sink.count; i++) {
    const aq_record *x = &a->sink.rows[i], *y = &b->sink.rows[i];
    ck_assert_str_eq(aq_names_text(&a->sink.names, x->name),
                     aq_names_text(&b->sink.names, y->name));
    for (size_t k = 0; k < sizeof carried / sizeof *carried; k++)
      if (aq_record_values(x)[carried[k]] != AQ_NONE)
        ck_assert_msg(
            aq_record_values(x)[carried[k]] == aq_record_values(y)[carried[k]],
            "row %zu: %s: %lld, was %lld", i, aq_record_fields[carried[k]].name,
            (long long)aq_record_values(y)[carried[k]],
            (long long)aq_record_values(x)[carried[k]]);
    const int64_t times[][2] = {{x->start, y->start},
                                {x->end, y->end},
                                {x->host_begin, y->host_begin},
                                {x->host_end, y->host_end}};
    for (int k = 0; k < 4; k++)
      if (times[k][0] != AQ_NONE)
        ck_assert_int_eq(ns_of(times[k][0]), ns_of(times[k][1]) - shift);
  }
}

static void check_back(fixture *f, const char *name)
{
  const aq_run_info info = {.kind = AQ_RUN_MEASURED,
                            .base_ns = f->result.base_ns};
  ck_assert_status(f->status, AQ_OK, &f->diag);
  fixture back =
      database_import(database_export(&f->sink, &info, "rocpd", name), NULL);
  ck_assert_status(back.status, AQ_OK, &back.diag);
  qsort(f->sink.rows, f->sink.count, sizeof *f->sink.rows, row_order);
  qsort(back.sink.rows, back.sink.count, sizeof *back.sink.rows, row_order);
  check_same(f, &back);
  fixture_free(&back);
  fixture_free(f);
}

START_TEST(what_rocpd_can_carry_comes_back_the_same)
{
  static const char *const files[] = {"kineto.json", "rocprofv3.json",
                                      "rocprofv3_set"};
  for (int i = 0; i < 3; i++) {
    fixture f = fixture_data(files[i]);
    check_back(&f, "back.db");
  }
  fixture f = database_import(one_process("r.db"), NULL);
  check_back(&f, "back.db");
}
END_TEST

/* ---- packed, damaged, hostile ---- */

START_TEST(a_packed_database_is_unpacked)
{
  size_t size;
  char *bytes = database_bytes(one_process("r.db"), &size);
  const char *path = aqtest_write("r.db.gz", "", 0);
  gzFile file = gzopen(path, "wb");
  gzwrite(file, bytes, (unsigned)size);
  gzclose(file);
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.sink.count, 4);
  fixture_free(&f);
  free(bytes);
}
END_TEST

START_TEST(what_its_writer_left_in_a_log_is_read)
{
  const char *path = one_process("r.db");
  sqlite3 *db;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  ck_assert_int_eq(
      sqlite3_exec(db,
                   "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                   "UPDATE rocpd_kernel_dispatch_aa SET grid_size_x = 8192",
                   NULL, NULL, NULL),
      SQLITE_OK);
  fixture f = database_import(path, NULL);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(fixture_row(&f, "add(float*)", AQ_KIND_KERNEL)->grid_x,
                   8192);
  fixture_free(&f);
  sqlite3_close(db);
}
END_TEST

START_TEST(other_databases_are_refused)
{
  const char *path = aqtest_write("x.db", "", 0);
  database_sql(path, "CREATE TABLE t (a)");
  database_refused(path, "without the tables of rocpd");
  path = one_process("x.db");
  database_sql(path, "UPDATE rocpd_metadata_aa SET value = '4.1.0' WHERE tag ="
                     " 'schema_version'");
  database_refused(path, "rocpd schema version \"4.1.0\", expected 3.0.0 to");
  path = one_process("x.db");
  database_sql(path, "DROP VIEW rocpd_event; DROP TABLE rocpd_event_aa");
  database_refused(path, "no table rocpd_event_aa with key id");
  path = one_process("x.db");
  drop_views(path);
  database_sql(path, "ALTER TABLE rocpd_region_aa RENAME COLUMN start TO a");
  database_refused(path, "no such column: r.start");
  fixture f = database_import(one_process("x.db"), "rpd");
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "of format rocpd, expected rpd"));
  fixture_free(&f);
}
END_TEST

START_TEST(tables_that_are_none_are_not_read)
{
  static const char *const tricks[] = {
      "DROP VIEW kernels; ALTER TABLE rocpd_event_aa RENAME TO e;"
      "CREATE VIEW rocpd_event_aa AS SELECT 1 AS id",
      "ALTER TABLE rocpd_event_aa RENAME TO e;"
      "CREATE VIRTUAL TABLE rocpd_event_aa USING fts5(id)",
      "ALTER TABLE rocpd_event_aa RENAME TO e;"
      "CREATE TABLE rocpd_event_aa (id TEXT, stack_id, parent_stack_id,"
      " correlation_id, category_id)",
  };
  for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
    const char *path = one_process("x.db");
    sqlite3 *db = database_open(path);
    const int code = sqlite3_exec(db, tricks[i], NULL, NULL, NULL);
    const bool built =
        code == SQLITE_OK || !strstr(sqlite3_errmsg(db), "no such module");
    ck_assert_msg(code == SQLITE_OK || !built, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
    database_refused(path, "no table rocpd_event_aa with key id");
  }
}
END_TEST

/* Every byte that matters is damaged sooner or later; nothing but an error or
 * a run that holds together may come of it. */
START_TEST(damage_anywhere_is_an_error_or_does_no_harm)
{
  size_t size;
  char *bytes = database_bytes(one_process("r.db"), &size);
  uint64_t seed = 1;
  for (int i = 0; i < 400; i++) {
    char *copy = malloc(size);
    memcpy(copy, bytes, size);
    for (int k = 0; k < 1 + i % 8; k++) {
      seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
      copy[(seed >> 20) % size] = (char)(seed >> 56);
    }
    const size_t length = i % 5 == 4 ? (seed >> 8) % size : size;
    fixture f = database_import_bytes(copy, length);
    if (f.status != AQ_OK) {
      ck_assert_str_ne(f.diag.text, "");
      ck_assert_ptr_null(strchr(f.diag.text, '\n'));
    }
    for (size_t r = 0; f.status == AQ_OK && r < f.sink.count; r++)
      if (f.sink.rows[r].kind != AQ_KIND_WAIT)
        ck_assert_int_ge(f.sink.rows[r].end, f.sink.rows[r].start);
    fixture_free(&f);
    free(copy);
  }
  free(bytes);
}
END_TEST

AQ_TEST_MAIN("trace/db/rocpd_import", markers_are_ranges_with_their_message,
             allocations_are_read_but_for_scratch,
             kernels_copies_and_calls_are_joined,
             processes_and_machines_are_kept_apart,
             the_environment_of_the_process_is_dropped,
             a_clock_that_is_off_is_reported,
             what_rocpd_can_carry_comes_back_the_same,
             a_packed_database_is_unpacked,
             what_its_writer_left_in_a_log_is_read, other_databases_are_refused,
             tables_that_are_none_are_not_read,
             damage_anywhere_is_an_error_or_does_no_harm)
