/* SPDX-License-Identifier: MIT */
/*
 * 64 bytes of JSON at once: which of them are quotes, brackets, commas, spaces,
 * a bit each, the first byte lowest. Pure functions.
 */
#ifndef AQ_TRACE_TEXT_JSON_BLOCK_H
#define AQ_TRACE_TEXT_JSON_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { AQ_JSON_BLOCK = 64, AQ_JSON_NEAR = 16 }; /* bytes */

typedef struct aq_json_block {
  uint64_t quotes, slashes; /* " and \ */
  uint64_t opens, closes;   /* { [ and } ] */
  uint64_t commas, blanks;  /* blanks: a space and all bytes below */
  uint64_t controls;        /* bytes below a space … */
  uint64_t lines;           /* … of which JSON allows these between parts */
  uint64_t words;           /* n and i of any case: null, NaN, Infinity */
} aq_json_block;

#ifdef __SSE2__
static inline uint64_t aq_json_block_bits(__m128i is, int at)
{
  return (uint64_t)(unsigned)_mm_movemask_epi8(is) << at;
}

static inline __m128i aq_json_block_is(__m128i bytes, char c)
{
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

static inline __m128i aq_json_block_most(__m128i bytes, char c)
{
  return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(c)), bytes);
}

/* [ and { differ by the bit 32 alone, ] and } too. */
static inline aq_json_block aq_json_block_read(const char *text)
{
  aq_json_block b = {0};
#pragma GCC unroll 4
  for (int at = 0; at < AQ_JSON_BLOCK; at += 16) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + at));
    const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(32));
    b.quotes |= aq_json_block_bits(aq_json_block_is(bytes, '"'), at);
    b.slashes |= aq_json_block_bits(aq_json_block_is(bytes, '\\'), at);
    b.opens |= aq_json_block_bits(aq_json_block_is(small, '{'), at);
    b.closes |= aq_json_block_bits(aq_json_block_is(small, '}'), at);
    b.commas |= aq_json_block_bits(aq_json_block_is(bytes, ','), at);
    b.blanks |= aq_json_block_bits(aq_json_block_most(bytes, ' '), at);
    b.controls |= aq_json_block_bits(aq_json_block_most(bytes, ' ' - 1), at);
    b.lines |= aq_json_block_bits(
        _mm_or_si128(_mm_or_si128(aq_json_block_is(bytes, '\n'),
                                  aq_json_block_is(bytes, '\r')),
                     aq_json_block_is(bytes, '\t')),
        at);
    b.words |= aq_json_block_bits(_mm_or_si128(aq_json_block_is(small, 'n'),
                                               aq_json_block_is(small, 'i')),
                                  at);
  }
  return b;
}

/* The same of the first sixteen bytes, where the end is near. */
static inline unsigned aq_json_near_blanks(const char *text)
{
  const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
  return (unsigned)_mm_movemask_epi8(aq_json_block_most(bytes, ' '));
}

/* Quotes and escapes. */
static inline unsigned aq_json_near_quotes(const char *text)
{
  const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(
      aq_json_block_is(bytes, '"'), aq_json_block_is(bytes, '\\')));
}

/* What ends a number or a word: blanks, commas, quotes, brackets. */
static inline unsigned aq_json_near_ends(const char *text)
{
  const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
  const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(32));
  const __m128i brackets =
      _mm_or_si128(aq_json_block_is(small, '{'), aq_json_block_is(small, '}'));
  const __m128i parts =
      _mm_or_si128(aq_json_block_is(bytes, ','), aq_json_block_is(bytes, '"'));
  return (unsigned)_mm_movemask_epi8(_mm_or_si128(
      aq_json_block_most(bytes, ' '), _mm_or_si128(brackets, parts)));
}
#else
static inline aq_json_block aq_json_block_read(const char *text)
{
  aq_json_block b = {0};
  for (int at = 0; at < AQ_JSON_BLOCK; at++) {
    const unsigned char c = (unsigned char)text[at];
    b.quotes |= (uint64_t)(c == '"') << at;
    b.slashes |= (uint64_t)(c == '\\') << at;
    b.opens |= (uint64_t)(c == '{' || c == '[') << at;
    b.closes |= (uint64_t)(c == '}' || c == ']') << at;
    b.commas |= (uint64_t)(c == ',') << at;
    b.blanks |= (uint64_t)(c <= ' ') << at;
    b.controls |= (uint64_t)(c < ' ') << at;
    b.lines |= (uint64_t)(c == '\n' || c == '\r' || c == '\t') << at;
    b.words |= (uint64_t)((c | 32) == 'n' || (c | 32) == 'i') << at;
  }
  return b;
}

#define NEAR(name, is)                                                         \
  static inline unsigned aq_json_near_##name(const char *text)                 \
  {                                                                            \
    unsigned bits = 0;                                                         \
    for (int at = 0; at < AQ_JSON_NEAR; at++) {                                \
      const unsigned char c = (unsigned char)text[at];                         \
      bits |= (unsigned)(is) << at;                                            \
    }                                                                          \
    return bits;                                                               \
  }
NEAR(blanks, c <= ' ')
NEAR(quotes, c == '"' || c == '\\')
NEAR(ends,
     c <= ' ' || c == ',' || c == '"' || (c | 32) == '{' || (c | 32) == '}')
#undef NEAR
#endif

/* The bytes inside of strings, their opening quotes included, where the block
 * has no escape; `inside`: it begins in one. */
static inline uint64_t aq_json_block_strings(uint64_t quotes, bool inside)
{
  for (int by = 1; by < AQ_JSON_BLOCK; by *= 2)
    quotes ^= quotes << by;
  return inside ? ~quotes : quotes;
}

#endif
