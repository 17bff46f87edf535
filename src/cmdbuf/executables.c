/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "executables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"

typedef struct executable {
  struct executable *next;
  aq_transport *transport;
  uint64_t digest, module;
  size_t size;
  uint32_t device, refs;
  unsigned char bytes[];
} executable;

/* A transport has no place for what its users share, and a table of operations
 * from outside of the tree none either: so the process knows. */
static struct {
  pthread_mutex_t lock;
  executable *first;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static aq_status executable_load(aq_transport *transport, uint32_t device,
                                 uint64_t digest, const void *image,
                                 size_t size, executable **out, aq_diag *diag)
{
  executable *e = malloc(sizeof *e + size);
  if (!e)
    return aq_diag_no_memory(diag);
  *e = (executable){.transport = transport,
                    .digest = digest,
                    .size = size,
                    .device = device,
                    .next = cache.first};
  memcpy(e->bytes, image, size);
  aq_status status = transport->ops->module_load(transport, device, image, size,
                                                 &e->module, diag);
  if (status != AQ_OK) {
    free(e);
    return status;
  }
  cache.first = e;
  *out = e;
  return AQ_OK;
}

aq_status aq_executable_take(aq_transport *transport, uint32_t device,
                             const void *image, size_t size, uint64_t *module,
                             aq_diag *diag)
{
  const uint64_t digest = aq_fnv_add(AQ_FNV_START, image, size);
  aq_status status = AQ_OK;
  pthread_mutex_lock(&cache.lock);
  executable *e = cache.first;
  while (e && (e->transport != transport || e->device != device ||
               e->digest != digest || e->size != size ||
               memcmp(e->bytes, image, size) != 0))
    e = e->next;
  if (!e)
    status = executable_load(transport, device, digest, image, size, &e, diag);
  if (status == AQ_OK) {
    e->refs++;
    *module = e->module;
  }
  pthread_mutex_unlock(&cache.lock);
  return status;
}

void aq_executable_give(aq_transport *transport, uint64_t module)
{
  if (module == 0)
    return;
  pthread_mutex_lock(&cache.lock);
  executable **link = &cache.first;
  while (*link &&
         ((*link)->transport != transport || (*link)->module != module))
    link = &(*link)->next;
  executable *e = *link;
  if (e && --e->refs == 0) {
    *link = e->next;
    transport->ops->module_unload(transport, module);
    free(e);
  }
  pthread_mutex_unlock(&cache.lock);
}
