/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/utf8.h"

size_t aq_utf8_length(const char *text, size_t left, uint32_t *code)
{
  const unsigned char *s = (const unsigned char *)text;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = left == 0               ? 0
                  : s[0] < 0x80           ? 1
                  : (s[0] & 0xe0) == 0xc0 ? 2
                  : (s[0] & 0xf0) == 0xe0 ? 3
                  : (s[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
  if (!length || length > left)
    return 0;
  uint32_t c = length == 1 ? s[0] : s[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (s[i] & 0x3f);
  }
  if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  if (code)
    *code = c;
  return length;
}
