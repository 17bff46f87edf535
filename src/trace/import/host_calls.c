/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/import.h"

#include <string.h>

static bool contains(const char *name, size_t length, const char *part)
{
  return memmem(name, length, part, strlen(part)) != NULL;
}

static bool ends_with(const char *name, size_t length, const char *end)
{
  size_t size = strlen(end);
  return length >= size && memcmp(name + length - size, end, size) == 0;
}

bool aq_api_graph(const char *name, size_t length)
{
  return contains(name, length, "GraphLaunch");
}

bool aq_api_submits(const char *name, size_t length)
{
  static const char *const parts[] = {
      "Launch",           "Memcpy",           "Memset",
      "hsa_signal_store", "hsa_amd_memory_a", "hsa_queue",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (contains(name, length, parts[i]))
      return true;
  return false;
}

bool aq_api_launches(const char *name, size_t length)
{
  return contains(name, length, "Launch") &&
         !contains(name, length, "LaunchHostFunc");
}

bool aq_api_copies(const char *name, size_t length)
{
  return contains(name, length, "Memcpy") || contains(name, length, "Memset");
}

bool aq_api_begins_capture(const char *name, size_t length)
{
  return contains(name, length, "StreamBeginCapture");
}

bool aq_api_ends_capture(const char *name, size_t length)
{
  return contains(name, length, "StreamEndCapture");
}

/* Copies without Async in their name block until the copy is done. */
bool aq_api_waits(const char *name, size_t length)
{
  if (ends_with(name, length, "_spt"))
    length -= strlen("_spt");
  if (ends_with(name, length, "Synchronize"))
    return true;
  return contains(name, length, "Memcpy") && !contains(name, length, "Async") &&
         !contains(name, length, "hsa_");
}

bool aq_api_waits_device(const char *name, size_t length)
{
  return contains(name, length, "DeviceSynchronize") ||
         contains(name, length, "CtxSynchronize");
}

bool aq_api_waits_event(const char *name, size_t length)
{
  return contains(name, length, "StreamWaitEvent");
}

bool aq_api_records_event(const char *name, size_t length)
{
  return contains(name, length, "EventRecord");
}

bool aq_api_grid_in_items(const char *name, size_t length)
{
  return contains(name, length, "ExtModuleLaunchKernel") ||
         contains(name, length, "HccModuleLaunchKernel");
}

const char *aq_gpu_gfx(const char *name)
{
  static const struct {
    const char *part, *gfx;
  } gpus[] = {
      {"MI355", "gfx950"}, {"MI350", "gfx950"}, {"MI325", "gfx942"},
      {"MI308", "gfx942"}, {"MI300", "gfx942"}, {"MI250", "gfx90a"},
      {"MI210", "gfx90a"}, {"MI200", "gfx90a"}, {"MI100", "gfx908"},
      {"MI60", "gfx906"},  {"MI50", "gfx906"},  {"MI25", "gfx900"},
  };
  for (size_t i = 0; name && i < sizeof gpus / sizeof *gpus; i++)
    if (strstr(name, gpus[i].part))
      return gpus[i].gfx;
  return NULL;
}
