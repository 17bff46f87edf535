/* SPDX-License-Identifier: MIT */
/* Branches, calls, barriers, waits, hardware registers, clocks, traps. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/wave/core/code.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/mode.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)

/* ---- branches ---- */

static const aq_wave_op *jump(aq_wave *w, const aq_wave_op *o, uint64_t pc)
{
  const aq_wave_op *to = aq_wave_code_in(w->grid->code, pc, w->banks);
  return to ? to : aq_wave_fetch_miss(w, o, pc, "a branch leaves the code, to");
}

static const aq_wave_op *branch(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_decoded *more = o->decoded;
  if (__builtin_expect(more->target != NULL, true))
    return more->target;
  const uint64_t pc =
      aq_wave_code_pc(o) + 4 + (uint64_t)((int64_t)(int16_t)o->imm * 4);
  const aq_wave_op *to = jump(w, o, pc);
  if (to && aq_wave_code_is_near(o, to)) {
    to = aq_wave_code_past_waits(to);
    more->target = to;
  }
  return to;
}

#define BRANCH(name, CONDITION)                                                \
  BODY(name)                                                                   \
  {                                                                            \
    return (CONDITION) ? branch(w, o) : aq_wave_next(o);                       \
  }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, aq_wave_mask_of(w, AQ_WAVE_VCC(w)) == 0)
BRANCH(s_cbranch_vccnz, aq_wave_mask_of(w, AQ_WAVE_VCC(w)) != 0)
BRANCH(s_cbranch_execz, AQ_WAVE_EXEC(w) == 0)
BRANCH(s_cbranch_execnz, AQ_WAVE_EXEC(w) != 0)
/* No debugger is attached. */
BRANCH(s_cbranch_cdbgsys, false)
BRANCH(s_cbranch_cdbguser, false)
BRANCH(s_cbranch_cdbgsys_or_user, false)
BRANCH(s_cbranch_cdbgsys_and_user, false)

BODY(s_getpc_b64)
{
  aq_wave_put64(w, o->dest, aq_wave_code_pc(o) + 4);
  return aq_wave_next(o);
}

BODY(s_setpc_b64)
{
  return jump(w, o, aq_wave_s64(w, o, 0));
}

BODY(s_swappc_b64)
{
  const uint64_t to = aq_wave_s64(w, o, 0);
  aq_wave_put64(w, o->dest, aq_wave_code_pc(o) + 4);
  return jump(w, o, to);
}

BODY(s_call_b64)
{
  aq_wave_put64(w, o->dest, aq_wave_code_pc(o) + 4);
  return branch(w, o);
}

/* gfx1250: the banks of VGPRs from here on. */
BODY(s_set_vgpr_msb)
{
  w->banks = (uint8_t)o->imm;
  return jump(w, o, aq_wave_code_pc(o) + 4);
}

BODY(s_add_pc_i64)
{
  return jump(
      w, o, aq_wave_code_pc(o) + o->decoded->inst.size + aq_wave_s64(w, o, 0));
}

/* ---- progress ---- */

BODY(s_nop)
{
  (void)w;
  return aq_wave_next(o);
}

/* On x86 this orders nothing and is skipped: code.c. */
BODY(s_waitcnt)
{
  (void)w;
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  return aq_wave_next(o);
}

BODY(s_endpgm)
{
  return aq_wave_stop(w, o, AQ_WAVE_ENDED);
}

BODY(s_barrier)
{
  w->arrived++;
  return aq_wave_stop(w, o, AQ_WAVE_BARRIER);
}

/* gfx12 parts a barrier in two: a wave arrives, and waits later. */
BODY(s_barrier_signal)
{
  w->arrived++;
  w->group->splits = true;
  return aq_wave_next(o);
}

BODY(s_barrier_signal_isfirst)
{
  const aq_wave_group *group = w->group;
  w->scc = 1;
  for (uint32_t i = 0; i < group->wave_count; i++)
    w->scc &= group->waves[i]->state == AQ_WAVE_ENDED ||
              group->waves[i]->arrived <= w->arrived;
  return s_barrier_signal_(w, o);
}

BODY(s_barrier_wait)
{
  return aq_wave_stop(w, o, AQ_WAVE_BARRIER);
}

BODY(s_sleep)
{
  return aq_wave_stop(w, o, AQ_WAVE_SLEEPS);
}

BODY(s_sethalt)
{
  if (!(o->imm & 1))
    return aq_wave_next(o);
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_TRAP, 0, "the wave halts");
}

