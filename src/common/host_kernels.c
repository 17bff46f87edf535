/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "host_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "AQUEDUCT_KERNELS";

static const aq_plugin_kind kernels_kind = {.what = "kernels",
                                            .folder = "kernels",
                                            .symbol = "aq_kernels_plugin",
                                            .abi = AQ_KERNELS_ABI,
                                            .size = sizeof(aq_kernels)};

static const aq_cost usual_cost = {.kind = AQ_COST_PER_WORKGROUP,
                                   .base = 2 * AQ_US,
                                   .per_workgroup = 10 * AQ_NS};

/* ---- plug-ins ---- */

static const aq_kernel_entry *entries_of(const aq_plugin *plugin)
{
  return ((const aq_kernels *)(const void *)plugin->table)->entries;
}

static aq_status entries_check(const aq_plugin *plugin, aq_diag *diag)
{
  const aq_kernel_entry *entry = entries_of(plugin);
  if (!entry)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: it has no kernels",
                       plugin->path);
  for (; entry->name; entry++)
    if (!entry->function == !entry->workgroup)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: kernel %s: expected a function for the dispatch "
                         "or one for a workgroup, and not both",
                         plugin->path, entry->name);
  return AQ_OK;
}

static aq_status plugin_add(aq_host_kernels *set, const char *name,
                            aq_diag *diag)
{
  aq_plugin *plugin = &set->plugins[set->count];
  aq_status status = aq_plugin_open(&kernels_kind, name, plugin, diag);
  if (status != AQ_OK)
    return status;
  set->count++;
  return entries_check(plugin, diag);
}

aq_status aq_host_kernels_open(aq_host_kernels *set, const char *const *names,
                               const aq_kernel_entry *const *built_in,
                               aq_diag *diag)
{
  size_t count = 0;
  aq_status status = AQ_OK;
  while (names && names[count])
    count++;
  *set = (aq_host_kernels){.built_in = built_in};
  set->plugins = calloc(count + 1, sizeof *set->plugins);
  if (!set->plugins)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = plugin_add(set, names[i], diag);
  if (status != AQ_OK)
    aq_host_kernels_close(set);
  return status;
}

aq_status aq_host_kernels_open_default(aq_host_kernels *set,
                                       const char *const *names,
                                       const aq_kernel_entry *const *built_in,
                                       aq_diag *diag)
{
  if (names && names[0])
    return aq_host_kernels_open(set, names, built_in, diag);
  const char *listed = secure_getenv(variable);
  char *text = strdup(listed ? listed : "");
  size_t count = 0, most = 1;
  for (const char *c = text; c && *c; c++)
    most += *c == ';';
  const char **split = text ? calloc(most + 1, sizeof *split) : NULL;
  char *at = NULL;
  for (char *name = split ? strtok_r(text, ";", &at) : NULL; name;
       name = strtok_r(NULL, ";", &at))
    split[count++] = name;
  aq_status status = split ? aq_host_kernels_open(set, split, built_in, diag)
                           : aq_diag_no_memory(diag);
  free(split);
  free(text);
  return status;
}

bool aq_kernel_names_export(const char *const *names, const char *missing)
{
  bool done = !missing || setenv("AQUEDUCT_MISSING_KERNELS", missing, 1) == 0;
  if (!names || !names[0])
    return done;
  /* The plug-ins, with semicolons between; the caller frees it. */
  char *joined = strdup("");
  for (size_t i = 0; joined && names[i]; i++) {
    char *path = strchr(names[i], '/') ? realpath(names[i], NULL) : NULL;
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", joined, i ? ";" : "",
                 path ? path : names[i]) < 0)
      longer = NULL;
    free(path);
    free(joined);
    joined = longer;
  }
  done = done && joined && setenv(variable, joined, 1) == 0;
  free(joined);
  return done;
}

void aq_host_kernels_close(aq_host_kernels *set)
{
  while (set->count > 0)
    aq_plugin_close(&set->plugins[--set->count]);
  free(set->plugins);
  *set = (aq_host_kernels){0};
}

