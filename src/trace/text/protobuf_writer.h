/* SPDX-License-Identifier: MIT */
/*
 * Writing protobuf messages piece by piece into a file, nested ones by leaving
 * room for their length: https://protobuf.dev/programming-guides/encoding/.
 * A timeline has a dozen messages a dispatch, each with a few integers, which
 * no message objects have to be built for (ADR 0011).
 *
 * Thread rule: one thread at a time. The file is borrowed.
 */
#ifndef AQ_TRACE_TEXT_PROTOBUF_WRITER_H
#define AQ_TRACE_TEXT_PROTOBUF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  AQ_PB_BUFFER = 256 << 10,
  AQ_PB_TEXT_MAX = 64 << 10, /* longer texts are cut */
};

/* Bytes left for the length of a message: it has to be below 128 bytes, below
 * 16 KiB, or below 256 MiB. */
typedef enum aq_pb_size {
  AQ_PB_SMALL = 1,
  AQ_PB_MEDIUM = 2,
  AQ_PB_LARGE = 4,
} aq_pb_size;

typedef struct aq_pb {
  FILE *out;
  bool failed; /* a write did; errno is that of the first */
  int error;
  size_t size;
  unsigned char bytes[AQ_PB_BUFFER];
} aq_pb;

void aq_pb_flush(aq_pb *pb);

static inline void aq_pb_varint(aq_pb *pb, uint64_t value)
{
  while (value >= 0x80) {
    pb->bytes[pb->size++] = (unsigned char)(value | 0x80);
    value >>= 7;
  }
  pb->bytes[pb->size++] = (unsigned char)value;
}

static inline void aq_pb_uint(aq_pb *pb, uint32_t field, uint64_t value)
{
  aq_pb_varint(pb, field << 3);
  aq_pb_varint(pb, value);
}

static inline void aq_pb_fixed64(aq_pb *pb, uint32_t field, uint64_t value)
{
  aq_pb_varint(pb, field << 3 | 1);
  for (int i = 0; i < 8; i++)
    pb->bytes[pb->size++] = (unsigned char)(value >> 8 * i);
}

/* Bytes that are not UTF-8 become '?': readers refuse others. */
void aq_pb_text(aq_pb *pb, uint32_t field, const char *text);

/* A nested message lies between begin and end, which gets what begin returned.
 * The outermost ones begin with room for at least one text. */
static inline size_t aq_pb_begin(aq_pb *pb, uint32_t field, aq_pb_size size)
{
  aq_pb_varint(pb, field << 3 | 2);
  pb->size += size;
  return pb->size;
}

static inline void aq_pb_end(aq_pb *pb, size_t begin, aq_pb_size size)
{
  size_t length = pb->size - begin;
  unsigned char *at = &pb->bytes[begin - size];
  for (; at < &pb->bytes[begin - 1]; length >>= 7)
    *at++ = (unsigned char)(length | 0x80);
  *at = (unsigned char)length;
}

/* An outermost message. */
static inline size_t aq_pb_begin_outer(aq_pb *pb, uint32_t field,
                                       aq_pb_size size)
{
  if (pb->size > AQ_PB_BUFFER - 2 * AQ_PB_TEXT_MAX)
    aq_pb_flush(pb);
  return aq_pb_begin(pb, field, size);
}

#endif