BODY(s_trap)
{
  enum { TRAP_ABORT = 2, TRAP_DEBUG = 3 };
  if ((o->imm & 0xff) == TRAP_DEBUG)
    return aq_wave_next(o); /* without a debugger it does nothing */
  const uint64_t lanes = AQ_WAVE_EXEC(w);
  char what[80];
  snprintf(what, sizeof what, "lane %d %s, of lanes 0x%" PRIx64,
           lanes ? __builtin_ctzll(lanes) : 0,
           (o->imm & 0xff) == TRAP_ABORT ? "aborts" : "traps", lanes);
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_TRAP, 0, what);
}

/* ---- hardware registers ---- */

enum {
  READ_CYCLES = 40,
  SPIN_READS = 4096, /* a wave that has read so often waits for a time */
  SPIN_SHARE = 64,
};
#define SPIN_LONGEST (UINT64_C(1) << 43) /* cycles, more than an hour */

/* Clocks advance with each instruction that the wave issued, so that loops that
 * wait for a time end. The kernel then takes as long as its waves saw pass.
 * A wave that does nothing else gets there in longer steps. */
static uint64_t cycles_read(aq_wave *w)
{
  w->clock_reads = w->at ? 0 : w->clock_reads + 1;
  if (w->clock_reads > SPIN_READS && w->issued < SPIN_LONGEST)
    w->issued += w->issued / SPIN_SHARE;
  w->issued += READ_CYCLES;
  if (w->issued > w->grid->clock_read)
    w->grid->clock_read = w->issued;
  return w->grid->ticks * AQ_WAVE_CYCLES + w->issued;
}

enum {
  HW_MODE = 1,
  HW_STATUS = 2,
  HW_TRAPSTS = 3,
  HW_ID = 4,
  HW_GPR_ALLOC = 5,
  HW_LDS_ALLOC = 6,
  HW_IB_STS = 7,
  HW_SH_MEM_BASES = 15,
  HW_XCC_ID = 20,     /* gfx9 */
  HW_SCRATCH_LO = 20, /* RDNA; private memory is found without them */
  HW_SCRATCH_HI = 21,
  HW_ID1 = 23,
  HW_ID2 = 24,
  HW_CYCLES = 29,
  /* gfx12 */
  HW_EXCEPTIONS_PRIV = 17,
  HW_EXCEPTIONS_USER = 18,
  HW_TRAP_CTRL = 19,
  HW_SCHED_MODE = 26,
  HW_CYCLES_HI = 30,
  HW_IB_STS2 = 28, /* gfx1250: the place in a cluster; there are none */
};

/* gfx12 has few of the others, and its status lies elsewhere. */
static bool gfx12_read(aq_wave *w, unsigned id, uint32_t *out)
{
  switch (id) {
  case HW_CYCLES:
    *out = (uint32_t)cycles_read(w);
    return true;
  case HW_CYCLES_HI:
    *out = (uint32_t)(cycles_read(w) >> 32);
    return true;
  case HW_EXCEPTIONS_PRIV:
  case HW_EXCEPTIONS_USER:
  case HW_TRAP_CTRL:
  case HW_SCHED_MODE:
    *out = 0;
    return true;
  case HW_IB_STS2:
    *out = 0;
    return aq_wave_code_target(w->grid->code) & AQ_ISA_GFX1250;
  default:
    return false;
  }
}

static bool hardware_read(aq_wave *w, unsigned id, uint32_t *out)
{
  const uint16_t target = aq_wave_code_target(w->grid->code);
  if (id >= HW_SCRATCH_HI && !(target & AQ_ISA_RDNA))
    return false;
  if (target & AQ_ISA_GFX12 && id != HW_MODE && id != HW_ID1 && id != HW_ID2)
    return gfx12_read(w, id, out);
  switch (id) {
  case HW_MODE:
    *out = w->mode;
    return true;
  case HW_STATUS:
    *out = w->scc | (AQ_WAVE_EXEC(w) == 0) << 9 |
           (aq_wave_mask_of(w, AQ_WAVE_VCC(w)) == 0) << 10 | 1u << 16;
    return true;
  case HW_ID1:
    *out = (w->number & 31) | (w->group->id[0] & 15) << 10;
    return true;
  case HW_CYCLES:
    *out = (uint32_t)cycles_read(w) & 0xfffff;
    return true;
  case HW_ID: /* wave, SIMD and compute unit: as if workgroups went around */
    *out =
        (w->number & 15) | (w->number & 3) << 4 | (w->group->id[0] & 15) << 8;
    return true;
  case HW_SH_MEM_BASES:
    *out = AQ_WAVE_SHARED_HI >> 16 << 16 | AQ_WAVE_PRIVATE_HI >> 16;
    return true;
  case HW_TRAPSTS:
  case HW_GPR_ALLOC:
  case HW_LDS_ALLOC:
  case HW_IB_STS:
  case HW_XCC_ID:
  case HW_SCRATCH_HI:
  case HW_ID2:
    *out = 0;
    return true;
  default:
    return false;
  }
}

