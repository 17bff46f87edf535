/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/memory_summary.h"

#include <stdlib.h>

#include "common/array.h"
#include "report/stats/steps.h"

void aq_memory_summary_fini(aq_memory_summary *summary)
{
  free(summary->uses);
  free(summary->ops);
  *summary = (aq_memory_summary){0};
}

static aq_memory_use *use_of(aq_memory_summary *s, int64_t device)
{
  for (size_t i = 0; i < s->use_count; i++)
    if (s->uses[i].device == device)
      return &s->uses[i];
  return AQ_ARRAY_PUSH(s->uses, s->use_count, s->use_capacity,
                       (aq_memory_use){.device = device,
                                       .peak_at = AQ_TIME_NONE,
                                       .reserved = AQ_NONE,
                                       .op_name = AQ_NONE,
                                       .pid = AQ_NONE,
                                       .step = AQ_NONE})
             ? &s->uses[s->use_count - 1]
             : NULL;
}

/* Devices in their order, the host behind them. */
static int use_order(const void *a, const void *b)
{
  const aq_memory_use *x = a, *y = b;
  if ((x->device == AQ_NONE) != (y->device == AQ_NONE))
    return x->device == AQ_NONE ? 1 : -1;
  return (x->device > y->device) - (x->device < y->device);
}

static void use_add(aq_memory_use *use, const aq_memory_block *b)
{
  use->unsized += b->bytes == AQ_NONE;
  if (b->allocated == AQ_TIME_NONE)
    return;
  use->blocks++;
  use->bytes += b->bytes;
  if (b->freed != AQ_TIME_NONE)
    return;
  use->left++;
  use->left_bytes += b->bytes;
}

/* ---- peaks ---- */

/* The totals that the source recorded. */
static void peak_by_samples(aq_memory_use *use, const aq_sample *samples,
                            size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const aq_sample *s = &samples[i];
    if (s->ordinal != use->device)
      continue;
    if (s->counter == AQ_COUNTER_memory_allocated &&
        (use->peak_at == AQ_TIME_NONE || s->value > use->peak)) {
      use->peak = s->value;
      use->peak_at = s->time;
    }
    if (s->counter == AQ_COUNTER_memory_reserved && s->value > use->reserved)
      use->reserved = s->value;
  }
}

typedef struct change {
  aq_time at;
  int64_t bytes;
} change;

