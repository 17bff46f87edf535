/* SPDX-License-Identifier: MIT */
/* Copies between files and memory of devices, at once: the host moves them. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/memory.h"

/* Whether the bytes are memory of a device. */
static bool is_device_memory(aqdrop *runtime, const void *address,
                             uint64_t size)
{
  return aqdrop_memory_device(runtime->memory, address) != AQ_DEVICE_HOST &&
         aqdrop_memory_covers(runtime, address, size);
}

static hsa_status_t moved(ssize_t got, uint64_t *size_copied, int32_t *status)
{
  if (status)
    *status = got < 0 ? -errno : 0;
  if (got < 0)
    return HSA_STATUS_ERROR;
  if (size_copied)
    *size_copied = (uint64_t)got;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t request_check(aqdrop *runtime, const void *address,
                                  uint64_t size, int64_t offset)
{
  if (!address || size == 0 || offset < 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return is_device_memory(runtime, address, size) ? HSA_STATUS_SUCCESS
                                                  : HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_ais_file_read(hsa_amd_ais_file_handle_t handle,
                                   void *device_ptr, uint64_t size,
                                   int64_t file_offset, uint64_t *size_copied,
                                   int32_t *status)
{
  AQDROP_ENTER(runtime);
  hsa_status_t error = request_check(runtime, device_ptr, size, file_offset);
  if (error == HSA_STATUS_SUCCESS)
    aqdrop_check_host(runtime, device_ptr, size, true);
  return error == HSA_STATUS_SUCCESS
             ? moved(pread(handle.fd,
                           aqdrop_memory_reach(runtime, device_ptr, size), size,
                           file_offset),
                     size_copied, status)
             : error;
}

hsa_status_t hsa_amd_ais_file_write(hsa_amd_ais_file_handle_t handle,
                                    void *device_ptr, uint64_t size,
                                    int64_t file_offset, uint64_t *size_copied,
                                    int32_t *status)
{
  AQDROP_ENTER(runtime);
  hsa_status_t error = request_check(runtime, device_ptr, size, file_offset);
  if (error == HSA_STATUS_SUCCESS)
    aqdrop_check_host(runtime, device_ptr, size, false);
  return error == HSA_STATUS_SUCCESS
             ? moved(pwrite(handle.fd,
                            aqdrop_memory_reach(runtime, device_ptr, size),
                            size, file_offset),
                     size_copied, status)
             : error;
}
