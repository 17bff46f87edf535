/* SPDX-License-Identifier: MIT */
/* https://github.com/msgpack/msgpack/blob/master/spec.md */
#include "config.h"

#include "gpu/codeobj/msgpack.h"

/* The bytes after a first byte from 0xc0 to 0xdf. */
typedef struct format {
  aq_msgpack_kind kind;
  uint8_t width; /* bytes of a big-endian number: a value or a count */
  uint8_t extra; /* bytes of payload beside those counted */
  bool counts;   /* the number counts bytes of payload */
} format;

static const format formats[] = {
    [0x00] = {AQ_MSGPACK_NIL, 0, 0, false},
    [0x02] = {AQ_MSGPACK_BOOL, 0, 0, false},
    [0x03] = {AQ_MSGPACK_BOOL, 0, 0, false},
    [0x04] = {AQ_MSGPACK_BYTES, 1, 0, true},
    [0x05] = {AQ_MSGPACK_BYTES, 2, 0, true},
    [0x06] = {AQ_MSGPACK_BYTES, 4, 0, true},
    [0x07] = {AQ_MSGPACK_BYTES, 1, 1, true}, /* extensions: a type first */
    [0x08] = {AQ_MSGPACK_BYTES, 2, 1, true},
    [0x09] = {AQ_MSGPACK_BYTES, 4, 1, true},
    [0x0a] = {AQ_MSGPACK_FLOAT, 4, 0, false},
    [0x0b] = {AQ_MSGPACK_FLOAT, 8, 0, false},
    [0x0c] = {AQ_MSGPACK_UINT, 1, 0, false},
    [0x0d] = {AQ_MSGPACK_UINT, 2, 0, false},
    [0x0e] = {AQ_MSGPACK_UINT, 4, 0, false},
    [0x0f] = {AQ_MSGPACK_UINT, 8, 0, false},
    [0x10] = {AQ_MSGPACK_NEGATIVE, 1, 0, false}, /* if the sign bit is set */
    [0x11] = {AQ_MSGPACK_NEGATIVE, 2, 0, false},
    [0x12] = {AQ_MSGPACK_NEGATIVE, 4, 0, false},
    [0x13] = {AQ_MSGPACK_NEGATIVE, 8, 0, false},
    [0x14] = {AQ_MSGPACK_BYTES, 0, 2, false},
    [0x15] = {AQ_MSGPACK_BYTES, 0, 3, false},
    [0x16] = {AQ_MSGPACK_BYTES, 0, 5, false},
    [0x17] = {AQ_MSGPACK_BYTES, 0, 9, false},
    [0x18] = {AQ_MSGPACK_BYTES, 0, 17, false},
    [0x19] = {AQ_MSGPACK_TEXT, 1, 0, true},
    [0x1a] = {AQ_MSGPACK_TEXT, 2, 0, true},
    [0x1b] = {AQ_MSGPACK_TEXT, 4, 0, true},
    [0x1c] = {AQ_MSGPACK_ARRAY, 2, 0, false},
    [0x1d] = {AQ_MSGPACK_ARRAY, 4, 0, false},
    [0x1e] = {AQ_MSGPACK_MAP, 2, 0, false},
    [0x1f] = {AQ_MSGPACK_MAP, 4, 0, false},
};

/* Values that the members of a container are. */
static uint64_t members(const aq_msgpack_value *value)
{
  switch (value->kind) {
  case AQ_MSGPACK_ARRAY:
    return value->number;
  case AQ_MSGPACK_MAP:
    return 2 * value->number;
  default:
    return 0;
  }
}

/* Formats whose first byte has the value or the count in it. */
static bool is_short(unsigned first, aq_msgpack_value *out)
{
  if (first < 0x80)
    *out = (aq_msgpack_value){.kind = AQ_MSGPACK_UINT, .number = first};
  else if (first < 0x90)
    *out = (aq_msgpack_value){.kind = AQ_MSGPACK_MAP, .number = first & 0xf};
  else if (first < 0xa0)
    *out = (aq_msgpack_value){.kind = AQ_MSGPACK_ARRAY, .number = first & 0xf};
  else if (first < 0xc0)
    *out = (aq_msgpack_value){.kind = AQ_MSGPACK_TEXT, .length = first & 0x1f};
  else if (first >= 0xe0)
    *out = (aq_msgpack_value){.kind = AQ_MSGPACK_NEGATIVE};
  else
    return false;
  return true;
}

static bool long_read(aq_msgpack *from, unsigned first, aq_msgpack_value *out)
{
  const format *f = &formats[first - 0xc0];
  uint64_t number = 0;
  if (first == 0xc1 || f->width > from->end - from->at) /* c1: never used */
    return false;
  const bool negative = f->width > 0 && *from->at & 0x80;
  for (unsigned i = 0; i < f->width; i++)
    number = number << 8 | *from->at++;
  *out = (aq_msgpack_value){.kind = f->kind, .number = number};
  if (f->kind == AQ_MSGPACK_NEGATIVE && !negative)
    out->kind = AQ_MSGPACK_UINT;
  else if (f->kind == AQ_MSGPACK_BOOL)
    out->number = first & 1;
  else if (f->kind == AQ_MSGPACK_TEXT || f->kind == AQ_MSGPACK_BYTES)
    out->length = f->extra + (f->counts ? number : 0);
  return true;
}

bool aq_msgpack_next(aq_msgpack *from, aq_msgpack_value *out)
{
  aq_msgpack_value value;
  if (from->at == from->end)
    return false;
  const unsigned first = *from->at++;
  if (!is_short(first, &value) && !long_read(from, first, &value))
    return false;
  const size_t left = (size_t)(from->end - from->at);
  if (value.length > left || members(&value) > left)
    return false;
  value.text = (const char *)from->at;
  from->at += value.length;
  *out = value;
  return true;
}

bool aq_msgpack_skip(aq_msgpack *from, const aq_msgpack_value *value)
{
  aq_msgpack_value next;
  for (uint64_t pending = members(value); pending > 0; pending--) {
    if (!aq_msgpack_next(from, &next))
      return false;
    pending += members(&next);
  }
  return true;
}
