/* SPDX-License-Identifier: MIT */
/* The images and samplers that clients have. */
#include "config.h"

#include <stdlib.h>

#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/published.h"

/* The lock is held. */
static aqdrop_ext **ext_link(aqdrop *runtime, aqdrop_ext_kind kind,
                             uint64_t handle)
{
  aqdrop_ext **link = &runtime->first_ext;
  while (*link && ((uintptr_t)*link != handle || (*link)->kind != kind))
    link = &(*link)->next;
  return link;
}

hsa_status_t aqdrop_ext_keep(aqdrop *runtime, const aqdrop_ext *from,
                             uint64_t *handle)
{
  aqdrop_ext *made = malloc(sizeof *made);
  if (!made)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *made = *from;
  if (!aqdrop_publish(runtime, &made->words, sizeof made->words,
                      AQ_ALLOCATION_IMAGE, NULL, aqdrop_agents_all(runtime),
                      0)) {
    free(made);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  pthread_mutex_lock(&runtime->lock);
  made->next = runtime->first_ext;
  runtime->first_ext = made;
  pthread_mutex_unlock(&runtime->lock);
  *handle = (uintptr_t)made;
  return HSA_STATUS_SUCCESS;
}

const aqdrop_ext *aqdrop_ext_from(aqdrop *runtime, aqdrop_ext_kind kind,
                                  uint64_t handle)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_ext *found = *ext_link(runtime, kind, handle);
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

static void ext_free(aqdrop *runtime, aqdrop_ext *ext)
{
  if (ext)
    aqdrop_withdraw(runtime, &ext->words, AQ_ALLOCATION_IMAGE);
  free(ext);
}

hsa_status_t aqdrop_ext_destroy(aqdrop *runtime, hsa_agent_t agent,
                                aqdrop_ext_kind kind, uint64_t handle)
{
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  pthread_mutex_lock(&runtime->lock);
  aqdrop_ext **link = ext_link(runtime, kind, handle), *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&runtime->lock);
  ext_free(runtime, found);
  return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

void aqdrop_exts_fini(aqdrop *runtime)
{
  while (runtime->first_ext) {
    aqdrop_ext *ext = runtime->first_ext;
    runtime->first_ext = ext->next;
    ext_free(runtime, ext);
  }
}
