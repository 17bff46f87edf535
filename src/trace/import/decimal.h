/* SPDX-License-Identifier: MIT */
/*
 * Numbers of traces, read from their text and never through a double: a clock
 * of nanoseconds since 1970 with decimals has more digits than a double keeps.
 * Thread rule: pure functions.
 */
#ifndef AQ_TRACE_IMPORT_DECIMAL_H
#define AQ_TRACE_IMPORT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point or span of time of a source's clock: ns * 1000 + ps picoseconds,
 * |ps| < 1000 and of the sign of ns. */
typedef struct aq_tick {
  int64_t ns;
  int32_t ps;
} aq_tick;

typedef enum aq_tick_unit {
  AQ_TICK_NS = 0, /* decimal places from the unit to ns */
  AQ_TICK_US = 3,
} aq_tick_unit;

/* Reads [-+]digits[.digits][e[-+]digits]; finer than a picosecond is cut.
 * False for anything else and outside ±292 years; *out is then untouched. */
bool aq_decimal_tick(const char *text, size_t length, aq_tick_unit unit,
                     aq_tick *out);

/* Whether a number has an exponent and digits that end before its units: a
 * spreadsheet writes 162067812345678 as 1.62068E+14. */
bool aq_decimal_is_rounded(const char *text, size_t length);

/* Reads a decimal (a fraction of zeros is allowed) or 0x integer; up to 64
 * bits, wrapped to signed. False for anything else. */
bool aq_decimal_int(const char *text, size_t length, int64_t *out);

#endif
