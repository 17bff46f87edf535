/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>

#include "store/store.h"

static const char *fresh_path(const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), name);
  return path;
}

static aq_store *open_store(const char *path)
{
  aq_store *store = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_open(path, AQ_STORE_WRITE, &store, &diag), AQ_OK,
                   &diag);
  return store;
}

static aq_run_info plain_info(const char *name)
{
  return (aq_run_info){.kind = AQ_RUN_MEASURED,
                       .name = name,
                       .origin = AQ_NONE,
                       .seed = AQ_NONE,
                       .base_ns = AQ_NONE};
}

START_TEST(every_field_of_a_record_survives)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = open_store(fresh_path("runs.db"));
  aq_run_info info = plain_info("m");
  aq_store_writer *writer;
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  aq_record rows[3];
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
      (&rows[r].kind)[i] = r * 1000 + i;
  aq_record_init(&rows[1]);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  ck_assert_status(sink->put(sink, rows, 3, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_writer_finish(writer, NULL, &diag), AQ_OK, &diag);
  aq_run_reader *reader;
  ck_assert_status(
      aq_run_reader_open(store, 1, AQ_ORDER_STORED, &reader, &diag), AQ_OK,
      &diag);
  aq_record got[4];
  size_t count;
  ck_assert_status(aq_run_reader_next(reader, got, NULL, 4, &count, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(count, 3);
  ck_assert_int_eq(memcmp(rows, got, sizeof rows), 0);
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("store/store", every_field_of_a_record_survives)
