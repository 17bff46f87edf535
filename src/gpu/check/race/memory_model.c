/* SPDX-License-Identifier: MIT */
/* Cache bits as LLVM's memory model of AMDGPU has them (AMDGPUUsage.html, the
 * tables of code sequences). */
#include "config.h"

#include "gpu/check/race/memory_model.h"

#include <string.h>

#include "gpu/wave/core/atomics.h"

/* The bits that a relaxed atomic of a scope has at least. */
typedef enum cache_mark {
  SAME, /* none: it looks like a plain access */
  GLC,
  GLC_DLC,
  SC0_OR_SC1, /* decoded as glc and scc */
  SC1,
  SCOPE_DEV,
} cache_mark;

typedef struct family {
  uint16_t targets;
  cache_mark load_group, load_agent, store_group, store_agent;
} family;

/* Loads of a workgroup's scope have bits on RDNA unless the kernel is compiled
 * for CU mode, as HIP does, which the code does not say. */
static const family families[] = {
    {AQ_ISA_FROM_940, SC0_OR_SC1, SC1, SC0_OR_SC1, SC1},
    {AQ_ISA_GFX10, SAME, GLC_DLC, SAME, SAME},
    {AQ_ISA_GFX11, SAME, GLC, SAME, SAME},
    {AQ_ISA_GFX12, SAME, SCOPE_DEV, SAME, SCOPE_DEV},
    {0 /* gfx9 before gfx940 */, SAME, GLC, SAME, SAME},
};

static const family *family_of(const aq_isa_inst *inst)
{
  const family *f = families;
  while (f->targets && !(inst->target & f->targets))
    f++;
  return f;
}

enum { DEV = 2 /* scope of gfx12 */ };

static bool has(const aq_isa_inst *inst, cache_mark mark)
{
  switch (mark) {
  case SC0_OR_SC1:
    return inst->glc || inst->scc;
  case SC1:
    return inst->scc;
  case GLC_DLC:
    return inst->glc && inst->dlc;
  case SCOPE_DEV:
    return inst->scope >= DEV;
  case GLC:
  case SAME: /* wider scopes and volatile accesses have one */
    break;
  }
  return inst->glc || inst->scope;
}

aq_check_access aq_check_access_of(const aq_isa_inst *inst,
                                   aq_wave_access_info_kind kind,
                                   unsigned bytes, bool in_group)
{
  const family *f = family_of(inst);
  const bool loads = kind == AQ_WAVE_ACCESS_READ;
  if (kind == AQ_WAVE_ACCESS_ATOMIC)
    return AQ_CHECK_ATOMIC;
  const cache_mark mark = loads      ? in_group ? f->load_group : f->load_agent
                          : in_group ? f->store_group
                                     : f->store_agent;
  if (has(inst, mark))
    return AQ_CHECK_COHERENT;
  /* No compiler makes atomics of scalar loads. */
  return mark == SAME && bytes <= 8 && inst->row->encoding != AQ_ISA_SMEM
             ? AQ_CHECK_MAYBE
             : AQ_CHECK_PLAIN;
}

/* LDS atomics load and store as plain accesses do; accesses of two places or
 * of more than 8 bytes are no atomics. */
aq_check_access aq_check_access_shared(const aq_isa_inst *inst,
                                       aq_wave_access_info_kind kind,
                                       unsigned bytes)
{
  if (kind == AQ_WAVE_ACCESS_ATOMIC)
    return AQ_CHECK_ATOMIC;
  return bytes > 8 || inst->row->flags & AQ_ISA_OFFSET2 ? AQ_CHECK_PLAIN
                                                        : AQ_CHECK_MAYBE;
}

/* ---- fences ---- */

/* Caches that an invalidate empties: a compute unit's, and the ones between it
 * and the cache that all units of the agent share. */
static uint8_t stale_of(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  if (strncmp(name, "buffer_wbinvl1", 14) == 0)
    return AQ_CHECK_STALE_ALL;
  if (strcmp(name, "buffer_inv") == 0)
    return inst->scc ? AQ_CHECK_STALE_ALL : AQ_CHECK_STALE_NEAR;
  if (strcmp(name, "buffer_gl0_inv") == 0)
    return AQ_CHECK_STALE_NEAR;
  if (strcmp(name, "buffer_gl1_inv") == 0)
    return AQ_CHECK_STALE_FAR;
  if (strcmp(name, "global_inv") == 0 || strcmp(name, "global_wbinv") == 0)
    return inst->scope >= DEV ? AQ_CHECK_STALE_ALL : AQ_CHECK_STALE_NEAR;
  return 0;
}

/* Whether no store is under way behind it. */
static bool completes(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  const unsigned imm = inst->imm;
  if (strcmp(name, "s_waitcnt") == 0) /* vmcnt, of which RDNA counts loads */
    return !(inst->target & AQ_ISA_RDNA) &&
           ((imm & 15) | (imm >> 14 & 3) << 4) == 0;
  if (strcmp(name, "s_waitcnt_vscnt") == 0 ||
      strcmp(name, "s_wait_storecnt") == 0)
    return (imm & 63) == 0;
  if (strcmp(name, "s_wait_storecnt_dscnt") == 0)
    return (imm >> 8 & 63) == 0;
  return strcmp(name, "s_wait_idle") == 0;
}

uint8_t aq_check_fence_of(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  if (completes(inst))
    return inst->target & AQ_ISA_FROM_940
               ? AQ_CHECK_COMPLETES | AQ_CHECK_NEEDS_BACK
               : AQ_CHECK_COMPLETES;
  if (strcmp(name, "buffer_wbl2") == 0)
    return inst->scc ? AQ_CHECK_WRITES_BACK : 0;
  if (strcmp(name, "ds_gws_barrier") == 0)
    return AQ_CHECK_MEETS_GRID;
  if (strncmp(name, "s_barrier_signal", strlen("s_barrier_signal")) == 0)
    return AQ_CHECK_ARRIVES;
  if (strcmp(name, "s_barrier_wait") == 0)
    return AQ_CHECK_AWAITS;
  return stale_of(inst);
}

bool aq_check_is_barrier(const aq_isa_inst *inst)
{
  return strcmp(inst->row->name, "s_barrier") == 0 ||
         strcmp(inst->row->name, "s_barrier_wait") == 0;
}

bool aq_check_is_dropped(const aq_isa_inst *inst)
{
  return inst->row->encoding != AQ_ISA_DS &&
         aq_wave_atomic_is_dropped(aq_wave_atomic_named(inst->row->name),
                                   inst->target);
}
