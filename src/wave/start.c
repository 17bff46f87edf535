/* SPDX-License-Identifier: MIT */
/* The registers that a wave begins with, as its kernel's descriptor asks. */
#include "config.h"

#include "codeobj/descriptor.h"
#include "wave/buffer.h"
#include "wave/code.h"
#include "wave/grid.h"
#include "wave/lanes.h"
#include "wave/mode.h"

enum {
  ENABLE_PRIVATE_BUFFER = 1 << 0,
  ENABLE_DISPATCH_PTR = 1 << 1,
  ENABLE_QUEUE_PTR = 1 << 2,
  ENABLE_KERNARG_PTR = 1 << 3,
  ENABLE_DISPATCH_ID = 1 << 4,
  ENABLE_FLAT_SCRATCH = 1 << 5,
  ENABLE_PRIVATE_SIZE = 1 << 6,
};

/* Appends words to the user registers. */
static void put(aq_wave *w, unsigned *next, uint64_t value, unsigned words)
{
  for (unsigned i = 0; i < words && *next < AQ_ISA_VCC; i++)
    w->s[(*next)++] = (uint32_t)(value >> (32 * i));
}

static void private_buffer(aq_wave *w, unsigned *next)
{
  const uint32_t swizzle = 1u << 31;
  const uint64_t base = aq_wave_private_base(w);
  put(w, next, base, 1);
  put(w, next, (uint32_t)(base >> 32) | swizzle, 1);
  put(w, next, UINT32_MAX, 1);
  put(w, next, AQ_WAVE_PRIVATE_WORD3, 1);
}

static void user_registers(aq_wave *w, const aq_kernel_descriptor *descriptor,
                           unsigned *next)
{
  const aq_execution_desc *desc = &w->grid->desc;
  const unsigned wants = descriptor->properties;
  const unsigned count = descriptor->rsrc2 >> 1 & 31;
  if (desc->registers) {
    const uint32_t *user = desc->registers->user_data;
    for (unsigned i = 0; i < count && i < 16; i++)
      put(w, next, user[i], 1);
    return;
  }
  if (wants & ENABLE_PRIVATE_BUFFER)
    private_buffer(w, next);
  if (wants & ENABLE_DISPATCH_PTR)
    put(w, next, (uintptr_t)desc->packet, 2);
  if (wants & ENABLE_QUEUE_PTR)
    put(w, next, (uintptr_t)desc->queue, 2);
  if (wants & ENABLE_KERNARG_PTR)
    put(w, next, desc->packet->kernarg_address, 2);
  if (wants & ENABLE_DISPATCH_ID)
    put(w, next, desc->dispatch_id, 2);
  if (wants & ENABLE_FLAT_SCRATCH)
    put(w, next, 0, 2);
  if (wants & ENABLE_PRIVATE_SIZE)
    put(w, next, w->scratch_size, 1);
}

/* Kernel arguments that the hardware loads before the kernel begins. */
static void preloaded_arguments(aq_wave *w,
                                const aq_kernel_descriptor *descriptor,
                                unsigned *next)
{
  const unsigned words = descriptor->kernarg_preload & 0x7f,
                 first = descriptor->kernarg_preload >> 7;
  if (words == 0)
    return;
  const uint64_t from =
      w->grid->desc.packet->kernarg_address + 4 * (uint64_t)first;
  const uint8_t *bytes = aq_wave_reach(w->grid, from, 4 * words, false);
  for (unsigned i = 0; bytes && i < words; i++) {
    uint32_t word;
    memcpy(&word, bytes + 4 * i, 4);
    put(w, next, word, 1);
  }
}

static void system_registers(aq_wave *w, uint32_t rsrc2, unsigned next)
{
  if (aq_wave_code_target(w->grid->code) & AQ_ISA_GFX1200) {
    w->s[AQ_ISA_TTMP0 + 9] = w->group->id[0];
    w->s[AQ_ISA_TTMP0 + 7] = w->group->id[1] | w->group->id[2] << 16;
  } else {
    for (unsigned i = 0; i < 3; i++)
      if (rsrc2 >> (7 + i) & 1)
        put(w, &next, w->group->id[i], 1);
  }
  if (rsrc2 >> 10 & 1)
    put(w, &next, (uint32_t)(w->number == 0) << 31 | w->grid->waves, 1);
  if (rsrc2 & 1)
    put(w, &next, 0, 1); /* each wave's private memory begins at 0 */
}

