/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/stream_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { IN_SIZE = 64 << 10, OUT_SIZE = 256 << 10 };

struct aq_stream_reader {
  const char *name;
  int file;                    /* -1: the bytes are in memory */
  const unsigned char *memory; /* the rest of them */
  size_t memory_size;
  uint64_t total, consumed;
  enum { PLAIN, GZIP, ZSTD } packing;
  bool inflating, ended;
  bool cut;    /* the stream ends before it should */
  bool peeked; /* the piece below is to be handed out again */
  const char *piece;
  size_t piece_size;
  z_stream z;
#ifdef HAVE_ZSTD
  ZSTD_DStream *zstd;
  size_t zstd_used; /* bytes of `in` that it has */
  bool zstd_open;   /* a frame has begun and has not ended */
#endif
  size_t in_count;
  unsigned char in[IN_SIZE], out[OUT_SIZE];
};

static aq_status truncated(aq_stream_reader *reader, aq_diag *diag)
{
  reader->cut = true;
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: truncated %s stream at byte %llu",
                     reader->name, reader->packing == GZIP ? "gzip" : "zstd",
                     (unsigned long long)reader->consumed);
}

/* Reads the next raw bytes into `in`; in_count is 0 at the end. */
static aq_status fill(aq_stream_reader *reader, aq_diag *diag)
{
  if (reader->file < 0) {
    size_t count =
        reader->memory_size < IN_SIZE ? reader->memory_size : (size_t)IN_SIZE;
    if (count > 0)
      memcpy(reader->in, reader->memory, count);
    reader->memory += count;
    reader->memory_size -= count;
    reader->in_count = count;
  } else {
    ssize_t count;
    do
      count = read(reader->file, reader->in, IN_SIZE);
    while (count < 0 && errno == EINTR);
    if (count < 0)
      return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", reader->name,
                         strerror(errno));
    reader->in_count = (size_t)count;
  }
  reader->consumed += reader->in_count;
  return AQ_OK;
}

static aq_status begin_gzip(aq_stream_reader *reader, aq_diag *diag)
{
  reader->z.next_in = reader->in;
  reader->z.avail_in = (uInt)reader->in_count;
  if (inflateInit2(&reader->z, 15 + 16) != Z_OK)
    return aq_diag_no_memory(diag);
  reader->inflating = true;
  return AQ_OK;
}

static aq_status begin_zstd(aq_stream_reader *reader, aq_diag *diag)
{
#ifdef HAVE_ZSTD
  reader->zstd = ZSTD_createDStream();
  reader->zstd_open = true;
  return reader->zstd ? AQ_OK : aq_diag_no_memory(diag);
#else
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: packed with zstd, which this build cannot read; "
                     "expected it unpacked (unzstd), or a build with libzstd",
                     reader->name);
#endif
}

/* How the bytes are packed, by the numbers that the formats begin with. */
static int packing_of(const unsigned char *bytes, size_t size)
{
  if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
    return GZIP;
  return size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? ZSTD : PLAIN;
}

/* Looks at the first bytes; nothing at all is an error. */
static aq_status begin(aq_stream_reader *reader, aq_diag *diag)
{
  aq_status status = fill(reader, diag);
  if (status != AQ_OK)
    return status;
  if (reader->in_count == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: empty file", reader->name);
  reader->packing = packing_of(reader->in, reader->in_count);
  if (reader->packing == PLAIN)
    return AQ_OK;
  return reader->packing == GZIP ? begin_gzip(reader, diag)
                                 : begin_zstd(reader, diag);
}

static aq_status open_common(aq_stream_reader *reader, aq_stream_reader **out,
                             aq_diag *diag)
{
  aq_status status = begin(reader, diag);
  if (status != AQ_OK) {
    aq_stream_reader_close(reader);
    return status;
  }
  *out = reader;
  return AQ_OK;
}

static aq_stream_reader *reader_new(const char *name, aq_diag *diag)
{
  aq_stream_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    aq_diag_no_memory(diag);
    return NULL;
  }
  reader->name = name;
  reader->file = -1;
  return reader;
}

