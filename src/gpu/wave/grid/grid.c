/* SPDX-License-Identifier: MIT */
/*
 * A step of a grid on one thread: waves, workgroups, and the result.
 *
 * States of a wave (w->state), changed by the thread that runs it:
 *
 *   RUNS     may execute. From its start; after its slice; when its barrier
 *            opened
 *   SLEEPS   s_sleep, or at a global barrier (gws.c): its next turn
 *            continues it, but that alone is no progress
 *   BARRIER  waits for the other waves of its workgroup; only
 *            aq_wave_groups_open_barrier continues it
 *   ENDED    s_endpgm, or it never had a lane
 *   FAULTS   grid->fault says what; nothing of the grid executes any more
 *
 * Between two turns a wave is at `pc` (with `banks`). `resume` is the same
 * place as a decoded instruction, and holds in step `resumed` alone: between
 * steps code may be read anew. `at` is the last instruction that accessed
 * memory of others, for reports of a lost page; NULL at the begin of a turn.
 *
 * A workgroup is not started, resident (in grid->first, in the order of their
 * start) or free (grid->free, to be used again). Its counters:
 *
 *   ended + waiting ≤ wave_count; `waiting` counts waves in BARRIER
 *   opened    barriers that opened. A barrier opens when every wave that has
 *             not ended arrived at it
 *   splits    gfx12: a wave arrives (w->arrived + 1) and waits later. It passes
 *             when w->passed < opened, so waves may be one barrier apart
 *
 * The result of a step:
 *
 *   DONE    no workgroup is resident and none is left
 *   FAULT   a wave faulted, or memory ran out; nothing more is executed
 *   WAITS   every resident wave sleeps or waits, and no further workgroup has
 *           room; or the step only read memory of others: nothing will change
 *           until that changes
 *   MORE    anything else. A loop that neither reads nor writes memory
 *           computes, if it has an end: after ENDLESS instructions it waits
 *
 * `quiet` and `looked` say whether the step wrote, ended a workgroup, or read;
 * `silent` counts the instructions of steps that did neither.
 *
 * The guard. A step may be left at any access to guest memory, by a longjmp
 * (guard.h). So at such an access no lock is held that is not taken outside of
 * the step, and nothing is half-built: a workgroup is in its list before its
 * waves start, since a start may read arguments, and decoded pages read code by
 * a system call. Such a step is a FAULT, and the grid is only freed after it.
 *
 * Owner: the thread that steps the grid, or the part (parallel_step.c); `share`
 * is common to the parts. The grid's memory is the machine's caller's from
 * begin to end.
 */
#include "config.h"

#include "gpu/wave/grid/grid.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/pm4.h"
#include "gpu/wave/core/instrumented_loop.h"
#include "gpu/wave/core/jit.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/grid/schedule.h"
#include "gpu/wave/grid/workgroups.h"

enum {
  SLICE = 1 << 14, /* instructions of a wave before the others have a turn */
  SHORT_MAX = 256, /* the same in an order by a seed, at most */
  WAVES_A_CU = 32,
  ENDLESS = 1 << 26, /* instructions of a loop that reads and writes nothing */
  WORKGROUP_COUNTS = 7 << 7, /* of the properties, version 2 only */
  EXCEPTIONS = 0x7f << 24,   /* of rsrc2: floats, division by zero */
};

/* ---- running ---- */

/* Runs instructions until the wave stops; the one that stopped it, or the next.
 */
static const aq_wave_op *instructions_run(aq_wave *w, const aq_wave_op *o,
                                          int64_t *left)
{
  int64_t n = *left;
  while (n > 0) {
    const aq_wave_op *next = o->run(w, o);
    n--;
    if (!next)
      break;
    o = next;
  }
  *left = n;
  return o;
}

/* A wave that changed nothing in its last slice may wait for another: under an
 * observer, where an instruction costs much more than a turn, its next one is
 * short. */
static int64_t slice_of(aq_wave *w)
{
  return w->group->counts ? AQ_WAVE_COUNTED_SLICE
         : w->grid->random
             ? 1 + aq_wave_schedule_draw(&w->grid->random, SHORT_MAX)
         : w->spins && w->grid->observer ? SHORT_MAX
                                         : SLICE;
}

/* Where a wave continues; NULL: there is no code. */
static const aq_wave_op *wave_op(const aq_wave *w)
{
  aq_wave_grid *grid = w->grid;
  if (w->resumed == grid->step)
    return w->resume;
  if (w->pc != grid->entry || w->banks)
    return aq_wave_code_in(grid->code, w->pc, w->banks);
  if (!grid->entry_op)
    grid->entry_op = aq_wave_code_at(grid->code, w->pc);
  return grid->entry_op;
}

