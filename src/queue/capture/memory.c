/* SPDX-License-Identifier: MIT */
/* Memory that a capture knows, and places in it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "queue/capture/digest.h"
#include "queue/capture/recorder.h"

/* ---- by address ---- */

/* The first of the sorted ones that lies above an address. */
static uint32_t sorted_above(const aq_capture *capture, uint64_t address)
{
  uint32_t low = 0, high = capture->sorted_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const aq_cap_known *m = &capture->memory[capture->sorted[middle]];
    if ((uintptr_t)m->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const aq_cap_known *aq_cap_memory_at(const aq_capture *capture,
                                     uint64_t address, uint32_t *number)
{
  const uint32_t above = sorted_above(capture, address);
  if (above == 0)
    return NULL;
  *number = capture->sorted[above - 1];
  const aq_cap_known *m = &capture->memory[*number];
  return address - (uintptr_t)m->address < m->size ? m : NULL;
}

void aq_cap_memory_place(aq_capture *capture, uint32_t number, void *address)
{
  aq_cap_known *m = &capture->memory[number];
  const uint64_t first = (uintptr_t)address;
  const uint32_t next = sorted_above(capture, first);
  uint32_t other;
  if (aq_cap_memory_at(capture, first, &other) ||
      (next < capture->sorted_count &&
       (uintptr_t)capture->memory[capture->sorted[next]].address - first <
           m->size)) {
    aq_cap_fail(capture, AQ_ERR_INVALID,
                "memory at %p overlaps other memory that it knows", address);
    return;
  }
  memmove(capture->sorted + next + 1, capture->sorted + next,
          (capture->sorted_count - next) * sizeof *capture->sorted);
  capture->sorted[next] = number;
  capture->sorted_count++;
  m->address = address;
  m->there = true;
}

uint32_t aq_cap_memory_add(aq_capture *capture, const aq_cap_known *memory)
{
  const uint32_t number = capture->memory_count;
  if (!AQ_ARRAY_RESERVE(capture->sorted, capture->sorted_capacity,
                        number + 1) ||
      !AQ_ARRAY_RESERVE(capture->memory, capture->memory_capacity,
                        number + 1)) {
    aq_cap_no_memory(capture);
    return AQ_CAP_NONE;
  }
  capture->memory[number] = *memory;
  capture->memory[number].there = false;
  capture->memory_count++;
  if (memory->address)
    aq_cap_memory_place(capture, number, memory->address);
  return number;
}

void aq_cap_memory_drop(aq_capture *capture, uint32_t number)
{
  for (uint32_t i = 0; i < capture->sorted_count; i++)
    if (capture->sorted[i] == number) {
      capture->sorted_count--;
      memmove(capture->sorted + i, capture->sorted + i + 1,
              (capture->sorted_count - i) * sizeof *capture->sorted);
      capture->memory[number].there = false;
      return;
    }
}

aq_cap_place aq_cap_place_of(aq_capture *capture, const void *address,
                             uint64_t size, const char *what)
{
  uint32_t number;
  const uint64_t at = (uintptr_t)address;
  const aq_cap_known *m = aq_cap_memory_at(capture, at, &number);
  const uint64_t offset = m ? at - (uintptr_t)m->address : 0;
  if (!m || size > m->size - offset)
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "%s: %llu bytes at %p are not in memory that it knows", what,
                (unsigned long long)size, address);
  else if (m->policy == AQ_CAPTURE_FAIL)
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "%s: memory %u is not to be captured", what, number);
  else
    return (aq_cap_place){number, 0, offset, size};
  return (aq_cap_place){.memory = AQ_CAP_NONE};
}

/* ---- names by the application ---- */

static void bytes_put(aq_capture *capture, const aq_capture_memory *m,
                      uint64_t offset, uint64_t size)
{
  static const unsigned char zeros[8];
  aq_cap_bytes *out = &capture->out;
  aq_diag diag = AQ_DIAG_INIT;
  const unsigned char *from = (const unsigned char *)m->address + offset;
  for (uint64_t at = 0; at < size && capture->status == AQ_OK;) {
    unsigned char chunk[4096];
    const uint64_t part = size - at < sizeof chunk ? size - at : sizeof chunk;
    const aq_status status = aq_capture_move(
        capture->transport, m->device, m->kind, chunk, from + at, part, &diag);
    if (status != AQ_OK)
      aq_cap_fail(capture, status, "%s", diag.text);
    aq_cap_put(capture, chunk, part);
    at += part;
  }
  aq_cap_put(capture, zeros, aq_cap_round(out->size) - out->size);
}

