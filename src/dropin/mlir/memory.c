/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "dropin/mlir/core.h"

/* ---- ranges ---- */

/* The number of the first range that begins behind an address. */
static size_t range_behind(const aq_mlir *m, const void *address)
{
  size_t low = 0, high = m->range_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((uintptr_t)m->ranges[middle].address <= (uintptr_t)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The range that has an address, or NULL. */
static aq_mlir_range *range_find(const aq_mlir *m, const void *address)
{
  const size_t at = range_behind(m, address);
  aq_mlir_range *range = at > 0 ? &m->ranges[at - 1] : NULL;
  return range && (uintptr_t)address - (uintptr_t)range->address < range->size
             ? range
             : NULL;
}

static aq_status range_add(aq_mlir *m, const aq_mlir_range *range,
                           aq_diag *diag)
{
  const size_t at = range_behind(m, range->address);
  if (!AQ_ARRAY_RESERVE(m->ranges, m->range_capacity, m->range_count + 1))
    return aq_diag_no_memory(diag);
  memmove(m->ranges + at + 1, m->ranges + at,
          (m->range_count++ - at) * sizeof *m->ranges);
  m->ranges[at] = *range;
  return AQ_OK;
}

static void range_remove(aq_mlir *m, const aq_mlir_range *range)
{
  const size_t at = (size_t)(range - m->ranges);
  memmove(m->ranges + at, m->ranges + at + 1,
          (--m->range_count - at) * sizeof *m->ranges);
}

/* ---- allocations ---- */

aq_status aq_mlir_memory_alloc(aq_mlir *m, uint32_t device, uint64_t size,
                               bool shared, void **out, aq_diag *diag)
{
  const aq_memory_kind kind = shared ? AQ_MEMORY_HOST : AQ_MEMORY_DEVICE;
  aq_mlir_range range = {.size = size, .device = device, .host = shared};
  void *memory;
  /* Frees what waited for marks that are reached now. A failed stream fails its
   * waiters, so its memory stays until the end. */
  size_t kept = 0;
  for (size_t i = 0; i < m->free_count; i++) {
    const aq_mlir_free *f = &m->frees[i];
    uint64_t value = 0;
    if (aq_semaphore_query(f->mark.stream->done, &value, NULL) == AQ_OK &&
        value >= f->mark.value)
      m->t->ops->mem_free(m->t, f->address);
    else
      m->frees[kept++] = *f;
  }
  m->free_count = kept;
  *out = NULL;
  if (size == 0)
    return AQ_OK;
  aq_status status =
      m->t->ops->mem_alloc(m->t, device, kind, size, &memory, diag);
  if (status != AQ_OK)
    return status;
  range.address = range.there = memory;
  status = range_add(m, &range, diag);
  if (status == AQ_OK)
    *out = memory;
  else
    m->t->ops->mem_free(m->t, memory);
  return status;
}

aq_status aq_mlir_memory_free(aq_mlir *m, void *address, aq_mlir_stream *stream,
                              aq_diag *diag)
{
  if (!address)
    return AQ_OK;
  aq_status status =
      stream ? AQ_OK : aq_mlir_all_wait(m, diag); /* may release the lock */
  const aq_mlir_range *range = range_find(m, address);
  if (status != AQ_OK)
    return status;
  if (!range || range->address != address || range->owners > 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "address %p was not allocated, or is free already",
                       address);
  if (!AQ_ARRAY_RESERVE(m->frees, m->free_capacity, m->free_count + 1))
    return aq_diag_no_memory(diag);
  range_remove(m, range);
  if (stream && stream->value > 0)
    m->frees[m->free_count++] =
        (aq_mlir_free){address, {stream, stream->value}};
  else
    m->t->ops->mem_free(m->t, address);
  return AQ_OK;
}

/* ---- registered memory ---- */

aq_status aq_mlir_register(aq_mlir *m, void *address, uint64_t size,
                           aq_diag *diag)
{
  aq_mlir_range *known = range_find(m, address);
  if (size == 0)
    return AQ_OK;
  if (known && known->host &&
      size <= known->size - (uint64_t)((char *)address - known->address)) {
    known->owners += known->owners > 0;
    return AQ_OK;
  }
  if (known)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "address %p lies in memory of a device, or a smaller "
                       "range is registered there",
                       address);
  aq_mlir_range range = {
      .address = address, .size = size, .host = true, .owners = 1};
  aq_status status =
      m->t->ops->mem_lock(m->t, address, size, &range.there, diag);
  if (status != AQ_OK)
    return status;
  status = range_add(m, &range, diag);
  if (status != AQ_OK)
    m->t->ops->mem_unlock(m->t, address);
  return status;
}

aq_status aq_mlir_unregister(aq_mlir *m, void *address, aq_diag *diag)
{
  aq_mlir_range *range = range_find(m, address);
  if (!range || !range->host)
    return aq_diag_set(diag, AQ_ERR_INVALID, "address %p is not registered",
                       address);
  if (range->owners == 0 || --range->owners > 0)
    return AQ_OK;
  aq_status status = aq_mlir_all_wait(m, diag); /* kernels may use it */
  range = range_find(m, address);
  if (status != AQ_OK || !range)
    return status;
  m->t->ops->mem_unlock(m->t, range->address);
  range_remove(m, range);
  return AQ_OK;
}

aq_status aq_mlir_device_address(aq_mlir *m, void *address, void **out,
                                 aq_diag *diag)
{
  const aq_mlir_range *range = range_find(m, address);
  if (!range)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "address %p is neither registered (gpu.host_register) "
                       "nor allocated for a device",
                       address);
  *out = (char *)range->there + ((char *)address - range->address);
  return AQ_OK;
}

