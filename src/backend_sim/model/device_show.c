/* SPDX-License-Identifier: MIT */
/* A model's description of itself: constants, digest and verdict. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/model/device_gaps.h"
#include "backend_sim/model/device_value.h"

static const char *const group_names[] = {
    [AQSIM_GROUP_TIMING] = "timing", [AQSIM_GROUP_SEMANTICS] = "semantics",
    [AQSIM_GROUP_LIMIT] = "limit",   [AQSIM_GROUP_RESOURCE] = "resource",
    [AQSIM_GROUP_INFO] = "info",     [AQSIM_GROUP_ESTIMATE] = "estimate",
};

static const void *constant_at(const aqsim_model *model, size_t index)
{
  return (const char *)model + aqsim_keys[index].offset;
}

static void constant_value(const aqsim_model *model, size_t index, char *value,
                           size_t size, const char **unit)
{
  const aqsim_key *key = &aqsim_keys[index];
  const void *at = constant_at(model, index);
  if (aqsim_kind_is_text(key->kind)) {
    *unit = "";
    snprintf(value, size, "%s", *(const char *const *)at);
  } else {
    aqsim_value_print(key, *(const int64_t *)at, value, size, unit);
  }
}

void aqsim_model_constant(const aqsim_model *model, size_t index,
                          aqsim_constant *out)
{
  const aqsim_key *key = &aqsim_keys[index];
  *out = (aqsim_constant){.key = key->name,
                          .group = group_names[key->group],
                          .meaning = key->meaning,
                          .source = model->sources[index],
                          .from = model->from[index],
                          .spread = model->spreads[index],
                          .timing = key->group == AQSIM_GROUP_TIMING};
  constant_value(model, index, out->value, sizeof out->value, &out->unit);
  if (!aqsim_kind_is_text(key->kind))
    out->number = *(const int64_t *)constant_at(model, index);
}

static uint64_t fnv1a(uint64_t hash, const char *text)
{
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return (hash ^ '\n') * UINT64_C(0x100000001b3);
}

void aqsim_model_hash(const aqsim_model *model, char hash[AQSIM_HASH_SIZE])
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    char value[64];
    const char *unit;
    constant_value(model, i, value, sizeof value, &unit);
    h = fnv1a(h, aqsim_keys[i].name);
    h = fnv1a(h, value);
    h = fnv1a(h, unit);
  }
  for (size_t i = 0; i < model->gap_count; i++) {
    char text[64];
    aqsim_gap_print(&model->gaps[i], text, sizeof text);
    h = fnv1a(h, text);
    h = fnv1a(h, model->gaps[i].name);
  }
  snprintf(hash, AQSIM_HASH_SIZE, "%016" PRIx64, h);
}

static bool source_is(const char *source, const char *word)
{
  return strncmp(source, word, strlen(word)) == 0;
}

const char *aqsim_model_verdict(const aqsim_model *model)
{
  size_t measured = 0, derived = 0, timing = 0;
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++)
    if (aqsim_keys[i].group == AQSIM_GROUP_TIMING) {
      timing++;
      measured += source_is(model->sources[i], "measured");
      derived += source_is(model->sources[i], "derived");
    }
  if (measured == timing)
    return "calibrated";
  return measured + derived == 0 ? "assumed" : "partly";
}
