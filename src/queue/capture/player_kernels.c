/* SPDX-License-Identifier: MIT */
/* The kernels of a capture: host functions where the transport runs them, else
 * the code of its modules. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/host_kernels.h"
#include "queue/capture/player_priv.h"

typedef struct loader {
  aq_cap_player *player;
  uint32_t device;
  uint64_t *modules; /* of the device */
  bool loaded;
} loader;

static const aq_kernel_entry *host_find(const aq_cap_player *player,
                                        const char *name)
{
  const aq_kernel_entry *const tables[] = {player->options.kernels, NULL};
  return aq_host_kernels_find(&(aq_host_kernels){.built_in = tables}, name,
                              strlen(name));
}

static aq_status host_kernel(const aq_cap_player *player,
                             const aq_kernel_entry *entry, uint64_t *object,
                             aq_diag *diag)
{
  aq_kernel_desc desc = {.name = entry->name};
  aq_kernel_info info;
  aq_kernel_entry_describe(entry, &desc);
  aq_status status = player->transport->ops->kernel_register(
      player->transport, &desc, &info, diag);
  if (status == AQ_OK)
    *object = info.object;
  return status;
}

/* All modules of the capture, on the device. */
static aq_status modules_load(loader *l, aq_diag *diag)
{
  aq_transport *t = l->player->transport;
  const aq_cap_file *file = l->player->file;
  uint32_t count = 0;
  for (uint32_t i = 0; i < file->record_count && !l->loaded; i++) {
    const aq_cap_head *head = file->records[i];
    if (head->kind != AQ_CAP_MODULE)
      continue;
    aq_status status = t->ops->module_load(t, l->device, head + 1, head->size,
                                           &l->modules[count++], diag);
    if (status != AQ_OK)
      return status;
  }
  l->loaded = true;
  return AQ_OK;
}

static aq_status code_kernel(loader *l, const char *name, uint64_t *object,
                             aq_diag *diag)
{
  const aq_cap_player *player = l->player;
  const uint32_t count = player->file->counts.modules;
  aq_kernel_info info;
  aq_status status = modules_load(l, diag);
  if (status != AQ_OK)
    return status;
  for (uint32_t i = 0; i < count; i++)
    if (player->transport->ops->kernel_lookup(player->transport, l->modules[i],
                                              name, &info, NULL) == AQ_OK) {
      *object = info.object;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "%s: kernel '%s' is in none of its %u modules",
                     player->file->name, name, count);
}

/* Modules are loaded when the first kernel needs one. */
static aq_status kernel_make(loader *l, const char *name, uint64_t *object,
                             aq_diag *diag)
{
  const aq_cap_player *player = l->player;
  const uint32_t caps = player->info.caps;
  const bool host = caps & AQ_CAP_HOST_KERNELS,
             code = caps & AQ_CAP_CODE_OBJECTS;
  const aq_kernels_from from = player->options.from;
  const aq_kernel_entry *entry =
      host && from != AQ_KERNELS_FROM_ISA ? host_find(player, name) : NULL;
  if (entry && player->info.devices[l->device].memory_hidden)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: kernel '%s' has a host function, and device %u of "
                       "%s hides its memory from the host; expected code",
                       player->file->name, name, l->device,
                       player->transport->ops->name);
  if (entry)
    return host_kernel(player, entry, object, diag);
  if (!code && from == AQ_KERNELS_FROM_ISA)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: the transport %s takes no code of kernels",
                       player->file->name, player->transport->ops->name);
  if (!host ||
      (code && (from == AQ_KERNELS_FROM_ISA || (from == AQ_KERNELS_FROM_AUTO &&
                                                player->file->counts.modules))))
    return code_kernel(l, name, object, diag);
  return aq_diag_set(
      diag, AQ_ERR_NOT_FOUND,
      "%s: kernel '%s' has no host function%s; a plug-in of kernels has to "
      "bring one",
      player->file->name, name,
      code && from != AQ_KERNELS_FROM_HOST ? ", and the capture has no modules"
                                           : "");
}

aq_status aq_cap_player_kernels(aq_cap_player *player, aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  const uint32_t count = file->counts.kernels;
  uint64_t *modules = calloc(file->counts.modules + 1, sizeof *modules);
  player->kernels =
      calloc((size_t)count * file->devices + 1, sizeof *player->kernels);
  aq_status status = AQ_OK;
  if (!modules || !player->kernels)
    status = aq_diag_no_memory(diag);
  for (uint32_t d = 0; d < file->devices && status == AQ_OK; d++) {
    uint64_t *objects = player->kernels + (size_t)d * count;
    loader l = {.player = player, .device = d, .modules = modules};
    for (uint32_t i = 0; i < count && status == AQ_OK; i++)
      status = kernel_make(&l, file->kernels[i], &objects[i], diag);
  }
  free(modules);
  return status;
}
