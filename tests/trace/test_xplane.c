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
  FILE *file = fopen(aqtest_source("trace/data/jax.xplane.pb"), "rb");
  ck_assert_ptr_nonnull(file);
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
}

START_TEST(kernels_copies_and_fills_of_streams_are_rows)
{
  fixture f = fixture_data("jax.xplane.pb");
  ck_assert_str_eq(f.result.format, "xplane");
  ck_assert_uint_eq(f.sink.count, 5); /* and a wait */
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_int_eq(f.sink.devices[0].source_id, 0);
  ck_assert_int_eq(f.sink.devices[0].cus, 304);
  const aq_record *copy = fixture_row(&f, "MemcpyH2D", AQ_KIND_COPY);
  ck_assert_int_eq(copy->bytes, 4096);
  ck_assert_int_eq(copy->end - copy->start, AQ_US);
  const aq_record *fill = fixture_row(&f, "Memset", AQ_KIND_FILL);
  ck_assert_int_eq(fill->bytes, 64);
  ck_assert_int_eq(fill->via, AQ_VIA_NONE);
  fixture_free(&f);
}
END_TEST

static const aq_record *row_of(const fixture *f, int64_t correlation)
{
  for (size_t i = 0; i < f->sink.count; i++)
    if (f->sink.rows[i].correlation == correlation &&
        f->sink.rows[i].kind == AQ_KIND_KERNEL)
      return &f->sink.rows[i];
  ck_abort_msg("no kernel %lld", (long long)correlation);
}

START_TEST(shapes_are_read_from_both_wordings_of_kernel_details)
{
  fixture f = fixture_data("jax.xplane.pb");
  const aq_record *by_reference = row_of(&f, 7), *by_text = row_of(&f, 8);
  ck_assert_int_eq(by_reference->grid_x, 3 * 64);
  ck_assert_int_eq(by_reference->grid_y, 2);
  ck_assert_int_eq(by_reference->wg_x, 64);
  ck_assert_int_eq(by_reference->lds, 2048);
  ck_assert_int_eq(by_reference->scratch, 16);
  ck_assert_int_eq(by_reference->end - by_reference->start, 5000500);
  ck_assert_int_eq(by_text->grid_x, 2 * 128);
  ck_assert_int_eq(by_text->wg_y, 2);
  ck_assert_int_eq(by_text->lds, 1024 + 512);
  ck_assert_int_eq(by_text->vgpr, 32);
  ck_assert_int_eq(by_text->stream, 3);
  fixture_free(&f);
}
END_TEST

START_TEST(calls_are_joined_by_their_correlation_whatever_their_name)
{
  fixture f = fixture_data("jax.xplane.pb");
  const aq_record *direct = row_of(&f, 7), *graph = row_of(&f, 8);
  ck_assert_int_eq(direct->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(direct->start - direct->host_begin, 10 * AQ_US);
  ck_assert_int_eq(direct->tid, 4242);
  ck_assert_int_eq(graph->via, AQ_VIA_GRAPH);
  ck_assert_int_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 1); /* the fill */
  const aq_record *wait = fixture_row(&f, "hipStreamSynchronize", AQ_KIND_WAIT);
  ck_assert_int_eq(wait->host_end - wait->host_begin, 60 * AQ_US);
  fixture_free(&f);
}
END_TEST

START_TEST(an_event_of_a_stream_without_details_is_counted)
{
  fixture f = fixture_data("jax.xplane.pb");
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  fixture_free(&f);
}
END_TEST

/* Between two planes a file may end: an XSpace does not say how many it has. */
START_TEST(a_file_cut_inside_a_plane_is_refused)
{
  data_read();
  aq_pb_view space = {bytes, size};
  aq_pb_field field;
  size_t ends = 0;
  bool *is_end = calloc(size + 1, sizeof *is_end);
  while (aq_pb_next(&space, &field) == AQ_PB_FIELD) {
    is_end[space.at - bytes] = true;
    ends++;
  }
  ck_assert_uint_eq(ends, 4);
  for (size_t i = 64; i < size; i++) {
    if (is_end[i])
      continue;
    fixture f = fixture_bytes(bytes, i);
    ck_assert_msg(f.status == AQ_ERR_INPUT &&
                      strstr(f.diag.text, "truncated") != NULL,
                  "%zu bytes: %s", i, f.diag.text);
    fixture_free(&f);
  }
  free(is_end);
}
END_TEST

START_TEST(a_field_that_reaches_past_its_message_is_malformed)
{
  data_read();
  /* The length of the first line: one more than its plane has. */
  unsigned char *line = memmem(bytes, size, "\x1a", 1);
  ck_assert_ptr_nonnull(line);
  line[1] = line[2] = 0xff;
  line[3] = 0x7f;
  fixture f = fixture_bytes(bytes, size);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "malformed protobuf"));
  fixture_free(&f);
}
END_TEST

START_TEST(varints_are_at_most_64_bits)
{
  static const unsigned char most[] = {8,    0xff, 0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0xff, 0xff, 1};
  unsigned char more[sizeof most];
  aq_pb_view in = {most, sizeof most};
  aq_pb_field field;
  ck_assert_int_eq(aq_pb_next(&in, &field), AQ_PB_FIELD);
  ck_assert_uint_eq(field.value, UINT64_MAX);
  ck_assert_int_eq(aq_pb_next(&in, &field), AQ_PB_END);
  memcpy(more, most, sizeof more);
  more[sizeof more - 1] = 2;
  in = (aq_pb_view){more, sizeof more};
  ck_assert_int_eq(aq_pb_next(&in, &field), AQ_PB_MALFORMED);
  in = (aq_pb_view){most, sizeof most - 1};
  ck_assert_int_eq(aq_pb_next(&in, &field), AQ_PB_CUT);
}
END_TEST

AQ_TEST_MAIN("trace/xplane", kernels_copies_and_fills_of_streams_are_rows,
             shapes_are_read_from_both_wordings_of_kernel_details,
             calls_are_joined_by_their_correlation_whatever_their_name,
             an_event_of_a_stream_without_details_is_counted,
             a_file_cut_inside_a_plane_is_refused,
             a_field_that_reaches_past_its_message_is_malformed,
             varints_are_at_most_64_bits)
