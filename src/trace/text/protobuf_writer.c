/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/protobuf_writer.h"

#include <errno.h>

#include "common/utf8.h"

void aq_pb_flush(aq_pb *pb)
{
  if (!pb->failed && fwrite(pb->bytes, 1, pb->size, pb->out) != pb->size) {
    pb->failed = true;
    pb->error = errno;
  }
  pb->size = 0;
}

void aq_pb_text(aq_pb *pb, uint32_t field, const char *text)
{
  size_t length = strnlen(text, AQ_PB_TEXT_MAX);
  aq_pb_varint(pb, field << 3 | 2);
  aq_pb_varint(pb, length);
  while (length > 0) {
    size_t size = aq_utf8_length(text, length, NULL);
    if (size > 0)
      memcpy(&pb->bytes[pb->size], text, size);
    else
      pb->bytes[pb->size] = '?';
    size += size == 0;
    pb->size += size;
    text += size;
    length -= size;
  }
}
