/* SPDX-License-Identifier: MIT */
/*
 * Values of device constants: their kinds, units and exact decimal text.
 * Used by the model's reader and printer only. Pure functions.
 */
#ifndef AQSIM_DEVICE_VALUE_H
#define AQSIM_DEVICE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend_sim/model/device_model.h"

typedef enum aqsim_kind {
  AQSIM_KIND_TIME,
  AQSIM_KIND_FREQUENCY,
  AQSIM_KIND_RATE,
  AQSIM_KIND_FLOPS,
  AQSIM_KIND_COUNT,
  AQSIM_KIND_BYTES,
  AQSIM_KIND_YESNO,
  AQSIM_KIND_STAMP,
  AQSIM_KIND_ADVANCE,
  AQSIM_KIND_PREEMPTION,
  AQSIM_KIND_LINK,
  AQSIM_KIND_TEXT,
} aqsim_kind;

typedef enum aqsim_group {
  AQSIM_GROUP_TIMING,
  AQSIM_GROUP_SEMANTICS,
  AQSIM_GROUP_LIMIT,
  AQSIM_GROUP_RESOURCE,
  AQSIM_GROUP_ESTIMATE,
  AQSIM_GROUP_INFO,
} aqsim_group;

typedef struct aqsim_key {
  const char *name;
  aqsim_kind kind;
  aqsim_group group;
  int64_t smallest;
  size_t offset; /* in aqsim_model */
  const char *meaning;
} aqsim_key;

extern const aqsim_key aqsim_keys[AQSIM_KEY_COUNT];

static inline bool aqsim_kind_is_text(aqsim_kind kind)
{
  return kind == AQSIM_KIND_TEXT;
}

/* Where a constant is kept in a model. */
static inline int64_t *aqsim_model_number(aqsim_model *model, int key)
{
  return (int64_t *)(void *)((char *)model + aqsim_keys[key].offset);
}

static inline const char **aqsim_model_text(aqsim_model *model, int key)
{
  return (const char **)(void *)((char *)model + aqsim_keys[key].offset);
}

/* Reads "4.67 us" as the key's kind. On failure words the expected form, with
 * a separator in front, and writes no number. */
bool aqsim_value_read(const aqsim_key *key, const char *text, int64_t *number,
                      char *expected, size_t expected_size);

/* Whether it is a factor of the value in force, "0.5x" or "x0.5". */
bool aqsim_value_is_factor(const char *text);

/* `before` times such a factor, which a key with choices does not have. Counts
 * and sizes have to stay whole; other values are rounded to the nearest. */
bool aqsim_value_multiply(const aqsim_key *key, const char *text,
                          int64_t before, int64_t *number, char *expected,
                          size_t expected_size);

/* The exact decimal text of a number in the largest unit that suits it. */
void aqsim_value_print(const aqsim_key *key, int64_t number, char *value,
                       size_t size, const char **unit);

#endif
