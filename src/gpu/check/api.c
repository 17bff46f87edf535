/* SPDX-License-Identifier: MIT */
/* Calls of the host that break rules, and launches that disagree with the
 * metadata of their kernels. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/allocations.h"
#include "common/array.h"
#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"

/* ---- launches ---- */

/* The loader reads descriptors; bounds stand in the metadata. */
void aq_check_api_code(aq_check *check, uint64_t base, uint64_t bias,
                       const void *bytes, size_t size)
{
  aq_codeobj code;
  if (!(check->options.checks & AQ_CHECK_API) ||
      aq_codeobj_read(bytes, size, &code, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < code.kernel_count; i++) {
    const aq_code_kernel *k = &code.kernels[i];
    const aq_check_kernel made = {.object = k->address + bias,
                                  .base = base,
                                  .kernarg_size = k->kernarg_size,
                                  .kernarg_align = k->kernarg_align,
                                  .group_size = k->group_size,
                                  .workgroup_max = k->workgroup_max};
    if (k->has_metadata && k->has_descriptor &&
        !AQ_ARRAY_PUSH(check->kernels, check->kernel_count,
                       check->kernel_capacity, made))
      check->lost = true;
  }
  aq_codeobj_fini(&code);
}

void aq_check_api_code_gone(aq_check *check, uint64_t base)
{
  for (size_t i = 0; i < check->kernel_count; i++)
    if (check->kernels[i].base == base)
      check->kernels[i--] = check->kernels[--check->kernel_count];
}

static void bell_report(aq_check *check, const char *kind, const char *message,
                        void *const *called)
{
  const aq_check_what what = {.check = AQ_CHECK_API,
                              .kind = kind,
                              .lane = -1,
                              .other_kernel = -1,
                              .message = message,
                              .called = called};
  aq_check_report(check, &what);
}

void aq_check_api_publish(aq_check *check, const aq_amd_queue *queue,
                          uint64_t id)
{
  aq_check_call *call = &check->calls[check->call_count++ % AQ_CHECK_CALLS];
  *call = (aq_check_call){.queue = queue, .id = id};
  if (check->options.stack)
    check->options.stack(check->options.user, call->stack);
  const uint64_t write =
      __atomic_load_n(&queue->write_dispatch_id, __ATOMIC_ACQUIRE);
  if ((int64_t)(id - write) < 0)
    return;
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "a doorbell for packet %" PRIu64 " of queue %" PRIu64
           ", whose write index is %" PRIu64,
           id, queue->hsa.id, write);
  bell_report(check, "doorbell beyond the write index", text, call->stack);
}

void aq_check_unrung(aq_check *check, uint32_t queue, uint64_t packet)
{
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "packet %" PRIu64 " of queue %" PRIu32
           " was published, but no doorbell announced it: it did not execute",
           packet, queue);
  pthread_mutex_lock(&check->lock);
  if (check->options.checks & AQ_CHECK_API)
    bell_report(check, "missing doorbell", text, NULL);
  pthread_mutex_unlock(&check->lock);
}

/* The stack of the call that published a packet; NULL: it is forgotten. */
static void *const *call_find(const aq_check *check, const aq_amd_queue *queue,
                              uint64_t id)
{
  const aq_check_call *best = NULL;
  for (unsigned i = 0; i < AQ_CHECK_CALLS && i < check->call_count; i++) {
    const aq_check_call *c = &check->calls[i];
    if (c->queue == queue && c->id >= id && (!best || c->id < best->id))
      best = c;
  }
  return best ? best->stack : NULL;
}

static void launch_report(const aq_check_grid *grid, const char *kind,
                          const char *message, uint64_t address)
{
  const aq_check_what what = {.check = AQ_CHECK_API,
                              .kind = kind,
                              .grid = grid,
                              .act = grid->act,
                              .lane = -1,
                              .has_address = address != 0,
                              .has_place = address != 0,
                              .address = address,
                              .other_kernel = -1,
                              .called =
                                  call_find(grid->check, grid->grid->desc.queue,
                                            grid->grid->desc.dispatch_id),
                              .message = message};
  aq_check_report(grid->check, &what);
}

static void arguments_check(const aq_check_grid *grid,
                            const aq_check_kernel *kernel)
{
  const uint64_t at = aq_address_host(grid->grid->desc.packet->kernarg_address);
  const uint32_t size = kernel->kernarg_size, align = kernel->kernarg_align;
  const size_t i = aq_check_known_from(grid->check, at);
  const aq_check_known *k =
      i < grid->check->known_count ? &grid->check->known[i] : NULL;
  char text[AQ_CHECK_TEXT];
  if (size == 0)
    return;
  if (align > 1 && at % align != 0) {
    snprintf(text, sizeof text,
             "kernel arguments at 0x%" PRIx64
             "; expected a multiple of %" PRIu32 " bytes",
             at, align);
    launch_report(grid, "misaligned arguments", text, at);
  }
  if (!k || k->block.base > at || k->block.base + k->block.size >= at + size)
    return;
  snprintf(text, sizeof text,
           "%" PRIu64 " bytes of kernel arguments; the kernel has %" PRIu32,
           k->block.base + k->block.size - at, size);
  launch_report(grid, "arguments too short", text, at);
}

