/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/execution.h"

#include <stdlib.h>
#include <string.h>

enum {
  LANES = AQ_WAVE_LANES,
  VGPRS = 512, /* of a lane: 256 and as many AccVGPRs */
  LDS_MAX = 160 * 1024,
  /* kernel_code_properties */
  PRIVATE_BUFFER = 1 << 0,
  DISPATCH_PTR = 1 << 1,
  QUEUE_PTR = 1 << 2,
  KERNARG_PTR = 1 << 3,
  DISPATCH_ID = 1 << 4,
  FLAT_SCRATCH_INIT = 1 << 5,
  PRIVATE_SIZE = 1 << 6,
  /* compute_pgm_rsrc2 */
  RSRC2_SCRATCH = 1 << 0,
  RSRC2_GROUP_X = 1 << 7,
  RSRC2_GROUP_INFO = 1 << 10,
  RSRC2_ITEM_SHIFT = 11,
  RSRC1_MODE_SHIFT = 12, /* rounding and denormals, as in MODE */
  RSRC1_DX10_CLAMP = 1 << 21,
  RSRC1_IEEE = 1 << 23,
};

/* ---- sizes ---- */

static unsigned item_count(const aq_kernel_packet *packet)
{
  return (unsigned)packet->workgroup_size[0] * packet->workgroup_size[1] *
         packet->workgroup_size[2];
}

static bool resident_alloc(aq_wave_execution *e, aq_wave_resident *r)
{
  const size_t registers = (size_t)e->waves * VGPRS * LANES * sizeof(uint32_t);
  const size_t scratch = (size_t)e->waves * e->private_size * LANES;
  const size_t waves = e->waves * sizeof(aq_wave);
  r->waves = aligned_alloc(64, (waves + 63) & ~(size_t)63);
  r->registers = aligned_alloc(64, registers);
  r->lds = calloc(1, e->lds_size + 64);
  r->scratch = calloc(1, scratch + 64);
  return r->waves && r->registers && r->lds && r->scratch;
}

static void resident_free(aq_wave_resident *r)
{
  free(r->waves);
  free(r->registers);
  free(r->lds);
  free(r->scratch);
}

aq_status aq_wave_execution_setup(aq_wave_execution *e, unsigned residents,
                                  aq_diag *diag)
{
  const aq_kernel_packet *packet = &e->packet;
  memcpy(&e->kernel, (const void *)(uintptr_t)packet->kernel_object,
         sizeof e->kernel);
  e->target = e->program->decoder.target;
  e->lds_size = packet->group_segment_size;
  e->private_size = (packet->private_segment_size + 15u) & ~15u;
  if (e->kernel.properties & AQ_KERNEL_WAVE32 || e->lds_size > LDS_MAX)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel %s: expected waves of 64 lanes and a group "
                       "segment of at most %d bytes, found %u bytes",
                       e->desc.kernel, LDS_MAX, e->lds_size);
  if (e->kernel.kernarg_preload)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel %s: preloaded kernel arguments are not executed",
                       e->desc.kernel);
  e->groups = 1;
  for (unsigned i = 0; i < 3; i++) {
    e->group_counts[i] =
        (packet->grid_size[i] + packet->workgroup_size[i] - 1) /
        packet->workgroup_size[i];
    e->groups *= e->group_counts[i];
  }
  e->waves = (item_count(packet) + LANES - 1) / LANES;
  e->resident_count = e->groups < residents ? (unsigned)e->groups : residents;
  e->residents = calloc(e->resident_count, sizeof *e->residents);
  if (!e->residents)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for workgroups");
  return AQ_OK;
}

/* ---- initial registers ---- */

/* Sets the next SGPRs. */
static void sgprs_put(aq_wave *wave, unsigned *next, const void *value,
                      unsigned count)
{
  memcpy(&wave->s[*next], value, count * sizeof(uint32_t));
  *next += count;
}

static void user_sgprs_set(const aq_wave_execution *e, aq_wave *wave)
{
  const uint16_t properties = e->kernel.properties;
  const uint64_t dispatch = (uint64_t)(uintptr_t)&e->packet;
  const uint64_t queue = (uint64_t)(uintptr_t)e->desc.queue;
  const uint64_t scratch = (uint64_t)(uintptr_t)wave->scratch;
  /* A swizzled buffer over the wave's scratch: 4 bytes an element, 64 lanes. */
  const uint32_t resource[4] = {(uint32_t)scratch,
                                (uint32_t)(scratch >> 32 & 0xffff) | 1u << 31,
                                e->private_size * LANES, 0x00e80000};
  unsigned next = 0;
  if (properties & PRIVATE_BUFFER)
    sgprs_put(wave, &next, resource, 4);
  if (properties & DISPATCH_PTR)
    sgprs_put(wave, &next, &dispatch, 2);
  if (properties & QUEUE_PTR)
    sgprs_put(wave, &next, &queue, 2);
  if (properties & KERNARG_PTR)
    sgprs_put(wave, &next, &e->packet.kernarg_address, 2);
  if (properties & DISPATCH_ID)
    sgprs_put(wave, &next, &e->desc.dispatch_id, 2);
  if (properties & FLAT_SCRATCH_INIT)
    sgprs_put(wave, &next, &scratch, 2);
  if (properties & PRIVATE_SIZE)
    sgprs_put(wave, &next, &e->private_size, 1);
}

