/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/device_waits.h"

#include <stdlib.h>

#include "common/array.h"

/* Clocks of host and device may differ by milliseconds, and a wait may have
 * been for a device without rows, or have failed: an end has to be later by
 * more than either, and by most of the row's time. */
enum { LATE_MS = 50, PARTS = 10 };

struct aq_device_wait_row {
  int64_t number, pid, device;
  aq_time called, start, end; /* called: the end of its host call */
};

struct aq_device_wait {
  int64_t pid;
  aq_time begin, end;
  bool unsure; /* it returned before an earlier launch began: of another device,
                  by other clocks, or it failed */
};

void aq_device_waits_fini(aq_device_waits *waits)
{
  free(waits->rows);
  free(waits->waits);
  *waits = (aq_device_waits){0};
}

bool aq_device_waits_row(aq_device_waits *waits, const aq_record *row,
                         int64_t number)
{
  if ((row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
       row->kind != AQ_KIND_FILL) ||
      row->host_end == AQ_TIME_NONE || row->end == AQ_TIME_NONE)
    return true;
  return AQ_ARRAY_PUSH(waits->rows, waits->row_count, waits->row_capacity,
                       (aq_device_wait_row){.number = number,
                                            .pid = row->pid,
                                            .device = row->device,
                                            .called = row->host_end,
                                            .start = row->start,
                                            .end = row->end});
}

bool aq_device_waits_wait(aq_device_waits *waits, int64_t pid, aq_time begin,
                          aq_time end)
{
  return AQ_ARRAY_PUSH(
      waits->waits, waits->wait_count, waits->wait_capacity,
      (aq_device_wait){.pid = pid, .begin = begin, .end = end});
}

static int row_compare(const void *left, const void *right)
{
  const aq_device_wait_row *a = left, *b = right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static int wait_compare(const void *left, const void *right)
{
  const aq_device_wait *a = left, *b = right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

static int number_compare(const void *left, const void *right)
{
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* The first wait of the row's process that began once the row was launched;
 * NULL: none. */
static aq_device_wait *wait_after(const aq_device_waits *w,
                                  const aq_device_wait_row *row)
{
  const aq_device_wait wanted = {.pid = row->pid, .begin = row->called};
  size_t low = 0, high = w->wait_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (wait_compare(&w->waits[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < w->wait_count && w->waits[low].pid == row->pid ? &w->waits[low]
                                                              : NULL;
}

static bool is_contradicted(const aq_device_wait_row *row,
                            const aq_device_wait *wait)
{
  const aq_time late = row->end - wait->end;
  return !wait->unsure && late > LATE_MS * AQ_MS &&
         late > (row->end - row->start) / PARTS * (PARTS - 1);
}

/* The rows of one process. */
static bool process_contradict(aq_device_waits *w, size_t first, size_t last,
                               int64_t **rows, size_t *count, size_t *capacity)
{
  for (size_t i = first; i < last; i++) {
    const aq_device_wait_row *row = &w->rows[i];
    aq_device_wait *wait = wait_after(w, row);
    if (row->device != w->rows[first].device)
      return true;
    if (wait && row->start >= wait->end)
      wait->unsure = true;
  }
  for (size_t i = first; i < last; i++) {
    const aq_device_wait *wait = wait_after(w, &w->rows[i]);
    if (wait && is_contradicted(&w->rows[i], wait) &&
        !AQ_ARRAY_PUSH(*rows, *count, *capacity, w->rows[i].number))
      return false;
  }
  return true;
}

bool aq_device_waits_contradict(aq_device_waits *waits, int64_t **rows,
                                size_t *count)
{
  size_t capacity = 0, last;
  *rows = NULL;
  *count = 0;
  if (waits->wait_count == 0 || waits->row_count == 0)
    return true;
  qsort(waits->rows, waits->row_count, sizeof *waits->rows, row_compare);
  qsort(waits->waits, waits->wait_count, sizeof *waits->waits, wait_compare);
  for (size_t first = 0; first < waits->row_count; first = last) {
    for (last = first; last < waits->row_count &&
                       waits->rows[last].pid == waits->rows[first].pid;)
      last++;
    if (!process_contradict(waits, first, last, rows, count, &capacity))
      return false;
  }
  if (*count > 0)
    qsort(*rows, *count, sizeof **rows, number_compare);
  return true;
}
