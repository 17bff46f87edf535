/* SPDX-License-Identifier: MIT */
/* Memory that several processes, or several libraries, share. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/mapping/ipc.h"

enum { DMABUF_FLAG_PCIE = 1 };

/* ---- between processes ---- */

hsa_status_t hsa_amd_ipc_memory_create(void *ptr, size_t len,
                                       hsa_amd_ipc_memory_t *handle)
{
  AQDROP_ENTER(runtime);
  uint64_t offset;
  int file;
  if (!ptr || len == 0 || !handle)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = aqdrop_memory_share(runtime, ptr, len, &file, &offset);
  if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION ||
      (status == HSA_STATUS_SUCCESS && offset != 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return status == HSA_STATUS_SUCCESS &&
                 aqdrop_ipc_handle_make(AQDROP_IPC_MEMORY, file, len, handle)
             ? HSA_STATUS_SUCCESS
             : (hsa_status_t)HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* The bits of agents; false for one that is none. */
static bool agents_bits(aqdrop *runtime, uint32_t count,
                        const hsa_agent_t *agents, uint64_t *out)
{
  *out = 0;
  for (uint32_t i = 0; i < count; i++) {
    const aqdrop_agent *agent = aqdrop_agent_from(runtime, agents[i]);
    if (!agent)
      return false;
    *out |= UINT64_C(1) << (agent - runtime->agents);
  }
  return true;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle,
                                       size_t len, uint32_t num_agents,
                                       const hsa_agent_t *mapping_agents,
                                       void **mapped_ptr)
{
  AQDROP_ENTER(runtime);
  uint64_t bits;
  if (!handle || !mapped_ptr || (num_agents > 0 && !mapping_agents))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!agents_bits(runtime, num_agents, mapping_agents, &bits))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  int file = aqdrop_ipc_handle_open(AQDROP_IPC_MEMORY, len, handle);
  if (file < 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status =
      aqdrop_memory_attach(runtime, file, len, bits, mapped_ptr);
  close(file);
  return status;
}

hsa_status_t hsa_amd_ipc_memory_detach(void *mapped_ptr)
{
  AQDROP_ENTER(runtime);
  return mapped_ptr && aqdrop_memory_detach(runtime, mapped_ptr)
             ? HSA_STATUS_SUCCESS
             : (hsa_status_t)HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- between libraries ---- */

/* The descriptor is that of an ordinary file in memory, which can be mapped and
 * sent as a dmabuf's can. */
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void *ptr, size_t size,
                                               int *dmabuf, uint64_t *offset,
                                               uint64_t flags)
{
  AQDROP_ENTER(runtime);
  uint64_t at;
  int file;
  if (!ptr || size == 0 || !dmabuf || !offset || flags > DMABUF_FLAG_PCIE)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = aqdrop_memory_share(runtime, ptr, size, &file, &at);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *dmabuf = own;
  *offset = at;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_portable_export_dmabuf(const void *ptr, size_t size,
                                            int *dmabuf, uint64_t *offset)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return hsa_amd_portable_export_dmabuf_v2(ptr, size, dmabuf, offset, 0);
}

/* Whether a descriptor is one that was exported. */
static bool is_exported(int file)
{
  static const char ours[] = "/memfd:aqueduct-";
  char path[64], name[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  ssize_t length = readlink(path, name, sizeof name);
  return length >= (ssize_t)sizeof ours - 1 &&
         memcmp(name, ours, sizeof ours - 1) == 0;
}

hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf)
{
  AQDROP_ENTER(runtime);
  struct stat state;
  if (dmabuf >= 0 && fstat(dmabuf, &state) != 0)
    return HSA_STATUS_ERROR_RESOURCE_FREE;
  if (dmabuf < 0 || !is_exported(dmabuf))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  close(dmabuf);
  return HSA_STATUS_SUCCESS;
}

/* The size that the caller expects is at most the buffer's; 0: any. */
hsa_status_t hsa_amd_interop_map_buffer_with_size(
    uint32_t num_agents, hsa_agent_t *agents, int interop_handle,
    uint32_t flags, size_t size_hint, size_t *size, void **ptr,
    size_t *metadata_size, const void **metadata)
{
  AQDROP_ENTER(runtime);
  struct stat state;
  uint64_t bits;
  if (num_agents == 0 || !agents || flags || !size || !ptr ||
      fstat(interop_handle, &state) != 0 || state.st_size == 0 ||
      size_hint > (size_t)state.st_size)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!agents_bits(runtime, num_agents, agents, &bits))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  hsa_status_t status = aqdrop_memory_attach(runtime, interop_handle,
                                             (size_t)state.st_size, bits, ptr);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  *size = (size_t)state.st_size;
  if (metadata_size)
    *metadata_size = 0;
  if (metadata)
    *metadata = NULL;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents,
                                        hsa_agent_t *agents, int interop_handle,
                                        uint32_t flags, size_t *size,
                                        void **ptr, size_t *metadata_size,
                                        const void **metadata)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return hsa_amd_interop_map_buffer_with_size(num_agents, agents,
                                              interop_handle, flags, 0, size,
                                              ptr, metadata_size, metadata);
}

hsa_status_t hsa_amd_interop_unmap_buffer(void *ptr)
{
  AQDROP_ENTER(runtime);
  return ptr && aqdrop_memory_detach(runtime, ptr)
             ? HSA_STATUS_SUCCESS
             : (hsa_status_t)HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
