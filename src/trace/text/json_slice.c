/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/json_slice.h"

#include <stdint.h>
#include <string.h>

#include "trace/text/json_block.h"

/* Runs on to the first byte in a mask of sixteen; the last few go one by one.
 */
#define RUN_ON(m, bits, is)                                                    \
  do {                                                                         \
    while ((m)->end - (m)->at >= AQ_JSON_NEAR && !(bits))                      \
      (m)->at += AQ_JSON_NEAR;                                                 \
    if ((m)->end - (m)->at >= AQ_JSON_NEAR)                                    \
      (m)->at += __builtin_ctz(bits);                                          \
    else                                                                       \
      while ((m)->at < (m)->end && (is))                                       \
        (m)->at++;                                                             \
  } while (0)

static bool is_blank(char c)
{
  return (unsigned char)c <= ' ';
}

static inline __attribute__((always_inline)) void
skip_spaces(aq_json_members *m)
{
  if (m->at < m->end && is_blank(*m->at))
    RUN_ON(m, aq_json_near_blanks(m->at) ^ 0xffff, is_blank(*m->at));
}

/* Runs behind the string that begins here; false: it does not end. */
static bool skip_string(aq_json_members *m)
{
  m->at++;
  for (;;) {
    RUN_ON(m, aq_json_near_quotes(m->at), *m->at != '"' && *m->at != '\\');
    if (m->at == m->end)
      return false;
    if (*m->at == '"') {
      m->at++;
      return true;
    }
    if (m->end - m->at < 2)
      return false;
    m->at += 2;
  }
}

/* Runs through whole blocks of a container, up to one with an escape; true:
 * behind its end. Within a string it goes back to its quote. */
static bool skip_blocks(aq_json_members *m, int *depth)
{
  bool in_string = false;
  const char *quote = NULL;
  for (; m->end - m->at >= AQ_JSON_BLOCK; m->at += AQ_JSON_BLOCK) {
    const aq_json_block b = aq_json_block_read(m->at);
    const uint64_t inside = aq_json_block_strings(b.quotes, in_string);
    const uint64_t closes = b.closes & ~inside;
    if (b.slashes)
      break;
    for (uint64_t rest = closes | (b.opens & ~inside); rest; rest &= rest - 1) {
      const int at = __builtin_ctzll(rest);
      *depth += closes >> at & 1 ? -1 : 1;
      if (*depth == 0) {
        m->at += at + 1;
        return true;
      }
    }
    in_string = inside >> (AQ_JSON_BLOCK - 1);
    if (in_string && b.quotes)
      quote = m->at + AQ_JSON_BLOCK - 1 - __builtin_clzll(b.quotes);
  }
  if (in_string)
    m->at = quote;
  return false;
}