aq_status aq_stream_reader_open(const char *path, aq_stream_reader **out,
                                aq_diag *diag)
{
  aq_stream_reader *reader = reader_new(path, diag);
  if (!reader)
    return AQ_ERR_NO_MEMORY;
  reader->file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (reader->file < 0 || fstat(reader->file, &info) != 0) {
    aq_status status =
        aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
    aq_stream_reader_close(reader);
    return status;
  }
  reader->total = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
  return open_common(reader, out, diag);
}

aq_status aq_stream_reader_open_bytes(const char *name, const void *bytes,
                                      size_t size, aq_stream_reader **out,
                                      aq_diag *diag)
{
  aq_stream_reader *reader = reader_new(name, diag);
  if (!reader)
    return AQ_ERR_NO_MEMORY;
  reader->memory = bytes;
  reader->memory_size = size;
  reader->total = size;
  return open_common(reader, out, diag);
}

void aq_stream_reader_close(aq_stream_reader *reader)
{
  if (!reader)
    return;
  if (reader->inflating)
    inflateEnd(&reader->z);
#ifdef HAVE_ZSTD
  ZSTD_freeDStream(reader->zstd);
#endif
  if (reader->file >= 0)
    close(reader->file);
  free(reader);
}

const char *aq_stream_reader_name(const aq_stream_reader *reader)
{
  return reader->name;
}

/* After a member: another one follows, or padding that is left unread. */
static aq_status member_end(aq_stream_reader *reader, aq_diag *diag)
{
  z_stream *z = &reader->z;
  if (z->avail_in == 0) {
    aq_status status = fill(reader, diag);
    if (status != AQ_OK)
      return status;
    z->next_in = reader->in;
    z->avail_in = (uInt)reader->in_count;
  }
  if (z->avail_in == 0 || z->next_in[0] != 0x1f)
    reader->ended = true;
  else
    inflateReset(z);
  return AQ_OK;
}

/* One call of inflate, with more input first where there is none. */
static aq_status inflate_step(aq_stream_reader *reader, aq_diag *diag)
{
  z_stream *z = &reader->z;
  if (z->avail_in == 0) {
    aq_status status = fill(reader, diag);
    if (status != AQ_OK)
      return status;
    if (reader->in_count == 0)
      return truncated(reader, diag);
    z->next_in = reader->in;
    z->avail_in = (uInt)reader->in_count;
  }
  int result = inflate(z, Z_NO_FLUSH);
  if (result == Z_STREAM_END)
    return member_end(reader, diag);
  if (result == Z_OK || result == Z_BUF_ERROR)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: damaged gzip stream at byte %llu (%s)", reader->name,
                     (unsigned long long)(reader->consumed - z->avail_in),
                     z->msg ? z->msg : "bad data");
}

static aq_status next_inflated(aq_stream_reader *reader, aq_diag *diag)
{
  z_stream *z = &reader->z;
  z->next_out = reader->out;
  z->avail_out = OUT_SIZE;
  while (z->avail_out > 0 && !reader->ended) {
    aq_status status = inflate_step(reader, diag);
    if (reader->cut && z->avail_out < OUT_SIZE)
      break; /* the bytes before the cut first; the error comes again */
    if (status != AQ_OK)
      return status;
  }
  reader->piece = (const char *)reader->out;
  reader->piece_size = OUT_SIZE - z->avail_out;
  return AQ_OK;
}

#ifdef HAVE_ZSTD
/* One call of the decoder, with more input first where there is none. Frames
 * follow on one another. */
