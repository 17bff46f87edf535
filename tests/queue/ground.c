/* SPDX-License-Identifier: MIT */
#include "queue/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/registry/device_models.h"

const ground_kind ground_kinds[] = {
    {"sim, barrier-value", "sim", AQ_MODE_VIRTUAL, AQ_EDGE_BARRIER_VALUE},
    {"sim, barrier-and", "sim", AQ_MODE_VIRTUAL, AQ_EDGE_BARRIER_AND},
    {"sim, pm4", "sim", AQ_MODE_VIRTUAL, AQ_EDGE_PM4},
    {"sim, defer", "sim", AQ_MODE_VIRTUAL, AQ_EDGE_DEFER},
    {"sim live, barrier-value", "sim", AQ_MODE_LIVE, AQ_EDGE_BARRIER_VALUE},
    {"sim live, barrier-and", "sim", AQ_MODE_LIVE, AQ_EDGE_BARRIER_AND},
    {"sim live, pm4", "sim", AQ_MODE_LIVE, AQ_EDGE_PM4},
    {"sim live, defer", "sim", AQ_MODE_LIVE, AQ_EDGE_DEFER},
    {"sim live, four devices", "sim", AQ_MODE_LIVE, AQ_EDGE_CHOOSE, "mi300x*4"},
    {"fault+sim, barrier-value", "fault+sim", AQ_MODE_VIRTUAL,
     AQ_EDGE_BARRIER_VALUE},
    {"null, barrier-and", "null", AQ_MODE_VIRTUAL, AQ_EDGE_CHOOSE},
    {"hsa over the drop-in", "hsa", AQ_MODE_LIVE, AQ_EDGE_CHOOSE},
    {"hsa over the drop-in, barrier-and", "hsa", AQ_MODE_LIVE,
     AQ_EDGE_BARRIER_AND},
    {"hsa over the drop-in, defer", "hsa", AQ_MODE_LIVE, AQ_EDGE_DEFER},
    {"hsa over the drop-in, strict memory", "hsa", AQ_MODE_LIVE, AQ_EDGE_CHOOSE,
     NULL, true},
};
const unsigned ground_kind_count = sizeof ground_kinds / sizeof *ground_kinds;

static void step(const aq_kernel_call *call)
{
  const ground_step *s = call->kernarg;
  *s->cell = ground_stepped(*s->cell, s->value);
}

static void event_heard(const aq_system_event *event, void *user)
{
  ground *g = user;
  pthread_mutex_lock(&g->event_lock);
  if (g->context)
    aq_context_event(g->context, event);
  pthread_mutex_unlock(&g->event_lock);
}

