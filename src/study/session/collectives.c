/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/collectives.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "store/foreach_row.h"

/* A transfer takes so long beside the part that follows the links: all-reduces
 * of 1.3 to 6.8 million numbers in HPCTrainingExamples' trace of four ranks.
 * One trace: the ends of the range take half and twice as much. */
#define FIXED (28 * AQ_US)

/* ---- reading ---- */

static bool item_add(aq_collectives *c, const aq_record *row, int64_t number)
{
  const bool shaped = row->grid_x != AQ_NONE && row->grid_y != AQ_NONE;
  const aq_collective made = {.row = number,
                              .start = row->start,
                              .measured = aq_time_max(row->end - row->start, 0),
                              .name = row->name,
                              .pid = row->pid,
                              .device = row->device,
                              .grid =
                                  shaped ? row->grid_x * row->grid_y : AQ_NONE};
  return AQ_ARRAY_PUSH(c->items, c->count, c->capacity, made) &&
         aq_map_put(&c->by_row, (uint64_t)number, c->count - 1);
}

typedef struct reading {
  aq_collectives *collectives;
  aq_family_memo families;
} reading;

static bool row_add(void *user, const aq_record *row, int64_t number,
                    const char *name)
{
  reading *r = user;
  return row->kind != AQ_KIND_KERNEL || row->start == AQ_TIME_NONE ||
         aq_family_recall(&r->families, row->name, name) !=
             AQ_FAMILY_COLLECTIVE ||
         item_add(r->collectives, row, number);
}

/* ---- meetings ---- */

/* Numbers the ranks by their first kernels. All kernels count as one operation:
 * the nth of a rank meets the nth of the others. */
static bool calls_match(aq_collectives *c)
{
  size_t *first = calloc(c->count + 1, sizeof *first);
  bool good = first != NULL;
  for (size_t i = 0; good && i < c->count; i++) {
    const aq_collective *item = &c->items[i];
    aq_collective_calls *calls = &c->calls;
    size_t rank = 0;
    while (rank < c->ranks && (c->items[first[rank]].pid != item->pid ||
                               c->items[first[rank]].device != item->device))
      rank++;
    if (rank == c->ranks)
      first[c->ranks++] = i;
    good = AQ_ARRAY_PUSH(
        calls->list, calls->count, calls->capacity,
        (aq_collective_call){.rank = (int64_t)rank,
                             .place = i,
                             .start = item->start,
                             .end = item->start + item->measured});
  }
  free(first);
  if (good)
    aq_collective_calls_match(&c->calls);
  return good;
}

/* Kernels of one name that overlap, one of each rank, meet: from the last start
 * on they transfer. */
static void set_meet(aq_collectives *c, const aq_collective_call *set)
{
  const aq_collective *first = &c->items[set[0].place];
  aq_time latest = set[0].start, end = set[0].end;
  bool alike = true;
  for (size_t i = 1; i < c->ranks; i++) {
    latest = aq_time_max(latest, set[i].start);
    end = aq_time_min(end, set[i].end);
    alike &= c->items[set[i].place].name == first->name;
  }
  if (!alike || latest >= end)
    return;
  for (size_t i = 0; i < c->ranks; i++) {
    aq_collective *item = &c->items[set[i].place];
    item->meets = true;
    item->transfer = set[i].end - latest;
    c->met++;
  }
}

static void sets_meet(aq_collectives *c)
{
  for (size_t at = 0, end; at < c->count && c->ranks > 1; at = end) {
    end = aq_collective_end(&c->calls, at);
    if (end - at == c->ranks)
      set_meet(c, &c->calls.list[at]);
  }
}

/* Of a kernel whose partners are not known, the shortest of its name and grid
 * shows the transfer. */
static void alone_split(aq_collectives *c, aq_collective *item)
{
  item->transfer = item->measured;
  for (size_t i = 0; i < c->count; i++)
    if (c->items[i].name == item->name && c->items[i].grid == item->grid)
      item->transfer = aq_time_min(item->transfer, c->items[i].measured);
}

