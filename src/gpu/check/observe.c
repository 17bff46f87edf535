/* SPDX-License-Identifier: MIT */
/* The loop of observed waves, dispatches and workgroups. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/check/core/core.h"
#include "gpu/check/core/heap.h"
#include "gpu/check/core/stack.h"
#include "gpu/check/nan_tracking.h"
#include "gpu/check/observe.h"
#include "gpu/check/race/memory_model.h"
#include "gpu/wave/core/code.h"

/* ---- sites ---- */

uint32_t aq_check_site_make(const aq_wave *w, const aq_wave_op *o)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const aq_isa_inst *inst = &o->decoded->inst;
  const aq_wave_access_info_kind kind = aq_wave_access_info_kind_of(inst);
  const unsigned bytes = kind ? aq_wave_access_info_bytes(inst) : 0;
  aq_check_site made = {
      .inst = *inst,
      .pc = aq_wave_code_pc(o),
      .kind = bytes ? (uint8_t)kind : AQ_WAVE_ACCESS_NONE,
      .bytes = (uint8_t)bytes,
      .global = (uint8_t)aq_check_access_of(inst, kind, bytes, false),
      .group = (uint8_t)aq_check_access_of(inst, kind, bytes, true),
      .shared = (uint8_t)aq_check_access_shared(inst, kind, bytes),
      .drops = aq_check_is_dropped(inst),
      .fence = aq_check_fence_of(inst),
      .moves = aq_wave_op_moves(o),
      .meets = aq_check_is_barrier(inst),
      .jumps = check->heap_count > 0 && aq_check_heap_jumps(inst),
      .steps = bytes > 0};
  made.returns = kind == AQ_WAVE_ACCESS_ATOMIC &&
                 (inst->row->encoding == AQ_ISA_DS
                      ? aq_isa_operand_find(inst, 'D') != NULL
                      : inst->glc || inst->temporal & 1 /* gfx12 */);
  aq_check_site_registers(&made);
  if (check->options.checks & AQ_CHECK_RACE && made.kind == AQ_WAVE_ACCESS_READ)
    made.polls = (uint8_t)aq_check_poll_of(w->grid->code, &made);
  if (check->options.checks & AQ_CHECK_MEMORY) {
    aq_check_bases_site(check, &made);
    aq_check_stack_site(check, &made);
  }
  if (check->options.checks & AQ_CHECK_WAIT)
    aq_check_waits_site(&made);
  if (check->options.checks & AQ_CHECK_INIT)
    aq_check_uninit_site(&made);
  if (check->options.checks & AQ_CHECK_FLOAT)
    aq_check_float_site(&made);
  made.looks =
      (uint8_t)(AQ_CHECK_WAIT | (made.floats ? AQ_CHECK_FLOAT : 0) |
                (made.steps ? UINT8_MAX : 0) | (made.init ? AQ_CHECK_INIT : 0) |
                (made.meets ? AQ_CHECK_SYNC : 0) |
                (made.fence ? AQ_CHECK_RACE : 0) |
                (made.base || made.tags ? AQ_CHECK_MEMORY : 0) |
                (made.jumps ? UINT8_MAX : 0));
  if (!AQ_ARRAY_PUSH(check->sites, check->site_count, check->site_capacity,
                     made)) {
    check->lost = true;
    return 0;
  }
  return (uint32_t)check->site_count;
}

/* ---- instructions ---- */

/* Runs the instruction without the lanes that must not access. */
static const aq_wave_op *run_without(aq_wave *w, const aq_wave_op *o,
                                     const aq_wave_access_info *touch,
                                     uint64_t bad)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  if (touch->scalar || bad == exec)
    return aq_wave_next(o);
  AQ_WAVE_EXEC(w) = exec & ~bad;
  const aq_wave_op *next = o->run(w, o);
  AQ_WAVE_EXEC(w) = exec;
  return next;
}

