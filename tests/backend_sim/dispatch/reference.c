/* SPDX-License-Identifier: MIT */
#include "backend_sim/dispatch/reference.h"

#include <stdlib.h>

#include "support/aqtest.h"

typedef enum state { WAITING, RUNNING, DONE } state;

typedef struct workgroup {
  int kernel, xcc, cu;
  bool tail;
  state state;
  aq_time end;
} workgroup;

typedef struct reference {
  const aqsim_model *model;
  reference_kernel *kernels;
  int kernel_count;
  workgroup *workgroups;
  int count;
  aqsim_cu_set sets[REFERENCE_KERNELS]; /* in force */
  aq_time duration[REFERENCE_KERNELS][AQSIM_XCCS_MAX][2];
  aq_time free[AQSIM_XCCS_MAX];
  int pointer[AQSIM_XCCS_MAX];
  uint64_t served[AQSIM_XCCS_MAX]; /* 1 + kernel, 0: none yet */
  bool held[REFERENCE_KERNELS];
  uint64_t happened;
} reference;

static bool has_cu(const aqsim_cu_set *set, int xcc, int cu)
{
  return set->of[xcc].word[cu / 64] >> cu % 64 & 1;
}

static int cus_of_xcc(const reference *r, int xcc)
{
  int count = 0;
  for (int cu = xcc; cu < r->model->cus; cu += (int)r->model->xccs)
    count++;
  return count;
}

static int cus_in_set(const reference *r, const aqsim_cu_set *set, int xcc)
{
  int count = 0;
  for (int cu = 0; cu < cus_of_xcc(r, xcc); cu++)
    count += has_cu(set, xcc, cu);
  return count;
}

/* ---- dealing ---- */

static int next_xcc(const reference *r, const aqsim_cu_set *set, int xcc)
{
  do
    xcc = (xcc + 1) % (int)r->model->xccs;
  while (cus_in_set(r, set, xcc) == 0);
  return xcc;
}

static aq_time latency_of(const aqsim_grid_desc *desc, uint32_t on_cu)
{
  uint32_t index =
      on_cu < desc->latency_count ? on_cu - 1 : desc->latency_count - 1;
  aq_time run = desc->latency[index] - desc->contained;
  return run > 0 ? run : 0;
}

static void deal(reference *r, int kernel)
{
  const aqsim_grid_desc *desc = &r->kernels[kernel].desc;
  const aq_resources empty = aqsim_cu_resources(r->model);
  uint64_t dealt[AQSIM_XCCS_MAX] = {0};
  int xcc = -1, first = r->count;
  for (uint64_t i = 0; i < desc->workgroups; i++) {
    xcc = next_xcc(r, desc->cus, xcc < 0 ? (int)r->model->xccs - 1 : xcc);
    dealt[xcc]++;
    r->workgroups[r->count++] = (workgroup){.kernel = kernel, .xcc = xcc};
  }
  uint32_t most = 0;
  aq_resources room = empty;
  for (; aq_resources_fit(&room, &desc->need); most++)
    aq_resources_acquire(&room, &desc->need);
  for (int x = 0; x < r->model->xccs; x++)
    r->duration[kernel][x][0] = r->duration[kernel][x][1] =
        latency_of(desc, most);
  uint64_t seen[AQSIM_XCCS_MAX] = {0};
  for (int i = first; i < r->count; i++) {
    workgroup *w = &r->workgroups[i];
    uint64_t cus = (uint64_t)cus_in_set(r, desc->cus, w->xcc);
    uint64_t rest = dealt[w->xcc] % (cus * most);
    w->tail = desc->latency_count > 1 && seen[w->xcc]++ >= dealt[w->xcc] - rest;
    if (w->tail)
      r->duration[kernel][w->xcc][1] =
          latency_of(desc, (uint32_t)((rest + cus - 1) / cus));
  }
}

/* ---- events of one instant ---- */

static void end_workgroups(reference *r, aq_time now)
{
  for (int i = 0; i < r->count; i++) {
    workgroup *w = &r->workgroups[i];
    if (w->state != RUNNING || w->end != now)
      continue;
    w->state = DONE;
    r->kernels[w->kernel].end = now;
    r->happened++;
  }
}

static bool fits(const reference *r, int kernel, int xcc, int cu)
{
  if (!has_cu(&r->sets[kernel], xcc, cu))
    return false;
  aq_resources room = aqsim_cu_resources(r->model);
  for (int i = 0; i < r->count; i++) {
    const workgroup *w = &r->workgroups[i];
    if (w->state == RUNNING && w->xcc == xcc && w->cu == cu)
      aq_resources_acquire(&room, &r->kernels[w->kernel].desc.need);
  }
  return aq_resources_fit(&room, &r->kernels[kernel].desc.need);
}

/* The compute unit it would go to, or -1. */
static int place(const reference *r, int kernel, int xcc)
{
  int count = cus_of_xcc(r, xcc);
  for (int i = 0; i < count; i++)
    if (fits(r, kernel, xcc, (r->pointer[xcc] + i) % count))
      return (r->pointer[xcc] + i) % count;
  return -1;
}

