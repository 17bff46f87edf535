/* SPDX-License-Identifier: MIT */
/*
 * MessagePack, read value by value from bytes that may be anything. A container
 * never claims more values than bytes are left, and nothing recurses, so
 * whoever allocates by a count is bounded by the input. Pure functions. Within
 * codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_MSGPACK_H
#define AQ_GPU_CODEOBJ_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_msgpack {
  const unsigned char *at, *end; /* the unread bytes; borrowed */
} aq_msgpack;

typedef enum aq_msgpack_kind {
  AQ_MSGPACK_NIL,
  AQ_MSGPACK_BOOL,
  AQ_MSGPACK_UINT,
  AQ_MSGPACK_NEGATIVE, /* an integer below 0 */
  AQ_MSGPACK_FLOAT,
  AQ_MSGPACK_TEXT,
  AQ_MSGPACK_BYTES, /* and extensions */
  AQ_MSGPACK_ARRAY,
  AQ_MSGPACK_MAP,
} aq_msgpack_kind;

typedef struct aq_msgpack_value {
  aq_msgpack_kind kind;
  uint64_t number;  /* BOOL, UINT; ARRAY: its values; MAP: its pairs */
  const char *text; /* TEXT: not terminated, within the bytes */
  size_t length;
} aq_msgpack_value;

/* Reads a value; of a container its head, its members are the next values.
 * False: the bytes end, or are no MessagePack. */
bool aq_msgpack_next(aq_msgpack *from, aq_msgpack_value *out);

/* Passes over the members of a value that was read last. */
bool aq_msgpack_skip(aq_msgpack *from, const aq_msgpack_value *value);

#endif