/* Of one time frees come first: the memory may be the same. */
static int change_order(const void *a, const void *b)
{
  const change *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The host has no counters: the sum of its recorded blocks. */
static bool peak_by_blocks(aq_memory_use *use, const aq_memory_block_list *list)
{
  change *changes = malloc((2 * list->count + 1) * sizeof *changes);
  size_t count = 0;
  int64_t sum = 0;
  if (!changes)
    return false;
  for (size_t i = 0; i < list->count; i++) {
    const aq_memory_block *b = &list->rows[i];
    if (b->device != use->device || b->bytes == AQ_NONE)
      continue;
    if (b->allocated == AQ_TIME_NONE)
      sum += b->bytes;
    else
      changes[count++] = (change){b->allocated, b->bytes};
    if (b->freed != AQ_TIME_NONE)
      changes[count++] = (change){b->freed, -b->bytes};
  }
  qsort(changes, count, sizeof *changes, change_order);
  for (size_t i = 0; i < count; i++) {
    sum += changes[i].bytes;
    if (use->peak_at != AQ_TIME_NONE && sum <= use->peak)
      continue;
    use->peak = sum;
    use->peak_at = changes[i].at;
  }
  free(changes);
  return true;
}

static bool is_live(const aq_memory_block *b, aq_time at)
{
  return b->bytes != AQ_NONE && b->allocated != AQ_TIME_NONE &&
         b->allocated <= at && (b->freed == AQ_TIME_NONE || b->freed > at);
}

/* ---- ops ---- */

/* By device and name, in front of the figures; the order of the summary is
 * made at the end. */
static aq_memory_op *op_of(aq_memory_summary *s, aq_map *known, int64_t device,
                           int64_t name)
{
  const uint64_t key = (uint64_t)device * UINT64_C(0x9e3779b97f4a7c15) ^
                       (uint64_t)(name == AQ_NONE ? -1 : name);
  uint64_t at;
  if (aq_map_get(known, key, &at))
    return &s->ops[at];
  return aq_map_put(known, key, s->op_count) &&
                 AQ_ARRAY_PUSH(
                     s->ops, s->op_count, s->op_capacity,
                     (aq_memory_op){.device = device, .op_name = name})
             ? &s->ops[s->op_count - 1]
             : NULL;
}

static int op_order(const void *a, const void *b)
{
  const aq_memory_op *x = a, *y = b;
  if (x->at_peak != y->at_peak)
    return x->at_peak > y->at_peak ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  return (x->op_name > y->op_name) - (x->op_name < y->op_name);
}

/* NULL: none is known. */
static const aq_host_op *block_op(const aq_host_op_list *ops,
                                  const aq_memory_block *b)
{
  return b->op >= 0 && (size_t)b->op < ops->count ? &ops->rows[b->op] : NULL;
}

static bool blocks_sum(aq_memory_summary *s, const aq_memory_block_list *list,
                       const aq_host_op_list *ops)
{
  aq_map known = AQ_MAP_INIT;
  bool done = true;
  for (size_t i = 0; i < list->count && done; i++) {
    const aq_memory_block *b = &list->rows[i];
    aq_memory_use *use = use_of(s, b->device);
    if (b->allocated == AQ_TIME_NONE)
      continue;
    const aq_host_op *around = block_op(ops, b);
    const int64_t name = around ? around->name : AQ_NONE;
    aq_memory_op *op = op_of(s, &known, b->device, name);
    done = op != NULL;
    if (!done)
      break;
    op->blocks++;
    op->bytes += b->bytes;
    op->left += b->freed == AQ_TIME_NONE;
    op->left_bytes += b->freed == AQ_TIME_NONE ? b->bytes : 0;
    if (use->peak_at == AQ_TIME_NONE || !is_live(b, use->peak_at))
      continue;
    op->at_peak += b->bytes;
    use->before -= b->bytes;
    if (b->allocated != use->peak_at)
      continue;
    use->op_name = name;
    use->pid = around ? around->pid : AQ_NONE;
  }
  aq_map_fini(&known);
  return done;
}

/* Whether sums of sizes, and their differences to a counter, are numbers. */
static bool is_in_range(const aq_memory_block_list *list,
                        const aq_sample *samples, size_t sample_count)
{
  const int64_t most = INT64_MAX / 2;
  int64_t sum = 0;
  for (size_t i = 0; i < list->count; i++) {
    const int64_t bytes = list->rows[i].bytes;
    if (bytes == AQ_NONE)
      continue;
    if (bytes < 0 || bytes > most - sum)
      return false;
    sum += bytes;
  }
  for (size_t i = 0; i < sample_count; i++)
    if (samples[i].counter == AQ_COUNTER_memory_allocated &&
        samples[i].value < -most)
      return false;
  return true;
}

static bool summarize(aq_memory_summary *s, const aq_memory_block_list *list,
                      const aq_host_op_list *ops, const aq_sample *samples,
                      size_t sample_count)
{
  for (size_t i = 0; i < list->count; i++) {
    aq_memory_use *use = use_of(s, list->rows[i].device);
    if (!use)
      return false;
    use_add(use, &list->rows[i]);
  }
  for (size_t i = 0; i < s->use_count; i++) {
    aq_memory_use *use = &s->uses[i];
    peak_by_samples(use, samples, sample_count);
    if (use->peak_at == AQ_TIME_NONE && !peak_by_blocks(use, list))
      return false;
    use->before = use->peak;
  }
  if (!blocks_sum(s, list, ops))
    return false;
  qsort(s->uses, s->use_count, sizeof *s->uses, use_order);
  qsort(s->ops, s->op_count, sizeof *s->ops, op_order);
  return true;
}

/* The process whose work a device did; AQ_NONE: none, or several. */
static int64_t device_pid(const aq_dispatches *d, int64_t device)
{
  int64_t pid = AQ_NONE;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->device != device || row->pid == AQ_NONE)
      continue;
    if (pid != AQ_NONE && pid != row->pid)
      return AQ_NONE;
    pid = row->pid;
  }
  return pid;
}

static bool steps_find(aq_memory_summary *s, const aq_dispatches *dispatches,
                       aq_run_reader *reader)
{
  for (size_t i = 0; i < s->use_count; i++) {
    aq_memory_use *use = &s->uses[i];
    if (use->pid == AQ_NONE && use->device != AQ_NONE)
      use->pid = device_pid(dispatches, use->device);
    if (!aq_steps_at(dispatches, reader, use->pid, use->peak_at, &use->step))
      return false;
  }
  return true;
}

aq_status aq_memory_summary_make(aq_store *store, int64_t run,
                                 aq_run_reader *reader,
                                 const aq_dispatches *dispatches,
                                 aq_memory_summary *out, aq_diag *diag)
{
  aq_memory_block_list list = {0};
  aq_host_op_list ops = {0};
  const aq_sample *samples = NULL;
  size_t count = 0;
  aq_status status = aq_store_memory_blocks(store, run, &list, diag);
  if (status == AQ_OK && list.count > 0)
    status = aq_store_ops(store, run, &ops, diag);
  if (status == AQ_OK && list.count > 0)
    status = aq_run_reader_samples(reader, &samples, &count, diag);
  if (status == AQ_OK && !is_in_range(&list, samples, count))
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "run %lld: its allocations add up to more than 2^62 "
                         "bytes, or a size or total is below 0",
                         (long long)run);
  if (status == AQ_OK && list.count > 0 &&
      !summarize(out, &list, &ops, samples, count))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK && !steps_find(out, dispatches, reader))
    status = aq_diag_no_memory(diag);
  aq_memory_block_list_fini(&list);
  aq_host_op_list_fini(&ops);
  return status;
}
