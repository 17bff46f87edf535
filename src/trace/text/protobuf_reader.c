/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/protobuf_reader.h"

static aq_pb_got varint_read(aq_pb_view *in, uint64_t *out)
{
  enum { BYTES_MAX = 10 };
  uint64_t value = 0;
  for (unsigned i = 0; i < BYTES_MAX; i++) {
    if (i == in->size)
      return AQ_PB_CUT;
    const unsigned char byte = in->at[i];
    /* Of the tenth byte one bit is left. */
    if (i == BYTES_MAX - 1 && byte > 1)
      return AQ_PB_MALFORMED;
    value |= (uint64_t)(byte & 0x7f) << 7 * i;
    if (byte < 0x80) {
      *out = value;
      in->at += i + 1;
      in->size -= i + 1;
      return AQ_PB_FIELD;
    }
  }
  return AQ_PB_MALFORMED;
}

static aq_pb_got bytes_take(aq_pb_view *in, uint64_t size, aq_pb_view *out)
{
  if (size > in->size)
    return AQ_PB_CUT;
  *out = (aq_pb_view){in->at, (size_t)size};
  in->at += size;
  in->size -= (size_t)size;
  return AQ_PB_FIELD;
}

/* Little-endian. */
static aq_pb_got fixed_read(aq_pb_view *in, unsigned size, uint64_t *out)
{
  aq_pb_view bytes;
  uint64_t value = 0;
  aq_pb_got got = bytes_take(in, size, &bytes);
  for (unsigned i = 0; got == AQ_PB_FIELD && i < size; i++)
    value |= (uint64_t)bytes.at[i] << 8 * i;
  *out = value;
  return got;
}

aq_pb_got aq_pb_next(aq_pb_view *in, aq_pb_field *out)
{
  aq_pb_view rest = *in;
  aq_pb_field field = {0};
  uint64_t key;
  if (rest.size == 0)
    return AQ_PB_END;
  aq_pb_got got = varint_read(&rest, &key);
  if (got != AQ_PB_FIELD)
    return got;
  field.number = key >> 3;
  field.wire = (aq_pb_wire)(key & 7);
  if (field.number == 0)
    return AQ_PB_MALFORMED;
  if (field.wire == AQ_PB_VARINT)
    got = varint_read(&rest, &field.value);
  else if (field.wire == AQ_PB_FIXED64)
    got = fixed_read(&rest, 8, &field.value);
  else if (field.wire == AQ_PB_FIXED32)
    got = fixed_read(&rest, 4, &field.value);
  else if (field.wire == AQ_PB_BYTES) {
    got = varint_read(&rest, &field.value);
    if (got == AQ_PB_FIELD)
      got = bytes_take(&rest, field.value, &field.bytes);
  } else
    got = AQ_PB_MALFORMED;
  if (got != AQ_PB_FIELD)
    return got;
  *in = rest;
  *out = field;
  return AQ_PB_FIELD;
}