/* Waves of the kernel that the registers of a compute unit of gfx9 have room
 * for. */
static uint32_t waves_fit(const aq_wave_grid *grid)
{
  enum { SIMDS = 4 };
  const bool one_file = aq_wave_code_target(grid->code) & AQ_ISA_FROM_90A;
  const uint32_t granule = one_file ? 8 : 4, file = one_file ? 512 : 256,
                 waves_max = one_file ? 8 : 10,
                 wanted = ((grid->descriptor.rsrc1 & 63) + 1) * granule,
                 fit = file / wanted;
  return SIMDS * (fit < waves_max ? fit : waves_max);
}

static void occupancy_check(const aq_check_grid *grid)
{
  const aq_wave_grid *g = grid->grid;
  const uint32_t fit = waves_fit(g);
  char text[AQ_CHECK_TEXT];
  if (aq_wave_code_target(g->code) & AQ_ISA_RDNA || g->waves <= fit)
    return;
  snprintf(text, sizeof text,
           "a workgroup of %" PRIu32 " waves; a compute unit has registers for "
           "%" PRIu32 " of this kernel",
           g->waves, fit);
  launch_report(grid, "occupancy zero", text, 0);
}

void aq_check_api_launch(const aq_check_grid *grid)
{
  const aq_check *check = grid->check;
  const aq_kernel_packet *packet = grid->grid->desc.packet;
  const aq_check_kernel *kernel = NULL;
  char text[AQ_CHECK_TEXT];
  occupancy_check(grid);
  for (size_t i = 0; i < check->kernel_count && !kernel; i++)
    if (check->kernels[i].object == packet->kernel_object)
      kernel = &check->kernels[i];
  if (!kernel)
    return;
  arguments_check(grid, kernel);
  const uint32_t items = grid->grid->items;
  if (kernel->workgroup_max && items > kernel->workgroup_max) {
    snprintf(text, sizeof text,
             "a workgroup of %" PRIu32 " work-items; the kernel was compiled "
             "for at most %" PRIu32,
             items, kernel->workgroup_max);
    launch_report(grid, "launch bounds", text, 0);
  }
  if (packet->group_segment_size < kernel->group_size) {
    snprintf(text, sizeof text,
             "%" PRIu32 " bytes of LDS; the kernel has %" PRIu32,
             packet->group_segment_size, kernel->group_size);
    launch_report(grid, "LDS too small", text, 0);
  }
}

/* ---- calls ---- */

static void call_report(aq_check *check, const char *kind, const char *message,
                        uint64_t address, bool place)
{
  void *stack[AQ_CHECK_STACK] = {NULL};
  if (check->options.stack)
    check->options.stack(check->options.user, stack);
  const aq_check_what what = {.check = AQ_CHECK_API,
                              .kind = kind,
                              .lane = -1,
                              .has_address = true,
                              .has_place = place,
                              .address = address,
                              .other_kernel = -1,
                              .message = message,
                              .called = stack};
  aq_check_report(check, &what);
}

void aq_check_object_made(aq_check *check, uint64_t handle)
{
  pthread_mutex_lock(&check->lock);
  aq_map_remove(&check->gone, handle, NULL);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_object_gone(aq_check *check, uint64_t handle)
{
  pthread_mutex_lock(&check->lock);
  check->lost |= !aq_map_put(&check->gone, handle, 1);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_object_unknown(aq_check *check, const char *what, uint64_t handle)
{
  char text[AQ_CHECK_TEXT];
  pthread_mutex_lock(&check->lock);
  const aq_check_known *k = aq_check_known_near(check, handle);
  const bool block = k && k->block.base == handle && k->freed,
             twice = block || aq_map_get(&check->gone, handle, NULL);
  snprintf(text, sizeof text, "%s 0x%" PRIx64 " %s", what, handle,
           twice ? "was destroyed before" : "is none that exists");
  if (check->options.checks & AQ_CHECK_API)
    call_report(check,
                block   ? "double free"
                : twice ? "double destroy"
                        : "invalid destroy",
                text, handle, block);
  pthread_mutex_unlock(&check->lock);
}

/* A range of a copy or of a store that begins in an allocation has to end
 * there. */
void aq_check_api_range(aq_check *check, const char *packet, const char *verb,
                        uint64_t address, uint64_t size)
{
  static const char *const kinds[][2] = {
      {"copy out of bounds", "copy after free"},
      {"store out of bounds", "store after free"}};
  const size_t i = aq_check_known_from(check, address);
  const aq_check_known *k = i < check->known_count ? &check->known[i] : NULL;
  char text[AQ_CHECK_TEXT];
  if (!(check->options.checks & AQ_CHECK_API) || size == 0 || !k ||
      k->block.base > address)
    return;
  const uint64_t end = k->block.base + k->block.size;
  if (!k->freed && size <= end - address)
    return;
  snprintf(text, sizeof text, "%s%s %s %" PRIu64 " bytes at 0x%" PRIx64,
           packet ? "packet " : "a copy", packet ? packet : "", verb, size,
           address);
  call_report(check, kinds[packet != NULL][k->freed], text,
              k->freed ? address : end, true);
}