static aq_status unpack_step(aq_stream_reader *reader, ZSTD_outBuffer *out,
                             aq_diag *diag)
{
  if (reader->zstd_used == reader->in_count) {
    aq_status status = fill(reader, diag);
    if (status != AQ_OK)
      return status;
    reader->zstd_used = 0;
    if (reader->in_count == 0 && reader->zstd_open)
      return truncated(reader, diag);
    reader->ended = reader->in_count == 0;
    if (reader->ended)
      return AQ_OK;
  }
  ZSTD_inBuffer in = {reader->in, reader->in_count, reader->zstd_used};
  size_t result = ZSTD_decompressStream(reader->zstd, out, &in);
  reader->zstd_used = in.pos;
  reader->zstd_open = result != 0;
  if (ZSTD_isError(result)) {
    const unsigned long long at = reader->consumed - reader->in_count + in.pos;
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: damaged zstd stream at byte %llu (%s)",
                       reader->name, at, ZSTD_getErrorName(result));
  }
  return AQ_OK;
}

static aq_status next_unpacked(aq_stream_reader *reader, aq_diag *diag)
{
  ZSTD_outBuffer out = {reader->out, OUT_SIZE, 0};
  while (out.pos < out.size && !reader->ended) {
    aq_status status = unpack_step(reader, &out, diag);
    if (reader->cut && out.pos > 0)
      break; /* the bytes before the cut first; the error comes again */
    if (status != AQ_OK)
      return status;
  }
  reader->piece = (const char *)reader->out;
  reader->piece_size = out.pos;
  return AQ_OK;
}
#endif

/* The first piece was read when the reader was opened. */
static aq_status next_plain(aq_stream_reader *reader, aq_diag *diag)
{
  if (reader->piece) {
    aq_status status = fill(reader, diag);
    if (status != AQ_OK)
      return status;
  }
  reader->piece = (const char *)reader->in;
  reader->piece_size = reader->in_count;
  return AQ_OK;
}

static aq_status next_piece(aq_stream_reader *reader, aq_diag *diag)
{
#ifdef HAVE_ZSTD
  if (reader->packing == ZSTD)
    return next_unpacked(reader, diag);
#endif
  return reader->packing == GZIP ? next_inflated(reader, diag)
                                 : next_plain(reader, diag);
}

static void drop_byte_order_mark(aq_stream_reader *reader)
{
  if (reader->piece_size >= 3 &&
      memcmp(reader->piece, "\xEF\xBB\xBF", 3) == 0) {
    reader->piece += 3;
    reader->piece_size -= 3;
  }
}

aq_status aq_stream_reader_next(aq_stream_reader *reader, const char **bytes,
                                size_t *size, aq_diag *diag)
{
  if (!reader->peeked) {
    bool first = !reader->piece;
    aq_status status = next_piece(reader, diag);
    if (status != AQ_OK)
      return status;
    if (first)
      drop_byte_order_mark(reader);
  }
  reader->peeked = false;
  *bytes = reader->piece;
  *size = reader->piece_size;
  return AQ_OK;
}

aq_status aq_stream_reader_peek(aq_stream_reader *reader, const char **bytes,
                                size_t *size, aq_diag *diag)
{
  aq_status status = aq_stream_reader_next(reader, bytes, size, diag);
  if (status != AQ_OK)
    return status;
  reader->peeked = true;
  return AQ_OK;
}

bool aq_stream_reader_is_cut(const aq_stream_reader *reader)
{
  return reader->cut;
}

uint64_t aq_stream_reader_consumed(const aq_stream_reader *reader)
{
  return reader->consumed;
}

void aq_stream_reader_progress(const aq_stream_reader *reader, uint64_t *done,
                               uint64_t *total)
{
  *done = reader->consumed;
  *total = reader->total;
}

aq_status aq_stream_unpack(const void *bytes, size_t size, size_t most,
                           unsigned char **out, size_t *out_size, aq_diag *diag)
{
  int result = Z_BUF_ERROR;
  *out = NULL;
  for (size_t capacity = 1 << 20; result == Z_BUF_ERROR && capacity <= most;
       capacity *= 4) {
    uLongf unpacked = capacity;
    free(*out);
    *out = malloc(capacity);
    if (!*out)
      return aq_diag_no_memory(diag);
    result = uncompress(*out, &unpacked, bytes, size);
    *out_size = unpacked;
  }
  if (result != Z_OK) {
    free(*out);
    *out = NULL;
  }
  return AQ_OK;
}
