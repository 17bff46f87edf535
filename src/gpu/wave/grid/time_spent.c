/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/time_spent.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/demangle.h"
#include "common/map.h"
#include "common/text.h"

enum { SHOWN = 5, LINES = SHOWN + 4, LINE = 300 };

typedef struct kernel_time {
  int64_t ns;
  uint64_t instructions, launches;
} kernel_time;

typedef struct open_dispatch {
  const void *address;
  int64_t kernel, ns;
  uint64_t group_started, group_all;
} open_dispatch;

struct aq_time_spent {
  pthread_mutex_t lock; /* of all below */
  int64_t budget_ns;
  aq_names names; /* of kernels; an id is a place in `kernels` */
  kernel_time *kernels;
  size_t kernel_capacity;
  open_dispatch *dispatches; /* that have not ended; few */
  size_t dispatch_count, dispatch_capacity;
  uint64_t uncounted; /* steps, for want of memory */
  bool told;
};

aq_time_spent *aq_time_spent_create(int64_t budget_ns)
{
  aq_time_spent *spent = calloc(1, sizeof *spent);
  if (!spent)
    return NULL;
  pthread_mutex_init(&spent->lock, NULL);
  spent->names = (aq_names)AQ_NAMES_INIT;
  spent->budget_ns = budget_ns;
  return spent;
}

void aq_time_spent_destroy(aq_time_spent *spent)
{
  if (!spent)
    return;
  pthread_mutex_destroy(&spent->lock);
  aq_names_fini(&spent->names);
  free(spent->kernels);
  free(spent->dispatches);
  free(spent);
}

static open_dispatch *dispatch_find(aq_time_spent *spent, const void *address)
{
  for (size_t i = 0; i < spent->dispatch_count; i++)
    if (spent->dispatches[i].address == address)
      return &spent->dispatches[i];
  return NULL;
}

/* The dispatch of a step; its first step counts a launch. */
static open_dispatch *dispatch_of(aq_time_spent *spent,
                                  const aq_time_step *step)
{
  open_dispatch *found = dispatch_find(spent, step->dispatch);
  if (found)
    return found;
  const int64_t kernel =
      aq_names_id(&spent->names, step->kernel, strlen(step->kernel));
  if (kernel < 0 ||
      !AQ_ARRAY_RESERVE_ZEROED(spent->kernels, spent->kernel_capacity,
                               kernel + 1) ||
      !AQ_ARRAY_PUSH(
          spent->dispatches, spent->dispatch_count, spent->dispatch_capacity,
          (open_dispatch){.address = step->dispatch, .kernel = kernel}))
    return NULL;
  spent->kernels[kernel].launches++;
  return &spent->dispatches[spent->dispatch_count - 1];
}

void aq_time_spent_add(aq_time_spent *spent, const aq_time_step *step)
{
  pthread_mutex_lock(&spent->lock);
  open_dispatch *dispatch = dispatch_of(spent, step);
  if (dispatch) {
    kernel_time *kernel = &spent->kernels[dispatch->kernel];
    kernel->ns += step->ns;
    kernel->instructions += step->instructions;
    dispatch->ns += step->ns;
    dispatch->group_started = step->group_started;
    dispatch->group_all = step->group_all;
  } else {
    spent->uncounted++;
  }
  pthread_mutex_unlock(&spent->lock);
}

void aq_time_spent_end(aq_time_spent *spent, const void *address)
{
  pthread_mutex_lock(&spent->lock);
  open_dispatch *dispatch = dispatch_find(spent, address);
  if (dispatch)
    *dispatch = spent->dispatches[--spent->dispatch_count];
  pthread_mutex_unlock(&spent->lock);
}

/* ---- the report ---- */

typedef struct report {
  const aq_time_spent *spent;
  int64_t ns;
  uint64_t instructions;
  size_t order[SHOWN], count; /* the kernels that took most, the first most */
  char lines[LINES][LINE];
  size_t line_count;
} report;

static char *line_next(report *r)
{
  return r->lines[r->line_count++];
}

static void kernel_insert(report *r, size_t kernel)
{
  const kernel_time *kernels = r->spent->kernels;
  size_t at = r->count < SHOWN ? r->count++ : SHOWN;
  for (; at > 0 && kernels[r->order[at - 1]].ns < kernels[kernel].ns; at--)
    if (at < SHOWN)
      r->order[at] = r->order[at - 1];
  if (at < SHOWN)
    r->order[at] = kernel;
}

