/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "visible_devices.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  UUID_LEAST = 5, /* "GPU-" and one digit */
  WORD_MAX = 20,  /* a whole UUID; indices are shorter */
};

uint32_t aq_device_by_uuid(const char *word, size_t length,
                           const aq_device_info *devices, uint32_t count)
{
  uint32_t found = AQ_DEVICE_HOST;
  if (length < UUID_LEAST || length > WORD_MAX)
    return AQ_DEVICE_HOST;
  for (uint32_t i = 0; i < count; i++) {
    if (!devices[i].uuid || strlen(devices[i].uuid) < length ||
        strncasecmp(devices[i].uuid, word, length) != 0)
      continue;
    if (found != AQ_DEVICE_HOST)
      return AQ_DEVICE_HOST;
    found = i;
  }
  return found;
}

static uint32_t device_by_index(const char *word, size_t length, uint32_t count)
{
  char text[WORD_MAX + 1], *end;
  if (length == 0 || length > WORD_MAX)
    return AQ_DEVICE_HOST;
  memcpy(text, word, length);
  text[length] = 0;
  long index = strtol(text, &end, 0);
  return *end || index < 0 || index >= (long)count ? AQ_DEVICE_HOST
                                                   : (uint32_t)index;
}

/* The next entry of a list, without spaces around it. */
static const char *entry_take(const char **list, size_t *length)
{
  const char *word = *list;
  size_t all = strcspn(word, ",");
  *list = word[all] ? word + all + 1 : NULL;
  while (all > 0 && isspace((unsigned char)*word))
    word++, all--;
  while (all > 0 && isspace((unsigned char)word[all - 1]))
    all--;
  *length = all;
  return word;
}

static bool is_among(uint32_t device, const uint32_t *devices, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (devices[i] == device)
      return true;
  return false;
}

uint32_t aq_visible_devices(const char *list, const aq_device_info *devices,
                            uint32_t count, uint32_t *out)
{
  uint32_t visible = 0;
  if (!list) {
    for (; visible < count; visible++)
      out[visible] = visible;
    return visible;
  }
  while (list && visible < count) {
    size_t length;
    const char *word = entry_take(&list, &length);
    bool uuid = length > 0 && (*word == 'G' || *word == 'g');
    uint32_t device = uuid ? aq_device_by_uuid(word, length, devices, count)
                           : device_by_index(word, length, count);
    if (device == AQ_DEVICE_HOST || is_among(device, out, visible))
      break;
    out[visible++] = device;
  }
  return visible;
}
