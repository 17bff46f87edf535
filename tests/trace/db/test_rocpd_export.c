/* SPDX-License-Identifier: MIT */
/* The public rules of rocpd 3.0.0, as far as they can be asked in SQL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/db/databases.h"

/* A simulated run of two GPUs with all kinds of rows. */
static void make_run(aq_memory_sink *m)
{
  static const aq_run_device devices[] = {
      {.source_id = 0,
       .name = "AMD Instinct MI300X",
       .gfx = "gfx942",
       .cus = 304},
      {.source_id = 7, .name = NULL, .gfx = NULL, .cus = AQ_NONE}};
  aq_diag diag = AQ_DIAG_INIT;
  int64_t device, queue, name;
  aq_memory_sink_init(m);
  for (int i = 0; i < 2; i++) {
    m->sink.device(&m->sink, &devices[i], &device, &diag);
    m->sink.queue(&m->sink, &(aq_run_queue){device, 4}, &queue, &diag);
  }
  static const int kinds[] = {AQ_KIND_KERNEL, AQ_KIND_COPY,
                              AQ_KIND_FILL,   AQ_KIND_BARRIER_AND,
                              AQ_KIND_WAIT,   AQ_KIND_KERNEL};
  static const char *const names[] = {
      "k'\";DROP TABLE x;--", "CopyHostToDevice",
      "FillBuffer",           "barrier",
      "hipDeviceSynchronize", "no end"};
  for (int i = 0; i < 12; i++) {
    aq_record row;
    aq_record_init(&row);
    row.kind = kinds[i % 6];
    m->sink.name(&m->sink, names[i % 6], strlen(names[i % 6]), &name, &diag);
    row.name = name;
    row.flags = 0;
    row.via = row.kind == AQ_KIND_WAIT ? AQ_NONE : AQ_VIA_DIRECT;
    row.host_begin = i * 100 * AQ_US;
    row.host_end = row.host_begin + 5 * AQ_US;
    row.correlation = i % 3 == 0 ? AQ_NONE : i;
    if (row.kind != AQ_KIND_WAIT) {
      row.device = row.queue = i / 6;
      row.packet = i;
      row.header = 0x1502;
      row.submit = row.host_begin + AQ_US;
      row.fetch = row.submit + AQ_US;
      row.launch = row.fetch + 2 * AQ_US;
      row.start = i % 6 == 5 ? AQ_TIME_NONE : row.launch + 500;
      row.end = row.launch + 7 * AQ_US;
      row.complete = row.end + AQ_US;
    }
    m->sink.put(&m->sink, &row, 1, &diag);
  }
}

static const aq_sample counted[] = {{AQ_COUNTER_occupancy, 1, AQ_US, 250},
                                    {AQ_COUNTER_occupancy, 1, 2 * AQ_US, 0},
                                    {AQ_COUNTER_depth, 0, AQ_US, 3}};

static const char *export_as(const char *format, const char *name)
{
  aq_memory_sink m;
  const aq_run_info info = {.kind = AQ_RUN_SIMULATED,
                            .base_ns = INT64_C(1775078550000000000),
                            .transport = "sim",
                            .device_model = "mi300x",
                            .seed = 1};
  aq_diag diag = AQ_DIAG_INIT;
  make_run(&m);
  m.sink.put_counters(&m.sink, counted, 3, &diag);
  const char *path = database_export(&m, &info, format, name);
  aq_memory_sink_fini(&m);
  return path;
}

static void check_text(const char *path, const char *sql, const char *expected)
{
  char *text = database_text(path, sql);
  ck_assert_str_eq(text, expected);
  free(text);
}

START_TEST(tables_and_views_are_the_public_ones)
{
  const char *path = export_as("rocpd", "o.db");
  check_text(path,
             "SELECT group_concat(n, ' ') FROM (SELECT substr(name, 7, "
             "length(name) - 43) AS n FROM sqlite_master WHERE type = 'table' "
             "AND name LIKE 'rocpd%' ORDER BY 1)",
             "arg event info_agent info_code_object info_kernel_symbol "
             "info_node info_pmc info_process info_queue info_stream "
             "info_thread kernel_dispatch memory_allocate memory_copy metadata "
             "pmc_event region sample string track");
  check_text(path,
             "SELECT group_concat(name, ' ') FROM (SELECT name FROM "
             "sqlite_master WHERE type = 'view' AND name NOT LIKE 'rocpd%' "
             "ORDER BY 1)",
             "busy code_objects counters_collection events_args kernel_symbols "
             "kernels marker_summary markers memory_allocations memory_copies "
             "pmc_events pmc_info processes range_marker_summary range_markers "
             "region_args regions regions_and_samples sample_regions samples "
             "scratch_memory single_marker_summary single_markers stream_args "
             "threads top top_kernels");
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM sqlite_master "
                                      "WHERE type = 'view' AND name LIKE "
                                      "'rocpd%'"),
                   20);
}
END_TEST