static const aq_wave_op *step(aq_check *check, aq_wave *w, const aq_wave_op *o,
                              uint32_t number)
{
  const aq_check_site *site = &check->sites[number - 1];
  const unsigned checks = aq_check_grid_of(w)->checks;
  aq_wave_access_info touch;
  uint64_t bad = 0;
  if (site->kind == AQ_WAVE_ACCESS_NONE ||
      (AQ_WAVE_EXEC(w) == 0 && site->inst.row->encoding != AQ_ISA_SMEM))
    return o->run(w, o);
  aq_wave_access_info_find(w, o, site->bytes, &touch);
  if (checks & AQ_CHECK_SYNC && !touch.scalar)
    aq_check_sync_access(w, number, touch.global | touch.shared);
  const bool own = aq_check_group_of(w)->heap && aq_check_heap_is_inside(w);
  if (checks & AQ_CHECK_MEMORY && !own)
    bad = aq_check_memory(w, number, &touch);
  else if (!own && checks & (AQ_CHECK_RACE | AQ_CHECK_INIT))
    aq_check_shares(w, number, &touch);
  if (checks & AQ_CHECK_MEMORY && (touch.scratch || aq_check_group_of(w)->tags))
    aq_check_stack_access(w, number, &touch);
  if (site->base)
    aq_check_bases_step(w, o, site);
  if (bad) {
    touch.global &= ~bad;
    touch.shared &= ~bad;
    touch.scratch &= ~bad;
    touch.row = false;
  }
  if (checks & AQ_CHECK_RACE && !own)
    aq_check_race(w, number, &touch);
  if (checks & AQ_CHECK_INIT)
    aq_check_uninit_memory(w, o, number, &touch);
  if (checks & AQ_CHECK_FLOAT)
    aq_check_float_memory(w, number, &touch);
  return bad ? run_without(w, o, &touch, bad) : o->run(w, o);
}

/* Runs an instruction that orders accesses. */
static const aq_wave_op *fence_run(aq_wave *w, const aq_wave_op *o,
                                   uint32_t number, bool meets)
{
  aq_check_race_fence(w, number);
  const aq_wave_op *next = o->run(w, o);
  if (meets && next)
    aq_check_race_met(w);
  return next;
}

/* Runs an instruction that some check looks at. */
static const aq_wave_op *site_run(aq_check *check, aq_wave *w,
                                  const aq_wave_op *o, uint32_t number)
{
  const aq_check_site *site = &check->sites[number - 1];
  const unsigned checks = aq_check_grid_of(w)->checks;
  if (checks & AQ_CHECK_WAIT)
    aq_check_wait(w, number);
  if (site->meets && checks & AQ_CHECK_SYNC)
    aq_check_sync_meets(w, number);
  if (site->base && !site->kind)
    aq_check_bases_step(w, o, site);
  if (site->fence && checks & AQ_CHECK_RACE)
    return fence_run(w, o, number, site->fence & AQ_CHECK_MEETS_GRID);
  if (site->steps)
    return step(check, w, o, number);
  if (site->floats && checks & AQ_CHECK_FLOAT)
    return aq_check_float_run(w, o, number);
  if (site->init && checks & AQ_CHECK_INIT)
    return aq_check_uninit_run(w, o, number);
  return w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
}

static const aq_wave_op *scan_run(aq_check *check, aq_wave *w,
                                  const aq_wave_op *o, uint32_t number)
{
  const aq_check_site *site = &check->sites[number - 1];
  const bool tags = site->tags && aq_check_grid_of(w)->checks & AQ_CHECK_MEMORY;
  if (tags && !site->kind)
    aq_check_stack_before(w, site);
  const aq_wave_op *next = site_run(check, w, o, number);
  if (tags)
    aq_check_stack_after(w, site);
  if (site->jumps)
    aq_check_heap_step(w, next, number);
  return next;
}

static const aq_wave_op *observed_run(aq_wave *w, const aq_wave_op *o,
                                      int64_t *left)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const unsigned checks = aq_check_grid_of(w)->checks;
  int64_t n = *left;
  while (n > 0) {
    const aq_wave_op *next;
    if (o->decoded && !o->decoded->note)
      o->decoded->note = aq_check_site_make(w, o);
    if (o->decoded && o->decoded->note &&
        check->sites[o->decoded->note - 1].looks & checks)
      next = scan_run(check, w, o, o->decoded->note);
    else
      next =
          o->decoded && w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
    n--;
    if (!next)
      break;
    o = next;
  }
  *left = n;
  return o;
}