/* The size of a workgroup: the last ones of a grid may be smaller. */
static void group_size(const aq_wave *w, uint32_t size[3])
{
  const aq_kernel_packet *packet = w->grid->desc.packet;
  for (int i = 0; i < 3; i++) {
    const uint32_t full = packet->workgroup_size[i],
                   left = packet->grid_size[i] - w->group->id[i] * full;
    size[i] = left < full ? left : full;
  }
}

/* Numbers of the lanes' work-items, from the one that is `first` of the
 * workgroup on. */
static void items_number(const uint32_t size[3], uint32_t first,
                         uint32_t x[AQ_WAVE_LANES], uint32_t y[AQ_WAVE_LANES],
                         uint32_t z[AQ_WAVE_LANES])
{
  uint32_t ix = first % size[0], iy = first / size[0] % size[1],
           iz = first / size[0] / size[1];
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    x[l] = ix;
    y[l] = iy;
    z[l] = iz;
    ix++;
    iy += ix == size[0];
    ix = ix == size[0] ? 0 : ix;
    iz += iy == size[1];
    iy = iy == size[1] ? 0 : iy;
  }
}

static void item_registers(aq_wave *w, uint32_t rsrc2)
{
  uint32_t size[3];
  group_size(w, size);
  const uint32_t items = size[0] * size[1] * size[2];
  const uint32_t lanes = w->grid->lanes, first = w->number * lanes;
  const uint32_t left = items > first ? items - first : 0;
  const bool packed = aq_wave_code_target(w->grid->code) &
                      (AQ_ISA_FROM_90A | AQ_ISA_FROM_GFX11);
  const unsigned dimensions = (rsrc2 >> 11 & 3) + 1;
  AQ_WAVE_EXEC(w) = left >= AQ_WAVE_LANES && lanes == AQ_WAVE_LANES
                        ? UINT64_MAX
                        : ((uint64_t)1 << (left < lanes ? left : lanes)) - 1;
  if (size[1] * size[2] == 1 && (packed || dimensions == 1)) {
    AQ_EACH_LANE(l) w->v[0][l] = first + (uint32_t)l;
    return;
  }
  uint32_t x[AQ_WAVE_LANES], y[AQ_WAVE_LANES], z[AQ_WAVE_LANES];
  items_number(size, first, x, y, z);
  const uint32_t has_y = dimensions > 1, has_z = dimensions > 2;
  if (packed) {
    AQ_EACH_LANE(l)
    w->v[0][l] = x[l] | (has_y ? y[l] << 10 : 0) | (has_z ? z[l] << 20 : 0);
    return;
  }
  memcpy(w->v[0], x, sizeof x);
  if (has_y)
    memcpy(w->v[1], y, sizeof y);
  if (has_z)
    memcpy(w->v[2], z, sizeof z);
}

void aq_wave_start(aq_wave *w)
{
  const aq_kernel_descriptor *descriptor = &w->grid->descriptor;
  unsigned next = 0;
  size_t size = sizeof w->s;
  __asm__("" : "+r"(size)); /* known, it is a slow `rep stos` */
  memset(w->s, 0, size);
  w->scc = 0;
  w->mode = descriptor->rsrc1 >> 12 & 0xff;
  if (aq_wave_code_target(w->grid->code) & AQ_ISA_GFX1200)
    w->mode |= AQ_WAVE_MODE_DX10_CLAMP; /* it can do nothing else */
  else
    w->mode |=
        (descriptor->rsrc1 >> 21 & 1) << 8 | (descriptor->rsrc1 >> 23 & 1) << 9;
  w->pc = w->grid->entry;
  w->issued = 0;
  w->arrived = w->passed = 0;
  w->index_on = false;
  w->wave32 = w->grid->lanes == 32;
  w->state = AQ_WAVE_RUNS;
  user_registers(w, descriptor, &next);
  preloaded_arguments(w, descriptor, &next);
  system_registers(w, descriptor->rsrc2, descriptor->rsrc2 >> 1 & 31);
  item_registers(w, descriptor->rsrc2);
}
