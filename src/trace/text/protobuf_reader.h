/* SPDX-License-Identifier: MIT */
/*
 * Reading protobuf messages that lie in memory, field by field; nothing is
 * copied: https://protobuf.dev/programming-guides/encoding/.
 *
 * Input is not trusted: no field reaches past its message. Thread rule: pure
 * functions; views are borrowed.
 */
#ifndef AQ_TRACE_TEXT_PROTOBUF_READER_H
#define AQ_TRACE_TEXT_PROTOBUF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_pb_view {
  const unsigned char *at;
  size_t size;
} aq_pb_view;

typedef enum aq_pb_wire {
  AQ_PB_VARINT = 0,
  AQ_PB_FIXED64 = 1,
  AQ_PB_BYTES = 2,
  AQ_PB_FIXED32 = 5,
} aq_pb_wire;

typedef struct aq_pb_field {
  uint64_t number;
  aq_pb_wire wire;
  uint64_t value;   /* of a number */
  aq_pb_view bytes; /* of a text or message */
} aq_pb_field;

typedef enum aq_pb_got {
  AQ_PB_FIELD,
  AQ_PB_END,
  AQ_PB_CUT,       /* the last field is longer than the rest */
  AQ_PB_MALFORMED, /* no protobuf */
} aq_pb_got;

/* The next field of a message; *in moves behind it, and stays where it is if
 * there is none. */
aq_pb_got aq_pb_next(aq_pb_view *in, aq_pb_field *out);

#endif
