/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/devices.h"

#include <stdlib.h>
#include <string.h>

#include "common/visible_devices.h"

enum { QUEUES_DEFAULT = 4 };

struct aq_driver {
  aq_transport_info info;
  uint32_t count;
  aq_physical_device devices[];
};

struct aq_logical_device {
  const aq_driver *driver;
  uint32_t queues; /* of each */
  uint32_t count;
  const aq_physical_device *devices[];
};

/* ---- drivers ---- */

static const char *visible_of(const aq_driver_options *options)
{
  if (options->all)
    return NULL;
  return options->visible ? options->visible
                          : secure_getenv("ROCR_VISIBLE_DEVICES");
}

aq_status aq_driver_open(aq_transport *transport,
                         const aq_driver_options *options, aq_driver **out,
                         aq_diag *diag)
{
  aq_driver_options own = {.visible = NULL};
  aq_transport_info info;
  if (options)
    memcpy(&own, options,
           options->size < sizeof own ? options->size : sizeof own);
  transport->ops->info(transport, &info);
  aq_driver *driver =
      calloc(1, sizeof *driver + info.device_count * sizeof *driver->devices);
  uint32_t *visible = calloc(info.device_count + 1, sizeof *visible);
  if (!driver || !visible) {
    free(visible);
    free(driver);
    return aq_diag_no_memory(diag);
  }
  driver->info = info;
  driver->count = aq_visible_devices(visible_of(&own), info.devices,
                                     info.device_count, visible);
  for (uint32_t i = 0; i < driver->count; i++) {
    const aq_device_info *device = &info.devices[visible[i]];
    driver->devices[i] = (aq_physical_device){visible[i], device->uuid, device};
  }
  free(visible);
  *out = driver;
  return AQ_OK;
}

void aq_driver_close(aq_driver *driver)
{
  free(driver);
}

uint32_t aq_driver_count(const aq_driver *driver)
{
  return driver->count;
}

const aq_physical_device *aq_driver_device(const aq_driver *driver,
                                           uint32_t number)
{
  return number < driver->count ? &driver->devices[number] : NULL;
}

/* ---- logical devices ---- */

static aq_status member_add(aq_logical_device *logical, uint32_t number,
                            aq_diag *diag)
{
  const aq_physical_device *device = aq_driver_device(logical->driver, number);
  if (!device)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "logical device: no device %u, %u are visible", number,
                       logical->driver->count);
  for (uint32_t i = 0; i < logical->count; i++)
    if (logical->devices[i] == device)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "logical device: device %u is listed twice", number);
  logical->devices[logical->count++] = device;
  return AQ_OK;
}

static aq_status queues_share(aq_logical_device *logical, uint32_t queues,
                              aq_diag *diag)
{
  uint32_t most = AQ_AFFINITY_BITS / logical->count;
  if (queues == 0)
    queues = most < QUEUES_DEFAULT ? most : QUEUES_DEFAULT;
  if (queues == 0 || queues > most)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "logical device: %u devices of %u queues each; expected "
                       "at most %d queues in all",
                       logical->count, queues, AQ_AFFINITY_BITS);
  logical->queues = queues;
  return AQ_OK;
}

aq_status aq_logical_device_open(const aq_driver *driver, const uint32_t *which,
                                 uint32_t count, uint32_t queues,
                                 aq_logical_device **out, aq_diag *diag)
{
  if (!which)
    count = driver->count;
  if (count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "logical device: lists no device, %u are visible",
                       driver->count);
  if (count > driver->count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "logical device: lists %u devices, %u are visible",
                       count, driver->count);
  aq_logical_device *logical =
      calloc(1, sizeof *logical + count * sizeof logical->devices[0]);
  if (!logical)
    return aq_diag_no_memory(diag);
  logical->driver = driver;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; status == AQ_OK && i < count; i++)
    status = member_add(logical, which ? which[i] : i, diag);
  if (status == AQ_OK)
    status = queues_share(logical, queues, diag);
  if (status == AQ_OK)
    *out = logical;
  else
    free(logical);
  return status;
}