static bool ranges_are_good(const aq_capture_memory *m)
{
  for (uint32_t i = 0; i < m->range_count; i++)
    if (m->ranges[i].offset > m->size ||
        m->ranges[i].size > m->size - m->ranges[i].offset)
      return false;
  return m->policy == AQ_CAPTURE_RANGES || m->range_count == 0;
}

static void memory_put(aq_capture *capture, const aq_capture_memory *m,
                       uint32_t number)
{
  const aq_capture_range all = {0, m->size};
  const aq_capture_range *ranges =
      m->policy == AQ_CAPTURE_ALL ? &all : m->ranges;
  const uint32_t name_size = m->name ? (uint32_t)strlen(m->name) : 0;
  const aq_cap_memory head = {
      .size = m->size,
      .kind = m->kind,
      .device = m->device,
      .policy = m->policy,
      .name_size = name_size,
      .range_count = m->policy == AQ_CAPTURE_ALL ? 1 : m->range_count};
  static const unsigned char zeros[8];
  const size_t at = aq_cap_open(capture, AQ_CAP_MEMORY);
  aq_cap_put(capture, &head, sizeof head);
  aq_cap_put(capture, m->name, name_size);
  aq_cap_put(capture, zeros, aq_cap_round(name_size) - name_size);
  for (uint32_t i = 0; i < head.range_count; i++) {
    const aq_cap_place place = {number, 0, ranges[i].offset, ranges[i].size};
    aq_cap_put(capture, &place, sizeof place);
    bytes_put(capture, m, place.offset, place.size);
  }
  aq_cap_close(capture, at);
}

void aq_capture_add_memory(aq_capture *capture, const aq_capture_memory *m)
{
  pthread_mutex_lock(&capture->lock);
  if (!m->address || m->size == 0 || m->size > UINT64_C(1) << 47 ||
      (unsigned)m->policy >= AQ_CAPTURE_POLICIES ||
      (unsigned)m->kind > AQ_MEMORY_DEVICE || !ranges_are_good(m))
    aq_cap_fail(capture, AQ_ERR_INVALID,
                "memory of %llu bytes at %p: policy, kind or ranges are wrong",
                (unsigned long long)m->size, m->address);
  if (capture->status == AQ_OK) {
    if (m->device >= capture->devices)
      capture->devices = m->device + 1;
    const uint32_t number = aq_cap_memory_add(
        capture, &(aq_cap_known){m->address, m->size, m->kind, m->device,
                                 m->policy, false});
    memory_put(capture, m, number);
  }
  pthread_mutex_unlock(&capture->lock);
}

void aq_capture_drop_memory(aq_capture *capture, const void *address)
{
  uint32_t number;
  pthread_mutex_lock(&capture->lock);
  const aq_cap_known *m =
      aq_cap_memory_at(capture, (uintptr_t)address, &number);
  if (!m || m->address != address)
    aq_cap_fail(capture, AQ_ERR_INVALID, "memory at %p is not known", address);
  else
    aq_cap_memory_drop(capture, number);
  pthread_mutex_unlock(&capture->lock);
}

void aq_capture_wrote(aq_capture *capture, const void *address, uint64_t size)
{
  pthread_mutex_lock(&capture->lock);
  const aq_cap_place place =
      aq_cap_place_of(capture, address, size, "host write");
  if (capture->status == AQ_OK) {
    const aq_cap_known *known = &capture->memory[place.memory];
    const aq_capture_memory m = {.address = known->address,
                                 .kind = known->kind,
                                 .device = known->device};
    const size_t at = aq_cap_open(capture, AQ_CAP_HOST_WRITE);
    aq_cap_put(capture, &place, sizeof place);
    bytes_put(capture, &m, place.offset, size);
    aq_cap_close(capture, at);
  }
  pthread_mutex_unlock(&capture->lock);
}