/* The library of this build, never what else is there. */
static void dropin_choose(void)
{
  char path[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(path, sizeof path, "%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  setenv("AQUEDUCT_LIBHSA_PATH", path, 1);
}

static void open_with(ground *g, const ground_kind *kind,
                      const char *const *edits, const aq_device_hooks *hooks,
                      aq_record_sink *records)
{
  memset(g, 0, sizeof *g);
  pthread_mutex_init(&g->event_lock, NULL);
  g->kind = kind;
  if (strcmp(kind->transport, "hsa") == 0)
    dropin_choose();
  setenv("AQUEDUCT_STRICT_MEMORY", kind->strict ? "never" : "off", 1);
  ck_assert_ok(
      g, aq_transport_stack_create(kind->transport, NULL, &g->stack, &g->diag));
  ck_assert_ok(g,
               aq_transport_stack_open(
                   g->stack,
                   &(aq_transport_options){.size = sizeof(aq_transport_options),
                                           .device = kind->device,
                                           .edits = edits,
                                           .mode = kind->mode,
                                           .hooks = hooks,
                                           .records = records,
                                           .event = event_heard,
                                           .event_user = g},
                   &g->t, &g->diag));
  g->ops = g->t->ops;
  g->ops->info(g->t, &g->info);
  ck_assert_ok(g, aq_context_create(
                      &(aq_context_options){.size = sizeof(aq_context_options),
                                            .transport = g->t,
                                            .way = kind->way,
                                            .records = records},
                      &g->context, &g->diag));
  aq_kernel_info info;
  ck_assert_ok(g, g->ops->kernel_register(
                      g->t,
                      &(aq_kernel_desc){.name = "step",
                                        .function = step,
                                        .cost = {AQ_COST_FIXED, AQ_US, 0},
                                        .kernarg_size = sizeof(ground_step)},
                      &info, &g->diag));
  g->kernel = info.object;
}

void ground_open(ground *g, const ground_kind *kind, const char *const *edits,
                 const aq_device_hooks *hooks)
{
  open_with(g, kind, edits, hooks, NULL);
}

void ground_open_recorded(ground *g, const ground_kind *kind,
                          aq_record_sink *records)
{
  open_with(g, kind, NULL, NULL, records);
}

void ground_close(ground *g)
{
  pthread_mutex_lock(&g->event_lock);
  aq_context *context = g->context;
  g->context = NULL;
  pthread_mutex_unlock(&g->event_lock);
  aq_context_destroy(context);
  g->ops->close(g->t);
  aq_transport_stack_destroy(g->stack);
  pthread_mutex_destroy(&g->event_lock);
}

aq_queue *ground_queue(ground *g, const aq_queue_options *options)
{
  aq_queue *queue = NULL;
  aq_queue_options chosen = {.size = 256};
  if (options)
    chosen = *options;
  chosen.size_of = sizeof chosen;
  ck_assert_ok(g, aq_queue_create(g->context, &chosen, &queue, &g->diag));
  return queue;
}

aq_semaphore *ground_semaphore(ground *g, uint64_t value)
{
  aq_semaphore *semaphore = NULL;
  ck_assert_ok(g,
               aq_semaphore_create(g->context, value, 0, &semaphore, &g->diag));
  return semaphore;
}

aq_status ground_dispatch(ground *g, aq_queue *queue, const aq_sync *sync,
                          uint64_t *cell, uint64_t value)
{
  const ground_step args = {cell, value};
  return aq_queue_dispatch(queue, sync,
                           &(aq_launch){.object = g->kernel,
                                        .grid = {1, 1, 1},
                                        .workgroup = {1, 1, 1},
                                        .kernargs = &args,
                                        .kernarg_size = sizeof args},
                           &g->diag);
}

void ground_move(ground *g, void *to, const void *from, size_t size)
{
  aq_signal done;
  if (!ground_hides(g)) {
    memcpy(to, from, size);
    return;
  }
  ck_assert_ok(g, g->ops->signal_create(g->t, &(aq_signal_desc){.value = 1},
                                        &done, &g->diag));
  ck_assert_ok(
      g, g->ops->copy_async(g->t, 0, to, from, size, NULL, 0, done, &g->diag));
  const aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_ok(g, g->ops->wait(g->t,
                               &(aq_wait_request){.items = &item,
                                                  .count = 1,
                                                  .mode = AQ_WAIT_ALL,
                                                  .deadline = AQ_TIME_MAX},
                               NULL, &g->diag));
  g->ops->signal_destroy(g->t, done);
}

aq_link *ground_steps_link(ground *g, uint64_t steps, aq_builder **builder)
{
  aq_program program;
  aq_link *link;
  uint32_t kernel;
  ck_assert_ok(g, aq_builder_create(NULL, builder, &g->diag));
  ck_assert_ok(
      g, aq_builder_kernel(*builder, "step", g->kernel, &kernel, &g->diag));
  for (uint64_t i = 0; i < steps; i++) {
    const aq_ref cell = aq_ref_slot(0, 0);
    aq_builder_barrier(*builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
    ck_assert_ok(g,
                 aq_builder_dispatch(*builder,
                                     &(aq_dispatch){.kernel = kernel,
                                                    .grid = {1, 1, 1},
                                                    .workgroup = {1, 1, 1},
                                                    .bindings = &cell,
                                                    .binding_count = 1,
                                                    .constants = &i,
                                                    .constant_size = sizeof i},
                                     &g->diag));
  }
  ck_assert_ok(g, aq_builder_end(*builder, &program, &g->diag));
  ck_assert_ok(g,
               aq_link_create(&program, &(aq_link_options){.transport = g->t},
                              &link, &g->diag));
  return link;
}

void ground_wait(ground *g, aq_semaphore *semaphore, uint64_t value)
{
  const aq_point point = {semaphore, value};
  ck_assert_ok(g, aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL,
                                    &g->diag));
}

aq_sync *ground_sync_make(ground_sync *s, aq_semaphore *wait,
                          uint64_t wait_value, aq_semaphore *signal,
                          uint64_t signal_value)
{
  s->wait = (aq_point){wait, wait_value};
  s->signal = (aq_point){signal, signal_value};
  s->sync = (aq_sync){.waits = &s->wait,
                      .wait_count = wait != NULL,
                      .signals = &s->signal,
                      .signal_count = signal != NULL};
  return &s->sync;
}

/* ---- the cases on each ground ---- */

/* Of the suite that runs: Check hands tests nothing but a number. */
static const ground_case *all_cases;
static size_t case_count;

START_TEST(case_run)
{
  ground g;
  ground_open(&g, &ground_kinds[(size_t)_i / case_count], NULL, NULL);
  all_cases[(size_t)_i % case_count].run(&g);
  ground_close(&g);
}
END_TEST

int ground_main(const char *suite_name, const ground_case *cases, size_t count)
{
  static char names[512][160];
  static aqtest_case runs[512];
  size_t runs_count = 0;
  all_cases = cases;
  case_count = count;
  for (size_t i = 0; i < ground_kind_count * count && i < 512; i++) {
    snprintf(names[i], sizeof names[i], "%s: %s", ground_kinds[i / count].label,
             cases[i % count].name);
    runs[runs_count++] = (aqtest_case){
        .name = names[i], .test = case_run, .index = (int)i, .timeout = 60};
  }
  return aqtest_run(suite_name, runs, runs_count);
}