static void system_sgprs_set(const aq_wave_execution *e, aq_wave *wave,
                             const uint32_t group[3])
{
  enum { USER_SHIFT = 1, USER_MASK = 31 };
  const uint32_t rsrc2 = e->kernel.rsrc2, zero = 0;
  unsigned next = rsrc2 >> USER_SHIFT & USER_MASK;
  for (unsigned i = 0; i < 3; i++)
    if (rsrc2 & RSRC2_GROUP_X << i)
      sgprs_put(wave, &next, &group[i], 1);
  if (rsrc2 & RSRC2_GROUP_INFO)
    sgprs_put(wave, &next, &zero, 1);
  /* Scratch addresses are the wave's own: its offset is 0. */
  if (rsrc2 & RSRC2_SCRATCH)
    sgprs_put(wave, &next, &zero, 1);
}

/* Work-item ids, packed into one VGPR from gfx90a on, and the lanes that are
 * within the workgroup and the grid. */
static void lanes_set(const aq_wave_execution *e, aq_wave *wave,
                      const uint32_t group[3])
{
  enum { Y_SHIFT = 10, Z_SHIFT = 20 };
  const uint16_t *size = e->packet.workgroup_size;
  const unsigned ids = e->kernel.rsrc2 >> RSRC2_ITEM_SHIFT & 3;
  const bool packed = e->target & AQ_ISA_FROM_90A;
  uint64_t exec = 0;
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t flat = wave->number * LANES + lane;
    const uint32_t id[3] = {flat % size[0], flat / size[0] % size[1],
                            flat / ((uint32_t)size[0] * size[1])};
    bool on = flat < item_count(&e->packet);
    for (unsigned i = 0; i < 3; i++)
      on &= (uint64_t)group[i] * size[i] + id[i] < e->packet.grid_size[i];
    exec |= (uint64_t)on << lane;
    if (packed) {
      wave->v[lane] = id[0] | (ids >= 1 ? id[1] << Y_SHIFT : 0) |
                      (ids >= 2 ? id[2] << Z_SHIFT : 0);
      continue;
    }
    for (unsigned i = 0; i <= ids && i < 3; i++)
      wave->v[i * LANES + lane] = id[i];
  }
  aq_wave_pair_set(wave, AQ_ISA_EXEC, exec);
}

static void wave_begin(const aq_wave_execution *e, aq_wave_resident *r,
                       unsigned number, const uint32_t group[3])
{
  aq_wave *wave = &r->waves[number];
  const uint32_t rsrc1 = e->kernel.rsrc1;
  memset(wave, 0, sizeof *wave);
  wave->pc = e->packet.kernel_object + (uint64_t)e->kernel.entry_offset;
  wave->status = AQ_WAVE_RUNS;
  wave->mode = (rsrc1 >> RSRC1_MODE_SHIFT & 0xff) |
               (rsrc1 & RSRC1_DX10_CLAMP ? AQ_WAVE_DX10_CLAMP : 0) |
               (rsrc1 & RSRC1_IEEE ? AQ_WAVE_IEEE : 0);
  wave->v = r->registers + (size_t)number * VGPRS * LANES;
  wave->group = &r->group;
  wave->number = number;
  wave->scratch = r->scratch + (size_t)number * e->private_size * LANES;
  const uint64_t scratch = (uint64_t)(uintptr_t)wave->scratch;
  aq_wave_pair_set(wave, AQ_ISA_FLAT_SCRATCH, scratch);
  user_sgprs_set(e, wave);
  system_sgprs_set(e, wave, group);
  lanes_set(e, wave, group);
}

bool aq_wave_group_begin(aq_wave_execution *e, aq_wave_resident *r,
                         uint64_t number)
{
  if (!r->waves && !resident_alloc(e, r))
    return false;
  const uint32_t *counts = e->group_counts;
  const uint32_t group[3] = {
      (uint32_t)(number % counts[0]),
      (uint32_t)(number / counts[0] % counts[1]),
      (uint32_t)(number / ((uint64_t)counts[0] * counts[1]))};
  r->group = (aq_wave_group){.lds = r->lds,
                             .lds_size = e->lds_size,
                             .private_size = e->private_size,
                             .maps = e->maps};
  for (unsigned i = 0; i < e->waves; i++)
    wave_begin(e, r, i, group);
  return true;
}

bool aq_wave_execution_is_alive(const aq_wave_execution *e)
{
  for (unsigned i = 0; i < e->resident_count; i++)
    if (e->residents[i].occupied)
      return true;
  return e->next_group < e->groups;
}

void aq_wave_execution_end(aq_wave_execution *e)
{
  for (unsigned i = 0; e->residents && i < e->resident_count; i++)
    resident_free(&e->residents[i]);
  free(e->residents);
  free(e);
}
