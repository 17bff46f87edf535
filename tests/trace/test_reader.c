/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/stream_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "support/aqtest.h"

typedef struct bytes {
  char *data;
  size_t size;
} bytes;

static bytes gzip(const void *data, size_t size)
{
  z_stream z = {0};
  bytes out = {malloc(size + 1024), 0};
  ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
  z.next_in = (unsigned char *)(uintptr_t)data;
  z.avail_in = (uInt)size;
  z.next_out = (unsigned char *)out.data;
  z.avail_out = (uInt)size + 1024;
  ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.size = z.total_out;
  deflateEnd(&z);
  return out;
}

/* Text that does not shrink much and spans many pieces. */
static bytes noise(size_t size)
{
  bytes text = {malloc(size), size};
  uint32_t state = 1;
  for (size_t i = 0; i < size; i++) {
    state = state * 1664525 + 1013904223;
    text.data[i] = (char)(' ' + (state >> 24) % 90);
  }
  return text;
}

static aq_status read_all(const void *data, size_t size, bytes *out,
                          aq_diag *diag)
{
  aq_stream_reader *reader;
  *out = (bytes){NULL, 0};
  aq_status status =
      aq_stream_reader_open_bytes("in", data, size, &reader, diag);
  if (status != AQ_OK)
    return status;
  for (;;) {
    const char *piece;
    size_t count;
    status = aq_stream_reader_next(reader, &piece, &count, diag);
    if (status != AQ_OK || count == 0)
      break;
    out->data = realloc(out->data, out->size + count);
    memcpy(out->data + out->size, piece, count);
    out->size += count;
  }
  aq_stream_reader_close(reader);
  return status;
}

static void check_same(const void *data, size_t size, const char *expected,
                       size_t expected_size)
{
  bytes got;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(read_all(data, size, &got, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(got.size, expected_size);
  ck_assert_mem_eq(got.data, expected, expected_size);
  free(got.data);
}

START_TEST(plain_bytes_come_as_they_are)
{
  bytes text = noise(200000);
  check_same(text.data, text.size, text.data, text.size);
  free(text.data);
}
END_TEST

START_TEST(gzip_is_told_by_content_and_inflated)
{
  bytes text = noise(1000000), packed = gzip(text.data, text.size);
  check_same(packed.data, packed.size, text.data, text.size);
  free(packed.data);
  free(text.data);
}
END_TEST

START_TEST(members_of_one_gzip_file_are_one_stream)
{
  bytes a = gzip("first,", 6), b = gzip("second", 6);
  char both[256];
  memcpy(both, a.data, a.size);
  memcpy(both + a.size, b.data, b.size);
  memset(both + a.size + b.size, 0, 8); /* padding, as tape blocks have it */
  check_same(both, a.size + b.size + 8, "first,second", 12);
  free(a.data);
  free(b.data);
}
END_TEST

#ifdef HAVE_ZSTD
static bytes zstd(const void *data, size_t size)
{
  const size_t most = ZSTD_compressBound(size);
  bytes out = {malloc(most), 0};
  out.size = ZSTD_compress(out.data, most, data, size, 3);
  ck_assert(!ZSTD_isError(out.size));
  return out;
}
#endif

START_TEST(zstd_is_told_by_content_and_unpacked)
{
#ifdef HAVE_ZSTD
  bytes text = noise(3 << 20), packed = zstd(text.data, text.size);
  check_same(packed.data, packed.size, text.data, text.size);
  /* Frames that follow on one another are one stream. */
  bytes two = {malloc(2 * packed.size), 2 * packed.size};
  bytes twice = {malloc(2 * text.size), 2 * text.size};
  for (int i = 0; i < 2; i++) {
    memcpy(two.data + (size_t)i * packed.size, packed.data, packed.size);
    memcpy(twice.data + (size_t)i * text.size, text.data, text.size);
  }
  check_same(two.data, two.size, twice.data, twice.size);
  free(two.data);
  free(twice.data);
  free(packed.data);
  free(text.data);
#endif
}
END_TEST

START_TEST(a_zstd_stream_cut_or_damaged_is_refused)
{
#ifdef HAVE_ZSTD
  bytes text = noise(100000), packed = zstd(text.data, text.size);
  aq_diag diag = AQ_DIAG_INIT;
  bytes got;
  for (size_t size = 4; size < packed.size; size += packed.size / 50) {
    ck_assert_int_eq(read_all(packed.data, size, &got, &diag), AQ_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.text, "in: truncated zstd stream"));
    free(got.data);
  }
  packed.data[packed.size / 2] ^= 0x55;
  packed.data[6] ^= 0x55;
  ck_assert_int_eq(read_all(packed.data, packed.size, &got, &diag),
                   AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(diag.text, "zstd stream at byte"));
  free(got.data);
  free(packed.data);
  free(text.data);
#endif
}
END_TEST

START_TEST(a_byte_order_mark_is_dropped)
{
  check_same("\xEF\xBB\xBF{}", 5, "{}", 2);
}
END_TEST

START_TEST(a_gzip_stream_cut_anywhere_is_refused)
{
  bytes text = noise(3000), packed = gzip(text.data, text.size);
  for (size_t size = 2; size < packed.size; size += 97) {
    bytes got;
    char line[64];
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_int_eq(read_all(packed.data, size, &got, &diag), AQ_ERR_INPUT);
    snprintf(line, sizeof line, "in: truncated gzip stream at byte %zu", size);
    ck_assert_str_eq(diag.text, line);
    free(got.data);
  }
  free(packed.data);
  free(text.data);
}
END_TEST

START_TEST(a_damaged_gzip_stream_is_refused)
{
  bytes text = noise(3000), packed = gzip(text.data, text.size), got;
  packed.data[packed.size - 6] ^= 1; /* in its checksum */
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(read_all(packed.data, packed.size, &got, &diag),
                   AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(diag.text, "in: damaged gzip stream at byte"));
  free(got.data);
  free(packed.data);
  free(text.data);
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
  bytes got;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(read_all("", 0, &got, &diag), AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "in: empty file");
}
END_TEST

START_TEST(the_first_piece_can_be_peeked_at)
{
  aq_stream_reader *reader;
  aq_diag diag = AQ_DIAG_INIT;
  const char *a, *b;
  size_t a_size, b_size;
  ck_assert_status(aq_stream_reader_open_bytes("in", "text", 4, &reader, &diag),
                   AQ_OK, &diag);
  ck_assert_status(aq_stream_reader_peek(reader, &a, &a_size, &diag), AQ_OK,
                   &diag);
  ck_assert_status(aq_stream_reader_next(reader, &b, &b_size, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(a_size, 4);
  ck_assert_uint_eq(b_size, 4);
  ck_assert_mem_eq(b, "text", 4);
  ck_assert_status(aq_stream_reader_next(reader, &b, &b_size, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(b_size, 0);
  aq_stream_reader_close(reader);
}
END_TEST

AQ_TEST_MAIN("trace/reader", plain_bytes_come_as_they_are,
             gzip_is_told_by_content_and_inflated,
             members_of_one_gzip_file_are_one_stream,
             a_byte_order_mark_is_dropped,
             a_gzip_stream_cut_anywhere_is_refused,
             a_damaged_gzip_stream_is_refused, an_empty_file_is_refused,
             zstd_is_told_by_content_and_unpacked,
             a_zstd_stream_cut_or_damaged_is_refused,
             the_first_piece_can_be_peeked_at)
