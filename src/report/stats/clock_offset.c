/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/clock_offset.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/copy_name.h"
#include "report/stats/quantile.h"
#include "store/foreach_row.h"

enum {
  BLOCKED = 100, /* us: a wait whose work ended so late was blocked, however
                    the clocks differ */
  SURE = 1,      /* us: timestamps are coarse */
  SMALL = 65536, /* bytes: larger copies go through buffers of the runtime */
  PROOFS = 2,
};

/* Work, by when it was submitted at the earliest; `end` is the last end up to
 * it. */
typedef struct work {
  aq_time from, end;
} work;

typedef struct works {
  work *at;
  size_t count, capacity;
} works;

typedef struct call {
  aq_time begin, end;
  int64_t correlation;
  bool copies;
} call;

typedef struct copy {
  int64_t correlation;
  aq_time end;
} copy;

struct aq_clock_rows {
  works called, alone; /* by their call; rows without one by their start */
  call *calls;
  size_t call_count, call_capacity;
  copy *copies;
  size_t copy_count, copy_capacity;
  int64_t device;
  bool devices; /* there are several */
};

aq_clock_rows *aq_clock_rows_create(void)
{
  aq_clock_rows *r = calloc(1, sizeof *r);
  if (r)
    r->device = AQ_NONE;
  return r;
}

void aq_clock_rows_free(aq_clock_rows *r)
{
  if (!r)
    return;
  free(r->called.at);
  free(r->alone.at);
  free(r->calls);
  free(r->copies);
  free(r);
}

static bool work_add(aq_clock_rows *r, const aq_record *row, const char *name)
{
  const bool called = row->host_begin != AQ_TIME_NONE;
  works *list = called ? &r->called : &r->alone;
  r->devices |= r->device != AQ_NONE && r->device != row->device;
  r->device = row->device;
  if (!AQ_ARRAY_PUSH(list->at, list->count, list->capacity,
                     (work){called ? row->host_begin : row->start, row->end}))
    return false;
  if (row->kind != AQ_KIND_COPY || !name || !aq_copy_is_from_host(name) ||
      row->bytes > SMALL || row->correlation == AQ_NONE)
    return true;
  return AQ_ARRAY_PUSH(r->copies, r->copy_count, r->copy_capacity,
                       (copy){row->correlation, row->end});
}

bool aq_clock_rows_add(aq_clock_rows *r, const aq_record *row, const char *name)
{
  const bool is_work = row->kind == AQ_KIND_KERNEL ||
                       row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL;
  if (is_work && row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE)
    return work_add(r, row, name);
  if (row->kind != AQ_KIND_WAIT || !name || row->host_begin == AQ_TIME_NONE ||
      row->host_end == AQ_TIME_NONE)
    return true;
  const bool copies = strstr(name, "Memcpy") != NULL;
  if (!copies && !strstr(name, "DeviceSynchronize"))
    return true;
  return AQ_ARRAY_PUSH(
      r->calls, r->call_count, r->call_capacity,
      (call){row->host_begin, row->host_end, row->correlation, copies});
}

static bool row_add(void *user, const aq_record *row, int64_t number,
                    const char *name)
{
  (void)number;
  return aq_clock_rows_add(user, row, name);
}

static int work_compare(const void *a, const void *b)
{
  const aq_time x = ((const work *)a)->from, y = ((const work *)b)->from;
  return (x > y) - (x < y);
}

static int copy_compare(const void *a, const void *b)
{
  const int64_t x = ((const copy *)a)->correlation;
  const int64_t y = ((const copy *)b)->correlation;
  return (x > y) - (x < y);
}

static void works_sort(works *list)
{
  if (list->count > 0)
    qsort(list->at, list->count, sizeof *list->at, work_compare);
  for (size_t i = 1; i < list->count; i++)
    list->at[i].end = aq_time_max(list->at[i].end, list->at[i - 1].end);
}

/* The last end of the work from before `until`. */
static aq_time last_end(const works *list, aq_time until)
{
  size_t low = 0, high = list->count;
  while (low < high) {
    const size_t half = low + (high - low) / 2;
    if (list->at[half].from < until)
      low = half + 1;
    else
      high = half;
  }
  return low > 0 ? list->at[low - 1].end : AQ_TIME_NONE;
}

