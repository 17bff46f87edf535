/* SPDX-License-Identifier: MIT */
/*
 * A grid that several threads execute.
 *
 * The first step runs alone, ALONE instructions long: most kernels end in it.
 * Then the grid gets a part for each thread of the pool; the first part is the
 * grid itself, the others are copies, made once, that differ in the things
 * of their thread (code, reachable ranges, pool of waves) and have no
 * workgroups. A workgroup stays with the part that started it, so waves, LDS,
 * barriers and `gws` waits need no lock. Parts are freed with the grid.
 *
 * What parts share is `share`, of the first: `group_next` hands out each
 * workgroup once, `resident` limits how many there are on the device. Both are
 * read-modify-writes, relaxed: they order no other memory. The stores of
 * a workgroup are ordered for others as the program asks; the pool's lock
 * orders all else that a step stored before the next step, `group_end`, too. A
 * claim adds to `resident` before it looks, and takes it back if there is no
 * room, so another claim may read "full" for an instant. It goes without a
 * workgroup then, and finds nothing to do; the first claim that read less than
 * the limit has one, so not all parts fail so.
 *
 * The workgroups whose work is counted (work_counters.h) belong to the first
 * part, and are neighbours. While it counts it steps alone, and other parts
 * keep their workgroups: which ones are counted does not depend on threads. It
 * starts others where the counted ones wait, and all parts step where it
 * executes nothing, or starts none for long, so parts that wait for each other
 * come on. Other steps end before the next workgroup that is counted.
 *
 * The result is that of all parts: FAULT if one faulted; DONE if all are; WAITS
 * if each waited or executed nothing; else MORE.
 *
 * A part that used its budget continues in short rounds while others work on
 * theirs. If such a round waits, its part still counts as MORE, because its
 * first round changed something that others may wait for. That is no loop
 * without progress: the next step begins with a first round again, whose WAITS
 * counts.
 */
#include "config.h"

#include "gpu/wave/grid/parallel_step.h"

#include <stdlib.h>

#include "gpu/wave/core/guard.h"
#include "gpu/wave/core/jit.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/grid/page_fault.h"
#include "gpu/wave/grid/workgroups.h"

enum {
  /* Instructions that the first thread executes before others help: waking them
   * costs about as much. */
  ALONE = 1 << 13,
  STUCK = 256, /* steps alone that start no workgroup, until others step too */
  JOINT = 4,   /* budgets of a thread: joining costs too */
  MEANWHILE = 1 << 10,
  PATIENCE = 2, /* by which a thread may exceed its budget for others */
};

typedef struct stepping {
  aq_wave_grid *grid;
  uint64_t budget, executed;
  aq_execution_state state;
} stepping;

static void grid_step(void *user)
{
  stepping *s = user;
  s->state = aq_wave_grid_run(s->grid, s->budget, &s->executed);
}

static void run_repeat(void *user)
{
  aq_wave_guard_arm();
  aq_jit_repeat(user);
}

/* Ends a step whose code touched memory that went away, at `host`. */
static void page_fault(aq_wave_grid *grid, uint64_t host)
{
  aq_wave *w = grid->running;
  uint64_t again;
  if (w && w->strip.rest) {
    const uint64_t exec = AQ_WAVE_EXEC(w);
    if (!aq_wave_guard(run_repeat, w, &again))
      host = again;
    AQ_WAVE_EXEC(w) = exec;
  }
  if (!w || w->state != AQ_WAVE_FAULTS)
    aq_wave_page_fault(grid, host);
}

/* A step of one grid on the calling thread. */
static void step_run(stepping *s, uint64_t ticks)
{
  aq_wave_grid *grid = s->grid;
  const uint32_t host = aq_wave_mode_save();
  uint64_t address;
  grid->ticks = ticks;
  grid->range = (aq_wave_range){0};
  memset(grid->ranges, 0, sizeof grid->ranges);
  memset(grid->older, 0, sizeof grid->older);
  grid->running = NULL;
  grid->mode_now = UINT32_MAX;
  grid->entry_op = NULL;
  grid->step++;
  if (!aq_wave_guard(grid_step, s, &address)) {
    page_fault(grid, address);
    s->state = AQ_EXECUTION_FAULT;
  }
  aq_wave_mode_restore(host);
}

static aq_wave_grid *part_create(const aq_wave_grid *grid,
                                 aq_wave_thread *thread)
{
  aq_wave_code *code;
  if (aq_wave_thread_code(thread, grid->desc.gfx, grid->lanes == 32, &code,
                          NULL) != AQ_OK)
    return NULL;
  aq_wave_grid *part = malloc(sizeof *part);
  if (!part)
    return NULL;
  *part = *grid;
  part->code = code;
  part->reachable = &thread->reachable;
  part->pool = &thread->pool;
  part->first = part->last = NULL;
  part->free = NULL;
  part->tally = NULL;
  part->parts = NULL;
  part->part_count = 0;
  return part;
}

/* Makes as many as there is memory for. */
static void parts_create(aq_wave_grid *grid, const aq_wave_threads *threads)
{
  const unsigned count = aq_thread_pool_count(threads->thread_pool);
  grid->parts = calloc(count, sizeof(aq_wave_grid *));
  if (!grid->parts)
    return;
  grid->parts[0] = grid;
  for (grid->part_count = 1; grid->part_count < count; grid->part_count++) {
    const unsigned i = grid->part_count;
    grid->parts[i] = part_create(grid, &threads->threads[i]);
    if (!grid->parts[i])
      break;
  }
}

