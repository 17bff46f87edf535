/* SPDX-License-Identifier: MIT */
/*
 * Numbers and texts of DWARF, read one after the other from bounded bytes. What
 * lies beyond the end reads as 0 and sets `bad`. Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_DWARF_H
#define AQ_GPU_CODEOBJ_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aq_dwarf {
  const unsigned char *at, *end;
  bool bad;
} aq_dwarf;

static inline size_t aq_dwarf_left(const aq_dwarf *d)
{
  return (size_t)(d->end - d->at);
}

/* Passes over bytes; NULL: there are not so many. */
static inline const unsigned char *aq_dwarf_skip(aq_dwarf *d, uint64_t size)
{
  const unsigned char *at = d->at;
  if (size > aq_dwarf_left(d)) {
    d->bad = true;
    d->at = d->end;
    return NULL;
  }
  d->at += size;
  return at;
}

/* A number of 1 to 8 bytes. */
static inline uint64_t aq_dwarf_number(aq_dwarf *d, unsigned size)
{
  uint64_t value = 0;
  const unsigned char *at = aq_dwarf_skip(d, size);
  if (at)
    memcpy(&value, at, size);
  return value;
}

/* LEB128; bits beyond 64 are lost. */
static inline uint64_t aq_dwarf_unsigned(aq_dwarf *d)
{
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint64_t byte = aq_dwarf_number(d, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

static inline int64_t aq_dwarf_signed(aq_dwarf *d)
{
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const uint64_t byte = aq_dwarf_number(d, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    shift += 7;
    if (!(byte & 0x80)) {
      if (byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
      return (int64_t)value;
    }
  }
}

/* A text that ends within the bytes; "" otherwise. */
static inline const char *aq_dwarf_text(aq_dwarf *d)
{
  const unsigned char *end = memchr(d->at, 0, aq_dwarf_left(d));
  if (!end) {
    d->bad = true;
    d->at = d->end;
    return "";
  }
  const char *text = (const char *)d->at;
  d->at = end + 1;
  return text;
}

#endif
