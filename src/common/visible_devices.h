/* SPDX-License-Identifier: MIT */
/*
 * Which devices a process may see: the list that ROCR_VISIBLE_DEVICES holds,
 * read as ROCr reads it.
 *
 * Entries are separated by commas: an index (decimal, 0x… or 0…), or "GPU-" and
 * the first digits of a UUID that begin no other. The order of the entries is
 * the order of the devices. An entry that is no device, or a repeated one, ends
 * the list; so do as many entries as there are devices. An empty list shows
 * none. Pure functions.
 */
#ifndef AQ_COMMON_VISIBLE_DEVICES_H
#define AQ_COMMON_VISIBLE_DEVICES_H

#include "transport.h"

/* Puts the ordinals of the visible among `count` devices into `out`, which has
 * room for as many, and returns their number. NULL shows all. */
uint32_t aq_visible_devices(const char *list, const aq_device_info *devices,
                            uint32_t count, uint32_t *out);

/* The device whose UUID begins with the `length` bytes of a word, whatever
 * their case; AQ_DEVICE_HOST for none and for several. */
uint32_t aq_device_by_uuid(const char *word, size_t length,
                           const aq_device_info *devices, uint32_t count);

#endif
