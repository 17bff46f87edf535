/* SPDX-License-Identifier: MIT */
/* Cache bits as LLVM's memory model of AMDGPU has them (AMDGPUUsage.html, the
 * tables of code sequences). */
#include "config.h"

#include "gpu/check/race/scopes.h"

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

static bool has(const aq_isa_inst *inst, cache_mark mark)
{
  enum { DEV = 2 };
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
                                   aq_wave_touch_kind kind, unsigned bytes,
                                   bool in_group)
{
  const family *f = family_of(inst);
  const bool loads = kind == AQ_WAVE_TOUCH_READ;
  if (kind == AQ_WAVE_TOUCH_ATOMIC)
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
                                       aq_wave_touch_kind kind, unsigned bytes)
{
  if (kind == AQ_WAVE_TOUCH_ATOMIC)
    return AQ_CHECK_ATOMIC;
  return bytes > 8 || inst->row->flags & AQ_ISA_OFFSET2 ? AQ_CHECK_PLAIN
                                                        : AQ_CHECK_MAYBE;
}

bool aq_check_is_fence(const aq_isa_inst *inst)
{
  static const char *const names[] = {"buffer_wbinvl1", "buffer_inv",
                                      "buffer_gl0_inv", "buffer_gl1_inv",
                                      "global_inv",     "global_wbinv"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(inst->row->name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
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
