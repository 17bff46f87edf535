/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/stats/part_spans.h"

const aq_explain_term aq_explain_causes[AQ_CAUSE_COUNT] = {
#define C(id, name, verdict, share, meaning)                                   \
  [AQ_CAUSE_##id] = {name, verdict, share, meaning},
    AQ_EXPLAIN_CAUSES(C)
#undef C
};

/* Work that runs beside work of a higher rank counts as the latter; work
 * outside of the part hides communication and copies as in it. */
typedef enum rank {
  RANK_KERNEL,
  RANK_OUTSIDE_KERNEL,
  RANK_COMMUNICATION,
  RANK_OUTSIDE_COMMUNICATION,
  RANK_COPY,
  RANK_OUTSIDE_COPY,
  RANKS
} rank;

static const aq_explain_cause rank_causes[RANKS] = {
    AQ_CAUSE_KERNEL,  AQ_CAUSE_OUTSIDE, AQ_CAUSE_COMMUNICATION,
    AQ_CAUSE_OUTSIDE, AQ_CAUSE_COPY,    AQ_CAUSE_OUTSIDE};

/* The time of a row that counts as its rank's until a higher one takes it. */
typedef struct held {
  aq_time end, time;
  size_t next; /* the row of its rank that ends after it + 1 */
} held;

/* When a thread of the host waited: disjoint, by thread and time. */
typedef struct host_waits {
  aq_host_wait *list;
  size_t count;
} host_waits;

/* One device, from its first start on. */
typedef struct sweep {
  const aq_dispatches *all;
  const host_waits *waits;
  aq_explain *out;
  int64_t device, cus;
  bool policy, begun;
  aq_time until[RANKS], any_until;   /* latest ends so far */
  held *held;                        /* by place of the row */
  size_t oldest[RANKS], last[RANKS]; /* of the held rows + 1 */
  bool *named;                       /* names that the device ran, by id */
  size_t next_stall;                 /* those before have ended */
  aq_dispatch_row before;            /* the row that ends at any_until */
  aq_time idle[AQ_CAUSE_COUNT];      /* of the gap that is being divided */
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
  const rank own = row->kind != AQ_KIND_KERNEL ? RANK_COPY
                   : row->communicates         ? RANK_COMMUNICATION
                                               : RANK_KERNEL;
  return row->outside ? own + 1 : own;
}

/* The oldest held row of a rank keeps its time. */
static void held_charge(sweep *s, rank own)
{
  const size_t place = s->oldest[own] - 1;
  charge(s->out, rank_causes[own], s->held[place].time,
         s->all->rows[place].number);
  s->oldest[own] = s->held[place].next;
}

static void held_add(sweep *s, rank own, size_t place, aq_time end,
                     aq_time time)
{
  s->held[place] = (held){.end = end, .time = time};
  *(s->oldest[own] ? &s->held[s->last[own] - 1].next : &s->oldest[own]) =
      place + 1;
  s->last[own] = place + 1;
}

/* Takes time from the rows of a rank: each moment is the one's that ends next.
 */
static void held_take(sweep *s, rank own, aq_time from, aq_time to)
{
  while (from < to && s->oldest[own]) {
    held *row = &s->held[s->oldest[own] - 1];
    const aq_time end = aq_time_min(row->end, to);
    if (end > from) {
      row->time -= end - from;
      from = end;
    }
    if (row->end <= from)
      held_charge(s, own);
  }
}

/* Time that the row adds to what its rank ran before: its own from where the
 * others end, and what lower ranks alone had covered. */
static aq_time take_run(sweep *s, const aq_dispatch_row *row, rank own)
{
  aq_time from = row->start, added = 0;
  for (int r = 0; r < RANKS; r++) {
    const aq_time to = aq_time_min(row->end, s->until[r]);
    if (r > (int)own && to > from) {
      held_take(s, (rank)r, from, to);
      added += to - from;
    }
    from = aq_time_max(from, s->until[r]);
  }
  return added + aq_time_max(row->end - from, 0);
}

/* ---- why nothing ran ---- */

/* Idle time, except the measured run's unexplained waits. */
static void add_idle(sweep *s, aq_explain_cause cause, aq_time from, aq_time to)
{
  const aq_dispatches *d = s->all;
  while (s->next_stall < d->stall_count &&
         (d->stalls[s->next_stall].device < s->device ||
          (d->stalls[s->next_stall].device == s->device &&
           d->stalls[s->next_stall].to <= from)))
    s->next_stall++;
  for (size_t i = s->next_stall;
       i < d->stall_count && d->stalls[i].device == s->device &&
       d->stalls[i].from < to && from < to;
       i++) {
    const aq_unexplained_wait *stall = &d->stalls[i];
    const aq_time begin = aq_time_max(from, stall->from);
    const aq_time end = aq_time_min(to, stall->to);
    if (end <= begin)
      continue;
    s->idle[cause] += begin - from;
    s->idle[AQ_CAUSE_UNEXPLAINED] += end - begin;
    from = end;
  }
  s->idle[cause] += aq_time_max(to - from, 0);
}

static int thread_order(const aq_host_wait *x, const aq_host_wait *y)
{
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  return (x->tid > y->tid) - (x->tid < y->tid);
}

static int wait_order(const void *a, const void *b)
{
  const aq_host_wait *x = a, *y = b;
  const int order = thread_order(x, y);
  return order ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

static bool host_waits_make(host_waits *waits, const aq_dispatches *d)
{
  aq_host_wait *list = malloc((d->wait_count + 1) * sizeof *list);
  size_t count = 0;
  if (!list)
    return false;
  for (size_t i = 0; i < d->wait_count; i++)
    list[i] = d->waits[i];
  if (d->wait_count > 0)
    qsort(list, d->wait_count, sizeof *list, wait_order);
  for (size_t i = 0; i < d->wait_count; i++) {
    aq_host_wait *last = count > 0 ? &list[count - 1] : NULL;
    if (last && thread_order(last, &list[i]) == 0 && list[i].begin <= last->end)
      last->end = aq_time_max(last->end, list[i].end);
    else if (list[i].begin < list[i].end)
      list[count++] = list[i];
  }
  *waits = (host_waits){list, count};
  return true;
}

/* The host's time before a call: in waits for the device, or between calls. */
static void add_host(sweep *s, const aq_dispatch_row *row, aq_time from,
                     aq_time called)
{
  const aq_host_wait own = {.pid = row->pid, .tid = row->tid};
  const aq_host_wait *list = s->waits->list;
  size_t low = 0, high = s->waits->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = thread_order(&list[middle], &own);
    if (order < 0 || (order == 0 && list[middle].end <= from))
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < s->waits->count && thread_order(&list[low], &own) == 0 &&
         list[low].begin < called;
       low++) {
    const aq_time begin = aq_time_max(list[low].begin, from);
    const aq_time end = aq_time_min(list[low].end, called);
    add_idle(s, AQ_CAUSE_HOST, from, begin);
    add_idle(s, AQ_CAUSE_SYNC, begin, end);
    from = end;
  }
  add_idle(s, AQ_CAUSE_HOST, from, called);
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

/* Whether lost work may have run in the gap from `until` to a row, behind the
 * row `before`: it was launched between the launches of both, or in the gap. */
static bool lost_may_run(const aq_dispatches *d, const aq_dispatch_row *before,
                         aq_time until, const aq_dispatch_row *row)
{
  const aq_time called =
      before->host_begin != AQ_TIME_NONE ? before->host_begin : until;
  const size_t i = lost_from(d, aq_time_min(called, until));
  return i < d->lost_count && d->lost[i].begin <= row->start;
}

bool *aq_explain_lost_gaps(const aq_dispatches *dispatches, int64_t *count)
{
  const aq_dispatches *d = dispatches;
  int64_t numbers = 1, devices = 1;
  for (size_t i = 0; i < d->count; i++) {
    if (d->rows[i].number >= numbers)
      numbers = d->rows[i].number + 1;
    if (d->rows[i].device >= devices)
      devices = d->rows[i].device + 1;
  }
  bool *lost = calloc((size_t)numbers, sizeof *lost);
  const aq_dispatch_row **last = calloc((size_t)devices, sizeof *last);
  for (size_t i = 0; i < d->count && lost && last && d->lost_count > 0; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->device < 0)
      continue;
    const aq_dispatch_row *before = last[row->device];
    lost[row->number] = before && row->start > before->end &&
                        lost_may_run(d, before, before->end, row);
    if (!before || row->end >= before->end)
      last[row->device] = row;
  }
  if (!last) {
    free(lost);
    lost = NULL;
  }
  free(last);
  *count = numbers;
  return lost;
}

static void gap_divide(sweep *s, const aq_dispatch_row *row)
{
  const aq_time from = s->any_until, to = row->start;
  const aq_time submission = submission_of(row);
  const bool lost = lost_may_run(s->all, &s->before, s->any_until, row);
  if (lost || submission == AQ_TIME_NONE) {
    s->idle[AQ_CAUSE_UNKNOWN] = to - from;
    s->out->lost_time += lost ? to - from : 0;
    return;
  }
  const aq_time submitted = aq_time_min(aq_time_max(submission, from), to);
  if (submitted > from) {
    /* From `from` until the submission: the host's time. */
    const aq_time called =
        row->host_begin == AQ_TIME_NONE
            ? submitted
            : aq_time_max(aq_time_min(row->host_begin, submitted), from);
    add_host(s, row, from, called);
    add_idle(s, call_cause(s, row), called, submitted);
  }
  /* From the submission until the start: the device's time. What holds a pinned
   * row is the replay's, not the device's. */
  if (row->fetch == AQ_TIME_NONE || row->launch == AQ_TIME_NONE ||
      row->flags & AQ_FLAG_PINNED) {
    add_idle(s, device_cause(row, to - submitted), submitted, to);
    return;
  }
  const aq_time fetched = aq_time_min(aq_time_max(row->fetch, submitted), to);
  const aq_time launched = aq_time_min(aq_time_max(row->launch, fetched), to);
  const bool long_in_ring =
      row->fetch - row->submission > AQ_EXPLAIN_FETCH_US * AQ_US;
  add_idle(s, long_in_ring ? AQ_CAUSE_QUEUE : AQ_CAUSE_DISPATCH, submitted,
           fetched);
  add_idle(s, AQ_CAUSE_BARRIER, fetched, launched);
  add_idle(s, AQ_CAUSE_DISPATCH, launched, to);
}

static void charge_gap(sweep *s, const aq_dispatch_row *row)
{
  memset(s->idle, 0, sizeof s->idle);
  gap_divide(s, row);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    charge(s->out, (aq_explain_cause)i, s->idle[i], row->number);
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

static void named_set(sweep *s, const aq_dispatch_row *row)
{
  if (row->name >= 0)
    s->named[row->name] = true;
}

static void sweep_begin(sweep *s, aq_time at, const aq_dispatch_row *before)
{
  s->begun = true;
  s->any_until = at;
  for (int r = 0; r < RANKS; r++)
    s->until[r] = at;
  s->before = *before;
}

/* Returns the time that is the row's own, of a kernel that does not
 * communicate; `place` is the row's of all. */
static aq_time sweep_row(sweep *s, const aq_dispatch_row *row, size_t place)
{
  if (!s->begun)
    sweep_begin(s, row->start, row);
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
  if (added > 0)
    held_add(s, own, place, row->end, added - tail);
  s->until[own] = aq_time_max(s->until[own], row->end);
  if (row->end >= s->any_until)
    s->before = *row;
  s->any_until = aq_time_max(s->any_until, row->end);
  named_set(s, row);
  return own == RANK_KERNEL ? added : 0;
}

/* The rows of a device up to a time, and rows that may reach beyond it. */
typedef struct reach {
  size_t next; /* of all rows */
  bool any;    /* row of the device, `latest` the one that ends last */
  size_t latest;
  size_t *rows, count; /* in the order of their start */
} reach;

/* Rows that ended before `from` only make their kernel's name known: its code
 * is loaded. */
static void reach_row(sweep *s, reach *r, aq_time from)
{
  const aq_dispatch_row *row = &s->all->rows[r->next];
  if (row->device != s->device)
    return;
  if (!r->any || row->end >= s->all->rows[r->latest].end)
    r->latest = r->next;
  r->any = true;
  if (row->end >= from)
    r->rows[r->count++] = r->next;
  else
    named_set(s, row);
}

/* One span. A row of the part begins it, or the idle time before that, from
 * where the occurrence had begun. */
static void span_sweep(sweep *s, reach *r, const aq_part_span *span,
                       aq_time *ran)
{
  const aq_dispatches *d = s->all;
  size_t kept = 0;
  for (size_t k = 0; k < r->count; k++)
    if (d->rows[r->rows[k]].end >= span->from)
      r->rows[kept++] = r->rows[k];
  r->count = kept;
  for (; r->next < d->count && d->rows[r->next].start < span->from; r->next++)
    reach_row(s, r, span->from);
  s->begun = false;
  if (r->any && d->rows[r->latest].end < span->from && span->begin < span->from)
    sweep_begin(s, aq_time_max(span->begin, d->rows[r->latest].end),
                &d->rows[r->latest]);
  for (; r->next < d->count && d->rows[r->next].start <= span->to; r->next++)
    reach_row(s, r, span->from);
  for (size_t i = 0; i < r->count; i++) {
    aq_dispatch_row row = d->rows[r->rows[i]];
    row.start = aq_time_max(row.start, span->from);
    row.end = aq_time_min(row.end, span->to);
    const aq_time own = sweep_row(s, &row, r->rows[i]);
    if (ran && !row.outside)
      ran[r->rows[i]] = own;
  }
  for (int own = 0; own < RANKS; own++)
    while (s->oldest[own])
      held_charge(s, (rank)own);
}

/* The spans of the part, or one of the whole run. */
static const aq_part_span *spans_of(const aq_dispatches *d, int64_t of,
                                    size_t *count)
{
  static const aq_part_span whole = {0, INT64_MIN, INT64_MIN, INT64_MAX};
  if (d->span_count > 0)
    return aq_part_spans(d, of, count);
  *count = 1;
  return &whole;
}

static void device_sweep(sweep *s, size_t *scratch, aq_time *ran)
{
  reach r = {.rows = scratch};
  size_t count;
  const aq_part_span *spans = spans_of(s->all, s->device, &count);
  for (size_t i = 0; i < count; i++)
    span_sweep(s, &r, &spans[i], ran);
  s->out->devices += s->begun;
  s->out->unsized += s->begun && s->cus <= 0;
}

/* The time of a wait within the spans, which are disjoint, by time. */
static aq_time stalled_in(const aq_unexplained_wait *stall,
                          const aq_part_span *spans, size_t count)
{
  aq_time stalled = 0;
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (spans[middle].to <= stall->from)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t k = low; k < count && spans[k].from < stall->to; k++)
    stalled += aq_time_min(stall->to, spans[k].to) -
               aq_time_max(stall->from, spans[k].from);
  return stalled;
}

/* Counts the losses of the trace in the time of the part, and waits that the
 * replay lacks. */
static void losses_count(const aq_dispatches *d, aq_explain *e)
{
  size_t count;
  const aq_part_span *spans = spans_of(d, AQ_PART_RANGES, &count);
  for (size_t i = 0, at = 0; i < d->lost_count; i++) {
    while (at < count && spans[at].to < d->lost[i].begin)
      at++;
    if (at < count && d->lost[i].begin >= spans[at].from)
      *(d->lost[i].started ? &e->endless : &e->lost) += 1;
  }
  spans = spans_of(d, AQ_PART_LAUNCHES, &count);
  for (size_t i = 0; i < d->stall_count; i++) {
    const aq_time stalled = stalled_in(&d->stalls[i], spans, count);
    e->stalls += stalled > 0;
    e->stalled += stalled;
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
  host_waits waits = {0};
  bool *named = malloc(names * sizeof *named);
  size_t *scratch = malloc(dispatches->count * sizeof *scratch);
  held *rows = malloc(dispatches->count * sizeof *rows);
  if (!named || !scratch || !rows || !host_waits_make(&waits, dispatches)) {
    free(named);
    free(scratch);
    free(rows);
    return aq_diag_no_memory(diag);
  }
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    e.shares[i].worst_row = AQ_NONE;
  for (size_t device = 0; device < device_count; device++) {
    sweep s = {.all = dispatches,
               .waits = &waits,
               .out = &e,
               .device = (int64_t)device,
               .cus = cus[device],
               .policy = policy,
               .held = rows,
               .named = named};
    memset(named, 0, names * sizeof *named);
    device_sweep(&s, scratch, ran);
  }
  free(named);
  free(scratch);
  free(rows);
  free(waits.list);
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
  e.bound = e.time > 0 && (__int128)e.shares[e.largest].time * 100 >=
                              (__int128)e.time * AQ_EXPLAIN_BOUND_PERCENT;
  *out = e;
  return AQ_OK;
}