static bool wait_report(const aq_clock_rows *r, const call *c,
                        aq_clock_witnesses *out)
{
  const aq_time called = last_end(&r->called, c->begin);
  const aq_time alone = last_end(&r->alone, c->end);
  const aq_time end = called == AQ_TIME_NONE  ? alone
                      : alone == AQ_TIME_NONE ? called
                                              : aq_time_max(called, alone);
  if (end == AQ_TIME_NONE || end < c->begin + BLOCKED * AQ_US)
    return true;
  return AQ_ARRAY_PUSH(out->waits, out->wait_count, out->wait_capacity,
                       c->end - end);
}

static bool copy_report(const aq_clock_rows *r, const call *c,
                        aq_clock_witnesses *out)
{
  const copy wanted = {.correlation = c->correlation};
  const copy *found = r->copy_count == 0
                          ? NULL
                          : bsearch(&wanted, r->copies, r->copy_count,
                                    sizeof wanted, copy_compare);
  return !found || AQ_ARRAY_PUSH(out->copies, out->copy_count,
                                 out->copy_capacity, c->end - found->end);
}

static bool calls_report(aq_clock_rows *r, aq_clock_witnesses *out)
{
  works_sort(&r->called);
  works_sort(&r->alone);
  if (r->copy_count > 0)
    qsort(r->copies, r->copy_count, sizeof *r->copies, copy_compare);
  for (size_t i = 0; i < r->call_count; i++) {
    const call *c = &r->calls[i];
    if (!(c->copies ? copy_report(r, c, out) : wait_report(r, c, out)))
      return false;
  }
  return true;
}

aq_status aq_clock_rows_witnesses(aq_clock_rows *r, aq_clock_witnesses *out,
                                  aq_diag *diag)
{
  *out = (aq_clock_witnesses){0};
  if (!r->devices && !calls_report(r, out))
    return aq_diag_no_memory(diag);
  if (out->wait_count > 0)
    aq_median(out->waits, out->wait_count); /* sorts them */
  if (out->copy_count > 0)
    aq_median(out->copies, out->copy_count);
  return AQ_OK;
}

aq_status aq_clock_witnesses_find(aq_store *store, int64_t run,
                                  aq_clock_witnesses *out, aq_diag *diag)
{
  aq_run_reader *reader;
  *out = (aq_clock_witnesses){0};
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  aq_clock_rows *rows = aq_clock_rows_create();
  status = rows ? aq_run_reader_each(reader, row_add, rows, diag)
                : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_clock_rows_witnesses(rows, out, diag);
  aq_clock_rows_free(rows);
  aq_run_reader_close(reader);
  return status;
}

void aq_clock_witnesses_fini(aq_clock_witnesses *witnesses)
{
  free(witnesses->waits);
  free(witnesses->copies);
  *witnesses = (aq_clock_witnesses){0};
}

static void proofs_count(const aq_time *returns, size_t count,
                         aq_clock_offset *out)
{
  for (size_t i = 0; i < count && returns[i] < -SURE * AQ_US; i++) {
    out->proofs++;
    out->proved = aq_time_max(out->proved, -returns[i]);
  }
}

bool aq_clock_offset_of(const aq_clock_witnesses *w, aq_time interrupt_to_host,
                        aq_time copy_return, aq_clock_offset *out)
{
  const bool waits = w->wait_count > 0;
  aq_time *returns = waits ? w->waits : w->copies;
  const size_t n = waits ? w->wait_count : w->copy_count;
  *out = (aq_clock_offset){.witnesses = n};
  proofs_count(w->waits, w->wait_count, out);
  proofs_count(w->copies, w->copy_count, out);
  if (out->proofs < PROOFS)
    return false;
  out->offset =
      (waits ? interrupt_to_host : copy_return) - aq_median(returns, n);
  out->spread =
      (returns[aq_quantile_index(n, 90)] - returns[aq_quantile_index(n, 10)]) /
      2;
  return true;
}