static uint32_t number_read(const aq_driver *driver, const char *word,
                            size_t length)
{
  uint32_t number = 0;
  if (length == 0)
    return AQ_DEVICE_HOST;
  if (*word == 'G' || *word == 'g') {
    /* The driver's number of the one device that it begins, or AQ_DEVICE_HOST.
     */
    uint32_t found = AQ_DEVICE_HOST;
    for (uint32_t i = 0; i < driver->count; i++) {
      if (aq_device_by_uuid(word, length, driver->devices[i].info, 1) != 0)
        continue;
      if (found != AQ_DEVICE_HOST)
        return AQ_DEVICE_HOST;
      found = i;
    }
    return found;
  }
  for (size_t i = 0; i < length; i++) {
    if (word[i] < '0' || word[i] > '9' || number >= driver->count)
      return AQ_DEVICE_HOST;
    number = number * 10 + (uint32_t)(word[i] - '0');
  }
  return number < driver->count ? number : AQ_DEVICE_HOST;
}

/* The list of "amdgpu", "amdgpu:LIST" or "amdgpu://LIST"; else all of it. */
static const char *scheme_pass(const char *text)
{
  static const char scheme[] = "amdgpu";
  const size_t length = sizeof scheme - 1;
  if (strncmp(text, scheme, length) != 0)
    return text;
  const char *rest = text + length;
  if (strncmp(rest, "://", 3) == 0 && rest[3])
    return rest + 3;
  return *rest == ':' && rest[1] && rest[1] != '/' ? rest + 1
         : *rest                                   ? text
                                                   : rest;
}

aq_status aq_logical_device_select(const aq_driver *driver, const char *which,
                                   uint32_t queues, aq_logical_device **out,
                                   aq_diag *diag)
{
  which = which ? scheme_pass(which) : "";
  if (!*which)
    return aq_logical_device_open(driver, NULL, 0, queues, out, diag);
  uint32_t *numbers = calloc(strlen(which) + 1, sizeof *numbers), count = 0;
  if (!numbers)
    return aq_diag_no_memory(diag);
  aq_status status = AQ_OK;
  for (const char *at = which; at && status == AQ_OK; count++) {
    size_t length = strcspn(at, ",");
    numbers[count] = number_read(driver, at, length);
    if (numbers[count] == AQ_DEVICE_HOST)
      status =
          aq_diag_set(diag, AQ_ERR_INPUT,
                      "device '%.*s' of '%.80s'; expected a number less "
                      "than %u or a UUID, GPU-…, that begins one of them",
                      length < 80 ? (int)length : 80, at, which, driver->count);
    at = at[length] ? at + length + 1 : NULL;
  }
  if (status == AQ_OK)
    status = aq_logical_device_open(driver, numbers, count, queues, out, diag);
  free(numbers);
  return status;
}

void aq_logical_device_close(aq_logical_device *logical)
{
  free(logical);
}

uint32_t aq_logical_device_count(const aq_logical_device *logical)
{
  return logical->count;
}

const aq_physical_device *
aq_logical_device_physical(const aq_logical_device *logical, uint32_t physical)
{
  return physical < logical->count ? logical->devices[physical] : NULL;
}

/* ---- queues ---- */

static uint64_t bits_below(uint32_t count)
{
  return count < AQ_AFFINITY_BITS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

aq_queue_affinity aq_logical_device_affinity(const aq_logical_device *logical)
{
  return bits_below(logical->count * logical->queues);
}

aq_queue_affinity
aq_logical_device_affinity_of(const aq_logical_device *logical,
                              uint32_t physical)
{
  if (physical >= logical->count)
    return 0;
  return bits_below(logical->queues) << physical * logical->queues;
}

static aq_queue_place place_of(const aq_logical_device *logical, uint32_t bit)
{
  const uint32_t physical = bit / logical->queues;
  return (aq_queue_place){physical, logical->devices[physical]->device,
                          bit % logical->queues};
}

uint32_t aq_logical_device_bit(const aq_logical_device *logical,
                               const aq_queue_place *place)
{
  return place->physical * logical->queues + place->queue;
}

/* Queues at places of the physical device, and then at this place itself. */
static uint64_t load_of(const aq_logical_device *logical, uint32_t bit,
                        const uint32_t *used)
{
  const uint32_t first = bit / logical->queues * logical->queues;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < logical->queues; i++)
    sum += used[first + i];
  return sum << 32 | used[bit];
}