/* ---- transfers ---- */

/* The device that moves the bytes: where they go to, else where they come
 * from. */
static aq_copy_path path_find(const aq_mlir *m, const void *to,
                              const void *from, uint32_t *device)
{
  const aq_mlir_range *t = range_find(m, to), *f = range_find(m, from);
  const bool to_device = t && !t->host, from_device = f && !f->host;
  *device = to_device ? t->device : from_device ? f->device : 0;
  if (!to_device || !from_device)
    return AQ_PATH_HOST;
  return t->device == f->device ? AQ_PATH_OWN : AQ_PATH_PEER;
}

aq_status aq_mlir_copy(aq_mlir *m, void *to, const void *from, uint64_t size,
                       aq_mlir_stream *stream, aq_diag *diag)
{
  aq_mlir_stream *s;
  uint32_t device;
  aq_copy copy = {.target = to, .source = from, .size = size};
  copy.path = path_find(m, to, from, &device);
  if (size == 0 || to == from)
    return AQ_OK;
  aq_status status = aq_mlir_stream_enter(m, stream, device, &s, diag);
  if (status != AQ_OK)
    return status;
  const aq_point done = aq_mlir_stream_next(s);
  const aq_sync sync = {.signals = &done, .signal_count = 1};
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_COPY;
  row.bytes = (int64_t)size;
  aq_mlir_records_note(&s->q->records, &row, "copy");
  status = aq_queue_copy(s->q->queue, &sync, &copy, diag);
  if (status != AQ_OK)
    aq_mlir_records_drop(&s->q->records);
  return aq_mlir_stream_leave(m, s, stream, status, diag);
}

aq_status aq_mlir_fill(aq_mlir *m, void *to, uint32_t value, uint32_t width,
                       uint64_t count, aq_mlir_stream *stream, aq_diag *diag)
{
  aq_mlir_stream *s;
  uint32_t device;
  const aq_fill fill = {.target = to,
                        .size = count * width,
                        .pattern = value,
                        .pattern_size = width};
  path_find(m, to, to, &device);
  if (count == 0)
    return AQ_OK;
  aq_status status = aq_mlir_stream_enter(m, stream, device, &s, diag);
  if (status != AQ_OK)
    return status;
  const aq_point done = aq_mlir_stream_next(s);
  const aq_sync sync = {.signals = &done, .signal_count = 1};
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_FILL;
  row.bytes = (int64_t)fill.size;
  aq_mlir_records_note(&s->q->records, &row, "fill");
  status = aq_queue_fill(s->q->queue, &sync, &fill, diag);
  if (status != AQ_OK)
    aq_mlir_records_drop(&s->q->records);
  return aq_mlir_stream_leave(m, s, stream, status, diag);
}

/* ---- the end ---- */

/* The transport frees its memory itself. */
void aq_mlir_memory_fini(aq_mlir *m)
{
  free(m->ranges);
  free(m->frees);
}
