/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/gaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/stats/quantile.h"

enum { LEAST = 5 }; /* gaps behind a kernel that give it one of its own */

typedef struct kernel_gaps {
  char *name;
  int64_t grid;
  aq_time *at;
  size_t count, capacity;
} kernel_gaps;

struct aq_calibrate_gaps {
  kernel_gaps *kernels;
  size_t count, capacity;
};

/* The kernel's place; SIZE_MAX: out of memory. A program has few kernels. */
static size_t kernel_find(aq_calibrate_gaps *gaps, const char *name,
                          int64_t grid)
{
  for (size_t i = 0; i < gaps->count; i++)
    if (gaps->kernels[i].grid == grid &&
        strcmp(gaps->kernels[i].name, name) == 0)
      return i;
  char *copy = strdup(name);
  if (!copy || !AQ_ARRAY_PUSH(gaps->kernels, gaps->count, gaps->capacity,
                              (kernel_gaps){.name = copy, .grid = grid})) {
    free(copy);
    return SIZE_MAX;
  }
  return gaps->count - 1;
}

bool aq_calibrate_gap_add(aq_calibrate_gaps **gaps, const char *name,
                          int64_t grid, aq_time gap)
{
  if (!*gaps && !(*gaps = calloc(1, sizeof **gaps)))
    return false;
  const size_t place = kernel_find(*gaps, name, grid);
  if (place == SIZE_MAX)
    return false;
  kernel_gaps *kernel = &(*gaps)->kernels[place];
  return AQ_ARRAY_PUSH(kernel->at, kernel->count, kernel->capacity, gap);
}

void aq_calibrate_gaps_free(aq_calibrate_gaps *gaps)
{
  if (!gaps)
    return;
  for (size_t i = 0; i < gaps->count; i++) {
    free(gaps->kernels[i].name);
    free(gaps->kernels[i].at);
  }
  free(gaps->kernels);
  free(gaps);
}

size_t aq_calibrate_gaps_seen(const aq_calibrate_gaps *gaps)
{
  return gaps ? gaps->count : 0;
}

/* A model file has a kernel on one line. */
static bool is_told(const kernel_gaps *kernel)
{
  for (const char *at = kernel->name; *at; at++)
    if ((unsigned char)*at < 0x20)
      return false;
  return kernel->count >= LEAST;
}

size_t aq_calibrate_gaps_count(const aq_calibrate_gaps *gaps)
{
  size_t count = 0;
  for (size_t i = 0; gaps && i < gaps->count; i++)
    count += is_told(&gaps->kernels[i]);
  return count;
}

static int kernel_compare(const void *a, const void *b)
{
  const kernel_gaps *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->grid > y->grid) - (x->grid < y->grid);
}

static int time_compare(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Kernels by their number of gaps, the most first; gaps in rising order. */
static void gaps_sort(aq_calibrate_gaps *gaps)
{
  qsort(gaps->kernels, gaps->count, sizeof *gaps->kernels, kernel_compare);
  for (size_t i = 0; i < gaps->count; i++)
    qsort(gaps->kernels[i].at, gaps->kernels[i].count, sizeof(aq_time),
          time_compare);
}

static aq_time quantile(const kernel_gaps *kernel, unsigned percent)
{
  return kernel->at[aq_quantile_index(kernel->count, percent)];
}

static aq_time half(const kernel_gaps *kernel)
{
  return (quantile(kernel, 90) - quantile(kernel, 10)) * 64 / 100;
}

static int64_t whole_ns(aq_time time)
{
  return (time + AQ_NS / 2) / AQ_NS;
}

void aq_calibrate_gaps_write(aq_calibrate_gaps *gaps, const char *runs,
                             FILE *out)
{
  if (!gaps)
    return;
  gaps_sort(gaps);
  for (size_t i = 0; i < gaps->count; i++) {
    const kernel_gaps *kernel = &gaps->kernels[i];
    if (!is_told(kernel))
      continue;
    fprintf(out, "after %" PRId64 " ", kernel->grid);
    const char *name = kernel->name;
    fputc('"', out);
    for (; *name; name++) {
      if (*name == '"' || *name == '\\')
        fputc('\\', out);
      fputc(*name, out);
    }
    fputc('"', out);
    fprintf(out, " = %" PRId64 " ns", whole_ns(quantile(kernel, 50)));
    if (whole_ns(half(kernel)) > 0)
      fprintf(out, " +- %" PRId64 " ns", whole_ns(half(kernel)));
    fprintf(out,
            " ; measured: gap to the next queued kernel, p50 (p10 %.3f, p90 "
            "%.3f us), n=%zu; runs %s\n",
            (double)quantile(kernel, 10) / (double)AQ_US,
            (double)quantile(kernel, 90) / (double)AQ_US, kernel->count, runs);
  }
}

void aq_calibrate_gaps_json(aq_calibrate_gaps *gaps, aq_json_out *json)
{
  aq_json_out_array(json, "gaps");
  if (gaps)
    gaps_sort(gaps);
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    const kernel_gaps *kernel = &gaps->kernels[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "kernel", kernel->name);
    aq_json_out_int(json, "work_items", kernel->grid);
    aq_json_out_bool(json, "fitted", is_told(kernel));
    aq_json_out_int(json, "n", (int64_t)kernel->count);
    aq_json_out_ns(json, "p10_ns", quantile(kernel, 10));
    aq_json_out_ns(json, "p50_ns", quantile(kernel, 50));
    aq_json_out_ns(json, "p90_ns", quantile(kernel, 90));
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}