/* Runs a wave until it stops or its slice ends; the number of instructions. */
static uint64_t wave_run(aq_wave *w)
{
  const aq_wave_op *o = wave_op(w);
  const int64_t slice = slice_of(w);
  const bool quiet = w->grid->quiet;
  int64_t left = slice;
  if (!o) {
    aq_wave_fault_at(w, w->pc, "no code", aq_wave_fetch_fault(w, w->pc), w->pc,
                     "begins here");
    return 0;
  }
  if (w->mode != w->grid->mode_now)
    aq_wave_mode_enter(w);
  w->grid->running = w;
  w->at = NULL;
  w->state = AQ_WAVE_RUNS;
  w->grid->quiet = true;
  o = w->grid->observer  ? w->grid->observer->run(w, o, &left)
      : w->group->counts ? aq_wave_counted_run(w, o, &left)
      : w->grid->native  ? aq_jit_run(w, o, &left)
      : w->grid->watched ? aq_wave_watched_run(w, o, &left)
                         : instructions_run(w, o, &left);
  if (w->state == AQ_WAVE_RUNS)
    aq_wave_resume_at(w, o);
  w->spins = left <= 0 && w->at && w->grid->quiet;
  w->grid->quiet &= quiet;
  w->grid->running = NULL;
  w->grid->mode_now = w->mode;
  w->grid->looked |= w->at && w->issued; /* arguments, at first */
  const uint64_t count = (uint64_t)(slice - left);
  w->issued += count;
  return count;
}

typedef struct turn {
  uint64_t executed;
  bool progress; /* a wave did not just sleep */
  bool faulted;
} turn;

/* Runs the waves of a workgroup until each waits, sleeps, used its slice or
 * ended. True: it ended. */
static bool group_run(aq_wave_group *group, turn *t)
{
  uint64_t *random = &group->grid->random;
  uint8_t order[AQ_WAVE_SCHEDULE_MAX];
  bool again = true;
  while (again) {
    again = false;
    if (*random)
      aq_wave_schedule_order(random, group->wave_count, order);
    for (uint32_t i = 0; i < group->wave_count; i++) {
      aq_wave *w = group->waves[*random ? order[i] : i];
      if (w->state == AQ_WAVE_ENDED || w->state == AQ_WAVE_BARRIER)
        continue;
      t->executed += wave_run(w);
      if (w->state == AQ_WAVE_FAULTS) {
        t->faulted = true;
        return false;
      }
      t->progress |= w->state != AQ_WAVE_SLEEPS;
      group->ended += w->state == AQ_WAVE_ENDED;
      group->waiting += w->state == AQ_WAVE_BARRIER;
      again |= group->waiting > 0 && aq_wave_groups_open_barrier(group);
    }
  }
  return group->ended == group->wave_count;
}

/* One turn of every resident workgroup. */
static void residents_run(aq_wave_grid *grid, turn *t)
{
  aq_wave_group *before = NULL, *next;
  for (aq_wave_group *group = grid->first; group && !t->faulted; group = next) {
    next = group->next;
    if (grid->random && next && aq_wave_schedule_draw(&grid->random, 2)) {
      before = group; /* the others first */
      t->progress = true;
      continue;
    }
    if (group_run(group, t)) {
      aq_wave_groups_retire(grid, group, before);
      grid->quiet = false;
    } else {
      before = group;
    }
  }
}

static aq_execution_state out_of_memory(aq_wave_grid *grid)
{
  grid->fault = (aq_execution_fault){.kind = AQ_EXECUTION_FAULT_ILLEGAL,
                                     .pc = grid->entry};
  snprintf(grid->fault.text, sizeof grid->fault.text,
           "kernel %.40s: out of memory for a workgroup", grid->desc.kernel);
  return AQ_EXECUTION_FAULT;
}

/* After a step that did not end the grid. Waves that read and do not write wait
 * for memory to change; a loop that does neither computes, if it has an end. */
static aq_execution_state step_state(aq_wave_grid *grid, uint64_t executed)
{
  const bool silent = grid->quiet && !grid->looked;
  grid->silent = silent ? grid->silent + executed : 0;
  return !grid->quiet || (silent && grid->silent < ENDLESS)
             ? AQ_EXECUTION_MORE
             : AQ_EXECUTION_WAITS;
}

