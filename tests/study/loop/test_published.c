/* SPDX-License-Identifier: MIT */
/* Published figures of dispatch latency, run as scenarios: traces/published.tsv
 * says which, on what device, and how far off they may be. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_model.h"
#include "backend_sim/sim.h"
#include "common/memory_sink.h"
#include "study/loop/run.h"
#include "study/workload/scenario.h"

enum { TEXT = 128, PATH = 512, FIELDS = 6 };

typedef struct figure {
  char name[TEXT], scenario[TEXT], device[TEXT], quantity[TEXT];
  double us, tolerance; /* percent */
} figure;

typedef struct outcome {
  aq_memory_sink sink;
  aq_time interrupt; /* decrement until a host that waits returns */
} outcome;

static aq_diag diag = AQ_DIAG_INIT;

static void path_of(const char *file, char path[PATH])
{
  const char *top = getenv("srcdir");
  snprintf(path, PATH, "%s/traces/%s", top ? top : "..", file);
}

static bool model_exists(const char *name)
{
  for (size_t i = 0; i < aqsim_model_count(); i++)
    if (strcmp(aqsim_model_name(i), name) == 0)
      return true;
  return false;
}

static void play(const figure *f, outcome *out)
{
  char file[TEXT + 32], path[PATH];
  aq_workload_source *workload;
  aqsim_model *model;
  snprintf(file, sizeof file, "scenarios/%s.json", f->scenario);
  path_of(file, path);
  ck_assert_status(aq_scenario_load(path, &(aq_scenario_options){.seed = 0},
                                    &workload, NULL, &diag),
                   AQ_OK, &diag);
  ck_assert_status(aqsim_model_load(f->device, NULL, &model, &diag), AQ_OK,
                   &diag);
  out->interrupt = model->interrupt_to_host;
  aqsim_model_destroy(model);
  aq_memory_sink_init(&out->sink);
  const aq_run_options options = {.transport = &aqsim_transport_ops,
                                  .open = {.device = f->device}};
  ck_assert_status(aq_run(&options, workload, &out->sink.sink, NULL, &diag),
                   AQ_OK, &diag);
  workload->close(workload);
}

/* ---- quantities ---- */

static bool has_name(const outcome *o, const aq_record *row, const char *name)
{
  return row->name != AQ_NONE &&
         strcmp(aq_names_text(&o->sink.names, row->name), name) == 0;
}

/* Call of the first kernel until the host knows that the last is complete. */
static double total(const outcome *o, size_t *count)
{
  aq_time begin = AQ_TIME_MAX, end = 0;
  *count = 0;
  for (size_t i = 0; i < o->sink.count; i++) {
    const aq_record *row = &o->sink.rows[i];
    if (row->kind != AQ_KIND_KERNEL)
      continue;
    begin = aq_time_min(begin, row->host_begin);
    end = aq_time_max(end, row->complete);
    ++*count;
  }
  return (double)(end + o->interrupt - begin);
}

/* Mean of a call and its sync; the first call finds the queue unmapped. */
static double call_to_sync(const outcome *o)
{
  double sum = 0;
  ck_assert_uint_gt(o->sink.count, 1);
  for (size_t i = 1; i < o->sink.count; i++)
    sum += (double)(o->sink.rows[i].complete + o->interrupt -
                    o->sink.rows[i].host_begin);
  return sum / (double)(o->sink.count - 1);
}

/* Mean distance of the completions of kernels named "tiny" or, without those,
 * of barrier packets. */
static double per_edge(const outcome *o)
{
  bool kernels = false;
  aq_time first = AQ_TIME_MAX, last = 0;
  size_t count = 0;
  for (size_t i = 0; i < o->sink.count; i++)
    kernels |= has_name(o, &o->sink.rows[i], "tiny");
  for (size_t i = 0; i < o->sink.count; i++) {
    const aq_record *row = &o->sink.rows[i];
    if (kernels ? !has_name(o, row, "tiny") : row->kind != AQ_KIND_BARRIER_AND)
      continue;
    first = aq_time_min(first, row->complete);
    last = aq_time_max(last, row->complete);
    count++;
  }
  ck_assert_uint_gt(count, 50);
  return (double)(last - first) / (double)(count - 1);
}

/* Call to sync of the last kernel of that name. */
static double sync_of(const outcome *o, const char *name)
{
  for (size_t i = o->sink.count; i-- > 0;)
    if (has_name(o, &o->sink.rows[i], name))
      return (double)(o->sink.rows[i].complete + o->interrupt -
                      o->sink.rows[i].submit);
  ck_abort_msg("no kernel is named %s", name);
}

static double measure(const outcome *o, const char *quantity)
{
  size_t count;
  if (strcmp(quantity, "total") == 0)
    return total(o, &count);
  if (strcmp(quantity, "per_dispatch") == 0) {
    double all = total(o, &count);
    return all / (double)count;
  }
  if (strcmp(quantity, "call_to_sync") == 0)
    return call_to_sync(o);
  if (strcmp(quantity, "per_edge") == 0)
    return per_edge(o);
  return sync_of(o, quantity);
}

/* ---- the table ---- */

static bool figure_read(char *line, figure *f)
{
  char *fields[FIELDS + 1], *rest = line;
  int count = 0;
  if (line[0] == '#')
    return false;
  while (count < FIELDS + 1 && (fields[count] = strsep(&rest, "\t")))
    count++;
  ck_assert_msg(count == FIELDS + 1, "%s: a row of %d fields", line, count);
  snprintf(f->name, TEXT, "%s", fields[0]);
  f->us = strtod(fields[1], NULL);
  f->tolerance = strtod(fields[2], NULL);
  snprintf(f->scenario, TEXT, "%s", fields[3]);
  snprintf(f->device, TEXT, "%s", fields[4]);
  snprintf(f->quantity, TEXT, "%s", fields[5]);
  return true;
}

/* Says how far off it is, and whether that is too far. */
static bool figure_is_met(const figure *f)
{
  outcome o;
  play(f, &o);
  double us = measure(&o, f->quantity) / (double)AQ_US;
  aq_memory_sink_fini(&o.sink);
  double off = (us / f->us - 1) * 100;
  bool met = off <= f->tolerance && off >= -f->tolerance;
  printf("# %s: %.3f us, published %.3f us (%+.1f %%, allowed %g %%)%s\n",
         f->name, us, f->us, off, f->tolerance, met ? "" : " FAILS");
  return met;
}

START_TEST(published_figures_are_met)
{
  char path[PATH], line[1024];
  int rows = 0, failed = 0;
  path_of("published.tsv", path);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s is missing", path);
  while (fgets(line, sizeof line, file)) {
    figure f;
    if (!figure_read(line, &f))
      continue;
    rows++;
    ck_assert_msg(model_exists(f.device), "%s: there is no model %s", f.name,
                  f.device);
    failed += !figure_is_met(&f);
  }
  fclose(file);
  fflush(stdout);
  ck_assert_int_gt(rows, 20);
  ck_assert_int_eq(failed, 0);
}
END_TEST

AQ_TEST_MAIN("study/loop/published", published_figures_are_met)
