/* SPDX-License-Identifier: MIT */
/* Which workgroups are counted, and their sums. */
#include "config.h"

#include "gpu/wave/core/work_counters.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/fnv.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/profile/work_counters_priv.h"

enum {
  WINDOW = 64,      /* workgroups */
  ENOUGH = 1 << 20, /* instructions, of all windows */
  /* Counting takes some twenty times the time of compiled code: with `repeats`
   * a CREDIT of instructions, and a PARTth of all that are executed; of each
   * dispatch at least LEAST. */
  CREDIT = 1 << 22,
  PART = 100,
  LEAST = 1 << 13,
  ALONE = 4,          /* workgroups, until one has shown how many it executes */
  PATIENCE = 1 << 16, /* turns for which others wait for it */
  WAVES_A_CU = 32,
  L1_SETS = 64, /* of AQ_WAVE_WAYS lines of 128 bytes: 32 KiB */
};

/* ---- life ---- */

aq_wave_counting *
aq_wave_counting_create(const aq_wave_counting_options *options)
{
  aq_wave_counting *counting = calloc(1, sizeof *counting);
  if (counting)
    counting->options = *options;
  return counting;
}

void aq_wave_counting_adjust(aq_wave_counting *counting,
                             const aq_wave_counting_options *options)
{
  counting->options = *options;
}

void aq_wave_counting_include(aq_wave_counting *counting, uint64_t number)
{
  counting->included = number + 1;
}

void aq_wave_counting_destroy(aq_wave_counting *counting)
{
  if (!counting)
    return;
  aq_names_fini(&counting->names);
  aq_map_fini(&counting->by_hash);
  aq_map_fini(&counting->known_by_hash);
  free(counting->known);
  free(counting->rows);
  free(counting);
}

bool aq_wave_counting_times(const aq_wave_counting *counting)
{
  return counting->options.time != NULL;
}

static int64_t enough_for(const aq_wave_counting *counting)
{
  if (!counting->options.repeats)
    return ENOUGH;
  const int64_t left =
      CREDIT - counting->spent +
      __atomic_load_n(&counting->executed, __ATOMIC_RELAXED) / PART;
  return left < LEAST ? LEAST : left < ENOUGH ? left : ENOUGH;
}

void aq_wave_counting_add(aq_wave_counting *counting, uint64_t instructions)
{
  __atomic_add_fetch(&counting->executed, (int64_t)instructions,
                     __ATOMIC_RELAXED);
}

static void windows_choose(aq_work_counters *tally, uint64_t groups)
{
  tally->window_size = WINDOW;
  tally->window_count = AQ_WAVE_WINDOWS;
  tally->windows[1] = (groups - WINDOW) / 2;
  tally->windows[2] = groups - WINDOW;
  if (groups > AQ_WAVE_WINDOWS * WINDOW)
    return;
  tally->window_size = groups;
  tally->window_count = 1;
}

/* As many sets as a workgroup has of its compute unit's cache. */
static unsigned l1_share(const aq_wave_grid *grid)
{
  const uint32_t a_cu = grid->waves < WAVES_A_CU ? WAVES_A_CU / grid->waves : 1;
  const uint64_t cus = grid->desc.cus ? grid->desc.cus : 1;
  const uint64_t there = (grid->group_count + cus - 1) / cus;
  const uint64_t resident = there < a_cu ? there : a_cu;
  unsigned sets = L1_SETS;
  while (sets > 1 && sets * resident > L1_SETS)
    sets /= 2;
  return sets;
}

static void shape_take(aq_counted *sum, const aq_wave_grid *grid)
{
  aq_target target;
  aq_kernel_registers registers = {0};
  if (aq_target_parse(grid->desc.gfx, strlen(grid->desc.gfx), &target, NULL) ==
      AQ_OK)
    registers = aq_kernel_descriptor_registers(&grid->descriptor, &target);
  sum->device = grid->desc.device;
  sum->dispatches = 1;
  sum->groups = (int64_t)grid->group_count;
  sum->waves = grid->waves;
  sum->lds = grid->lds_asked;
  sum->vgprs = registers.vgprs + registers.agprs;
  sum->sgprs = registers.sgprs;
}