/* ---- dispatches and workgroups ---- */

/* Which results are floats is known of gfx9. */
static unsigned checks_of(const aq_check *check, const aq_wave_grid *grid)
{
  const unsigned checks = check->options.checks;
  return aq_wave_code_target(grid->code) & AQ_ISA_RDNA
             ? checks & ~(unsigned)AQ_CHECK_FLOAT
             : checks;
}

/* Bits of the numbers below a count. */
static unsigned bits_below(uint64_t count)
{
  return count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
}

static aq_check_bits bits_of(const aq_wave_grid *grid)
{
  enum { MOST = 31 }; /* more workgroups would leave too few for barriers */
  const unsigned most = bits_below(grid->group_count),
                 groups = most < MOST ? most : MOST,
                 waves = bits_below(grid->waves);
  return (aq_check_bits){.group = (uint8_t)(AQ_CHECK_SERIAL_SHIFT - groups),
                         .wave =
                             (uint8_t)(AQ_CHECK_SERIAL_SHIFT - groups - waves)};
}

static void *observed_begin(void *user, aq_wave_grid *grid)
{
  aq_check *check = user;
  const aq_execution_desc *desc = &grid->desc;
  aq_check_grid *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  pthread_mutex_lock(&check->lock);
  *made = (aq_check_grid){
      .check = check,
      .checks = checks_of(check, grid),
      .grid = grid,
      .entry = grid->entry,
      .by_waves = aq_check_is_by_waves(check, grid->entry),
      .kernel = aq_names_id(&check->names, desc->kernel, strlen(desc->kernel))};
  made->act = aq_hb_packet(check->order, desc->queue, desc->dispatch_id);
  if (made->act) {
    made->act->kernel = made->kernel;
    made->act->executed = true;
    made->act->bits = bits_of(grid);
  }
  if (check->options.checks & AQ_CHECK_API)
    aq_check_api_launch(made);
  pthread_mutex_unlock(&check->lock);
  return made;
}

static void observed_enter(void *user)
{
  pthread_mutex_lock(&((aq_check *)user)->lock);
}

static void observed_leave(void *user)
{
  pthread_mutex_unlock(&((aq_check *)user)->lock);
}

static void group_fini(aq_check_group *mine, const aq_wave_grid *grid)
{
  aq_check_uninit_group_fini(mine, grid);
  aq_check_race_group_fini(mine);
  free(mine->lds);
  aq_access_history_fini(&mine->states);
  free(mine->waits);
  free(mine->sync);
  free(mine->bases);
  free(mine->odd);
  aq_check_stack_group_fini(mine, grid);
  aq_check_heap_group_fini(mine);
  free(mine);
}

/* The state of each check for a workgroup; NULL: out of memory. */
static aq_check_group *group_make(const aq_wave_grid *grid)
{
  aq_check_group *mine = calloc(1, sizeof *mine);
  const unsigned checks = aq_check_grid_of_grid(grid)->checks;
  const size_t words = (grid->lds_asked + 3) / 4;
  if (!mine)
    return NULL;
  bool ok = true;
  if (words && checks & AQ_CHECK_RACE)
    ok = (mine->lds = calloc(words, sizeof *mine->lds)) != NULL;
  if (checks & AQ_CHECK_WAIT)
    ok &= (mine->waits = calloc(grid->waves, sizeof *mine->waits)) != NULL;
  if (checks & AQ_CHECK_MEMORY &&
      aq_check_grid_of_grid(grid)->check->variable_count > 0)
    ok &= (mine->bases = calloc(grid->waves, sizeof *mine->bases)) != NULL;
  if (checks & AQ_CHECK_SYNC)
    ok &= (mine->sync = calloc(grid->waves, sizeof *mine->sync)) != NULL;
  if (checks & AQ_CHECK_FLOAT)
    ok &= (mine->odd = calloc(grid->waves, sizeof *mine->odd)) != NULL;
  if (checks & AQ_CHECK_INIT)
    ok &= aq_check_uninit_group(mine, grid);
  if (ok)
    return mine;
  group_fini(mine, grid);
  return NULL;
}