aq_status aq_logical_device_spread(const aq_logical_device *logical,
                                   aq_queue_affinity affinity,
                                   const uint32_t used[AQ_AFFINITY_BITS],
                                   aq_queue_place *out, aq_diag *diag)
{
  uint64_t there = affinity & aq_logical_device_affinity(logical);
  if (there == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue affinity %#llx; expected one of the %u queues",
                       (unsigned long long)affinity,
                       logical->count * logical->queues);
  uint32_t best = (uint32_t)__builtin_ctzll(there);
  for (; there; there &= there - 1) {
    const uint32_t bit = (uint32_t)__builtin_ctzll(there);
    if (load_of(logical, bit, used) < load_of(logical, best, used))
      best = bit;
  }
  *out = place_of(logical, best);
  return AQ_OK;
}

aq_status aq_logical_device_queue(const aq_logical_device *logical,
                                  aq_queue_affinity affinity,
                                  aq_queue_place *out, aq_diag *diag)
{
  static const uint32_t none[AQ_AFFINITY_BITS];
  return aq_logical_device_spread(logical, affinity, none, out, diag);
}

/* ---- topology ---- */

/* The transport's ordinal of an end of a link; false: it is not there. */
static bool end_of(const aq_logical_device *logical, uint32_t physical,
                   uint32_t *device)
{
  if (physical != AQ_DEVICE_HOST && physical >= logical->count)
    return false;
  *device = physical == AQ_DEVICE_HOST ? AQ_DEVICE_HOST
                                       : logical->devices[physical]->device;
  return true;
}

static const aq_link_info *link_find(const aq_driver *driver, uint32_t a,
                                     uint32_t b)
{
  for (uint32_t i = 0; i < driver->info.link_count; i++) {
    const aq_link_info *link = &driver->info.links[i];
    if ((link->a == a && link->b == b) || (link->a == b && link->b == a))
      return link;
  }
  return NULL;
}

aq_status aq_logical_device_link(const aq_logical_device *logical, uint32_t a,
                                 uint32_t b, aq_link_info *out, aq_diag *diag)
{
  uint32_t from, to;
  if (!end_of(logical, a, &from) || !end_of(logical, b, &to))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "link of devices %u and %u; expected less than %u, or "
                       "the host",
                       a, b, logical->count);
  const aq_link_info same = {.bandwidth = UINT64_MAX};
  const aq_link_info *link =
      from == to ? &same : link_find(logical->driver, from, to);
  if (!link)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "no link is known between devices %u and %u", from, to);
  *out = *link;
  if (from != to && link->a != from) {
    out->a_never_allowed = link->b_never_allowed;
    out->b_never_allowed = link->a_never_allowed;
  }
  out->a = a;
  out->b = b;
  return AQ_OK;
}

uint64_t aq_logical_device_access(const aq_logical_device *logical,
                                  uint32_t physical)
{
  uint64_t bits = 0;
  for (uint32_t i = 0; i < logical->count; i++) {
    const bool hidden =
        physical == AQ_DEVICE_HOST && logical->devices[i]->info->memory_hidden;
    aq_link_info link;
    if (!hidden &&
        aq_logical_device_link(logical, physical, i, &link, NULL) == AQ_OK &&
        !link.a_never_allowed)
      bits |= UINT64_C(1) << i;
  }
  return bits;
}