aq_status aq_work_counters_open(aq_wave_counting *counting, aq_wave_grid *grid,
                                aq_diag *diag)
{
  size_t exact = AQ_WAVE_UNKNOWN, loose = AQ_WAVE_UNKNOWN, known;
  const int64_t enough = enough_for(counting);
  if (counting->options.repeats && !grid->steps &&
      aq_work_repeats_find(counting, grid, enough, &exact, &loose, &known)) {
    grid->repeats = known + 1;
    return AQ_OK;
  }
  aq_work_counters *tally = calloc(1, sizeof *tally);
  if (!tally)
    return aq_diag_no_memory(diag);
  tally->counting = counting;
  tally->serial = ++counting->serial;
  tally->exact = exact;
  tally->loose = loose;
  tally->enough = enough;
  tally->l1_sets = l1_share(grid);
  windows_choose(tally, grid->group_count);
  shape_take(&tally->sum, grid);
  grid->tally = tally;
  return AQ_OK;
}

void aq_work_counters_close(aq_wave_grid *grid)
{
  if (!grid->tally)
    return;
  aq_wave_set_fini(&grid->tally->lines);
  aq_wave_set_fini(&grid->tally->pages);
  free(grid->tally);
  grid->tally = NULL;
}

/* ---- workgroups ---- */

/* Instructions when the workgroups that are being counted will have ended. */
static int64_t expected(const aq_work_counters *tally)
{
  const int64_t done = tally->sum.counted;
  return done ? tally->ended / done * (done + tally->active + 1) : 0;
}

bool aq_work_counters_holds(aq_work_counters *tally)
{
  return tally->sum.counted == 0 && tally->active >= ALONE &&
         tally->held++ < PATIENCE;
}

/* Whether a workgroup is counted: of each window the first one is, others
 * while the grid has few instructions counted. */
static bool is_wanted(const aq_work_counters *tally, uint64_t number,
                      unsigned *window)
{
  for (unsigned i = tally->window_count; i-- > 0;)
    if (number >= tally->windows[i]) {
      const int64_t share =
          tally->enough / (int64_t)tally->window_count * (i + 1);
      *window = i;
      return number == tally->windows[i] ||
             number + 1 == tally->counting->included ||
             (i >= tally->closed &&
              number < tally->windows[i] + tally->window_size &&
              expected(tally) < share);
    }
  return false;
}

uint64_t aq_work_counters_next(const aq_wave_grid *grid, uint64_t number)
{
  const aq_work_counters *tally = grid->tally;
  unsigned window;
  if (!tally->counting->options.sampled || number >= grid->group_count ||
      is_wanted(tally, number, &window))
    return number;
  uint64_t next = grid->group_count;
  for (unsigned i = tally->window_count; i-- > 0;)
    if (tally->windows[i] > number)
      next = tally->windows[i];
  const uint64_t included = tally->counting->included;
  return included > number + 1 && included <= next ? included - 1 : next;
}

bool aq_work_counters_joins(const aq_work_counters *tally)
{
  return !tally->counting->options.sampled;
}

bool aq_work_counters_wants(aq_wave_grid *grid)
{
  aq_work_counters *tally = grid->tally;
  const uint64_t number =
      __atomic_load_n(&grid->share->group_next, __ATOMIC_RELAXED);
  unsigned window = 0;
  if (tally->active > 0)
    return true;
  if (number >= grid->group_count)
    return false;
  if (is_wanted(tally, number, &window))
    return true;
  tally->closed = window + 1;
  return false;
}

uint64_t aq_work_counters_fence(const aq_wave_grid *grid)
{
  const aq_work_counters *tally = grid->tally;
  const uint64_t number =
      __atomic_load_n(&grid->share->group_next, __ATOMIC_RELAXED);
  const uint64_t included = tally->counting->included;
  uint64_t end = grid->group_count;
  unsigned window;
  if (number < end && is_wanted(tally, number, &window))
    return number;
  for (unsigned i = tally->window_count; i-- > 0;)
    if (tally->windows[i] > number)
      end = tally->windows[i];
  return included > number + 1 && included <= end ? included - 1 : end;
}

