/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/run_ordinals.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static int by_id(const void *left, const void *right)
{
  const aq_run_place *a = left, *b = right;
  if (a->device != b->device)
    return a->device < b->device ? -1 : 1;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* The places from `at` on that are of the same device. */
static size_t device_size(const aq_run_place *list, size_t at, size_t count)
{
  size_t end = at;
  while (end < count && list[end].device == list[at].device)
    end++;
  return end - at;
}

static const aq_run_place *find(const aq_run_place *list, size_t count,
                                const aq_run_place *like)
{
  for (size_t i = 0; i < count; i++)
    if (list[i].device == like->device && list[i].id == like->id)
      return &list[i];
  return NULL;
}

/* One that corresponds to none of the first run. */
static bool other_number(aq_run_places *seen, const aq_run_place *own,
                         int64_t *out)
{
  const aq_run_place *found =
      seen->count > seen->first
          ? find(seen->list + seen->first, seen->count - seen->first, own)
          : NULL;
  *out = found ? found->number : seen->next++;
  const aq_run_place made = {own->device, own->id, *out};
  return found || AQ_ARRAY_PUSH(seen->list, seen->count, seen->capacity, made);
}

/* The places of one device of a run beside the first run's places there. */
static bool device_number(aq_run_places *seen, const aq_run_place *own,
                          size_t count, const aq_run_place *first,
                          size_t first_count, int64_t *out)
{
  for (size_t i = 0; i < count; i++) {
    const aq_run_place *like =
        count == first_count ? &first[i] : find(first, first_count, &own[i]);
    if (like)
      out[own[i].number] = like->number;
    else if (!other_number(seen, &own[i], &out[own[i].number]))
      return false;
  }
  return true;
}

/* `own`, with ordinals as numbers, is sorted here. */
static bool places_number(aq_run_places *seen, aq_run_place *own, size_t count,
                          int64_t *out)
{
  const size_t all = seen->first;
  aq_run_place *first = malloc((all + 1) * sizeof *first);
  if (!first)
    return false;
  if (all > 0)
    memcpy(first, seen->list, all * sizeof *first);
  qsort(first, all, sizeof *first, by_id);
  qsort(own, count, sizeof *own, by_id);
  bool done = true;
  for (size_t i = 0, k = 0; i < count && done;) {
    const size_t size = device_size(own, i, count);
    while (k < all && first[k].device < own[i].device)
      k++;
    const bool there = k < all && first[k].device == own[i].device;
    done = device_number(seen, own + i, size, first + k,
                         there ? device_size(first, k, all) : 0, out);
    i += size;
  }
  free(first);
  return done;
}

/* Of the first run, whose numbers are its ordinals up to `next`. */
static bool first_number(aq_run_places *seen, const aq_run_place *own,
                         size_t count, size_t next, int64_t *out)
{
  bool done = true;
  for (size_t i = 0; i < count && done; i++) {
    out[own[i].number] = own[i].number;
    done = AQ_ARRAY_PUSH(seen->list, seen->count, seen->capacity, own[i]);
  }
  seen->first = count;
  seen->next = (int64_t)next;
  return done;
}

/* Places of the ordinals with dispatches, of which `used` is set. */
static bool places_make(aq_run_ordinals *o, aq_run_reader *reader,
                        aq_stats_by by, const bool *used, size_t all,
                        aq_run_place *own, size_t *count)
{
  int64_t *devices = calloc(all + 1, sizeof *devices);
  if (!devices)
    return false;
  *count = 0;
  for (size_t i = 0; i < all; i++) {
    const int64_t ordinal = (int64_t)i;
    if (!used[i])
      continue;
    aq_run_place *place = &own[*count];
    *place = (aq_run_place){.id = ordinal, .number = ordinal};
    if (by == AQ_STATS_BY_QUEUE) {
      const aq_run_queue *queue = aq_run_reader_queue(reader, ordinal);
      devices[*count] = queue ? queue->device : AQ_NONE;
      place->id = queue ? queue->source_id : ordinal;
    } else {
      const aq_run_device *device = aq_run_reader_device(reader, ordinal);
      place->id = device ? device->source_id : ordinal;
    }
    ++*count;
  }
  const bool done =
      by != AQ_STATS_BY_QUEUE ||
      aq_run_ordinals_map(o, reader, AQ_STATS_BY_DEVICE, devices, *count);
  for (size_t i = 0; i < *count && done; i++)
    own[i].device = by == AQ_STATS_BY_QUEUE ? devices[i] : 0;
  free(devices);
  return done;
}

bool aq_run_ordinals_map(aq_run_ordinals *ordinals, aq_run_reader *reader,
                         aq_stats_by by, int64_t *keys, size_t count)
{
  aq_run_places *seen =
      by == AQ_STATS_BY_QUEUE ? &ordinals->queues : &ordinals->devices;
  const size_t all = by == AQ_STATS_BY_QUEUE
                         ? aq_run_reader_queue_count(reader)
                         : aq_run_reader_device_count(reader);
  bool *used = calloc(all + 1, sizeof *used);
  aq_run_place *own = calloc(all + 1, sizeof *own);
  int64_t *numbers = calloc(all + 1, sizeof *numbers);
  size_t places = 0;
  bool done = used && own && numbers;
  for (size_t i = 0; i < count && done; i++)
    if (keys[i] >= 0 && (size_t)keys[i] < all)
      used[keys[i]] = true;
  done = done && places_make(ordinals, reader, by, used, all, own, &places) &&
         (seen->first ? places_number(seen, own, places, numbers)
                      : first_number(seen, own, places, all, numbers));
  for (size_t i = 0; i < count && done; i++)
    if (keys[i] >= 0 && (size_t)keys[i] < all)
      keys[i] = numbers[keys[i]];
  free(used);
  free(own);
  free(numbers);
  return done;
}

void aq_run_ordinals_fini(aq_run_ordinals *ordinals)
{
  free(ordinals->devices.list);
  free(ordinals->queues.list);
  *ordinals = (aq_run_ordinals){{NULL, 0, 0, 0, 0}, {NULL, 0, 0, 0, 0}};
}
