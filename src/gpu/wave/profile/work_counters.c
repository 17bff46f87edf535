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
  WINDOW = 64,        /* workgroups */
  ENOUGH = 1 << 20,   /* instructions, of all windows */
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
  free(counting->rows);
  free(counting);
}

bool aq_wave_counting_times(const aq_wave_counting *counting)
{
  return counting->options.time != NULL;
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
  aq_work_counters *tally = calloc(1, sizeof *tally);
  if (!tally)
    return aq_diag_no_memory(diag);
  tally->counting = counting;
  tally->serial = ++counting->serial;
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
      const int64_t share = ENOUGH / (int64_t)tally->window_count * (i + 1);
      *window = i;
      return number == tally->windows[i] ||
             number + 1 == tally->counting->included ||
             (number < tally->windows[i] + tally->window_size &&
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

bool aq_work_counters_group(aq_wave_group *group, uint64_t number)
{
  const aq_wave_grid *grid = group->grid;
  aq_work_counters *tally = grid->tally;
  unsigned window;
  tally->sum.executed++;
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
}

void aq_work_counters_retire(aq_wave_group *group)
{
  const aq_wave_group_tally *own = group->tally;
  aq_work_counters *tally = group->grid->tally;
  int64_t most = 0;
  if (!own)
    return;
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

/* Keeps a row, or counts a dispatch with one that is equal. */
static bool row_keep(aq_wave_counting *counting, const aq_counted *row,
                     const aq_wave_grid *grid)
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
    return true;
  }
  if (!AQ_ARRAY_PUSH(counting->rows, counting->count, counting->capacity, made))
    return false;
  if (aq_map_put(&counting->by_hash, hash, counting->count - 1))
    return true;
  counting->count--;
  return false;
}

aq_status aq_work_counters_end(aq_wave_grid *grid, aq_time *elapsed)
{
  aq_work_counters *tally = grid->tally;
  const aq_wave_counting_options *options = &tally->counting->options;
  waits_take(tally);
  if (options->time)
    *elapsed = aq_time_max(*elapsed, options->time(&tally->sum, options->user));
  return row_keep(tally->counting, &tally->sum, grid) ? AQ_OK
                                                      : AQ_ERR_NO_MEMORY;
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