bool aq_work_counters_group(aq_wave_group *group, uint64_t number)
{
  const aq_wave_grid *grid = group->grid;
  aq_work_counters *tally = grid->tally;
  unsigned window;
  tally->sum.executed += tally->counting->options.sampled;
  group->counts = false;
  if (!is_wanted(tally, number, &window))
    return true;
  if (window != tally->window) {
    tally->window = window;
    aq_wave_set_clear(&tally->lines);
    aq_wave_set_clear(&tally->pages);
  }
  group->tally =
      calloc(1, sizeof *group->tally + grid->waves * sizeof(aq_wave_timeline));
  if (!group->tally)
    return false;
  group->counts = true;
  tally->active++;
  group->tally->l1.sets = tally->l1_sets;
  const uint32_t xccs = tally->counting->options.xccs;
  group->tally->xcc = xccs ? number % xccs : 0;
  return true;
}

void aq_work_counters_free(aq_wave_group *group)
{
  free(group->tally);
  group->tally = NULL;
  group->counts = false;
}

/* A workgroup is counted. */
static void group_end(const aq_wave_group *group)
{
  const aq_wave_group_tally *own = group->tally;
  aq_work_counters *tally = group->grid->tally;
  int64_t most = 0;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const int64_t cycles = own->waves[i].now;
    tally->sum.cycles += cycles;
    most = cycles > most ? cycles : most;
  }
  tally->active--;
  tally->ended += own->issued;
  tally->sum.counted++;
  tally->sum.cycles_most += most;
  if (most > tally->sum.group_most)
    tally->sum.group_most = most;
  tally->cycles += (double)most;
  tally->squares += (double)most * (double)most;
}

void aq_work_counters_cut(aq_wave_group *group)
{
  if (group->tally->issued < group->grid->tally->enough / 2)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++)
    if (group->waves[i]->index_on) /* the loop of other workgroups ignores it */
      return;
  group->counts = false;
  group->tally->cut = true;
  group->grid->tally->sum.cut++;
  group_end(group);
}

void aq_work_counters_retire(aq_wave_group *group)
{
  const aq_wave_group_tally *own = group->tally;
  if (!own)
    return;
  if (!own->cut)
    group_end(group);
  for (uint32_t i = 0; own->cut && i < group->wave_count; i++)
    group->grid->tally->beyond += (int64_t)group->waves[i]->issued;
  if (own->cut)
    group->grid->tally->beyond -= own->issued;
  aq_work_counters_free(group);
}

void aq_work_counters_barrier(aq_wave_group *group)
{
  int64_t latest = 0;
  for (uint32_t i = 0; i < group->wave_count; i++)
    if (group->waves[i]->state == AQ_WAVE_BARRIER &&
        group->tally->waves[i].now > latest)
      latest = group->tally->waves[i].now;
  for (uint32_t i = 0; i < group->wave_count; i++)
    if (group->waves[i]->state == AQ_WAVE_BARRIER) {
      group->tally->waves[i].now = latest;
      group->grid->tally->sum.barriers++;
    }
}

/* ---- rows ---- */

/* The standard error of the mean, of workgroups that were chosen without
 * returning them. */
static int64_t error_of(const aq_work_counters *tally)
{
  const double n = (double)tally->sum.counted, all = (double)tally->sum.groups;
  if (n >= all || tally->cycles <= 0)
    return 0;
  if (n < 2)
    return AQ_NONE;
  const double mean = tally->cycles / n;
  const double variance = (tally->squares - n * mean * mean) / (n - 1);
  return (int64_t)(1e6 * sqrt(fmax(variance, 0) / n * (1 - n / all)) / mean);
}

static void waits_take(aq_work_counters *tally)
{
  aq_counted *sum = &tally->sum;
  sum->waits_l1 = tally->waits[AQ_WAVE_AT_L1];
  sum->waits_l2 = tally->waits[AQ_WAVE_AT_L2];
  sum->waits_far = tally->waits[AQ_WAVE_AT_FAR];
  sum->waits_store = tally->waits[AQ_WAVE_AT_STORE];
  sum->waits_lds = tally->waits[AQ_WAVE_AT_LDS];
  sum->waits_smem = tally->waits[AQ_WAVE_AT_SMEM];
  sum->error = error_of(tally);
}