typedef struct joint {
  uint64_t ticks;
  unsigned busy; /* parts that have not used their budgets. Atomic */
  stepping steps[AQ_THREAD_POOL_MAX];
} joint;

static bool others_busy(const joint *j)
{
  return __atomic_load_n(&j->busy, __ATOMIC_RELAXED) > 0;
}

/* Workgroups end at different times, and the system may halt a thread: a part
 * that used its budget continues while others work on theirs. */
static void joint_run(void *user, unsigned part)
{
  joint *j = user;
  stepping *s = &j->steps[part];
  step_run(s, j->ticks);
  __atomic_sub_fetch(&j->busy, 1, __ATOMIC_RELAXED);
  uint64_t executed = s->executed;
  const uint64_t most = PATIENCE * s->budget;
  s->budget = MEANWHILE;
  while (s->state == AQ_EXECUTION_MORE && executed < most && others_busy(j)) {
    step_run(s, j->ticks);
    executed += s->executed;
    if (s->state == AQ_EXECUTION_WAITS) {
      s->state = AQ_EXECUTION_MORE; /* its first run changed something */
      break;
    }
  }
  s->executed = executed;
}

/* The parts' steps as one. One that found nothing to do counts for nothing. */
static aq_execution_state joint_end(const joint *j, aq_wave_grid *grid,
                                    aq_execution_step *out)
{
  bool done = true, waits = true;
  for (unsigned i = 0; i < grid->part_count; i++) {
    const stepping *s = &j->steps[i];
    out->instructions += s->executed;
    if (s->state == AQ_EXECUTION_FAULT) {
      out->fault = s->grid->fault;
      return AQ_EXECUTION_FAULT;
    }
    done &= s->state == AQ_EXECUTION_DONE;
    waits &= s->state == AQ_EXECUTION_WAITS || s->executed == 0;
  }
  return done    ? AQ_EXECUTION_DONE
         : waits ? AQ_EXECUTION_WAITS
                 : AQ_EXECUTION_MORE;
}

static aq_execution_state step_joint(aq_wave_grid *grid,
                                     const aq_wave_threads *threads,
                                     uint64_t budget, uint64_t ticks,
                                     aq_execution_step *out)
{
  joint j = {.ticks = ticks, .busy = grid->part_count};
  grid->share->group_end =
      grid->tally ? aq_work_counters_fence(grid) : grid->group_count;
  for (unsigned i = 0; i < grid->part_count; i++)
    j.steps[i] = (stepping){.grid = grid->parts[i], .budget = JOINT * budget};
  aq_thread_pool_run(threads->thread_pool, grid->part_count, joint_run, &j);
  return joint_end(&j, grid, out);
}

static aq_execution_state step_alone(aq_wave_grid *grid, uint64_t budget,
                                     uint64_t ticks, aq_execution_step *out)
{
  stepping s = {.grid = grid, .budget = budget};
  step_run(&s, ticks);
  out->instructions += s.executed;
  if (s.state == AQ_EXECUTION_FAULT)
    out->fault = grid->fault;
  return s.state;
}

static aq_execution_state parts_step(aq_wave_grid *grid,
                                     const aq_wave_threads *threads,
                                     uint64_t budget, uint64_t ticks,
                                     aq_execution_step *out)
{
  if (!threads->thread_pool)
    return step_alone(grid, budget, ticks, out);
  if (!grid->parts) {
    const aq_execution_state state = step_alone(grid, ALONE, ticks, out);
    if (state != AQ_EXECUTION_MORE || !aq_wave_groups_have_more(grid))
      return state;
    parts_create(grid, threads);
  }
  if (grid->part_count <= 1)
    return step_alone(grid, budget, ticks, out);
  if (grid->tally && aq_work_counters_wants(grid)) {
    const uint64_t next = grid->share->group_next;
    grid->share->group_end = grid->group_count;
    const aq_execution_state state = step_alone(grid, budget, ticks, out);
    grid->steps_alone =
        grid->share->group_next == next ? grid->steps_alone + 1 : 0;
    if (state == AQ_EXECUTION_FAULT ||
        (state == AQ_EXECUTION_MORE && out->instructions > 0 &&
         grid->steps_alone < STUCK))
      return state;
  }
  return step_joint(grid, threads, budget, ticks, out);
}

/* By how much more than before the clocks advanced that waves read. */
static aq_time clocks_elapsed(aq_wave_grid *grid)
{
  const uint64_t hz =
      grid->desc.timestamp_hz ? grid->desc.timestamp_hz : 100000000;
  uint64_t read = grid->clock_read;
  for (unsigned i = 1; i < grid->part_count; i++)
    if (grid->parts[i]->clock_read > read)
      read = grid->parts[i]->clock_read;
  const uint64_t more = read - grid->clock_told;
  grid->clock_told = read;
  return (aq_time)((double)more * AQ_S / AQ_WAVE_CYCLES / (double)hz);
}

aq_execution_state aq_wave_parallel_step(aq_wave_grid *grid,
                                         const aq_wave_threads *threads,
                                         uint64_t budget, uint64_t ticks,
                                         aq_execution_step *out)
{
  *out = (aq_execution_step){0};
  const aq_execution_state state =
      parts_step(grid, threads, budget, ticks, out);
  out->elapsed = clocks_elapsed(grid);
  return state;
}

void aq_wave_parallel_fini(aq_wave_grid *grid)
{
  for (unsigned i = 1; i < grid->part_count; i++) {
    aq_wave_grid_fini(grid->parts[i]);
    free(grid->parts[i]);
  }
  free(grid->parts);
}
