/* SPDX-License-Identifier: MIT */
#include "backend_sim/dispatch/dispatcher.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/dispatch/reference.h"
#include "backend_sim/rig.h"
#include "common/rng.h"

#ifndef MIXES
#define MIXES 150
#endif

enum { LATENCIES = 12 };

static aqsim_model *model_make(const char *const *edits)
{
  aqsim_model *model;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load("mi300x", edits, &model, &diag), AQ_OK,
                   &diag);
  return model;
}

static aqsim_model *small_model(int cus, int xccs, int interval)
{
  char a[40], b[40], c[60];
  snprintf(a, sizeof a, "xccs=%d", xccs);
  snprintf(b, sizeof b, "cus=%d", cus);
  snprintf(c, sizeof c, "workgroup_interval=%d ps", interval);
  const char *edits[] = {"cus=256", a, b, c, NULL};
  return model_make(edits);
}

/* ---- driving the dispatcher ---- */

typedef struct run {
  reference_kernel *kernels;
  int count;
  aqsim_grid *grids[REFERENCE_KERNELS];
  bool submitted[REFERENCE_KERNELS], held[REFERENCE_KERNELS];
  aq_time look[REFERENCE_KERNELS]; /* AQ_TIME_MAX: none is due */
  aq_time ahead; /* a kernel is submitted so long before it starts */
  uint64_t looks;
} run;

static void run_submit(run *r, aqsim_dispatcher *d, int k)
{
  r->grids[k] = aqsim_grid_submit(d, &r->kernels[k].desc);
  ck_assert_ptr_nonnull(r->grids[k]);
  r->submitted[k] = true;
  r->look[k] = aqsim_grid_next(r->grids[k]);
}

static void run_look(run *r, int k, aq_time now)
{
  reference_kernel *kernel = &r->kernels[k];
  r->looks++;
  r->look[k] = AQ_TIME_MAX;
  if (aqsim_grid_scan(r->grids[k], now, &kernel->first, &kernel->end)) {
    r->grids[k] = NULL;
    return;
  }
  r->look[k] = aqsim_grid_next(r->grids[k]);
  ck_assert_int_gt(r->look[k], now);
}

static bool is_now(aq_time *at, aq_time now)
{
  if (*at != now)
    return false;
  *at = AQ_TIME_NONE;
  return true;
}

/* A change of a kernel by the host. */
static void run_change(run *r, int k, aq_time now)
{
  reference_kernel *kernel = &r->kernels[k];
  aqsim_grid *grid = r->grids[k];
  bool mask = is_now(&kernel->mask_at, now), held = r->held[k];
  bool hold = is_now(&kernel->hold_at, now);
  bool release = is_now(&kernel->release_at, now);
  if (!grid || !(mask || hold || release))
    return;
  if (mask)
    aqsim_grid_mask(grid, now, &kernel->mask);
  if (hold)
    aqsim_grid_hold(grid, now);
  if (release && held)
    aqsim_grid_release(grid, now);
  r->held[k] = hold || (held && !release);
  r->look[k] =
      r->held[k] ? AQ_TIME_MAX : aq_time_max(aqsim_grid_next(grid), now);
}

static aq_time run_next(const run *r)
{
  aq_time next = AQ_TIME_MAX;
  for (int k = 0; k < r->count; k++) {
    const reference_kernel *kernel = &r->kernels[k];
    const aq_time changes[] = {kernel->mask_at, kernel->hold_at,
                               kernel->release_at};
    next = aq_time_min(next, r->look[k]);
    if (!r->submitted[k])
      next = aq_time_min(next, kernel->desc.start - r->ahead);
    for (int i = 0; i < 3; i++)
      if (changes[i] != AQ_TIME_NONE)
        next = aq_time_min(next, changes[i]);
  }
  return next;
}

/* Everything in the order of time; at one instant looks, changes,
 * submissions. */
static void run_all(run *r, aqsim_dispatcher *d)
{
  for (aq_time now; (now = run_next(r)) != AQ_TIME_MAX;) {
    for (int k = 0; k < r->count; k++)
      if (r->look[k] == now)
        run_look(r, k, now);
    for (int k = 0; k < r->count; k++)
      run_change(r, k, now);
    for (int k = 0; k < r->count; k++)
      if (!r->submitted[k] && r->kernels[k].desc.start - r->ahead == now)
        run_submit(r, d, k);
    for (int k = 0; k < r->count; k++)
      if (r->look[k] == now)
        run_look(r, k, now);
  }
}

static uint64_t dispatch_all(const aqsim_model *model,
                             reference_kernel *kernels, int count,
                             aq_time ahead)
{
  run r = {.kernels = kernels, .count = count, .ahead = ahead};
  for (int k = 0; k < count; k++)
    r.look[k] = AQ_TIME_MAX;
  aqsim_dispatcher *d = aqsim_dispatcher_create(model);
  ck_assert_ptr_nonnull(d);
  run_all(&r, d);
  aqsim_dispatcher_destroy(d);
  return r.looks;
}

/* ---- random mixes ---- */

