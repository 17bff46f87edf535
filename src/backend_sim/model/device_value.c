/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/device_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const aqsim_key aqsim_keys[AQSIM_KEY_COUNT] = {
#define K(key, kind, group, smallest, meaning)                                 \
  {#key,     AQSIM_KIND_##kind,          AQSIM_GROUP_##group,                  \
   smallest, offsetof(aqsim_model, key), meaning},
#include "backend_sim/model/device_keys.def"
#undef K
};

typedef struct unit {
  const char *name;
  int64_t factor;
} unit;

/* Units rise; a kind without units has choices or is a bare count. */
typedef struct kind_rules {
  const unit *units;
  const char *const *choices; /* the value is the index */
  int64_t largest;
  const char *expected;
} kind_rules;

static const unit time_units[] = {{"ps", AQ_PS}, {"ns", AQ_NS}, {"us", AQ_US},
                                  {"ms", AQ_MS}, {"s", AQ_S},   {NULL, 0}};
static const unit frequency_units[] = {
    {"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {NULL, 0}};
static const unit rate_units[] = {
    {"B/s", 1},           {"kB/s", 1000},          {"MB/s", 1000000},
    {"GB/s", 1000000000}, {"TB/s", 1000000000000}, {NULL, 0}};
static const unit flops_units[] = {{"FLOP/s", 1},
                                   {"GFLOP/s", 1000000000},
                                   {"TFLOP/s", 1000000000000},
                                   {NULL, 0}};
static const unit byte_units[] = {
    {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0}};
static const unit bare_units[] = {{"", 1}, {NULL, 0}};
static const char *const yesno_choices[] = {"no", "yes", NULL};
static const char *const stamp_choices[] = {"wave", "glued", NULL};
static const char *const advance_choices[] = {"completion", "launch", NULL};
static const char *const preemption_choices[] = {"drain", "switch", NULL};
static const char *const link_choices[] = {"pcie", "xgmi", NULL};

/* Times end at 1000 s, so that sums of them never overflow. */
static const kind_rules rules[] = {
    [AQSIM_KIND_TIME] = {time_units, NULL, 1000 * AQ_S,
                         "a time with its unit (ps, ns, us, ms, s), whole "
                         "picoseconds, at most 1000 s"},
    [AQSIM_KIND_FREQUENCY] = {frequency_units, NULL, AQ_S,
                              "a frequency with its unit (Hz, kHz, MHz, GHz)"},
    [AQSIM_KIND_RATE] = {rate_units, NULL, INT64_C(1000000000000000),
                         "a rate with its unit (B/s, kB/s, MB/s, GB/s, TB/s)"},
    [AQSIM_KIND_FLOPS] = {flops_units, NULL, INT64_C(1000000000000000000),
                          "a rate with its unit (FLOP/s, GFLOP/s, TFLOP/s)"},
    [AQSIM_KIND_COUNT] = {bare_units, NULL, INT32_MAX,
                          "a whole number without unit"},
    [AQSIM_KIND_BYTES] = {byte_units, NULL, INT64_C(1) << 50,
                          "a size with its unit (B, KiB, MiB, GiB)"},
    [AQSIM_KIND_YESNO] = {NULL, yesno_choices, 1, "yes or no"},
    [AQSIM_KIND_STAMP] = {NULL, stamp_choices, 1, "wave or glued"},
    [AQSIM_KIND_ADVANCE] = {NULL, advance_choices, 1, "completion or launch"},
    [AQSIM_KIND_PREEMPTION] = {NULL, preemption_choices, 1, "drain or switch"},
    [AQSIM_KIND_LINK] = {NULL, link_choices, 1, "pcie or xgmi"},
    [AQSIM_KIND_TEXT] = {NULL, NULL, 0, "text"},
};

static bool choice_read(const char *const *choices, const char *text,
                        int64_t *number)
{
  for (int64_t i = 0; choices[i]; i++)
    if (strcmp(choices[i], text) == 0) {
      *number = i;
      return true;
    }
  return false;
}

/* Reads digits, with at most one point among them, as digits and the number
 * of them behind the point. */
static const char *decimal_read(const char *text, int64_t *digits,
                                unsigned *behind)
{
  bool point = false;
  unsigned seen = 0;
  *digits = 0;
  *behind = 0;
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
    if (*text == '.') {
      point = true;
      continue;
    }
    if (*digits > (INT64_MAX - 9) / 10)
      return NULL;
    *digits = *digits * 10 + (*text - '0');
    *behind += point;
    seen++;
  }
  return seen ? text : NULL;
}

/* digits / 10^behind × factor, if that is whole and at most `largest`. */
static bool scale(int64_t digits, unsigned behind, int64_t factor,
                  int64_t largest, int64_t *number)
{
  for (; behind > 0 && digits % 10 == 0; behind--)
    digits /= 10;
  for (; behind > 0; behind--) {
    if (factor % 10 == 0)
      factor /= 10;
    else if (factor % 2 == 0 && digits % 5 == 0)
      factor /= 2, digits /= 5;
    else
      return false;
  }
  return !__builtin_mul_overflow(digits, factor, number) && *number <= largest;
}

static bool number_read(const kind_rules *rule, const char *text,
                        int64_t *number)
{
  int64_t digits;
  unsigned behind;
  const char *rest = decimal_read(text, &digits, &behind);
  if (!rest)
    return false;
  while (*rest == ' ' || *rest == '\t')
    rest++;
  for (const unit *u = rule->units; u->name; u++)
    if (strcmp(u->name, rest) == 0)
      return scale(digits, behind, u->factor, rule->largest, number);
  return false;
}

bool aqsim_value_read(const aqsim_key *key, const char *text, int64_t *number,
                      char *expected, size_t expected_size)
{
  const kind_rules *rule = &rules[key->kind];
  int64_t read;
  bool good = rule->choices ? choice_read(rule->choices, text, &read)
                            : number_read(rule, text, &read);
  if (good && read >= key->smallest) {
    *number = read;
    return true;
  }
  if (good)
    snprintf(expected, expected_size, "; expected at least %" PRId64,
             key->smallest);
  else
    snprintf(expected, expected_size, "; expected %s", rule->expected);
  return false;
}

/* The digits of "0.5x" or "x0.5", or NULL. */
static const char *factor_read(const char *text, int64_t *digits,
                               unsigned *behind)
{
  const bool first = *text == 'x';
  const char *rest = decimal_read(text + first, digits, behind);
  if (!rest || *behind > 18)
    return NULL;
  return strcmp(rest, first ? "" : "x") == 0 ? rest : NULL;
}

bool aqsim_value_is_factor(const char *text)
{
  int64_t digits;
  unsigned behind;
  return factor_read(text, &digits, &behind) != NULL;
}

bool aqsim_value_multiply(const aqsim_key *key, const char *text,
                          int64_t before, int64_t *number, char *expected,
                          size_t expected_size)
{
  const kind_rules *rule = &rules[key->kind];
  const bool whole =
      key->kind == AQSIM_KIND_COUNT || key->kind == AQSIM_KIND_BYTES;
  int64_t digits, divisor = 1;
  unsigned behind;
  if (rule->choices || !rule->units || !factor_read(text, &digits, &behind)) {
    snprintf(expected, expected_size, "; expected %s, which no factor changes",
             rule->expected);
    return false;
  }
  for (; behind > 0; behind--)
    divisor *= 10;
  const __int128 product = (__int128)digits * before;
  const __int128 result = (product + divisor / 2) / divisor;
  if ((whole && product % divisor != 0) || result > rule->largest ||
      result < key->smallest) {
    snprintf(expected, expected_size,
             "; expected a factor that gives %sat least %" PRId64
             " and at most %" PRId64,
             whole ? "a whole number, " : "", key->smallest, rule->largest);
    return false;
  }
  *number = (int64_t)result;
  return true;
}

void aqsim_value_print(const aqsim_key *key, int64_t number, char *value,
                       size_t size, const char **unit_name)
{
  const kind_rules *rule = &rules[key->kind];
  *unit_name = "";
  if (rule->choices) {
    snprintf(value, size, "%s", rule->choices[number]);
    return;
  }
  bool binary = key->kind == AQSIM_KIND_BYTES;
  const unit *best = rule->units;
  for (const unit *u = best + 1; u->name; u++)
    if (number >= u->factor && (!binary || number % u->factor == 0))
      best = u;
  *unit_name = best->name;
  int n = snprintf(value, size, "%" PRId64, number / best->factor);
  int64_t rest = number % best->factor;
  if (rest == 0)
    return;
  value[n++] = '.';
  for (int64_t digit = best->factor / 10; rest > 0; digit /= 10) {
    value[n++] = (char)('0' + rest / digit);
    rest %= digit;
  }
  value[n] = 0;
}