static uint32_t field_mask(int32_t imm)
{
  const unsigned count = ((unsigned)imm >> 11 & 31) + 1;
  return count == 32 ? UINT32_MAX : (1u << count) - 1;
}

BODY(s_getreg_b32)
{
  uint32_t value;
  if (!hardware_read(w, o->imm & 63, &value))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "a hardware register that is not simulated");
  w->s[o->dest] = value >> (o->imm >> 6 & 31) & field_mask(o->imm);
  return aq_wave_next(o);
}

/* Nothing is to be seen of these: exceptions are not enabled. */
static bool write_is_ignored(uint16_t target, unsigned id)
{
  if (target & AQ_ISA_GFX12)
    return id == HW_EXCEPTIONS_PRIV || id == HW_EXCEPTIONS_USER ||
           id == HW_SCHED_MODE;
  return id == HW_STATUS || id == HW_TRAPSTS ||
         (target & AQ_ISA_RDNA && (id == HW_SCRATCH_LO || id == HW_SCRATCH_HI));
}

enum { MODE_BANKS = 0xff000 }; /* gfx1250 */

static const aq_wave_op *hardware_write(aq_wave *w, const aq_wave_op *o,
                                        uint32_t value)
{
  const unsigned first = o->imm >> 6 & 31;
  const uint32_t mask = field_mask(o->imm) << first;
  if ((o->imm & 63) == HW_MODE &&
      aq_wave_code_target(w->grid->code) & AQ_ISA_GFX1250 &&
      mask & MODE_BANKS) /* other ways to the banks of VGPRs */
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "bits of MODE that are not simulated");
  if ((o->imm & 63) == HW_MODE) {
    w->mode = (w->mode & ~mask) | (value << first & mask);
    aq_wave_mode_enter(w);
    return aq_wave_next(o);
  }
  if (write_is_ignored(aq_wave_code_target(w->grid->code), o->imm & 63))
    return aq_wave_next(o);
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                       "a hardware register that cannot be written");
}

BODY(s_setreg_b32)
{
  return hardware_write(w, o, w->s[o->dest]);
}

BODY(s_setreg_imm32_b32)
{
  return hardware_write(w, o, (uint32_t)o->constant[0]);
}