aq_execution_state aq_wave_grid_run(aq_wave_grid *grid, uint64_t budget,
                                    uint64_t *executed)
{
  turn t = {.executed = 0};
  grid->quiet = true;
  grid->looked = false;
  *executed = 0;
  while (t.executed < budget) {
    uint64_t number;
    /* Another workgroup joins when the resident ones take long. */
    if (aq_wave_groups_claim(grid, &number) &&
        !aq_wave_groups_start(grid, number))
      return out_of_memory(grid);
    if (!grid->first)
      break;
    t.progress = false;
    residents_run(grid, &t);
    *executed = t.executed;
    if (t.faulted)
      return AQ_EXECUTION_FAULT;
    if (!t.progress && grid->first && aq_wave_groups_are_full(grid))
      return AQ_EXECUTION_WAITS;
  }
  if (!grid->first && !aq_wave_groups_have_more(grid))
    return AQ_EXECUTION_DONE;
  return step_state(grid, t.executed);
}

/* ---- life ---- */

static aq_status refuse(const aq_execution_desc *desc, aq_status status,
                        const char *why, aq_diag *diag)
{
  return aq_diag_set(diag, status, "kernel %s: %s", desc->kernel, why);
}

/* The descriptor of a packet's kernel, in the form of version 3 on; false: its
 * object is not mapped. */
static bool descriptor_read(aq_wave_grid *grid, uint64_t object,
                            aq_kernel_descriptor *out)
{
  const void *bytes = aq_wave_translate(grid, object, sizeof *out, false);
  if (bytes && aq_kernel_code_is(bytes)) {
    bytes = aq_wave_translate(grid, object, AQ_KERNEL_CODE_SIZE, false);
    if (bytes)
      *out = aq_kernel_code_descriptor(bytes);
  } else if (bytes) {
    memcpy(out, bytes, sizeof *out);
  }
  return bytes != NULL;
}

aq_status aq_wave_grid_init(aq_wave_grid *grid, const aq_execution_desc *desc,
                            aq_diag *diag)
{
  const aq_kernel_packet *packet = desc->packet;
  const aq_execution_registers *registers = desc->registers;
  grid->desc = *desc;
  grid->share = &grid->own_share;
  grid->started = UINT64_MAX - 1; /* none */
  aq_kernel_descriptor *const descriptor = &grid->descriptor;
  *descriptor =
      (aq_kernel_descriptor){.rsrc1 = registers ? registers->rsrc1 : 0,
                             .rsrc2 = registers ? registers->rsrc2 : 0,
                             .rsrc3 = registers ? registers->rsrc3 : 0};
  if (!registers && !descriptor_read(grid, packet->kernel_object, descriptor))
    return refuse(desc, AQ_ERR_INVALID,
                  "its kernel object is no mapped descriptor", diag);
  if (descriptor->rsrc2 & EXCEPTIONS)
    return refuse(desc, AQ_ERR_UNSUPPORTED,
                  "it enables arithmetic exceptions, which are not simulated",
                  diag);
  if (descriptor->properties & WORKGROUP_COUNTS)
    return refuse(desc, AQ_ERR_UNSUPPORTED,
                  "it asks for the counts of workgroups in registers, which no "
                  "processor sets",
                  diag);
  grid->entry =
      registers ? registers->entry
                : packet->kernel_object + (uint64_t)descriptor->entry_offset;
  grid->group_count = 1;
  grid->items = 1;
  for (int i = 0; i < 3; i++) {
    grid->size[i] = packet->workgroup_size[i];
    grid->groups[i] =
        (packet->grid_size[i] + grid->size[i] - 1) / grid->size[i];
    grid->group_count *= grid->groups[i];
    grid->items *= grid->size[i];
  }
  grid->lanes = descriptor->properties & AQ_KERNEL_WAVE32 ||
                        (registers && desc->wave_size == 32)
                    ? 32
                    : 64;
  grid->waves = (grid->items + grid->lanes - 1) / grid->lanes;
  const uint32_t granule = aq_pm4_lds_granule(desc->gfx);
  grid->lds_asked = packet->group_segment_size;
  grid->lds_size = (grid->lds_asked + granule - 1) / granule * granule;
  uint32_t scratch = packet->private_segment_size;
  if (scratch < descriptor->private_size)
    scratch = descriptor->private_size;
  grid->scratch_size = (scratch + 15) & ~15u;
  grid->own_share.group_end = grid->group_count;
  const uint32_t a_cu = WAVES_A_CU / grid->waves;
  grid->residents_max = desc->cus * (a_cu ? a_cu : 1);
  return AQ_OK;
}

void aq_wave_grid_fini(aq_wave_grid *grid)
{
  aq_wave_groups_free(grid);
}
