/* SPDX-License-Identifier: MIT */
/* The kernels of a capture: host functions where the transport runs them, else
 * kernels of its modules. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/player_priv.h"
#include "common/kernel_set.h"

static aq_status host_kernel(const aq_cap_player *player, const char *name,
                             uint64_t *object, aq_diag *diag)
{
  const aq_kernel_entry *const tables[] = {player->options.kernels, NULL};
  const aq_kernel_entry *entry = aq_kernel_set_find(
      &(aq_kernel_set){.built_in = tables}, name, strlen(name));
  aq_kernel_desc desc = {.name = name};
  aq_kernel_info info;
  if (!entry)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "%s: kernel '%s' has no host function; a plug-in of "
                       "kernels has to bring one",
                       player->file->name, name);
  aq_kernel_entry_describe(entry, &desc);
  aq_status status = player->transport->ops->kernel_register(
      player->transport, &desc, &info, diag);
  if (status == AQ_OK)
    *object = info.object;
  return status;
}

static aq_status code_kernel(const aq_cap_player *player,
                             const uint64_t *modules, const char *name,
                             uint64_t *object, aq_diag *diag)
{
  aq_kernel_info info;
  for (uint32_t i = 0; i < player->file->counts.modules; i++)
    if (player->transport->ops->kernel_lookup(player->transport, modules[i],
                                              name, &info, NULL) == AQ_OK) {
      *object = info.object;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "%s: kernel '%s' is in none of its %u modules",
                     player->file->name, name, player->file->counts.modules);
}

/* All modules of the capture, on one device. */
static aq_status modules_load(const aq_cap_player *player, uint32_t device,
                              uint64_t *modules, aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  uint32_t count = 0;
  for (uint32_t i = 0; i < file->record_count; i++) {
    const aq_cap_head *head = file->records[i];
    if (head->kind != AQ_CAP_MODULE)
      continue;
    aq_status status = player->transport->ops->module_load(
        player->transport, device, head + 1, head->size, &modules[count++],
        diag);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

aq_status aq_cap_player_kernels(aq_cap_player *player, aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  const uint32_t count = file->counts.kernels;
  const bool host = player->info.caps & AQ_CAP_HOST_KERNELS;
  uint64_t *modules = calloc(file->counts.modules + 1, sizeof *modules);
  player->kernels =
      calloc((size_t)count * file->devices + 1, sizeof *player->kernels);
  aq_status status = AQ_OK;
  if (!modules || !player->kernels)
    status = aq_diag_no_memory(diag);
  for (uint32_t d = 0; d < file->devices && status == AQ_OK; d++) {
    uint64_t *objects = player->kernels + (size_t)d * count;
    if (!host && count > 0)
      status = modules_load(player, d, modules, diag);
    for (uint32_t i = 0; i < count && status == AQ_OK; i++)
      status = host ? host_kernel(player, file->kernels[i], &objects[i], diag)
                    : code_kernel(player, modules, file->kernels[i],
                                  &objects[i], diag);
  }
  free(modules);
  return status;
}