static int draw(aq_rng *rng, int below)
{
  return (int)(aq_rng_bits(rng) % (uint64_t)below);
}

typedef struct mix {
  aqsim_model *model;
  reference_kernel kernels[REFERENCE_KERNELS];
  aqsim_cu_set sets[REFERENCE_KERNELS];
  aq_time latencies[REFERENCE_KERNELS][LATENCIES];
  int count;
} mix;

static void draw_set(const aqsim_model *model, aq_rng *rng, aqsim_cu_set *set)
{
  if (draw(rng, 2)) {
    aqsim_cu_set_fill(model, set);
    return;
  }
  *set = (aqsim_cu_set){0};
  int cus = (int)model->cus, sure = draw(rng, cus);
  for (int cu = 0; cu < cus; cu++)
    if (cu == sure || draw(rng, 3) == 0)
      aqsim_cu_set_add(model, set, (uint32_t)cu);
}

static void draw_kernel(mix *m, aq_rng *rng, int k)
{
  static const int registers[] = {0, 24, 64, 128, 200, 512};
  static const int sizes[] = {1, 64, 128, 256, 1024};
  reference_kernel *kernel = &m->kernels[k];
  bool table = draw(rng, 3) == 0;
  aq_workgroup_shape shape = {.items = (uint64_t)sizes[draw(rng, 5)],
                              .vgprs = (uint32_t)registers[draw(rng, 6)],
                              .lds = (uint64_t)draw(rng, 3) * 20000,
                              .most = table ? 1 + (uint32_t)draw(rng, 8) : 0};
  draw_set(m->model, rng, &m->sets[k]);
  int spread = draw(rng, 2) ? 20000 : 2000000;
  for (int i = 0; i < LATENCIES; i++)
    m->latencies[k][i] = draw(rng, 10) ? draw(rng, spread) : 0;
  *kernel = (reference_kernel){
      .desc = {.start = 1000 + draw(rng, 4) * draw(rng, 1000000),
               .workgroups = 1 + (uint64_t)draw(rng, draw(rng, 4) ? 60 : 300),
               .need = aqsim_workgroup_resources(m->model, &shape),
               .rank = (unsigned)draw(rng, 4) / 3,
               .cus = &m->sets[k],
               .latency = m->latencies[k],
               .latency_count = table ? LATENCIES : 1,
               .contained = table ? draw(rng, 2) * 500 : 0},
      .mask_at = AQ_TIME_NONE,
      .hold_at = AQ_TIME_NONE,
      .release_at = AQ_TIME_NONE};
  if (draw(rng, 4) == 0) {
    kernel->mask_at = kernel->desc.start + draw(rng, 2000000);
    draw_set(m->model, rng, &kernel->mask);
  }
  if (draw(rng, 4) == 0) {
    kernel->hold_at = kernel->desc.start + draw(rng, 1000000);
    kernel->release_at = kernel->hold_at + 1 + draw(rng, 1000000);
  }
}

/* The order of submission is that of the starts. */
static int by_start(const void *a, const void *b)
{
  const reference_kernel *x = a, *y = b;
  return (x->desc.start > y->desc.start) - (x->desc.start < y->desc.start);
}

static void mix_draw(mix *m, uint64_t seed)
{
  aq_rng rng;
  aq_rng_init(&rng, seed, 0);
  int xccs = 1 + draw(&rng, 4);
  int cus = xccs * (1 + draw(&rng, 5)) + draw(&rng, xccs);
  m->model = small_model(cus, xccs, draw(&rng, 4) ? draw(&rng, 1500) : 0);
  m->count = 2 + draw(&rng, REFERENCE_KERNELS - 1);
  for (int k = 0; k < m->count; k++)
    draw_kernel(m, &rng, k);
  qsort(m->kernels, (size_t)m->count, sizeof m->kernels[0], by_start);
}

START_TEST(mixes_end_at_the_same_picosecond_as_one_workgroup_at_a_time)
{
  for (uint64_t seed = 1; seed <= MIXES; seed++) {
    mix *m = malloc(sizeof *m);
    reference_kernel expected[REFERENCE_KERNELS];
    ck_assert_ptr_nonnull(m);
    mix_draw(m, seed);
    for (int k = 0; k < m->count; k++)
      expected[k] = m->kernels[k];
    reference_run(m->model, expected, m->count);
    dispatch_all(m->model, m->kernels, m->count, 1 + (aq_time)(seed % 1000));
    for (int k = 0; k < m->count; k++) {
      ck_assert_msg(m->kernels[k].end == expected[k].end &&
                        m->kernels[k].first == expected[k].first,
                    "seed %d, kernel %d of %d: %lld to %lld, expected %lld to "
                    "%lld",
                    (int)seed, k, m->count, (long long)m->kernels[k].first,
                    (long long)m->kernels[k].end, (long long)expected[k].first,
                    (long long)expected[k].end);
    }
    aqsim_model_destroy(m->model);
    free(m);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/dispatch/dispatcher",
             mixes_end_at_the_same_picosecond_as_one_workgroup_at_a_time)
