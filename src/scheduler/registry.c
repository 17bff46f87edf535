/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "scheduler/registry.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plugin.h"
#include "common/time_text.h"
#include "scheduler/policies/policies.h"

static const aq_policy_ops *const policies[] = {
#define P(name) &aq_policy_##name,
    AQ_POLICIES(P)
#undef P
        NULL};

const aq_policy_ops *const *aq_policies(void)
{
  return policies;
}

/* A table may end where its hooks do. */
static const aq_plugin_kind plugins = {
    .what = "policy",
    .folder = "policies",
    .symbol = "aq_policy_plugin",
    .abi = AQ_POLICY_ABI,
    .size = offsetof(aq_policy_ops, start),
};

/* What every policy takes besides its own settings, ended by key NULL; in the
 * order of aq_policy_side, cost and latency. */
static const aq_policy_setting common_settings[] = {
    {"host_cost", AQ_SETTING_TIME, "0ns", "a decision of the host half takes"},
    {"host_latency", AQ_SETTING_TIME, "0ns",
     "delay of events on their way to the host half"},
    {"firmware_cost", AQ_SETTING_TIME, "0ns",
     "a mapping or preemption decision takes"},
    {"firmware_latency", AQ_SETTING_TIME, "0ns",
     "delay of events on their way to the firmware"},
    {"hardware_cost", AQ_SETTING_TIME, "0ns",
     "a choice of packet or workgroup takes"},
    {"hardware_latency", AQ_SETTING_TIME, "0ns",
     "delay of events on their way to the hardware"},
    {0},
};

enum {
  COMMON_COUNT = 2 * AQ_SIDE_COUNT,
  SETTINGS_MAX = AQ_POLICY_SETTINGS_MAX,
};

struct aq_policy_choice {
  aq_plugin plugin; /* or all NULL */
  aq_policy_ops ops;
  aq_policy_opening opening; /* its values */
  aq_policy_timing timing[AQ_SIDE_COUNT];
  char *name;
  char *settings; /* cut into texts, which values may point to */
};

/* ---- settings ---- */

static aq_status value_error(const aq_policy_ops *ops,
                             const aq_policy_setting *setting, const char *text,
                             const char *expected, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INVALID, "policy %s: %s=%s; expected %s",
                     ops->name, setting->key, text, expected);
}

static aq_status value_read(const aq_policy_ops *ops,
                            const aq_policy_setting *setting, const char *text,
                            aq_policy_value *out, aq_diag *diag)
{
  char *end;
  const bool digit = *text >= '0' && *text <= '9';
  errno = 0;
  switch (setting->kind) {
  case AQ_SETTING_COUNT:
    out->count = strtoll(text, &end, 10);
    if (!digit || *end || errno || out->count > UINT32_MAX)
      return value_error(ops, setting, text,
                         "a whole number of 0 to 4294967295", diag);
    break;
  case AQ_SETTING_NUMBER:
    out->number = strtod(text, &end);
    if (!digit || *end || !isfinite(out->number))
      return value_error(ops, setting, text, "a number of 0 or more", diag);
    break;
  case AQ_SETTING_TIME:
    if (aq_time_read(text, &out->time) != AQ_TIME_READ)
      return value_error(ops, setting, text, "a time with its unit, like 3.5us",
                         diag);
    break;
  case AQ_SETTING_TEXT:
    out->text = text;
    break;
  }
  return AQ_OK;
}

static size_t setting_count(const aq_policy_ops *ops)
{
  size_t count = 0;
  while (ops->settings && ops->settings[count].key)
    count++;
  return count;
}

static aq_status presets_read(aq_policy_choice *choice, aq_diag *diag)
{
  const aq_policy_ops *ops = &choice->ops;
  const size_t count = setting_count(ops);
  aq_status status = AQ_OK;
  if (count > SETTINGS_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "policy %s: %zu settings, at most %d expected",
                       ops->name, count, SETTINGS_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = value_read(ops, &ops->settings[i], ops->settings[i].preset,
                        &choice->opening.values[i], diag);
  return status;
}

static aq_status setting_take(aq_policy_choice *choice, char *text,
                              aq_diag *diag)
{
  const aq_policy_ops *ops = &choice->ops;
  char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "policy %s: '%s'; expected KEY=VALUE", ops->name, text);
  *equals = 0;
  for (size_t i = 0; i < setting_count(ops); i++)
    if (strcmp(ops->settings[i].key, text) == 0)
      return value_read(ops, &ops->settings[i], equals + 1,
                        &choice->opening.values[i], diag);
  for (size_t i = 0; i < COMMON_COUNT; i++) {
    aq_policy_value value;
    if (strcmp(common_settings[i].key, text) != 0)
      continue;
    aq_status status =
        value_read(ops, &common_settings[i], equals + 1, &value, diag);
    aq_policy_timing *timing = &choice->timing[i / 2];
    if (status == AQ_OK)
      *(i % 2 ? &timing->latency : &timing->cost) = value.time;
    return status;
  }
  /* Keys of the policy, then common ones. */
  char keys[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < setting_count(ops) && used < sizeof keys - 40; i++)
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s, ",
                             ops->settings[i].key);
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "policy %s has no setting '%s'; expected %sor "
                     "host_cost, host_latency, firmware_cost, …",
                     ops->name, text, keys);
}