/* Adds what cut workgroups executed behind the cut: as before it. */
static void beyond_add(aq_work_counters *tally)
{
  aq_counted *sum = &tally->sum;
  int64_t *const fields[] = {
      &sum->issued,      &sum->vector,    &sum->lanes,
      &sum->valu,        &sum->matrix,    &sum->scalar,
      &sum->smem,        &sum->vmem,      &sum->atomics,
      &sum->shared,      &sum->barriers,  &sum->bytes,
      &sum->l1,          &sum->l2,        &sum->far_reads,
      &sum->far_writes,  &sum->pages,     &sum->page_uses,
      &sum->waits_l1,    &sum->waits_l2,  &sum->waits_far,
      &sum->waits_store, &sum->waits_lds, &sum->waits_smem,
      &sum->bank_cycles, &sum->cycles,    &sum->cycles_most,
      &sum->group_most};
  const double times = 1 + (double)tally->beyond / (double)sum->issued;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    *fields[i] = (int64_t)((double)*fields[i] * times);
}

/* Keeps a row, or counts a dispatch with one that is equal. */
static bool row_keep(aq_wave_counting *counting, const aq_counted *row,
                     const aq_wave_grid *grid, size_t *out)
{
  aq_wave_counted_row made = {.row = *row};
  uint64_t at;
  made.kernel = aq_names_id(&counting->names, grid->desc.kernel,
                            strlen(grid->desc.kernel));
  made.gfx =
      aq_names_id(&counting->names, grid->desc.gfx, strlen(grid->desc.gfx));
  if (made.kernel < 0 || made.gfx < 0)
    return false;
  const uint64_t hash = aq_fnv_add(AQ_FNV_START, &made, sizeof made);
  if (aq_map_get(&counting->by_hash, hash, &at)) {
    counting->rows[at].row.dispatches++;
    *out = at;
    return true;
  }
  *out = counting->count;
  if (!AQ_ARRAY_PUSH(counting->rows, counting->count, counting->capacity, made))
    return false;
  if (aq_map_put(&counting->by_hash, hash, counting->count - 1))
    return true;
  counting->count--;
  return false;
}

static void time_take(const aq_wave_counting *counting,
                      const aq_wave_grid *grid, aq_time time,
                      aq_execution_step *out)
{
  out->told = counting->options.repeats && grid->clock_told > 0;
  if (!out->told)
    out->elapsed = aq_time_max(out->elapsed, time);
}

static void repeat_take(aq_wave_counting *counting, const aq_wave_grid *grid,
                        aq_execution_step *out)
{
  const aq_wave_known *known = &counting->known[grid->repeats - 1];
  aq_counted *row = &counting->rows[known->row].row;
  row->dispatches++;
  row->repeated++;
  time_take(counting, grid, known->time, out);
}

aq_status aq_work_counters_end(aq_wave_counting *counting, aq_wave_grid *grid,
                               aq_execution_step *out)
{
  aq_work_counters *tally = grid->tally;
  const aq_wave_counting_options *options = &counting->options;
  size_t row;
  if (!tally) {
    repeat_take(counting, grid, out);
    return AQ_OK;
  }
  if (!options->sampled)
    tally->sum.executed = tally->sum.groups;
  waits_take(tally);
  counting->spent += tally->sum.issued;
  if (tally->beyond > 0)
    beyond_add(tally);
  const aq_time time =
      options->time ? options->time(&tally->sum, options->user) : 0;
  time_take(counting, grid, time, out);
  if (!row_keep(counting, &tally->sum, grid, &row))
    return AQ_ERR_NO_MEMORY;
  aq_work_repeats_add(counting, tally, row, time);
  return AQ_OK;
}

static aq_status name_put(aq_wave_counting *counting, aq_record_sink *sink,
                          int64_t id, int64_t *out, aq_diag *diag)
{
  const char *text = aq_names_text(&counting->names, id);
  return sink->name(sink, text, strlen(text), out, diag);
}

aq_status aq_wave_counting_put(aq_wave_counting *counting, aq_record_sink *sink,
                               aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (!sink->put_counted || counting->done)
    return AQ_OK;
  for (size_t i = 0; i < counting->count && status == AQ_OK; i++) {
    const aq_wave_counted_row *from = &counting->rows[i];
    aq_counted row = from->row;
    status = name_put(counting, sink, from->kernel, &row.kernel, diag);
    if (status == AQ_OK)
      status = name_put(counting, sink, from->gfx, &row.gfx, diag);
    if (status == AQ_OK)
      status = sink->put_counted(sink, &row, 1, diag);
  }
  counting->done = true;
  return status;
}
