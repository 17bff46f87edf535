/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

const aq_explain_term aq_explain_causes[AQ_CAUSE_COUNT] = {
#define C(id, name, verdict, meaning)                                          \
  [AQ_CAUSE_##id] = {name, verdict, meaning},
    AQ_EXPLAIN_CAUSES(C)
#undef C
};

/* Work that runs beside work of a higher rank counts as the latter. */
typedef enum rank {
  RANK_KERNEL,
  RANK_COMMUNICATION,
  RANK_COPY,
  RANK_OUTSIDE,
  RANKS
} rank;

static const aq_explain_cause rank_causes[RANKS] = {
    AQ_CAUSE_KERNEL, AQ_CAUSE_COMMUNICATION, AQ_CAUSE_COPY, AQ_CAUSE_OUTSIDE};

/* One device, from its first start on. */
typedef struct sweep {
  const aq_dispatches *all;
  aq_explain *out;
  int64_t device, cus;
  bool policy, begun;
  aq_time until[RANKS], any_until; /* latest ends so far */
  bool *named;                     /* names that the device ran, by id */
  size_t next_wait, next_stall;    /* those before have ended */
  aq_dispatch_row last;            /* the row that ends at any_until */
} sweep;

static void charge(aq_explain *out, aq_explain_cause cause, aq_time time,
                   int64_t row)
{
  aq_explain_share *share = &out->shares[cause];
  if (time <= 0)
    return;
  out->time += time;
  share->time += time;
  share->gaps++;
  if (share->worst_row == AQ_NONE || time > share->worst) {
    share->worst = time;
    share->worst_row = row;
  }
}

/* ---- what ran ---- */

/* The part of a kernel's time in which its workgroups cannot fill the device:
 * of ceil(n / cus) rounds of equal length the last has a remainder only. That
 * is the least that is lost, at one workgroup a compute unit. */
static aq_time tail_of(const aq_dispatch_row *row, int64_t cus, aq_time time)
{
  if (row->kind != AQ_KIND_KERNEL || cus <= 0 || row->workgroups <= 0)
    return 0;
  const int64_t rounds = (row->workgroups - 1) / cus + 1;
  const __int128 slots = (__int128)rounds * cus;
  return (aq_time)((slots - row->workgroups) * time / slots);
}

static rank rank_of(const aq_dispatch_row *row)
{
  if (row->outside)
    return RANK_OUTSIDE;
  if (row->kind != AQ_KIND_KERNEL)
    return RANK_COPY;
  return row->communicates ? RANK_COMMUNICATION : RANK_KERNEL;
}

/* Time that the row adds to what its rank ran before: its own from where the
 * others end, and what lower ranks alone had covered. */
static aq_time take_run(sweep *s, const aq_dispatch_row *row, rank own)
{
  aq_time from = row->start, added = 0;
  for (int r = 0; r < RANKS; r++) {
    const aq_time to = aq_time_min(row->end, s->until[r]);
    if (r > (int)own && to > from) {
      s->out->shares[rank_causes[r]].time -= to - from;
      s->out->time -= to - from;
      added += to - from;
    }
    from = aq_time_max(from, s->until[r]);
  }
  return added + aq_time_max(row->end - from, 0);
}

/* ---- why nothing ran ---- */

/* Idle time, except the measured run's unexplained waits. */
static void charge_idle(sweep *s, aq_explain_cause cause, aq_time from,
                        aq_time to, int64_t row)
{
  const aq_dispatches *d = s->all;
  while (s->next_stall < d->stall_count && d->stalls[s->next_stall].to <= from)
    s->next_stall++;
  for (size_t i = s->next_stall;
       i < d->stall_count && d->stalls[i].from < to && from < to; i++) {
    const aq_unexplained_wait *stall = &d->stalls[i];
    if (stall->device != s->device)
      continue;
    const aq_time begin = aq_time_max(from, stall->from);
    const aq_time end = aq_time_min(to, stall->to);
    if (end <= begin)
      continue;
    charge(s->out, cause, begin - from, row);
    charge(s->out, AQ_CAUSE_UNEXPLAINED, end - begin, row);
    from = end;
  }
  charge(s->out, cause, to - from, row);
}

/* A kernel's first launch that took so long loaded its code. */
static bool loads(const sweep *s, const aq_dispatch_row *row)
{
  return row->kind == AQ_KIND_KERNEL && row->via == AQ_VIA_DIRECT &&
         row->name >= 0 && !s->named[row->name] &&
         row->host_end != AQ_TIME_NONE && row->host_begin != AQ_TIME_NONE &&
         row->host_end - row->host_begin > AQ_EXPLAIN_LOAD_US * AQ_US;
}

/* The host's work in the call that submits the row. A blocking copy is a wait
 * for what ran when its call began, and then a copy. */
static aq_explain_cause call_cause(const sweep *s, const aq_dispatch_row *row)
{
  if (s->policy)
    return AQ_CAUSE_POLICY;
  if (aq_dispatch_blocks(row) && row->host_begin <= s->any_until)
    return AQ_CAUSE_SYNC;
  return loads(s, row) ? AQ_CAUSE_LOADING : AQ_CAUSE_LAUNCH;
}

/* The cause of a submission's wait, as far as it is known. */
static aq_explain_cause device_cause(const aq_dispatch_row *row, aq_time time)
{
  if (row->flags & AQ_FLAG_EDGE)
    return AQ_CAUSE_BARRIER;
  return time > AQ_EXPLAIN_LAUNCH_US * AQ_US ? AQ_CAUSE_UNEXPLAINED
                                             : AQ_CAUSE_DISPATCH;
}

/* The submission time of a row, by the host's times: a pinned row has no
 * doorbell of the measured run. */
static aq_time submission_of(const aq_dispatch_row *row)
{
  return row->flags & AQ_FLAG_PINNED ? row->host_end : row->submission;
}

/* The first lost call from a time on. */
static size_t lost_from(const aq_dispatches *d, aq_time time)
{
  size_t low = 0, high = d->lost_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (d->lost[middle].begin < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether lost work may have run in the gap before a row: it was launched
 * between the launches of the rows around it, or in the gap. */
static bool lost_may_run(const sweep *s, const aq_dispatch_row *row)
{
  const aq_dispatches *d = s->all;
  const aq_time called =
      s->last.host_begin != AQ_TIME_NONE ? s->last.host_begin : s->any_until;
  const aq_time from = aq_time_min(called, s->any_until);
  const size_t i = lost_from(d, from);
  return i < d->lost_count && d->lost[i].begin <= row->start;
}

static void charge_gap(sweep *s, const aq_dispatch_row *row)
{
  const aq_time from = s->any_until, to = row->start;
  const aq_time submission = submission_of(row);
  if (lost_may_run(s, row)) {
    charge(s->out, AQ_CAUSE_UNKNOWN, to - from, row->number);
    s->out->lost_time += to - from;
    return;
  }
  if (submission == AQ_TIME_NONE) {
    charge(s->out, AQ_CAUSE_UNKNOWN, to - from, row->number);
    return;
  }
  const aq_time submitted = aq_time_min(aq_time_max(submission, from), to);
  if (submitted > from) {
    /* From `from` until the submission: the host's time. */
    const aq_time called = row->host_begin == AQ_TIME_NONE
                               ? submitted
                               : aq_time_min(row->host_begin, submitted);
    /* Until when the host, at any time in a span, was in a call that waited. */
    const aq_dispatches *d = s->all;
    aq_time waited = from;
    while (s->next_wait < d->wait_count && d->waits[s->next_wait].end < from)
      s->next_wait++;
    for (size_t i = s->next_wait;
         i < d->wait_count && d->waits[i].begin < called; i++) {
      const aq_host_wait *wait = &d->waits[i];
      if (wait->end > from && wait->tid == row->tid && wait->pid == row->pid)
        waited = aq_time_max(waited, aq_time_min(wait->end, called));
    }
    charge_idle(s, AQ_CAUSE_SYNC, from, waited, row->number);
    const aq_time in_call = aq_time_max(waited, called);
    charge_idle(s, AQ_CAUSE_HOST, waited, in_call, row->number);
    charge_idle(s, call_cause(s, row), in_call, submitted, row->number);
  }
  /* From the submission until the start: the device's time. What holds a pinned
   * row is the replay's, not the device's. */
  if (row->fetch == AQ_TIME_NONE || row->launch == AQ_TIME_NONE ||
      row->flags & AQ_FLAG_PINNED) {
    charge_idle(s, device_cause(row, to - submitted), submitted, to,
                row->number);
    return;
  }
  const aq_time fetched = aq_time_min(aq_time_max(row->fetch, submitted), to);
  const aq_time launched = aq_time_min(aq_time_max(row->launch, fetched), to);
  const bool long_in_ring =
      row->fetch - row->submission > AQ_EXPLAIN_FETCH_US * AQ_US;
  charge_idle(s, long_in_ring ? AQ_CAUSE_QUEUE : AQ_CAUSE_DISPATCH, submitted,
              fetched, row->number);
  charge_idle(s, AQ_CAUSE_BARRIER, fetched, launched, row->number);
  charge_idle(s, AQ_CAUSE_DISPATCH, launched, to, row->number);
}

/* ---- unexplained waits of the measured run ---- */

/* The gaps that the sweep of one device of a measured run calls unexplained;
 * *any: it has rows. */
static bool stalls_find(aq_dispatches *replay, const aq_dispatches *measured,
                        int64_t device, int64_t place, bool *any)
{
  aq_time until = AQ_TIME_NONE;
  for (size_t i = 0; i < measured->count; i++) {
    const aq_dispatch_row *row = &measured->rows[i];
    if (row->device != device)
      continue;
    const aq_time submission = submission_of(row);
    const aq_time from = aq_time_max(submission, until);
    if (*any && submission != AQ_TIME_NONE && row->start > from &&
        row->launch == AQ_TIME_NONE &&
        device_cause(row, row->start - from) == AQ_CAUSE_UNEXPLAINED &&
        !AQ_ARRAY_PUSH(
            replay->stalls, replay->stall_count, replay->stall_capacity,
            (aq_unexplained_wait){from, row->end, row->number, place}))
      return false;
    until = *any ? aq_time_max(until, row->end) : row->end;
    *any = true;
  }
  return true;
}

/* ---- lost launches of the measured run ---- */

/* A launch of the measured run, and by how much later its replay launched. */
typedef struct moved {
  aq_time begin, by;
  int64_t pid;
} moved;

static int moved_compare(const void *left, const void *right)
{
  const moved *a = left, *b = right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The launches of the replay's rows, by process and time; NULL: no memory. */
static moved *moved_find(const aq_dispatches *replay,
                         const aq_dispatches *measured, size_t *count)
{
  int64_t numbers = 1;
  *count = 0;
  for (size_t i = 0; i < measured->count; i++)
    if (measured->rows[i].number >= numbers)
      numbers = measured->rows[i].number + 1;
  const aq_dispatch_row **by_number =
      calloc((size_t)numbers, sizeof *by_number);
  moved *out = malloc((replay->count + 1) * sizeof *out);
  for (size_t i = 0; by_number && i < measured->count; i++)
    by_number[measured->rows[i].number] = &measured->rows[i];
  for (size_t i = 0; by_number && out && i < replay->count; i++) {
    const aq_dispatch_row *row = &replay->rows[i];
    const aq_dispatch_row *origin = row->origin >= 0 && row->origin < numbers
                                        ? by_number[row->origin]
                                        : NULL;
    if (origin && origin->host_begin != AQ_TIME_NONE &&
        row->host_begin != AQ_TIME_NONE)
      out[(*count)++] =
          (moved){origin->host_begin, row->host_begin - origin->host_begin,
                  origin->pid};
  }
  if (!by_number) {
    free(out);
    out = NULL;
  }
  free(by_number);
  if (out && *count > 0)
    qsort(out, *count, sizeof *out, moved_compare);
  return out;
}

/* How much later the replay made a call, as the launch before it. */
static aq_time moved_by(const moved *launches, size_t count,
                        const aq_lost_call *call)
{
  const moved wanted = {.begin = call->begin, .pid = call->pid};
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (moved_compare(&launches[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && launches[low - 1].pid == call->pid ? launches[low - 1].by
                                                       : 0;
}

static int lost_compare(const void *left, const void *right)
{
  const aq_lost_call *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

static bool lost_take(aq_dispatches *replay, const aq_dispatches *measured)
{
  size_t count;
  if (measured->lost_count == 0)
    return true;
  moved *launches = moved_find(replay, measured, &count);
  bool good = launches != NULL;
  for (size_t i = 0; i < measured->lost_count && good; i++) {
    aq_lost_call call = measured->lost[i];
    call.begin += moved_by(launches, count, &call);
    good = AQ_ARRAY_PUSH(replay->lost, replay->lost_count,
                         replay->lost_capacity, call);
  }
  free(launches);
  if (good)
    qsort(replay->lost, replay->lost_count, sizeof *replay->lost, lost_compare);
  return good;
}

aq_status aq_explain_origin(aq_dispatches *replay,
                            const aq_dispatches *measured, bool open,
                            aq_diag *diag)
{
  int64_t devices = 0, place = 0;
  if (!lost_take(replay, measured))
    return aq_diag_no_memory(diag);
  if (!open)
    return AQ_OK;
  for (size_t i = 0; replay->wait_count < measured->wait_count; i++)
    if (!AQ_ARRAY_PUSH(replay->waits, replay->wait_count, replay->wait_capacity,
                       measured->waits[i]))
      return aq_diag_no_memory(diag);
  for (size_t i = 0; i < measured->count; i++)
    if (measured->rows[i].device >= devices)
      devices = measured->rows[i].device + 1;
  /* A replay numbers the devices that have rows without gaps. */
  for (int64_t device = 0; device < devices; device++) {
    bool any = false;
    if (!stalls_find(replay, measured, device, place, &any))
      return aq_diag_no_memory(diag);
    place += any;
  }
  return AQ_OK;
}

/* ---- all of it ---- */

/* Returns the time that is the row's own, of a kernel that does not
 * communicate. */
static aq_time sweep_row(sweep *s, const aq_dispatch_row *row)
{
  if (!s->begun) {
    s->begun = true;
    s->out->unsized += s->cus <= 0;
    s->any_until = row->start;
    for (int r = 0; r < RANKS; r++)
      s->until[r] = row->start;
    s->last = *row;
    s->out->devices++;
  }
  if (row->start > s->any_until) {
    charge_gap(s, row);
    s->any_until = row->start;
  }
  const rank own = rank_of(row);
  const aq_time added = take_run(s, row, own);
  const aq_time tail = own == RANK_KERNEL ? tail_of(row, s->cus, added) : 0;
  if (own == RANK_COMMUNICATION)
    s->out->communication += aq_time_max(
        row->end - aq_time_max(row->start, s->until[RANK_COMMUNICATION]), 0);
  if (own == RANK_KERNEL && row->workgroups == AQ_NONE) {
    s->out->shapeless++;
    s->out->shapeless_time += added;
  }
  charge(s->out, AQ_CAUSE_TAIL, tail, row->number);
  charge(s->out, rank_causes[own], added - tail, row->number);
  s->until[own] = aq_time_max(s->until[own], row->end);
  if (row->end >= s->any_until)
    s->last = *row;
  s->any_until = aq_time_max(s->any_until, row->end);
  if (row->name >= 0)
    s->named[row->name] = true;
  return own == RANK_KERNEL ? added : 0;
}

/* The time of the rows of a part of the run: all of it where none is outside.
 * `device`: of that device; AQ_NONE: of all, from the first call on. False:
 * there is none. */
static bool part_of(const aq_dispatches *d, int64_t device, aq_time *from,
                    aq_time *to)
{
  bool any = false, whole = true;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (device != AQ_NONE && row->device != device)
      continue;
    if (row->outside) {
      whole = false;
      continue;
    }
    const aq_time begin = device == AQ_NONE && row->host_begin != AQ_TIME_NONE
                              ? row->host_begin
                              : row->start;
    *from = any ? aq_time_min(*from, begin) : begin;
    *to = any ? aq_time_max(*to, row->end) : row->end;
    any = true;
  }
  if (any && whole) {
    *from = INT64_MIN;
    *to = INT64_MAX;
  }
  return any;
}

static void device_sweep(sweep *s, aq_time *ran)
{
  aq_time from, to;
  if (!part_of(s->all, s->device, &from, &to))
    return;
  for (size_t i = 0; i < s->all->count; i++) {
    aq_dispatch_row row = s->all->rows[i];
    row.start = aq_time_max(row.start, from);
    row.end = aq_time_min(row.end, to);
    if (row.device != s->device || row.start > row.end)
      continue;
    const aq_time own = sweep_row(s, &row);
    if (ran)
      ran[i] = own;
  }
}

/* Counts the losses of the trace in the time of the rows, and waits that the
 * replay lacks. */
static void losses_count(const aq_dispatches *d, aq_explain *e)
{
  aq_time from, to;
  if (!part_of(d, AQ_NONE, &from, &to))
    return;
  for (size_t i = 0; i < d->lost_count; i++)
    if (d->lost[i].begin >= from && d->lost[i].begin <= to)
      *(d->lost[i].started ? &e->endless : &e->lost) += 1;
  for (size_t i = 0; i < d->stall_count; i++) {
    const aq_time begin = aq_time_max(d->stalls[i].from, from);
    const aq_time end = aq_time_min(d->stalls[i].to, to);
    e->stalls += begin < end;
    e->stalled += begin < end ? end - begin : 0;
  }
}

aq_status aq_explain_make(const aq_dispatches *dispatches, const int64_t *cus,
                          size_t device_count, bool policy, aq_time *ran,
                          aq_explain *out, aq_diag *diag)
{
  aq_explain e = {0};
  if (dispatches->count == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "no kernel, copy or fill with a start and an end in "
                       "this run");
  size_t names = 1; /* one for each name id of the rows */
  for (size_t i = 0; i < dispatches->count; i++) {
    e.dispatches += !dispatches->rows[i].outside;
    if (dispatches->rows[i].name >= (int64_t)names)
      names = (size_t)dispatches->rows[i].name + 1;
  }
  bool *named = malloc(names * sizeof *named);
  if (!named)
    return aq_diag_no_memory(diag);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    e.shares[i].worst_row = AQ_NONE;
  for (size_t device = 0; device < device_count; device++) {
    sweep s = {.all = dispatches,
               .out = &e,
               .device = (int64_t)device,
               .cus = cus[device],
               .policy = policy,
               .named = named};
    memset(named, 0, names * sizeof *named);
    device_sweep(&s, ran);
  }
  free(named);
  losses_count(dispatches, &e);
  /* The two largest shares, by AQ_EXPLAIN_RULE. */
  e.largest = AQ_CAUSE_KERNEL;
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    if (e.shares[i].time > e.shares[e.largest].time)
      e.largest = (aq_explain_cause)i;
  e.next = e.largest == AQ_CAUSE_KERNEL ? AQ_CAUSE_TAIL : AQ_CAUSE_KERNEL;
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    if (i != (int)e.largest && e.shares[i].time > e.shares[e.next].time)
      e.next = (aq_explain_cause)i;
  e.bound = (__int128)e.shares[e.largest].time * 100 >=
            (__int128)e.time * AQ_EXPLAIN_BOUND_PERCENT;
  *out = e;
  return AQ_OK;
}
