/* SPDX-License-Identifier: MIT */
/* Runs every case on every transport under test: the built-in ones, or the ones
 * that AQ_TRANSPORT names, with spaces between. */
#include "contract/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/transports.h"

static const contract_case *const tables[] = {contract_life,
                                              contract_memory,
                                              contract_signals,
                                              contract_time,
                                              contract_queues,
                                              contract_rings,
                                              contract_packets,
                                              contract_barriers,
                                              contract_order,
                                              contract_programs,
                                              contract_errors,
                                              contract_updates,
                                              contract_vendor,
                                              contract_agents,
                                              contract_controls,
                                              contract_devices,
                                              contract_faults,
                                              contract_values,
                                              NULL};

/* One line of the output: a case on a transport. */
typedef struct job {
  const contract_case *what;
  const contract_transport *on;
  char lacks[120]; /* why it does not apply, or empty */
  char name[300];  /* "sim: a sentence (50)" */
} job;

typedef struct jobs {
  job *jobs;
  size_t count;
} jobs;

static jobs all; /* Check's loop tests get an index and nothing else */

static void job_open(const job *j, contract *c)
{
  memset(c, 0, sizeof *c);
  aq_transport_options options = contract_options(j->on);
  options.event = contract_event_note;
  options.event_user = c;
  rig_open_with(&c->rig, options.layer->ops, &options);
  c->t = c->rig.t;
  c->ops = c->t->ops;
  c->layer = options.layer;
  c->mode = options.mode;
  c->ops->info(c->t, &c->info);
  ck_assert_uint_ge(c->info.device_count, 1);
  c->device = &c->info.devices[0];
  c->size = c->device->queue_size_min;
}

START_TEST(case_run)
{
  const job *j = &all.jobs[_i];
  contract *c = malloc(sizeof *c);
  job_open(j, c);
  j->what->run(c);
  rig_close(&c->rig);
  free(c);
}
END_TEST

/* The first missing capability, as text. */
static const char *caps_lack(uint32_t caps, uint32_t needed)
{
  static const struct {
    uint32_t cap;
    const char *words;
  } lacks[] = {
      {AQ_CAP_VIRTUAL_TIME, "its time is not modelled"},
      {AQ_CAP_LIVE, "one thread drives it"},
      {AQ_CAP_RECORDS, "it makes no records"},
      {AQ_CAP_TIMING, "it models no device"},
      {AQ_CAP_HOST_KERNELS, "it runs no host functions"},
      {AQ_CAP_CODE_OBJECTS, "it loads no code objects"},
      {AQ_CAP_COPY, "it copies nothing"},
      {AQ_CAP_CU_MASK, "it has no CU masks"},
      {AQ_CAP_PRIORITY, "it has no priorities"},
      {AQ_CAP_BARRIER_VALUE, "it serves no barrier-value packets"},
      {AQ_CAP_PM4, "it serves no PM4 packets"},
      {AQ_CAP_DEVICE_POLICY, "it takes no device policy"},
      {AQ_CAP_DEVICE_HOOKS, "it asks no device hooks"},
      {AQ_CAP_EVENTS, "it reports no memory faults"},
      {AQ_CAP_HANDLERS, "it has no signal handlers"},
      {AQ_CAP_PROFILING, "it keeps no dispatch times"},
      {AQ_CAP_COOPERATIVE, "it has no cooperative queues"},
      {AQ_CAP_AGENT_QUEUES, "it has no soft and host queues"},
      {AQ_CAP_INSPECT, "it has no inspection"},
      {AQ_CAP_EXECUTES, "it executes no code"},
  };
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
    if ((needed & lacks[i].cap) && !(caps & lacks[i].cap))
      return lacks[i].words;
  return NULL;
}

static uint32_t transport_caps(const contract_transport *on)
{
  aq_transport *t;
  aq_transport_info info;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options options = contract_options(on);
  if (options.layer->ops->open(&options, &t, &diag) != AQ_OK) {
    /* `make check-hsa` may find no runtime. */
    if (getenv("AQ_TRANSPORT_OPTIONAL")) {
      printf("1..0 # SKIP %s: %s\n", on->label, diag.text);
      exit(0);
    }
    fprintf(stderr, "%s: %s\n", on->label, diag.text);
    exit(99);
  }
  t->ops->info(t, &info);
  t->ops->close(t);
  return info.caps;
}

static size_t cases_count(void)
{
  size_t count = 0;
  for (size_t i = 0; tables[i]; i++)
    for (const contract_case *what = tables[i]; what->name; what++)
      count++;
  return count;
}

static void jobs_add(const contract_transport *on)
{
  uint32_t caps = transport_caps(on);
  for (size_t i = 0; tables[i]; i++)
    for (const contract_case *what = tables[i]; what->name; what++) {
      job *j = &all.jobs[all.count++];
      const char *lacks = caps_lack(caps, what->caps);
      *j = (job){.what = what, .on = on};
      if (lacks)
        snprintf(j->lacks, sizeof j->lacks, "%s: %s", on->label, lacks);
      snprintf(j->name, sizeof j->name,
               what->numbers ? "%s: %s (%s)" : "%s: %s", on->label, what->name,
               what->numbers);
    }
}

int main(void)
{
  size_t transports;
  contract_transport *on = contract_transports(&transports);
  all.jobs = calloc(cases_count() * transports, sizeof *all.jobs);
  for (size_t i = 0; i < transports; i++)
    jobs_add(&on[i]);
  aqtest_case *cases = calloc(all.count, sizeof *cases);
  for (size_t i = 0; i < all.count; i++)
    cases[i] =
        (aqtest_case){.name = all.jobs[i].name,
                      .test = case_run,
                      .index = (int)i,
                      .lacks = *all.jobs[i].lacks ? all.jobs[i].lacks : NULL};
  const int code = aqtest_run("contract", cases, all.count);
  free(cases);
  free(all.jobs);
  contract_transports_free(on, transports);
  return code;
}