aq_kernel_entry *aq_host_kernels_entries(const aq_host_kernels *set)
{
  size_t count = 0;
  for (uint32_t i = 0; i < set->count; i++)
    for (const aq_kernel_entry *e = entries_of(&set->plugins[i]); e->name; e++)
      count++;
  aq_kernel_entry *joined = calloc(count + 1, sizeof *joined), *to = joined;
  for (uint32_t i = 0; joined && i < set->count; i++)
    for (const aq_kernel_entry *e = entries_of(&set->plugins[i]); e->name; e++)
      *to++ = *e;
  return joined;
}

static const aq_kernel_entry *entry_find(const aq_kernel_entry *entry,
                                         const char *name, size_t length)
{
  for (; entry->name; entry++)
    if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
      return entry;
  return NULL;
}

const aq_kernel_entry *aq_host_kernels_find(const aq_host_kernels *set,
                                            const char *name, size_t length)
{
  const aq_kernel_entry *found = NULL;
  for (uint32_t i = 0; i < set->count && !found; i++)
    found = entry_find(entries_of(&set->plugins[i]), name, length);
  for (size_t i = 0; set->built_in && set->built_in[i] && !found; i++)
    found = entry_find(set->built_in[i], name, length);
  return found;
}

/* ---- registration ---- */

aq_status aq_kernels_from_read(const char *text, aq_kernels_from *out,
                               aq_diag *diag)
{
  static const char *const names[] = {[AQ_KERNELS_FROM_AUTO] = "auto",
                                      [AQ_KERNELS_FROM_HOST] = "host",
                                      [AQ_KERNELS_FROM_ISA] = "isa"};
  const char *name = text && *text ? text : names[AQ_KERNELS_FROM_AUTO];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) {
      *out = (aq_kernels_from)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID, "'%s'; expected auto, host or isa",
                     name);
}

static uint32_t least(uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* A packet need not set the sizes beyond its dimensions. */
static uint32_t size_of(const aq_kernel_packet *packet, int dimension,
                        uint32_t size)
{
  return dimension < packet->setup ? size : 1;
}

/* Which workgroup is the n-th, and how large it is. */
static void group_place(aq_workgroup *group, uint64_t n)
{
  const aq_kernel_packet *packet = group->call->packet;
  group->items = 1;
  for (int i = 0; i < 3; i++) {
    group->id[i] = (uint32_t)(n % group->groups[i]);
    n /= group->groups[i];
    group->size[i] =
        least(group->full[i], size_of(packet, i, packet->grid_size[i]) -
                                  group->id[i] * group->full[i]);
    group->items *= group->size[i];
  }
}

/* A dispatch of a kernel with a function for workgroups, its `user`. */
static void workgroups_play(const aq_kernel_call *call)
{
  const aq_kernel_entry *entry = call->user;
  const aq_kernel_packet *packet = call->packet;
  aq_workgroup group = {.call = call,
                        .kernarg = call->kernarg,
                        .lds_size = packet->group_segment_size};
  uint64_t count = 1;
  for (int i = 0; i < 3; i++) {
    const uint32_t grid = size_of(packet, i, packet->grid_size[i]);
    group.full[i] = size_of(packet, i, packet->workgroup_size[i]);
    group.groups[i] =
        (uint32_t)(((uint64_t)grid + group.full[i] - 1) / group.full[i]);
    count *= group.groups[i];
  }
  /* As large as the packet says, so that a tool sees accesses beyond. */
  group.lds = malloc(group.lds_size ? group.lds_size : 1);
  if (!group.lds) {
    aq_kernel_fail(call, "no memory for the group segment");
    return;
  }
  for (uint64_t n = 0; n < count && !(call->error && call->error[0]); n++) {
    memset(group.lds, AQ_LDS_FILL, group.lds_size);
    group_place(&group, n);
    entry->workgroup(&group);
  }
  free(group.lds);
}

void aq_kernel_entry_describe(const aq_kernel_entry *entry,
                              aq_kernel_desc *desc)
{
  const bool costs = entry && (entry->cost.kind || entry->cost.base);
  desc->cost = costs ? entry->cost : usual_cost;
  desc->function = NULL;
  if (!entry)
    return;
  desc->function = entry->workgroup ? workgroups_play : entry->function;
  /* A plain function has no use for it; the table's constness is kept. */
  desc->user = (void *)(uintptr_t)entry;
}
