/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/decimal.h"

typedef struct text_scan {
  const char *at, *end;
} text_scan;

static bool scan_sign(text_scan *scan)
{
  bool negative = scan->at < scan->end && *scan->at == '-';
  if (scan->at < scan->end && (*scan->at == '-' || *scan->at == '+'))
    scan->at++;
  return negative;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static size_t scan_digits(text_scan *scan)
{
  const char *from = scan->at;
  while (scan->at < scan->end && is_digit(*scan->at))
    scan->at++;
  return (size_t)(scan->at - from);
}

/* An optional exponent, saturated where any digit would be out of range. */
static bool scan_exponent(text_scan *scan, int *exponent)
{
  enum { BEYOND = 1000 };
  *exponent = 0;
  if (scan->at == scan->end)
    return true;
  if (*scan->at != 'e' && *scan->at != 'E')
    return false;
  scan->at++;
  bool negative = scan_sign(scan);
  const char *from = scan->at;
  if (scan_digits(scan) == 0)
    return false;
  for (; from < scan->at; from++)
    if (*exponent < BEYOND)
      *exponent = *exponent * 10 + (*from - '0');
  if (negative)
    *exponent = -*exponent;
  return scan->at == scan->end;
}

/* Adds one digit of weight 10^power ns. */
static bool tick_add(aq_tick *tick, int digit, long power)
{
  static const int ps_weight[] = {100, 10, 1};
  if (power >= 0)
    return !__builtin_mul_overflow(tick->ns, INT64_C(10), &tick->ns) &&
           !__builtin_add_overflow(tick->ns, digit, &tick->ns);
  if (power >= -3)
    tick->ps += digit * ps_weight[-power - 1];
  return true;
}

bool aq_decimal_tick(const char *text, size_t length, aq_tick_unit unit,
                     aq_tick *out)
{
  text_scan scan = {text, text + length};
  bool negative = scan_sign(&scan);
  const char *digits = scan.at;
  size_t whole = scan_digits(&scan), fraction = 0;
  if (scan.at < scan.end && *scan.at == '.') {
    scan.at++;
    fraction = scan_digits(&scan);
  }
  int exponent;
  if (whole + fraction == 0 || !scan_exponent(&scan, &exponent))
    return false;
  aq_tick tick = {0, 0};
  long power = (long)whole - 1 + exponent + (long)unit;
  size_t left = whole + fraction;
  for (; left > 0; left--, power--, digits++) {
    if (*digits == '.')
      digits++;
    if (!tick_add(&tick, *digits - '0', power))
      return false;
  }
  for (; power >= 0 && tick.ns != 0; power--)
    if (!tick_add(&tick, 0, power))
      return false;
  *out = negative ? (aq_tick){-tick.ns, -tick.ps} : tick;
  return true;
}

bool aq_decimal_is_rounded(const char *text, size_t length)
{
  text_scan scan = {text, text + length};
  size_t fraction = 0;
  int exponent;
  scan_sign(&scan);
  scan_digits(&scan);
  if (scan.at < scan.end && *scan.at == '.') {
    scan.at++;
    fraction = scan_digits(&scan);
  }
  return scan_exponent(&scan, &exponent) && exponent > (int)fraction;
}

static bool read_hex(text_scan scan, uint64_t *out)
{
  uint64_t value = 0;
  if (scan.at == scan.end || scan.end - scan.at > 16)
    return false;
  for (; scan.at < scan.end; scan.at++) {
    int c = *scan.at | 0x20;
    int digit = is_digit(*scan.at)       ? *scan.at - '0'
                : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                                         : -1;
    if (digit < 0)
      return false;
    value = value << 4 | (unsigned)digit;
  }
  *out = value;
  return true;
}

static bool read_decimal(text_scan scan, uint64_t *out)
{
  uint64_t value = 0;
  const char *from = scan.at;
  if (scan_digits(&scan) == 0)
    return false;
  for (; from < scan.at; from++)
    if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
        __builtin_add_overflow(value, (unsigned)(*from - '0'), &value))
      return false;
  if (scan.at < scan.end && *scan.at == '.') {
    scan.at++;
    while (scan.at < scan.end && *scan.at == '0')
      scan.at++;
  }
  *out = value;
  return scan.at == scan.end;
}

bool aq_decimal_int(const char *text, size_t length, int64_t *out)
{
  text_scan scan = {text, text + length};
  bool negative = scan_sign(&scan);
  uint64_t value = 0;
  bool hex =
      scan.end - scan.at > 2 && scan.at[0] == '0' && (scan.at[1] | 0x20) == 'x';
  if (hex)
    scan.at += 2;
  if (!(hex ? read_hex(scan, &value) : read_decimal(scan, &value)))
    return false;
  *out = (int64_t)(negative ? 0 - value : value);
  return true;
}
