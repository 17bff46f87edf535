/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/device_set.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096 };

/* One entry of a list. */
typedef struct entry {
  const char *name; /* not terminated */
  size_t length;
  uint32_t count;
} entry;

static aq_status entry_fail(const char *list, const entry *e, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "device '%.80s': '%.*s'; expected NAME or NAME*N, "
                     "separated by commas, at most %d devices",
                     list, e->length < 80 ? (int)e->length : 80, e->name,
                     AQSIM_DEVICES_MAX);
}

/* "*N" at the end of an entry: N; the name is the text before it. */
static bool entry_times(entry *e)
{
  size_t digits = 0;
  e->count = 1;
  while (digits < e->length && e->name[e->length - 1 - digits] >= '0' &&
         e->name[e->length - 1 - digits] <= '9')
    digits++;
  if (digits == e->length || e->name[e->length - 1 - digits] != '*')
    return true;
  e->count = 0;
  for (size_t i = e->length - digits; i < e->length; i++)
    if (e->count <= AQSIM_DEVICES_MAX)
      e->count = e->count * 10 + (uint32_t)(e->name[i] - '0');
  e->length -= digits + 1;
  return digits > 0 && e->count > 0;
}

/* The next entry of a list and the text after it; *at is NULL after the last.
 */
static aq_status entry_next(const char *list, const char **at, uint32_t before,
                            entry *out, aq_diag *diag)
{
  const char *comma = strchr(*at, ',');
  *out = (entry){*at, comma ? (size_t)(comma - *at) : strlen(*at), 1};
  entry whole = *out;
  *at = comma ? comma + 1 : NULL;
  if (!entry_times(out) || out->length == 0 || out->length >= NAME_MAX_BYTES ||
      out->count > AQSIM_DEVICES_MAX - before)
    return entry_fail(list, &whole, diag);
  return AQ_OK;
}

aq_status aqsim_device_set_count(const char *list, uint32_t *count,
                                 aq_diag *diag)
{
  uint32_t total = 0;
  entry e;
  for (const char *at = list; at; total += e.count) {
    aq_status status = entry_next(list, &at, total, &e, diag);
    if (status != AQ_OK)
      return status;
  }
  *count = total;
  return AQ_OK;
}

/* The device that "N:KEY=VALUE" is for, and where KEY begins; false for an edit
 * of all devices. */
static bool edit_device(const char *edit, unsigned long *device,
                        const char **rest)
{
  size_t digits = strspn(edit, "0123456789");
  if (digits == 0 || edit[digits] != ':')
    return false;
  *device = strtoul(edit, NULL, 10);
  *rest = edit + digits + 1;
  return true;
}

static aq_status edits_check(const char *const *edits, uint32_t count,
                             aq_diag *diag)
{
  for (; edits && *edits; edits++) {
    unsigned long device;
    const char *rest;
    if (edit_device(*edits, &device, &rest) && device >= count)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "edit '%s': device %lu; expected less than %u", *edits,
                         device, count);
  }
  return AQ_OK;
}

static aq_status entry_load(const entry *e, const char *const *edits,
                            aqsim_device_set *set, aq_diag *diag)
{
  char name[NAME_MAX_BYTES];
  memcpy(name, e->name, e->length);
  name[e->length] = 0;
  for (uint32_t i = 0; i < e->count; i++) {
    aqsim_model *model;
    aq_status status = aqsim_model_load(name, NULL, &model, diag);
    if (status != AQ_OK)
      return status;
    set->models[set->count] = model;
    uint32_t ordinal = set->count++;
    for (const char *const *edit = edits; status == AQ_OK && edit && *edit;
         edit++) {
      unsigned long device;
      const char *rest = *edit;
      if (!edit_device(*edit, &device, &rest) || device == ordinal)
        status = aqsim_model_set(model, rest, diag);
    }
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

aq_status aqsim_device_set_load(const char *list, const char *const *edits,
                                aqsim_device_set *out, aq_diag *diag)
{
  aqsim_device_set set = {.count = 0};
  uint32_t count;
  aq_status status = aqsim_device_set_count(list, &count, diag);
  if (status == AQ_OK)
    status = edits_check(edits, count, diag);
  for (const char *at = list; status == AQ_OK && at;) {
    entry e;
    status = entry_next(list, &at, set.count, &e, diag);
    if (status == AQ_OK)
      status = entry_load(&e, edits, &set, diag);
  }
  if (status == AQ_OK)
    *out = set;
  else
    aqsim_device_set_fini(&set);
  return status;
}

void aqsim_device_set_fini(aqsim_device_set *set)
{
  for (uint32_t i = 0; i < set->count; i++)
    aqsim_model_destroy(set->models[i]);
  set->count = 0;
}