/* ---- choices ---- */

static aq_status choice_fill(aq_policy_choice *choice, const aq_policy_ops *ops,
                             const char *settings, aq_diag *diag)
{
  memcpy(&choice->ops, ops,
         ops->size < sizeof choice->ops ? ops->size : sizeof choice->ops);
  if (!choice->ops.open || !choice->ops.close)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "policy %s: its table has no open or no close",
                       ops->name);
  if (asprintf(&choice->name, "%s%s%s", ops->name, *settings ? "," : "",
               settings) < 0) {
    choice->name = NULL;
    return aq_diag_no_memory(diag);
  }
  aq_status status = presets_read(choice, diag);
  choice->settings = strdup(settings);
  if (!choice->settings)
    return aq_diag_no_memory(diag);
  char *at = choice->settings;
  while (status == AQ_OK && *at) {
    char *next = at + strcspn(at, ",");
    if (*next)
      *next++ = 0;
    status = setting_take(choice, at, diag);
    at = next;
  }
  return status;
}

aq_status aq_policy_choice_of(const aq_policy_ops *ops, const char *settings,
                              aq_policy_choice **out, aq_diag *diag)
{
  aq_policy_choice *choice = calloc(1, sizeof *choice);
  if (!choice)
    return aq_diag_no_memory(diag);
  aq_status status = choice_fill(choice, ops, settings, diag);
  if (status == AQ_OK)
    *out = choice;
  else
    aq_policy_choice_destroy(choice);
  return status;
}

static const aq_policy_ops *find_built_in(const char *name, size_t length)
{
  for (size_t i = 0; policies[i]; i++)
    if (strlen(policies[i]->name) == length &&
        memcmp(policies[i]->name, name, length) == 0)
      return policies[i];
  return NULL;
}

void aq_policy_choice_watch(aq_policy_choice *choice, aq_policy_watchdog *watch)
{
  aq_policy_watchdog_table(&choice->ops, &choice->opening, watch);
}

bool aq_policy_is_plugin(const char *text)
{
  return !find_built_in(text, strcspn(text, ","));
}

bool aq_policy_has_device_half(const aq_policy_ops *ops)
{
  return ops->needs || ops->attach || ops->map || ops->preempted ||
         ops->device_timer || ops->charge || ops->packet_ready || ops->pick ||
         ops->launch || ops->place || ops->workgroup_start ||
         ops->workgroup_done || ops->complete || ops->copy_pick;
}

aq_status aq_policy_choice_create(const char *text, aq_policy_choice **out,
                                  aq_diag *diag)
{
  const size_t length = strcspn(text, ",");
  const char *settings = text + length + (text[length] == ',');
  const aq_policy_ops *ops = find_built_in(text, length);
  if (ops)
    return aq_policy_choice_of(ops, settings, out, diag);
  if (length == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a policy without a name; expected NAME or a path");
  char *name = strndup(text, length);
  aq_policy_choice *choice = calloc(1, sizeof *choice);
  aq_status status;
  if (name && choice)
    status = aq_plugin_open(&plugins, name, &choice->plugin, diag);
  else
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = choice_fill(
        choice, (const aq_policy_ops *)(const void *)choice->plugin.table,
        settings, diag);
  free(name);
  if (status == AQ_OK)
    *out = choice;
  else
    aq_policy_choice_destroy(choice);
  return status;
}

void aq_policy_choice_destroy(aq_policy_choice *choice)
{
  if (!choice)
    return;
  free(choice->settings);
  free(choice->name);
  aq_plugin_close(&choice->plugin);
  free(choice);
}

const aq_policy_ops *aq_policy_choice_ops(const aq_policy_choice *choice)
{
  return &choice->ops;
}

const aq_policy_value *aq_policy_choice_values(const aq_policy_choice *choice)
{
  return choice->opening.values;
}

const aq_policy_timing *aq_policy_choice_timing(const aq_policy_choice *choice)
{
  return choice->timing;
}

const char *aq_policy_choice_name(const aq_policy_choice *choice)
{
  return choice->name;
}

/* ---- what there is ---- */

aq_status aq_policy_each(void (*tell)(const aq_policy_entry *entry, void *user),
                         void *user, aq_diag *diag)
{
  aq_plugin_list list;
  aq_status status = aq_plugin_list_make(&plugins, &list, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; policies[i]; i++)
    tell(&(aq_policy_entry){.ops = policies[i], .name = policies[i]->name},
         user);
  for (size_t i = 0; i < list.count; i++) {
    aq_diag problem = AQ_DIAG_INIT;
    aq_policy_choice *choice = NULL;
    aq_policy_entry entry = {.name = list.files[i].name,
                             .path = list.files[i].path};
    if (aq_policy_choice_create(entry.path, &choice, &problem) == AQ_OK)
      entry.ops = &choice->ops;
    else
      entry.problem = problem.text;
    tell(&entry, user);
    aq_policy_choice_destroy(choice);
  }
  aq_plugin_list_fini(&list);
  return AQ_OK;
}
