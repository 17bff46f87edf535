/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/page_fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/wave/core/address_translate.h"

enum { LONGEST = 16 /* bytes of a lane's access */ };

/* The first lane that accesses the page of an address by a 64-bit address of
 * its own, and its first byte there: the host may touch lanes in any order. -1:
 * unknown, since other addresses have more parts. */
static int lane_find(const aq_wave *w, const aq_wave_op *o, uint64_t *address)
{
  const aq_wave_decoded *more = o->decoded;
  const uint8_t encoding = more->inst.row->encoding;
  const uint64_t bytes = more->bytes ? more->bytes : LONGEST,
                 page = *address & ~(uint64_t)(AQ_ALLOCATION_PAGE - 1);
  if (encoding != AQ_ISA_GLOBAL && encoding != AQ_ISA_FLAT)
    return -1;
  uint64_t rest = AQ_WAVE_EXEC(w);
  for (; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint64_t at = (uint64_t)(int64_t)o->imm + w->v[more->address][l];
    if (more->scalar != AQ_WAVE_NONE)
      at += w->s[more->scalar] | (uint64_t)w->s[more->scalar + 1] << 32;
    else
      at += (uint64_t)w->v[more->address + 1][l] << 32;
    if (at - page < AQ_ALLOCATION_PAGE || page - at < bytes) {
      *address = at > page ? at : page;
      return l;
    }
  }
  return -1;
}

/* The address by which the code may have named a byte of this process: it was
 * touched by way of a range found lately. */
static uint64_t guest_of(const aq_wave_grid *grid, uint64_t host)
{
  const aq_wave_range *lists[] = {&grid->range, grid->older, grid->ranges};
  const int counts[] = {1, AQ_WAVE_OLDER, AQ_WAVE_RANGES};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < counts[i]; j++) {
      const aq_wave_range *range = &lists[i][j];
      if (host + range->shift - range->base < range->end - range->base)
        return host + range->shift;
    }
  return host;
}

void aq_wave_page_fault(aq_wave_grid *grid, uint64_t host)
{
  uint64_t address = guest_of(grid, host);
  aq_wave *w = grid->running;
  char what[AQ_ALLOCATION_TEXT_SIZE + 100], place[AQ_ALLOCATION_TEXT_SIZE],
      who[20] = "";
  aq_allocations_name(grid->reachable->allocations, address, place);
  if (!w || !w->at) { /* before the first instruction: its arguments */
    grid->fault = (aq_execution_fault){.kind = AQ_EXECUTION_FAULT_MEMORY,
                                       .address = address,
                                       .pc = grid->entry};
    snprintf(grid->fault.text, sizeof grid->fault.text,
             "kernel %.60s: its arguments at 0x%" PRIx64 " went away: %s",
             grid->desc.kernel, address, place);
    return;
  }
  const int lane = lane_find(w, w->at, &address);
  if (lane >= 0)
    snprintf(who, sizeof who, "lane %d ", lane);
  snprintf(what, sizeof what,
           "%saccesses 0x%" PRIx64 ", which was unmapped meanwhile: %s", who,
           address, place);
  aq_wave_fault(w, w->at, AQ_EXECUTION_FAULT_MEMORY, address, what);
}