static bool skip_container(aq_json_members *m)
{
  static const bool counts[256] = {
      ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
  int depth = 0;
  if (skip_blocks(m, &depth))
    return true;
  while (m->at < m->end) {
    while (m->at < m->end && !counts[(unsigned char)*m->at])
      m->at++;
    if (m->at == m->end)
      return false;
    const char c = *m->at;
    if (c == '"') {
      if (!skip_string(m))
        return false;
      continue;
    }
    m->at++;
    depth += c == '{' || c == '[' ? 1 : -1;
    if (depth == 0)
      return true;
  }
  return false;
}

static bool skip_scalar(aq_json_members *m)
{
  const char *from = m->at;
  RUN_ON(m, aq_json_near_ends(m->at),
         *m->at != ',' && *m->at != '"' && (*m->at | 32) != '{' &&
             (*m->at | 32) != '}' && !is_blank(*m->at));
  return m->at > from;
}

static bool skip_value(aq_json_members *m)
{
  if (m->at == m->end)
    return false;
  if (*m->at == '"')
    return skip_string(m);
  return *m->at == '{' || *m->at == '[' ? skip_container(m) : skip_scalar(m);
}

void aq_json_members_begin(aq_json_members *m, aq_json_slice object)
{
  *m = (aq_json_members){.at = object.text, .end = object.text + object.length};
  skip_spaces(m);
  m->failed = m->at == m->end || *m->at != '{';
  m->at += !m->failed;
}

/* Reads one member; false: the text is none. */
static bool member_read(aq_json_members *m)
{
  const char *from = m->at;
  if (*from != '"' || !skip_string(m))
    return false;
  m->key = (aq_json_slice){from + 1, (size_t)(m->at - from) - 2};
  skip_spaces(m);
  if (m->at == m->end || *m->at != ':')
    return false;
  m->at++;
  skip_spaces(m);
  from = m->at;
  if (!skip_value(m))
    return false;
  m->value = (aq_json_slice){from, (size_t)(m->at - from)};
  skip_spaces(m);
  if (m->at == m->end || (*m->at != ',' && *m->at != '}'))
    return false;
  m->at += *m->at == ',';
  return true;
}

bool aq_json_members_next(aq_json_members *m)
{
  skip_spaces(m);
  if (m->failed || m->at == m->end || *m->at == '}')
    return false;
  m->failed = !member_read(m);
  return !m->failed;
}

bool aq_json_slice_string(aq_json_slice value, aq_json_slice *out)
{
  if (value.length < 2 || *value.text != '"')
    return false;
  *out = (aq_json_slice){value.text + 1, value.length - 2};
  return true;
}

size_t aq_json_slice_pack(aq_json_slice value, char *out)
{
  aq_json_members m = {.at = value.text, .end = value.text + value.length};
  size_t size = 0;
  for (skip_spaces(&m); m.at < m.end; skip_spaces(&m)) {
    const char *from = m.at;
    if (*from != '"' || !skip_string(&m))
      m.at = from + 1;
    memcpy(out + size, from, (size_t)(m.at - from));
    size += (size_t)(m.at - from);
  }
  return size;
}

/* ---- escapes ---- */

static int hex_of(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= ' ';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits behind \u; -1: they are none. */
static int32_t unit_at(const char *at, const char *end)
{
  int32_t unit = 0;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
    return -1;
  for (int i = 2; i < 6; i++) {
    const int digit = hex_of(at[i]);
    if (digit < 0)
      return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

static size_t utf8_put(uint32_t code, char *out)
{
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(lead[more] | code >> 6 * more);
  for (int i = 1; i <= more; i++)
    out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
  return (size_t)more + 1;
}

/* One or two escapes of six bytes become at most four. */
static size_t unit_put(const char **at, const char *end, int32_t unit,
                       char *out)
{
  uint32_t code = (uint32_t)unit;
  *at += 6;
  if (unit >= 0xd800 && unit < 0xe000) {
    const int32_t low = unit < 0xdc00 ? unit_at(*at, end) : -1;
    code = 0xfffd;
    if (low >= 0xdc00 && low < 0xe000) {
      code =
          0x10000 + (((uint32_t)unit & 0x3ff) << 10 | ((uint32_t)low & 0x3ff));
      *at += 6;
    }
  }
  return utf8_put(code, out);
}

size_t aq_json_slice_resolve(aq_json_slice inside, char *out)
{
  static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
  const char *at = inside.text, *end = at + inside.length;
  size_t size = 0;
  if (!memchr(at, '\\', inside.length)) {
    memcpy(out, at, inside.length);
    return inside.length;
  }
  while (at < end) {
    const int32_t unit = unit_at(at, end);
    if (unit >= 0) {
      size += unit_put(&at, end, unit, out + size);
    } else if (*at == '\\' && end - at > 1) {
      const char *known = strchr(from, at[1]);
      out[size] = at[1];
      if (known && at[1])
        out[size] = to[known - from];
      size++;
      at += 2;
    } else {
      out[size++] = *at++;
    }
  }
  return size;
}