static double seconds(int64_t ns)
{
  return (double)ns / 1e9;
}

/* Millions of instructions a second. */
static double speed(uint64_t instructions, int64_t ns)
{
  return ns > 0 ? (double)instructions * 1e3 / (double)ns : 0;
}

static void name_print(const report *r, int64_t kernel, char text[LINE / 2])
{
  const char *name = aq_names_text(&r->spent->names, kernel);
  char *readable = aq_demangle(name);
  snprintf(text, LINE / 2, "%s", readable ? readable : name);
  free(readable);
}

static void kernel_print(report *r, size_t number)
{
  const kernel_time *kernel = &r->spent->kernels[number];
  char name[LINE / 2];
  name_print(r, (int64_t)number, name);
  snprintf(line_next(r), LINE,
           "%5.1f %% %8.2f s %8" PRIu64 " launches %10.1f M instructions "
           "%7.1f M/s  %s",
           r->ns > 0 ? 100.0 * (double)kernel->ns / (double)r->ns : 0,
           seconds(kernel->ns), kernel->launches,
           (double)kernel->instructions / 1e6,
           speed(kernel->instructions, kernel->ns), name);
}

/* Of the dispatches that run, the one that took most; none that just began. */
static void dispatch_print(report *r)
{
  const aq_time_spent *spent = r->spent;
  const open_dispatch *most = NULL;
  char name[LINE / 2];
  for (size_t i = 0; i < spent->dispatch_count; i++)
    if (!most || spent->dispatches[i].ns > most->ns)
      most = &spent->dispatches[i];
  if (!most || most->ns < spent->budget_ns / 100)
    return;
  name_print(r, most->kernel, name);
  char *line = line_next(r);
  int length =
      snprintf(line, LINE,
               "a dispatch of %.100s runs for %.2f s and has started "
               "%" PRIu64 " of %" PRIu64 " workgroups",
               name, seconds(most->ns), most->group_started, most->group_all);
  /* The first ones may be at work still: the speed is not known. */
  const bool known = most->group_started >= 8 && most->ns > 0;
  if (known && most->group_started < most->group_all) {
    const double all = seconds(most->ns) * (double)most->group_all /
                       (double)most->group_started;
    length += snprintf(line + length, LINE - (size_t)length,
                       "; all take about %.3g s", all);
    if (all > seconds(spent->budget_ns))
      snprintf(line + length, LINE - (size_t)length, ", 1 of %.0f would fit",
               ceil(all / seconds(spent->budget_ns)));
  }
}

static void report_print(report *r)
{
  const aq_time_spent *spent = r->spent;
  char *sum = line_next(r);
  for (size_t i = 0; i < spent->names.count; i++) {
    r->ns += spent->kernels[i].ns;
    r->instructions += spent->kernels[i].instructions;
    kernel_insert(r, i);
  }
  snprintf(sum, LINE,
           "kernels executed for %.2f of %.2f s: %.1f M instructions, %.1f M/s",
           seconds(r->ns), seconds(spent->budget_ns),
           (double)r->instructions / 1e6, speed(r->instructions, r->ns));
  for (size_t i = 0; i < r->count; i++)
    kernel_print(r, r->order[i]);
  if (spent->names.count > SHOWN)
    snprintf(line_next(r), LINE, "and %zu other kernel%s",
             spent->names.count - SHOWN,
             aq_text_plural(spent->names.count - SHOWN));
  dispatch_print(r);
  if (spent->uncounted > 0)
    snprintf(line_next(r), LINE, "%" PRIu64 " step%s not counted: no memory",
             spent->uncounted, aq_text_plural(spent->uncounted));
}

void aq_time_spent_tell(aq_time_spent *spent,
                        void (*tell)(const char *line, void *user), void *user)
{
  report r = {.spent = spent};
  pthread_mutex_lock(&spent->lock);
  if (!spent->told)
    report_print(&r);
  spent->told = true;
  pthread_mutex_unlock(&spent->lock);
  for (size_t i = 0; i < r.line_count; i++)
    tell(r.lines[i], user);
}
