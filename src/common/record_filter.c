/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/record_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record_modes.h"
#include "common/text.h"

/* ---- words ---- */

static bool number_read(const char *text, uint64_t *out, char **end)
{
  errno = 0;
  *out = strtoull(text, end, 10);
  return *text >= '0' && *text <= '9' && errno == 0;
}

bool aq_size_read(const char *text, uint64_t *out)
{
  static const char units[] = "KMGT";
  uint64_t size;
  char *end;
  if (strcmp(text, "none") == 0) {
    *out = 0;
    return true;
  }
  if (!number_read(text, &size, &end) || size == 0)
    return false;
  const char *unit = *end ? strchr(units, *end) : NULL;
  const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
  if ((*end && (!unit || end[1])) || size > UINT64_MAX >> shift)
    return false;
  *out = size << shift;
  return true;
}

aq_status aq_record_filter_read(const char *record, const char *limit,
                                aq_record_filter *out, aq_diag *diag)
{
  static const char *const words[] = {[AQ_ROWS_ALL] = "all",
                                      [AQ_ROWS_KERNELS] = "kernels",
                                      [AQ_ROWS_NONE] = "none"};
  static const char sample[] = "sample=";
  aq_record_filter made = {.kind = AQ_ROWS_SAMPLE,
                           .limit = AQ_ROW_CHOICE_LIMIT};
  char *end;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(record ? record : "all", words[i]) == 0)
      made.kind = (aq_record_filter_kind)i;
  if (made.kind == AQ_ROWS_SAMPLE)
    made.every = aq_profiling_events_read(record);
  if (made.every)
    made.kind = AQ_ROWS_EVENTS;
  if (made.kind == AQ_ROWS_SAMPLE &&
      (strncmp(record, sample, sizeof sample - 1) != 0 ||
       !number_read(record + sizeof sample - 1, &made.every, &end) || *end ||
       made.every < 2))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "rows %s: expected all, kernels, none, sample=N "
                       "with N of 2 or more, or modes of events",
                       record);
  if (limit && !aq_size_read(limit, &made.limit))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "limit of rows %s: expected none, or bytes such as "
                       "500M or 4G",
                       limit);
  *out = made;
  return AQ_OK;
}

/* ---- rows ---- */

/* splitmix64: neighbours of a periodic program are sampled independently. */
static uint64_t mixed(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static bool kind_is_kept(const aq_record_filter *choice, int64_t kind)
{
  switch (choice->kind) {
  case AQ_ROWS_NONE:
    return false;
  case AQ_ROWS_KERNELS:
    return kind == AQ_KIND_KERNEL;
  case AQ_ROWS_EVENTS:
    return aq_profiling_events_have((unsigned)choice->every, kind);
  case AQ_ROWS_ALL:
  case AQ_ROWS_SAMPLE:
    break;
  }
  return true;
}

bool aq_record_filter_skip(aq_record_filter *choice, int64_t kind)
{
  if (kind_is_kept(choice, kind))
    return false;
  __atomic_fetch_add(&choice->unchosen, 1, __ATOMIC_RELAXED);
  return true;
}

/* Leaves out all rows after the first one past the limit, so that the run keeps
 * its beginning. */
static bool bytes_fit(aq_record_filter *choice, uint64_t size)
{
  if (choice->limit == 0)
    return true;
  if (choice->beyond > 0 || size > choice->limit - choice->bytes)
    return false;
  choice->bytes += size;
  return true;
}

bool aq_record_filter_take(aq_record_filter *choice, int64_t kind)
{
  if (aq_record_filter_skip(choice, kind))
    return false;
  if (choice->kind == AQ_ROWS_SAMPLE &&
      mixed(choice->seen++) % choice->every != 0) {
    __atomic_fetch_add(&choice->unchosen, 1, __ATOMIC_RELAXED);
    return false;
  }
  return aq_record_filter_take_bytes(choice, AQ_ROW_CHOICE_ROW);
}

bool aq_record_filter_take_bytes(aq_record_filter *choice, uint64_t size)
{
  const bool fits = bytes_fit(choice, size);
  choice->beyond += !fits;
  return fits;
}

/* ---- the count and its text ---- */

uint64_t aq_record_filter_left_out(const aq_record_filter *choice)
{
  return __atomic_load_n(&choice->unchosen, __ATOMIC_RELAXED) + choice->beyond +
         choice->lost;
}

/* A limit as a user would write it. */
static void limit_text(uint64_t limit, char *out, size_t size)
{
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; unit < 4 && limit % 1024 == 0; unit++)
    limit /= 1024;
  snprintf(out, size, "%" PRIu64 " %s", limit, units[unit]);
}

const char *aq_record_filter_text(const aq_record_filter *choice, char *out)
{
  const uint64_t unchosen =
      __atomic_load_n(&choice->unchosen, __ATOMIC_RELAXED);
  char limit[32];
  size_t used = 0;
  if (choice->kind == AQ_ROWS_ALL && !choice->beyond && !choice->lost)
    return NULL;
  const char *before = "; left out: ";
#define PUT(...)                                                               \
  used += (size_t)snprintf(out + used, AQ_ROW_CHOICE_TEXT - used, __VA_ARGS__)
  if (choice->kind == AQ_ROWS_SAMPLE)
    PUT("1 row in %" PRIu64, choice->every);
  else if (choice->kind == AQ_ROWS_EVENTS)
    PUT("%s only", aq_profiling_events_text((unsigned)choice->every));
  else
    PUT("%s", choice->kind == AQ_ROWS_ALL       ? "in part"
              : choice->kind == AQ_ROWS_KERNELS ? "kernels only"
                                                : "no rows");
  if (unchosen) {
    PUT("%s%" PRIu64 " %srow%s", before, unchosen,
        choice->kind == AQ_ROWS_NONE ? "" : "other ", aq_text_plural(unchosen));
    before = ", ";
  }
  if (choice->beyond) {
    limit_text(choice->limit, limit, sizeof limit);
    PUT("%s%" PRIu64 " past the limit of %s", before, choice->beyond, limit);
    before = ", ";
  }
  if (choice->lost)
    PUT("%s%" PRIu64 " that the disk had no room for", before, choice->lost);
#undef PUT
  return out;
}