/* Fields of MODE. */
BODY(s_round_mode)
{
  w->mode = (w->mode & ~15u) | (o->imm & 15);
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

BODY(s_denorm_mode)
{
  w->mode = (w->mode & ~0xf0u) | (uint32_t)(o->imm & 15) << 4;
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* ---- clocks ---- */

BODY(s_memtime)
{
  aq_wave_put64(w, o->dest, cycles_read(w));
  return aq_wave_next(o);
}

BODY(s_memrealtime)
{
  cycles_read(w);
  aq_wave_put64(w, o->dest, w->grid->ticks + w->issued / AQ_WAVE_CYCLES);
  return aq_wave_next(o);
}

/* RDNA 3 asks for it by a message. */
BODY(s_sendmsg_rtn_b64)
{
  enum { REALTIME = 0x83 };
  if (o->decoded->inst.imm != REALTIME)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "a message that is not simulated");
  return s_memrealtime_(w, o);
}

/* ---- register indices ---- */

/* Runs a vector instruction with the index added to its rows: bits of the mode
 * are the sources and the destination. */
static const aq_wave_op *moved_run(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_op moved = *o;
  for (int i = 0; i < 3; i++)
    if (moved.kind[i] == AQ_WAVE_VGPR && w->index_mode >> i & 1)
      moved.source[i] = (uint16_t)(moved.source[i] + w->index);
  if (w->index_mode & 8)
    moved.dest = (uint16_t)(moved.dest + w->index);
  return moved.run(w, &moved) ? aq_wave_next(o) : NULL;
}

bool aq_wave_op_moves(const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  return inst->row->encoding >= AQ_ISA_VOP2 &&
         inst->row->encoding <= AQ_ISA_VOP3PX2 &&
         strncmp(inst->row->name, "v_cmp", 5) != 0;
}

const aq_wave_op *aq_wave_indexed_run(aq_wave *w, const aq_wave_op *o)
{
  return aq_wave_op_moves(o) ? moved_run(w, o) : o->run(w, o);
}

/* M0 shows both. */
static void index_set(aq_wave *w, uint8_t index, uint8_t mode)
{
  w->index = index;
  w->index_mode = mode;
  w->s[AQ_ISA_M0] =
      (w->s[AQ_ISA_M0] & 0xffff0f00) | index | (uint32_t)mode << 12;
}

/* Whether the loop that runs the wave moves the rows itself. */
static bool loop_moves(const aq_wave *w)
{
  return w->grid->watched || w->grid->observer || w->group->counts;
}

/* Until the mode ends, instructions run from here where the loop is the plain
 * one, which knows nothing of indices. */
BODY(s_set_gpr_idx_on)
{
  w->index_on = true;
  index_set(w, (uint8_t)aq_wave_s32(w, o, 0), o->imm & 15);
  o = aq_wave_next(o);
  while (w->index_on && o && !loop_moves(w))
    /* Without `more` it decodes itself, or goes to the next page. */
    o = o->decoded ? aq_wave_indexed_run(w, o) : o->run(w, o);
  return o;
}

BODY(s_set_gpr_idx_off)
{
  w->index_on = false;
  return aq_wave_next(o);
}

BODY(s_set_gpr_idx_mode)
{
  index_set(w, w->index, o->imm & 15);
  return aq_wave_next(o);
}

BODY(s_set_gpr_idx_idx)
{
  index_set(w, (uint8_t)aq_wave_s32(w, o, 0), w->index_mode);
  return aq_wave_next(o);
}

/* clang-format off */
#define AS(name, handler) {#name, handler##_}
#define H(name) {#name, name##_}
const aq_wave_semantics aq_wave_control[] = {
    H(s_branch), H(s_cbranch_scc0), H(s_cbranch_scc1), H(s_cbranch_vccz),
    H(s_cbranch_vccnz), H(s_cbranch_execz), H(s_cbranch_execnz),
    H(s_cbranch_cdbgsys), H(s_cbranch_cdbguser), H(s_cbranch_cdbgsys_or_user),
    H(s_cbranch_cdbgsys_and_user), H(s_getpc_b64), H(s_setpc_b64),
    H(s_set_vgpr_msb), H(s_add_pc_i64), H(s_swappc_b64), H(s_call_b64), H(s_nop), H(s_endpgm),
    AS(s_endpgm_saved, s_endpgm), H(s_barrier), H(s_barrier_signal),
    H(s_barrier_signal_isfirst), H(s_barrier_wait), H(s_sleep), H(s_sethalt),
    H(s_trap), H(s_getreg_b32), H(s_setreg_b32), H(s_setreg_imm32_b32),
    H(s_memtime), H(s_memrealtime), H(s_set_gpr_idx_on), H(s_set_gpr_idx_off),
    H(s_set_gpr_idx_mode), H(s_set_gpr_idx_idx),
    /* Memory is coherent here; nothing is timed or traced. The
     * host looks at signals after each step, which an interrupt asks for. */
    H(s_waitcnt), AS(s_wakeup, s_nop), AS(s_setprio, s_nop),
    AS(s_sendmsg, s_nop), AS(s_icache_inv, s_nop), AS(s_incperflevel, s_nop),
    AS(s_decperflevel, s_nop), AS(s_ttracedata, s_nop), AS(s_dcache_inv, s_nop),
    AS(s_dcache_wb, s_nop), AS(s_dcache_inv_vol, s_nop),
    AS(s_dcache_wb_vol, s_nop), AS(s_dcache_discard, s_nop),
    AS(s_dcache_discard_x2, s_nop), AS(s_atc_probe, s_nop),
    AS(s_atc_probe_buffer, s_nop), AS(buffer_wbl2, s_nop), AS(buffer_inv, s_nop),
    AS(buffer_invl2, s_nop), AS(buffer_wbinvl1, s_nop),
    AS(buffer_wbinvl1_vol, s_nop), AS(v_nop, s_nop), AS(ds_nop, s_nop), AS(v_clrexcp, s_nop),
    H(s_sendmsg_rtn_b64), H(s_round_mode), H(s_denorm_mode), AS(s_waitcnt_vscnt, s_waitcnt),
    AS(s_waitcnt_vmcnt, s_waitcnt), AS(s_waitcnt_expcnt, s_waitcnt),
    AS(s_waitcnt_lgkmcnt, s_waitcnt), AS(s_waitcnt_depctr, s_nop),
    AS(s_wait_idle, s_waitcnt), AS(s_clause, s_nop),
    AS(s_inst_prefetch, s_nop), AS(s_version, s_nop),
    AS(s_ttracedata_imm, s_nop), AS(buffer_gl0_inv, s_nop),
    AS(buffer_gl1_inv, s_nop), AS(s_gl1_inv, s_nop), AS(v_pipeflush, s_nop),
    {NULL, NULL}};
/* clang-format on */
