/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fixture.h"
#include "trace/text/protobuf_reader.h"

static unsigned char bytes[8192];
static size_t size;

static void data_read(void)
{
  FILE *file = fopen(aqtest_source("trace/data/rocprofv3.pftrace"), "rb");
  ck_assert_ptr_nonnull(file);
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
}

START_TEST(kernels_and_copies_join_their_calls)
{
  fixture f = fixture_data("rocprofv3.pftrace");
  ck_assert_str_eq(f.result.format, "perfetto");
  ck_assert_uint_eq(f.result.dispatches, 9);
  ck_assert_uint_eq(f.result.copies, 2);
  ck_assert_uint_eq(f.result.waits, 1);
  ck_assert_uint_eq(f.result.ranges, 1);
  ck_assert_uint_eq(f.result.with_host, 11);
  for (size_t i = 0; i < f.sink.count; i++) {
    const aq_record *row = &f.sink.rows[i];
    if (row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY)
      continue;
    ck_assert_int_ge(row->start, row->host_end);
    ck_assert_int_eq(row->pid, 4242);
  }
  fixture_free(&f);
}
END_TEST

/* The packets, each with its key and length. */
static size_t packets_find(size_t *ends, size_t capacity)
{
  aq_pb_view trace = {bytes, size};
  aq_pb_field field;
  size_t count = 0;
  while (aq_pb_next(&trace, &field) == AQ_PB_FIELD) {
    ck_assert_uint_lt(count, capacity);
    ends[count++] = (size_t)(trace.at - bytes);
  }
  return count;
}

START_TEST(a_file_cut_inside_a_packet_is_refused)
{
  size_t ends[256];
  data_read();
  const size_t count = packets_find(ends, 256);
  for (size_t i = 64, at = 0; i < size; i++) {
    while (at < count && ends[at] < i)
      at++;
    if (ends[at] == i)
      continue;
    fixture f = fixture_bytes(bytes, i);
    ck_assert_msg(f.status == AQ_ERR_INPUT &&
                      strstr(f.diag.text, "truncated") != NULL,
                  "%zu bytes: %s", i, f.diag.text);
    fixture_free(&f);
  }
}
END_TEST

/* Between packets a cut shows in the slice that has begun. */
START_TEST(a_slice_that_does_not_end_is_counted)
{
  size_t ends[256];
  data_read();
  const size_t count = packets_find(ends, 256);
  fixture f = fixture_bytes(bytes, ends[count - 2]);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "has no end"));
  fixture_free(&f);
}
END_TEST

START_TEST(a_field_that_reaches_past_its_packet_is_malformed)
{
  size_t ends[256];
  data_read();
  const size_t count = packets_find(ends, 256);
  /* The last field of the last packet: its key becomes that of a text. */
  unsigned char *last = &bytes[ends[count - 1] - 2];
  last[0] = 8 << 3 | AQ_PB_BYTES;
  last[1] = 100;
  fixture f = fixture_bytes(bytes, size);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "malformed protobuf"));
  fixture_free(&f);
}
END_TEST

/* Damaged ones, too. */
START_TEST(packets_packed_by_zstd_are_refused_by_name)
{
  static const unsigned char zlib[] = {0x0a, 6, 0x92, 3, 1, 'x', 0x50, 1};
  static const unsigned char zstd[] = {0x0a, 6, 0xaa, 8, 1, 'x', 0x50, 1};
  data_read();
  memcpy(bytes + size, zstd, sizeof zstd);
  fixture f = fixture_bytes(bytes, size + sizeof zstd);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "recorded without compression"));
  fixture_free(&f);
  memcpy(bytes + size, zlib, sizeof zlib);
  f = fixture_bytes(bytes, size + sizeof zlib);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "damaged compressed packets"));
  fixture_free(&f);
}
END_TEST

START_TEST(other_protobufs_are_not_taken_for_it)
{
  static const char text[] = "\n\nfield,other\n1,2\n";
  fixture f = fixture_text(text);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "unknown format"));
  fixture_free(&f);
}
END_TEST

AQ_TEST_MAIN("trace/perfetto", kernels_and_copies_join_their_calls,
             a_file_cut_inside_a_packet_is_refused,
             a_slice_that_does_not_end_is_counted,
             a_field_that_reaches_past_its_packet_is_malformed,
             packets_packed_by_zstd_are_refused_by_name,
             other_protobufs_are_not_taken_for_it)
