/* SPDX-License-Identifier: MIT */
/* The registers that a wave begins with, as its kernel's descriptor asks. */
#include "config.h"

#include "gpu/wave/grid/wave_init.h"

#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/core/buffer.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/lanes.h"
#include "gpu/wave/core/mode.h"

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
  const uint8_t *bytes = aq_wave_translate(w->grid, from, 4 * words, false);
  for (unsigned i = 0; bytes && i < words; i++) {
    uint32_t word;
    memcpy(&word, bytes + 4 * i, 4);
    put(w, next, word, 1);
  }
}

static void system_registers(aq_wave *w, uint32_t rsrc2, unsigned next)
{
  if (w->grid->begun.ids_apart) {
    w->s[AQ_ISA_TTMP0 + 9] = w->group->id[0];
    w->s[AQ_ISA_TTMP0 + 7] = w->group->id[1] | w->group->id[2] << 16;
  } else {
    const uint32_t *id = w->group->id;
    if (rsrc2 >> 7 & 1)
      w->s[next++] = id[0];
    if (rsrc2 >> 8 & 1)
      w->s[next++] = id[1];
    if (rsrc2 >> 9 & 1)
      w->s[next++] = id[2];
  }
  if (rsrc2 >> 10 & 1)
    w->s[next++] = (uint32_t)(w->number == 0) << 31 | w->grid->waves;
  if (rsrc2 & 1)
    w->s[next++] = 0; /* each wave's private memory begins at 0 */
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

/* How the numbers lie in registers. */
typedef enum items_form { PACKED = 1, HAS_Y = 2, HAS_Z = 4 } items_form;

static void items_make(const aq_wave *w, aq_wave_items *items)
{
  uint32_t x[AQ_WAVE_LANES], y[AQ_WAVE_LANES], z[AQ_WAVE_LANES];
  const uint32_t *size = items->size, lanes = w->grid->lanes;
  const uint32_t count = size[0] * size[1] * size[2],
                 left = count > items->first ? count - items->first : 0;
  const bool has_y = items->form & HAS_Y, has_z = items->form & HAS_Z;
  items->exec = left >= AQ_WAVE_LANES && lanes == AQ_WAVE_LANES
                    ? UINT64_MAX
                    : ((uint64_t)1 << (left < lanes ? left : lanes)) - 1;
  items_number(size, items->first, x, y, z);
  if (items->form & PACKED) {
    AQ_EACH_LANE(l)
    items->rows[0][l] =
        x[l] | (has_y ? y[l] << 10 : 0) | (has_z ? z[l] << 20 : 0);
    return;
  }
  memcpy(items->rows[0], x, sizeof x);
  memcpy(items->rows[1], y, sizeof y);
  memcpy(items->rows[2], z, sizeof z);
}

/* A wave mostly begins with the numbers of its last beginning. */
static void item_registers(aq_wave *w)
{
  aq_wave_items *items = &w->items;
  const uint32_t *size = w->group->size;
  const uint32_t first = w->number * w->grid->lanes, form = w->grid->begun.form;
  if (((items->size[0] ^ size[0]) | (items->size[1] ^ size[1]) |
       (items->size[2] ^ size[2]) | (items->first ^ first) |
       (items->form ^ form) | (items->lanes ^ w->grid->lanes)) != 0) {
    memcpy(items->size, size, sizeof items->size);
    items->first = first;
    items->form = form;
    items->lanes = w->grid->lanes;
    items_make(w, items);
  }
  AQ_WAVE_EXEC(w) = items->exec;
  memcpy(w->v[0], items->rows[0], sizeof items->rows[0]);
  if (form & PACKED)
    return;
  if (form & HAS_Y)
    memcpy(w->v[1], items->rows[1], sizeof items->rows[1]);
  if (form & HAS_Z)
    memcpy(w->v[2], items->rows[2], sizeof items->rows[2]);
}

/* ---- waves ---- */

/* A copy's length, if the compiler knows it, makes a slow `rep movs`. */
static inline size_t scalars_size(const aq_wave *w)
{
  size_t size = sizeof w->s;
  __asm__("" : "+r"(size));
  return size;
}

/* Scalars that do not depend on the workgroup. The scalars of one wave
 * serve the others too, unless private memory, which has an address of its own,
 * or arguments in memory, which may change, are among them. */
static void user_scalars(aq_wave *w)
{
  const aq_kernel_descriptor *descriptor = &w->grid->descriptor;
  aq_wave_initial_regs *begun = &w->grid->begun;
  unsigned next = 0;
  if (begun->kept) {
    memcpy(w->s, begun->s, scalars_size(w));
    return;
  }
  memset(w->s, 0, scalars_size(w));
  user_registers(w, descriptor, &next);
  preloaded_arguments(w, descriptor, &next);
  if ((descriptor->properties & ENABLE_PRIVATE_BUFFER && w->scratch_size) ||
      (descriptor->kernarg_preload & 0x7f))
    return;
  memcpy(begun->s, w->s, scalars_size(w));
  begun->kept = true;
}

static void begun_make(const aq_wave *w, aq_wave_initial_regs *begun)
{
  const aq_kernel_descriptor *descriptor = &w->grid->descriptor;
  const uint16_t target = aq_wave_code_target(w->grid->code);
  const unsigned dimensions = (descriptor->rsrc2 >> 11 & 3) + 1;
  const bool packed = target & (AQ_ISA_FROM_90A | AQ_ISA_FROM_GFX11);
  begun->mode = descriptor->rsrc1 >> 12 & 0xff;
  if (target & AQ_ISA_GFX12)
    begun->mode |= AQ_WAVE_MODE_DX10_CLAMP; /* it can do nothing else */
  else
    begun->mode |=
        (descriptor->rsrc1 >> 21 & 1) << 8 | (descriptor->rsrc1 >> 23 & 1) << 9;
  begun->form = (packed ? PACKED : 0) | (dimensions > 1 ? HAS_Y : 0) |
                (dimensions > 2 ? HAS_Z : 0);
  begun->ids_apart = target & AQ_ISA_GFX12;
  begun->made = true;
}

void aq_wave_start(aq_wave *w)
{
  aq_wave_initial_regs *begun = &w->grid->begun;
  const uint32_t rsrc2 = w->grid->descriptor.rsrc2;
  if (!begun->made)
    begun_make(w, begun);
  w->scc = 0;
  w->mode = begun->mode;
  w->pc = w->grid->entry;
  w->resumed = 0;
  w->issued = 0;
  w->clock_reads = 0;
  w->arrived = w->passed = 0;
  w->index_on = false;
  w->banks = 0;
  w->wave32 = w->grid->lanes == 32;
  w->state = AQ_WAVE_RUNS;
  user_scalars(w);
  system_registers(w, rsrc2, rsrc2 >> 1 & 31);
  item_registers(w);
}

/* ---- workgroups ---- */

/* The id of a workgroup; after the one before it without divisions. It is
 * computed in registers: a host waits long for words that were stored apart and
 * are loaded as one. */
static void group_id(aq_wave_grid *grid, uint64_t number, uint32_t out[3])
{
  const uint32_t *groups = grid->groups;
  uint32_t x = grid->started_id[0], y = grid->started_id[1],
           z = grid->started_id[2];
  if (number == grid->started + 1) {
    const bool ends = ++x == groups[0];
    x = ends ? 0 : x;
    y += ends;
    z += ends && y == groups[1];
    y = y == groups[1] ? 0 : y;
    z = z == groups[2] ? 0 : z;
  } else {
    x = (uint32_t)(number % groups[0]);
    y = (uint32_t)(number / groups[0] % groups[1]);
    z = (uint32_t)(number / groups[0] / groups[1]);
  }
  grid->started = number;
  grid->started_id[0] = out[0] = x;
  grid->started_id[1] = out[1] = y;
  grid->started_id[2] = out[2] = z;
}

/* The size of a workgroup: the last ones of a grid may be smaller. */
static void group_size(const aq_wave_grid *grid, aq_wave_group *group)
{
  const aq_kernel_packet *packet = grid->desc.packet;
  for (int i = 0; i < 3; i++) {
    const uint32_t left = packet->grid_size[i] - group->id[i] * grid->size[i];
    group->size[i] = left < grid->size[i] ? left : grid->size[i];
  }
}

void aq_wave_start_group(aq_wave_group *group, uint64_t number)
{
  group_id(group->grid, number, group->id);
  group_size(group->grid, group);
}
