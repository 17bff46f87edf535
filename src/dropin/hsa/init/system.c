/* SPDX-License-Identifier: MIT */
/* The system: its attributes, clock, extensions and status codes. */
#include "config.h"

#include <string.h>

#include "common/hsa_sim.h"
#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"

enum {
  HSA_MAJOR = 1,
  HSA_MINOR = 1,
  EXT_MAJOR = 1, /* of the AMD extensions */
  EXT_MINOR = 6,
  EXTENSION_BYTES = 128,
  LOADER_MINOR = 3,
  CLOCK_READ = 100 * AQ_NS,
};

/* ---- attributes ---- */

/* Reading the clock takes time itself: a program that only reads it sees it
 * advance. */
static uint64_t clock_read(const aqdrop *runtime)
{
  const aq_transport_ops *ops = runtime->transport->ops;
  aq_time now = ops->now(runtime->transport) + CLOCK_READ;
  ops->sleep_until(runtime->transport, now, false, NULL);
  return aqdrop_ns(now);
}

hsa_status_t hsa_system_get_info(uint32_t attribute, void *value)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
  case HSA_SYSTEM_INFO_VERSION_MAJOR:
    return aqdrop_put16(value, HSA_MAJOR);
  case HSA_SYSTEM_INFO_VERSION_MINOR:
    return aqdrop_put16(value, HSA_MINOR);
  case HSA_SYSTEM_INFO_TIMESTAMP:
    return aqdrop_put64(value, clock_read(runtime));
  case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
    return aqdrop_put64(value, 1000000000);
  case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
    return aqdrop_put64(value, UINT64_MAX);
  case HSA_SYSTEM_INFO_ENDIANNESS:
    return aqdrop_put32(value, HSA_ENDIANNESS_LITTLE);
  case HSA_SYSTEM_INFO_MACHINE_MODEL:
    return aqdrop_put32(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_SYSTEM_INFO_EXTENSIONS:
    memset(value, 0, EXTENSION_BYTES);
    ((uint8_t *)value)[HSA_EXTENSION_AMD_LOADER / 8] |=
        1 << HSA_EXTENSION_AMD_LOADER % 8;
    if (aqdrop_has_devices(runtime))
      *(uint8_t *)value |= 1 << HSA_EXTENSION_IMAGES;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
    *(const char **)value = "aqueduct " PACKAGE_VERSION;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
  case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED:
    return aqdrop_put_bool(value, runtime->xnack);
  case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
  case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
    return aqdrop_put_bool(value, true);
  case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
  case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
  case HSA_AMD_SYSTEM_INFO_FABRIC_HANDLES_SUPPORTED:
    return aqdrop_put_bool(value, false);
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
    return aqdrop_put16(value, EXT_MAJOR);
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
    return aqdrop_put16(value, EXT_MINOR);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/* ---- extensions ---- */

static const char *extension_name(uint16_t extension)
{
  switch (extension) {
  case HSA_EXTENSION_FINALIZER:
    return "HSA_EXTENSION_FINALIZER";
  case HSA_EXTENSION_IMAGES:
    return "HSA_EXTENSION_IMAGES";
  case HSA_EXTENSION_PERFORMANCE_COUNTERS:
    return "HSA_EXTENSION_PERFORMANCE_COUNTERS";
  case HSA_EXTENSION_PROFILING_EVENTS:
    return "HSA_EXTENSION_PROFILING_EVENTS";
  case HSA_EXTENSION_AMD_PROFILER:
    return "HSA_EXTENSION_AMD_PROFILER";
  case HSA_EXTENSION_AMD_LOADER:
    return "HSA_EXTENSION_AMD_LOADER";
  case HSA_EXTENSION_AMD_AQLPROFILE:
    return "HSA_EXTENSION_AMD_AQLPROFILE";
  case HSA_EXTENSION_AMD_PC_SAMPLING:
    return "HSA_EXTENSION_AMD_PC_SAMPLING";
  case AQ_HSA_EXTENSION_SIM:
    return "AQ_HSA_EXTENSION_SIM";
  default:
    return NULL;
  }
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char **name)
{
  AQDROP_ENTER(runtime);
  const char *known = extension_name(extension);
  if (!name || !known)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *name = known;
  return HSA_STATUS_SUCCESS;
}

/* The minor version of a present extension: AMD's loader, images where there
 * are any, and the mark of a simulator; -1 for others. */
static int extension_minor(uint16_t extension, uint16_t version_major,
                           bool images)
{
  if (version_major != 1)
    return -1;
  return extension == HSA_EXTENSION_AMD_LOADER         ? LOADER_MINOR
         : extension == HSA_EXTENSION_IMAGES && images ? 0
         : extension == AQ_HSA_EXTENSION_SIM           ? AQ_HSA_SIM_MINOR
                                                       : -1;
}

/* Whether a version is there; its minor one goes to *minor. */
static hsa_status_t extension_find(uint16_t extension, uint16_t version_major,
                                   bool images, uint16_t *minor, bool *result)
{
  if (!result || !minor || !extension_name(extension))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const int found = extension_minor(extension, version_major, images);
  *result = found >= 0;
  if (*result)
    *minor = (uint16_t)found;
  return HSA_STATUS_SUCCESS;
}

/* The same, if it is at least as new as `version_minor`. */
static hsa_status_t extension_find_at_least(uint16_t extension,
                                            uint16_t version_major,
                                            uint16_t version_minor, bool images,
                                            bool *result)
{
  uint16_t minor = 0;
  hsa_status_t status =
      extension_find(extension, version_major, images, &minor, result);
  if (status == HSA_STATUS_SUCCESS)
    *result = *result && version_minor <= minor;
  return status;
}

hsa_status_t hsa_system_extension_supported(uint16_t extension,
                                            uint16_t version_major,
                                            uint16_t version_minor,
                                            bool *result)
{
  AQDROP_ENTER(runtime);
  return extension_find_at_least(extension, version_major, version_minor,
                                 aqdrop_has_devices(runtime), result);
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension,
                                                  uint16_t version_major,
                                                  uint16_t *version_minor,
                                                  bool *result)
{
  AQDROP_ENTER(runtime);
  return extension_find(extension, version_major, aqdrop_has_devices(runtime),
                        version_minor, result);
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension,
                                           hsa_agent_t agent,
                                           uint16_t version_major,
                                           uint16_t version_minor, bool *result)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (result)
    *result = false;
  return a ? extension_find_at_least(extension, version_major, version_minor,
                                     a->info != NULL, result)
           : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension,
                                                 hsa_agent_t agent,
                                                 uint16_t version_major,
                                                 uint16_t *version_minor,
                                                 bool *result)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  return a ? extension_find(extension, version_major, a->info != NULL,
                            version_minor, result)
           : HSA_STATUS_ERROR_INVALID_AGENT;
}

/* ---- status codes ---- */

hsa_status_t hsa_status_string(hsa_status_t status, const char **status_string)
{
  static const struct {
    hsa_status_t status;
    const char *text;
  } texts[] = {
#define T(status, text) {status, #status ": " text},
#include "dropin/hsa/base/status_text.def"
#undef T
  };
  if (!status_string)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].status == status) {
      *status_string = texts[i].text;
      return HSA_STATUS_SUCCESS;
    }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
