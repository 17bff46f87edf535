/* SPDX-License-Identifier: MIT */
/*
 * The ends of a copy, by its name, in the words of each profiler.
 * Thread rule: pure functions.
 */
#ifndef AQ_COMMON_COPY_NAME_H
#define AQ_COMMON_COPY_NAME_H

#include <stdbool.h>
#include <string.h>

static inline bool aq_copy_is_from_host(const char *name)
{
  return strstr(name, "HtoD") || strcasestr(name, "HostToDevice") ||
         strcasestr(name, "HOST_TO_DEVICE");
}

static inline bool aq_copy_is_to_host(const char *name)
{
  return strstr(name, "DtoH") || strcasestr(name, "DeviceToHost") ||
         strcasestr(name, "DEVICE_TO_HOST");
}

static inline bool aq_copy_is_on_device(const char *name)
{
  return strstr(name, "DtoD") || strcasestr(name, "DeviceToDevice");
}

#endif