/* The first that waits, full waves before the rest, or NULL. */
static workgroup *waiting(const reference *r, int kernel, int xcc)
{
  for (int tail = 0; tail < 2; tail++)
    for (int i = 0; i < r->count; i++) {
      workgroup *w = &r->workgroups[i];
      if (w->kernel == kernel && w->xcc == xcc && w->state == WAITING &&
          w->tail == tail)
        return w;
    }
  return NULL;
}

/* The kernel that is served at that complex, or -1. */
static int choose(const reference *r, int xcc, aq_time now)
{
  int best = -1;
  uint64_t best_turn = 0;
  for (int k = 0; k < r->kernel_count; k++) {
    const aqsim_grid_desc *desc = &r->kernels[k].desc;
    if (desc->start > now || r->held[k] || !waiting(r, k, xcc) ||
        place(r, k, xcc) < 0)
      continue;
    uint64_t turn = ((uint64_t)k + 1 - r->served[xcc] - 1);
    if (best < 0 || desc->rank < r->kernels[best].desc.rank ||
        (desc->rank == r->kernels[best].desc.rank && turn < best_turn)) {
      best = k;
      best_turn = turn;
    }
  }
  return best;
}

/* Starts one workgroup at that complex, if one may. */
static bool start_workgroup(reference *r, int xcc, aq_time now)
{
  int kernel = r->free[xcc] <= now ? choose(r, xcc, now) : -1;
  if (kernel < 0)
    return false;
  workgroup *w = waiting(r, kernel, xcc);
  w->cu = place(r, kernel, xcc);
  w->state = RUNNING;
  w->end = now + r->duration[kernel][xcc][w->tail];
  r->pointer[xcc] = (w->cu + 1) % cus_of_xcc(r, xcc);
  r->free[xcc] = now + r->model->workgroup_interval * r->model->xccs;
  r->served[xcc] = (uint64_t)kernel + 1;
  if (r->kernels[kernel].first > now)
    r->kernels[kernel].first = now;
  r->happened++;
  return true;
}

static void start_workgroups(reference *r, aq_time now)
{
  for (int x = 0; x < r->model->xccs; x++)
    while (start_workgroup(r, x, now))
      end_workgroups(r, now);
}

/* Moves a class's workgroups that wait where the kernel has no compute units.
 * */
static void move(reference *r, int kernel, bool tail)
{
  const aqsim_cu_set *set = &r->sets[kernel];
  int xcc = (int)r->model->xccs - 1;
  for (int i = 0; i < r->count; i++) {
    workgroup *w = &r->workgroups[i];
    if (w->kernel != kernel || w->tail != tail || w->state != WAITING ||
        cus_in_set(r, set, w->xcc) > 0)
      continue;
    xcc = next_xcc(r, set, xcc);
    w->xcc = xcc;
  }
}

static void change_mask(reference *r, int kernel)
{
  r->sets[kernel] = r->kernels[kernel].mask;
  move(r, kernel, false);
  move(r, kernel, true);
}

/* The host's changes, kernel by kernel; then starts all workgroups that can. */
static void change(reference *r, aq_time now)
{
  for (int k = 0; k < r->kernel_count; k++) {
    const reference_kernel *kernel = &r->kernels[k];
    if (kernel->mask_at == now)
      change_mask(r, k);
    if (kernel->hold_at == now || kernel->release_at == now)
      r->held[k] = kernel->hold_at == now;
    start_workgroups(r, now);
  }
}

static aq_time next_instant(const reference *r, aq_time now)
{
  aq_time next = AQ_TIME_MAX;
  for (int k = 0; k < r->kernel_count; k++) {
    if (r->kernels[k].desc.start > now)
      next = aq_time_min(next, r->kernels[k].desc.start);
    const aq_time changes[] = {r->kernels[k].mask_at, r->kernels[k].hold_at,
                               r->kernels[k].release_at};
    for (int i = 0; i < 3; i++)
      if (changes[i] > now)
        next = aq_time_min(next, changes[i]);
  }
  for (int i = 0; i < r->count; i++)
    if (r->workgroups[i].state == RUNNING)
      next = aq_time_min(next, r->workgroups[i].end);
  for (int x = 0; x < r->model->xccs; x++)
    if (choose(r, x, now) >= 0)
      next = aq_time_min(next, aq_time_max(r->free[x], now + 1));
  return next;
}

uint64_t reference_run(const aqsim_model *model, reference_kernel *kernels,
                       int count)
{
  reference r = {.model = model, .kernels = kernels, .kernel_count = count};
  uint64_t total = 0;
  for (int k = 0; k < count; k++)
    total += kernels[k].desc.workgroups;
  r.workgroups = calloc(total, sizeof *r.workgroups);
  ck_assert_ptr_nonnull(r.workgroups);
  for (int k = 0; k < count; k++) {
    kernels[k].first = AQ_TIME_MAX;
    r.sets[k] = *kernels[k].desc.cus;
    deal(&r, k);
  }
  for (int x = 0; x < model->xccs; x++)
    r.free[x] = AQ_TIME_NONE;
  for (aq_time now = 0; now != AQ_TIME_MAX; now = next_instant(&r, now)) {
    end_workgroups(&r, now);
    start_workgroups(&r, now);
    change(&r, now);
  }
  free(r.workgroups);
  return r.happened;
}