/* One that ended has the marks of its accesses. */
static void group_clear(aq_check_group *mine, const aq_wave_grid *grid)
{
  if (mine->lds)
    memset(mine->lds, 0, (grid->lds_asked + 3) / 4 * sizeof *mine->lds);
  mine->states.count = mine->states.free = 0;
  if (mine->bases)
    memset(mine->bases, 0, grid->waves * sizeof *mine->bases);
  aq_check_stack_group_clear(mine, grid);
  aq_check_heap_group_clear(mine, grid);
  for (uint32_t i = 0; mine->waits && i < grid->waves; i++)
    aq_check_waits_end(&mine->waits[i]);
  for (uint32_t i = 0; mine->odd && i < grid->waves; i++)
    aq_check_float_begin(&mine->odd[i]);
}

static bool group_begin(aq_wave_group *group)
{
  const uint32_t *of = group->grid->groups, *id = group->id;
  aq_check_grid *grid = group->grid->observed;
  aq_check_group *mine = grid->free;
  if (mine)
    grid->free = mine->next;
  else if (!(mine = group_make(group->grid)))
    return false;
  mine->grid = grid;
  mine->number = id[0] + (uint64_t)of[0] * (id[1] + (uint64_t)of[1] * id[2]);
  if (grid->checks & AQ_CHECK_RACE && !aq_check_race_group_begin(mine, group)) {
    mine->next = grid->free;
    grid->free = mine;
    return false;
  }
  group->observed = mine;
  if (mine->sync)
    aq_check_sync_group(group);
  if (mine->unset)
    aq_check_uninit_group_begin(group);
  return true;
}

static void group_end(aq_wave_group *group)
{
  aq_check_group *mine = group->observed;
  aq_check_race_group_end(mine);
  group_clear(mine, group->grid);
  mine->next = mine->grid->free;
  mine->grid->free = mine;
}

static void observed_end(aq_wave_grid *grid)
{
  aq_check_grid *mine = grid->observed;
  while (mine->free) {
    aq_check_group *group = mine->free;
    mine->free = group->next;
    group_fini(group, grid);
  }
  aq_check_race_grid_end(mine);
  free(mine);
  grid->observed = NULL;
}

static void group_barrier(aq_wave_group *group)
{
  aq_check_group *mine = group->observed;
  if (mine->order)
    aq_check_race_barrier(group);
  if (mine->sync)
    aq_check_sync_opens(group);
  if (mine->unset)
    aq_check_uninit_barrier(group);
}

static void observed_stuck(aq_wave_grid *grid)
{
  aq_check *check = aq_check_grid_of_grid(grid)->check;
  pthread_mutex_lock(&check->lock);
  if (check->options.checks & AQ_CHECK_SYNC)
    aq_check_sync_stuck(grid);
  pthread_mutex_unlock(&check->lock);
}

static void observed_fault(aq_wave_grid *grid)
{
  aq_check_grid *mine = grid->observed;
  const aq_execution_fault *fault = &grid->fault;
  /* The finding has the kernel and the place itself. */
  const char *text = strstr(fault->text, "): ");
  const aq_check_what what = {
      .check = AQ_CHECK_MEMORY,
      .kind = fault->kind == AQ_EXECUTION_FAULT_TRAP ? "trap"
              : fault->kind == AQ_EXECUTION_FAULT_ILLEGAL
                  ? "illegal instruction"
                  : "fault",
      .act = mine->act,
      .pc = fault->pc,
      .lane = -1,
      .has_address = fault->kind == AQ_EXECUTION_FAULT_MEMORY,
      .has_place = fault->kind == AQ_EXECUTION_FAULT_MEMORY,
      .address = fault->address,
      .other_kernel = -1,
      .message = text ? text + strlen("): ") : fault->text};
  aq_check_report(mine->check, &what);
}

void aq_check_observer_make(aq_check *check)
{
  check->observer = (aq_wave_observer){.user = check,
                                       .begin = observed_begin,
                                       .end = observed_end,
                                       .enter = observed_enter,
                                       .leave = observed_leave,
                                       .group_begin = group_begin,
                                       .group_end = group_end,
                                       .barrier = group_barrier,
                                       .run = observed_run,
                                       .stuck = observed_stuck,
                                       .fault = observed_fault};
}