START_TEST(nothing_else_is_in_it)
{
  const char *path = export_as("rocpd", "o.db");
  check_text(path,
             "SELECT group_concat(type || ' ' || name) FROM sqlite_master "
             "WHERE type NOT IN ('table', 'view') AND name NOT LIKE "
             "'sqlite_autoindex_rocpd%' OR type = 'table' AND name NOT LIKE "
             "'rocpd_%' AND name != 'sqlite_sequence'",
             "");
  static const char *const beside[] = {"-wal", "-shm", "-journal"};
  for (int i = 0; i < 3; i++) {
    char name[512];
    snprintf(name, sizeof name, "%s%s", path, beside[i]);
    ck_assert_int_ne(access(name, F_OK), 0);
  }
}
END_TEST

START_TEST(it_is_whole_and_no_key_leads_nowhere)
{
  static const char *const formats[] = {"rocpd", "rocpd-kernels"};
  for (int i = 0; i < 2; i++) {
    const char *path = export_as(formats[i], "o.db");
    check_text(path, "PRAGMA integrity_check", "ok");
    check_text(path, "PRAGMA foreign_key_check", "");
    check_text(path, "PRAGMA journal_mode", "delete");
  }
}
END_TEST

START_TEST(views_show_every_dispatch_copy_and_call)
{
  const char *path = export_as("rocpd", "o.db");
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM kernels"), 2);
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM memory_copies"), 4);
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM regions WHERE "
                                      "category = 'HIP_RUNTIME_API'"),
                   8);
  check_text(path,
             "SELECT name || '|' || agent_type || '|' || queue || '|' || "
             "duration FROM kernels",
             "k'\";DROP TABLE x;--|GPU|Queue 1|7000");
  check_text(path, "SELECT src_agent_type || dst_agent_type FROM memory_copies",
             "CPUGPU");
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM busy"), 2);
}
END_TEST

START_TEST(dispatches_have_all_that_the_kernels_view_asks_for)
{
  const char *path = export_as("rocpd-kernels", "o.db");
  ck_assert_int_eq(
      database_int(path, "SELECT count(*) FROM rocpd_kernel_dispatch WHERE "
                         "event_id IS NULL OR tid IS NULL OR region_name_id IS "
                         "NULL OR guid IS NULL"),
      0);
  check_text(path,
             "SELECT DISTINCT string FROM rocpd_string S JOIN "
             "rocpd_kernel_dispatch K ON K.region_name_id = S.id",
             "");
  check_text(path,
             "SELECT group_concat(string) FROM (SELECT DISTINCT S.string FROM "
             "rocpd_event E JOIN rocpd_string S ON S.id = E.category_id ORDER "
             "BY 1)",
             "KERNEL_DISPATCH,MEMORY_COPY");
}
END_TEST

/* Names 1, 2, … with registers of the same bits: their keys are alike. */
START_TEST(kernels_keep_their_names_whatever_their_registers)
{
  enum { KERNELS = 64 };
  aq_memory_sink m;
  aq_diag diag = AQ_DIAG_INIT;
  int64_t device, queue;
  aq_memory_sink_init(&m);
  m.sink.device(&m.sink, &(aq_run_device){.cus = AQ_NONE}, &device, &diag);
  m.sink.queue(&m.sink, &(aq_run_queue){device, 4}, &queue, &diag);
  for (int i = 0; i < KERNELS; i++) {
    char text[16];
    aq_record row;
    aq_record_init(&row);
    snprintf(text, sizeof text, "kernel %d", i);
    m.sink.name(&m.sink, text, strlen(text), &row.name, &diag);
    row.kind = AQ_KIND_KERNEL;
    row.device = device;
    row.queue = queue;
    row.vgpr = row.name ^ 21;
    row.agpr = row.sgpr = 0;
    row.start = i * AQ_US;
    row.end = row.start + AQ_NS;
    m.sink.put(&m.sink, &row, 1, &diag);
  }
  const aq_run_info info = {.kind = AQ_RUN_MEASURED};
  const char *path = database_export(&m, &info, "rocpd", "o.db");
  aq_memory_sink_fini(&m);
  ck_assert_int_eq(database_int(path, "SELECT count(DISTINCT name) FROM "
                                      "kernels"),
                   KERNELS);
}
END_TEST

START_TEST(the_life_of_packets_is_in_regions_arguments_and_samples)
{
  const char *path = export_as("rocpd", "o.db");
  check_text(path,
             "SELECT group_concat(name || ' ' || calls) FROM "
             "range_marker_summary",
             "barrier wait 6,barrier-and 2");
  check_text(path,
             "SELECT group_concat(arg_name || '=' || arg_value) FROM "
             "events_args WHERE event_id = (SELECT min(event_id) FROM "
             "rocpd_kernel_dispatch)",
             "packet=0,header=5378");
  check_text(path,
             "SELECT group_concat(name || ' ' || calls) FROM "
             "single_marker_summary",
             "completion 6,doorbell 6");
}
END_TEST