aq_status aq_collectives_read(aq_store *store, int64_t run, aq_collectives *out,
                              aq_diag *diag)
{
  aq_run_reader *reader;
  reading read = {.collectives = out};
  *out = (aq_collectives){.count = 0};
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_START, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_each(reader, row_add, &read, diag);
  aq_run_reader_close(reader);
  aq_family_memo_fini(&read.families);
  if (status == AQ_OK && !calls_match(out))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    sets_meet(out);
  for (size_t i = 0; i < out->count && status == AQ_OK; i++) {
    aq_collective *item = &out->items[i];
    if (!item->meets)
      alone_split(out, item);
    out->transfer += item->transfer;
    out->waiting += item->measured - item->transfer;
  }
  if (status != AQ_OK)
    aq_collectives_fini(out);
  return status;
}

void aq_collectives_fini(aq_collectives *c)
{
  aq_map_fini(&c->by_row);
  free(c->calls.list);
  free(c->items);
  *c = (aq_collectives){.count = 0};
}

/* ---- replays ---- */

void aq_collectives_begin(aq_collectives *c, aq_collectives_from from)
{
  c->next = c->begun = 0;
  for (size_t i = 0; i < c->count && from != AQ_FROM_LAST; i++) {
    aq_collective *item = &c->items[i];
    item->wait =
        from == AQ_FROM_KEPT ? item->kept : item->measured - item->transfer;
  }
}

void aq_collectives_keep(aq_collectives *c)
{
  for (size_t i = 0; i < c->count; i++)
    c->items[i].kept = c->items[i].wait;
}

aq_time aq_collectives_duration(aq_collectives *c, aq_time measured,
                                aq_time found, double link, aq_end end)
{
  static const double fixed_by_end[] = {0.5, 1, 2};
  aq_collective *item = &c->items[c->next++];
  double transfer = (double)item->transfer, wait = (double)item->wait;
  /* All that such a kernel did may have been transfer. */
  if (!item->meets && (link > 1 ? end == AQ_END_LEAST : end == AQ_END_MOST)) {
    transfer += wait;
    wait = 0;
  }
  if (measured > 0)
    transfer *= (double)found / (double)measured;
  const double fixed =
      fmin(transfer, fixed_by_end[end - AQ_END_LEAST] * (double)FIXED);
  return (aq_time)llround(wait + fixed + (transfer - fixed) / link);
}

void aq_collectives_began(aq_collectives *c, int64_t origin, aq_time start)
{
  uint64_t item;
  if (!aq_map_get(&c->by_row, (uint64_t)origin, &item))
    return;
  c->items[item].begins = start;
  c->begun++;
}

/* A kernel that waits longer delays all later ones of its rank, which `late`
 * sums up: one step settles what nothing else holds back. */
static aq_time set_settle(aq_collectives *c, const aq_collective_call *set,
                          aq_time *late)
{
  aq_time latest = AQ_TIME_NONE, moved = 0;
  for (size_t i = 0; i < c->ranks; i++) {
    const aq_time begins = c->items[set[i].place].begins + late[set[i].rank];
    latest = i == 0 ? begins : aq_time_max(latest, begins);
  }
  for (size_t i = 0; i < c->ranks; i++) {
    aq_collective *item = &c->items[set[i].place];
    const aq_time wait = latest - item->begins - late[set[i].rank];
    const aq_time by = wait - item->wait;
    moved = aq_time_max(moved, by < 0 ? -by : by);
    late[set[i].rank] += by;
    item->wait = wait;
  }
  return moved;
}

aq_status aq_collectives_settle(aq_collectives *c, aq_time *moved,
                                aq_diag *diag)
{
  if (c->begun != c->count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%zu of %zu collective kernels of the run began in the "
                       "replay: waits unknown",
                       c->begun, c->count);
  aq_time *late = calloc(c->ranks + 1, sizeof *late);
  if (!late)
    return aq_diag_no_memory(diag);
  *moved = 0;
  const aq_collective_call *calls = c->calls.list;
  for (size_t at = 0; at < c->count; at = aq_collective_end(&c->calls, at))
    if (c->items[calls[at].place].meets)
      *moved = aq_time_max(*moved, set_settle(c, &calls[at], late));
  free(late);
  return AQ_OK;
}