START_TEST(samples_of_counters_are_on_tracks)
{
  const char *path = export_as("rocpd", "o.db");
  check_text(path,
             "SELECT group_concat(C.name || ' ' || C.units || ' ' || "
             "cast(V.value AS INTEGER) || ' ' || A.absolute_index) FROM "
             "rocpd_pmc_event V JOIN rocpd_info_pmc C ON C.id = V.pmc_id JOIN "
             "rocpd_info_agent A ON A.id = C.agent_id",
             "occupancy per mille 250 7,occupancy per mille 0 7,"
             "depth packets 3 0");
  ck_assert_int_eq(database_int(path, "SELECT count(*) FROM samples WHERE name "
                                      "IN ('occupancy', 'depth')"),
                   3);
}
END_TEST

START_TEST(the_version_and_ids_are_told)
{
  const char *path = export_as("rocpd", "o.db");
  check_text(path,
             "SELECT group_concat(tag || '=' || value) FROM rocpd_metadata "
             "WHERE tag LIKE 'schema%'",
             "schema_version=3.0.0,schema_version_major=3,"
             "schema_version_minor=0,schema_version_patch=0");
  /* A UUIDv7, of the run's time, the same in every row and in the names. */
  ck_assert_int_eq(
      database_int(path, "SELECT count(*) FROM rocpd_event WHERE guid NOT GLOB "
                         "'019d4*-7*-[89ab]*-*' OR guid != (SELECT value "
                         "FROM rocpd_metadata WHERE tag = 'guid')"),
      0);
  ck_assert_int_eq(
      database_int(path,
                   "SELECT count(*) FROM sqlite_master WHERE type = 'table' "
                   "AND name LIKE '%' || (SELECT value FROM rocpd_metadata "
                   "WHERE tag = 'uuid')"),
      20);
  ck_assert_int_eq(database_int(path, "SELECT max(nid) < (1 << 31) FROM "
                                      "rocpd_kernel_dispatch"),
                   1);
  check_text(path, "SELECT DISTINCT extdata FROM rocpd_info_agent", "{}");
  check_text(path, "SELECT DISTINCT environment FROM rocpd_info_process", "{}");
}
END_TEST

START_TEST(the_same_run_gives_the_same_bytes)
{
  size_t sizes[2];
  char *bytes[2];
  bytes[0] = database_bytes(export_as("rocpd", "one.db"), &sizes[0]);
  bytes[1] = database_bytes(export_as("rocpd", "two.db"), &sizes[1]);
  ck_assert_uint_eq(sizes[0], sizes[1]);
  ck_assert_int_eq(memcmp(bytes[0], bytes[1], sizes[0]), 0);
  free(bytes[0]);
  free(bytes[1]);
}
END_TEST

START_TEST(another_run_has_another_guid)
{
  aq_memory_sink m;
  aq_run_info info = {.kind = AQ_RUN_SIMULATED, .seed = 1};
  make_run(&m);
  char *one = database_text(database_export(&m, &info, "rocpd", "one.db"),
                            "SELECT guid FROM rocpd_event");
  m.rows[1].end++;
  char *two = database_text(database_export(&m, &info, "rocpd", "two.db"),
                            "SELECT guid FROM rocpd_event");
  ck_assert_str_ne(one, two);
  free(one);
  free(two);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_error)
{
  aq_memory_sink m;
  const aq_run_info info = {.kind = AQ_RUN_MEASURED};
  aq_diag diag = AQ_DIAG_INIT;
  make_run(&m);
  fixture_source from = fixture_read(&m, &info);
  const aq_trace_module *rocpd =
      aq_trace_module_find(aq_tracedb_modules, "rocpd");
  ck_assert_int_eq(rocpd->export_file(&from.source, "/dev/full", &diag),
                   AQ_ERR_IO);
  ck_assert_ptr_null(strchr(diag.text, '\n'));
  ck_assert_str_ne(diag.text, "");
  aq_memory_sink_fini(&m);
}
END_TEST

AQ_TEST_MAIN("trace/db/rocpd_export", tables_and_views_are_the_public_ones,
             nothing_else_is_in_it, it_is_whole_and_no_key_leads_nowhere,
             views_show_every_dispatch_copy_and_call,
             dispatches_have_all_that_the_kernels_view_asks_for,
             kernels_keep_their_names_whatever_their_registers,
             the_life_of_packets_is_in_regions_arguments_and_samples,
             samples_of_counters_are_on_tracks, the_version_and_ids_are_told,
             the_same_run_gives_the_same_bytes, another_run_has_another_guid,
             a_file_that_cannot_be_written_is_an_error)
