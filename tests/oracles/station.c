/* SPDX-License-Identifier: MIT */
#include "oracles/station.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "oracles/device.h"
#include "study/loop/run.h"
#include "support/aqtest.h"

enum {
  BATCHES = 30,
  WARM_PART = 10,
  COMMANDS_MAX = 64,
  MEMORY_BYTES = 1000, /* that a workgroup moves, at a byte a picosecond */
};

enum { DRAW_ARRIVAL, DRAW_CLASS, DRAW_SERVICE, DRAWS };

typedef struct pending {
  aq_time arrival, service, response; /* response -1: rejected or not done */
  uint32_t of_class;
} pending;

typedef struct station {
  aq_workload_source source; /* first */
  aq_record_sink sink;
  const station_spec *spec;
  aq_rng rng[DRAWS];
  pending *jobs;
  uint64_t next;
  double rate;   /* of all classes */
  aq_time again; /* when the next of the class comes that is one at a time */
  aq_time due;
  aq_time *thinking; /* of a closed station: times of return, a heap */
  uint32_t thinking_count;
  aq_command commands[COMMANDS_MAX];
  uint64_t present;
  aq_time changed;
  station_result out;
} station;

double station_law_second(station_law law)
{
  switch (law) {
  case LAW_EXPONENTIAL:
    return 2;
  case LAW_CONSTANT:
    return 1;
  case LAW_UNIFORM:
    return 4.0 / 3;
  case LAW_ERLANG4:
    return 1.25;
  case LAW_HYPER:
    return 2 * (.9 * .5 * .5 + .1 * 5.5 * 5.5);
  case LAW_COUNT:
    break;
  }
  return NAN;
}

static double exponential(aq_rng *rng)
{
  return -log(aq_rng_unit(rng));
}

static double law_draw(station_law law, aq_rng *rng)
{
  double sum = 0;
  switch (law) {
  case LAW_EXPONENTIAL:
    return exponential(rng);
  case LAW_CONSTANT:
  case LAW_COUNT:
    break;
  case LAW_UNIFORM:
    return 2 * aq_rng_unit(rng);
  case LAW_ERLANG4:
    for (int i = 0; i < 4; i++)
      sum += exponential(rng) / 4;
    return sum;
  case LAW_HYPER:
    sum = aq_rng_unit(rng) < .9 ? .5 : 5.5;
    return sum * exponential(rng);
  }
  return 1;
}

static aq_time units(double value)
{
  return (aq_time)llround(value * (double)STATION_UNIT);
}

/* ---- arrivals ---- */

static void thinking_push(station *s, aq_time at)
{
  uint32_t i = s->thinking_count++;
  for (; i > 0 && at < s->thinking[(i - 1) / 2]; i = (i - 1) / 2)
    s->thinking[i] = s->thinking[(i - 1) / 2];
  s->thinking[i] = at;
}

static void thinking_pop(station *s)
{
  const aq_time moved = s->thinking[--s->thinking_count];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < s->thinking_count; i = child) {
    if (child + 1 < s->thinking_count &&
        s->thinking[child + 1] < s->thinking[child])
      child++;
    if (s->thinking[child] >= moved)
      break;
    s->thinking[i] = s->thinking[child];
  }
  s->thinking[i] = moved;
}

static aq_time think(station *s)
{
  return units(exponential(&s->rng[DRAW_ARRIVAL]) / s->spec->classes[0].rate);
}

static aq_time station_peek(aq_workload_source *source)
{
  station *s = (station *)source;
  if (s->next == s->spec->jobs)
    return AQ_TIME_MAX;
  if (s->spec->script)
    return s->spec->script[s->next].arrival;
  if (s->spec->population)
    return s->thinking_count ? s->thinking[0] : AQ_TIME_MAX;
  return aq_time_min(s->due, s->again);
}

static void area_add(station *s, aq_time now, int change)
{
  const uint64_t servers = s->spec->servers;
  const uint64_t served = s->present < servers ? s->present : servers;
  s->out.area += (__int128)s->present * (now - s->changed);
  s->out.busy += (__int128)served * (now - s->changed);
  s->changed = now;
  s->present += (uint64_t)(int64_t)change;
}

static uint32_t class_draw(station *s)
{
  double at = aq_rng_unit(&s->rng[DRAW_CLASS]) * s->rate;
  uint32_t i = 0;
  while (i + 1 < s->spec->class_count && at >= s->spec->classes[i].rate)
    at -= s->spec->classes[i++].rate;
  return i;
}

static void command_init(const station *s, aq_command *command,
                         aq_time duration)
{
  static const aq_cost_kind kinds[] = {
      [STATION_QUEUES] = AQ_COST_SPIN,
      [STATION_UNITS] = AQ_COST_SPIN_WORKGROUP,
      [STATION_MEMORY] = AQ_COST_ROOFLINE,
  };
  static const aq_cost_detail bytes = {.bytes = MEMORY_BYTES};
  const bool moves = s->spec->by == STATION_MEMORY;
  *command = (aq_command){
      .kind = AQ_KIND_KERNEL,
      .cost = {.kind = kinds[s->spec->by],
               .base = moves ? 0 : duration,
               .detail = moves ? &bytes : NULL},
      .grid = {moves ? (uint32_t)(duration / MEMORY_BYTES) : 1, 1, 1},
      .workgroup = {1, 1, 1},
      .bytes = AQ_NONE,
      .name = 0,
      .origin = AQ_NONE};
}

static void scripted(station *s, aq_job *out)
{
  const station_job *job = &s->spec->script[s->next];
  ck_assert_uint_le(job->commands, COMMANDS_MAX);
  for (uint32_t i = 0; i < job->commands; i++)
    command_init(s, &s->commands[i],
                 job->command + (i == 0 ? job->first_longer : 0));
  if (job->workgroups)
    s->commands[0].grid[0] = job->workgroups;
  out->hint = job->command * job->commands + job->first_longer;
  out->deadline = job->deadline;
  out->client = job->client;
  out->priority = job->priority;
  out->command_count = job->commands;
  s->jobs[s->next] = (pending){job->arrival, out->hint, -1, job->client};
}

/* The next arrival of the class that was drawn is drawn too. */
static uint32_t class_next(station *s)
{
  if (s->spec->one_at_a_time) {
    if (s->again <= s->due) {
      s->again = AQ_TIME_MAX;
      return s->spec->class_count - 1;
    }
    s->due += units(exponential(&s->rng[DRAW_ARRIVAL]) / s->rate);
    return 0;
  }
  if (!s->spec->population)
    s->due += units(exponential(&s->rng[DRAW_ARRIVAL]) / s->rate);
  return class_draw(s);
}

static void drawn(station *s, aq_job *out)
{
  const uint32_t number = class_next(s);
  const station_class *of = &s->spec->classes[number];
  out->hint = units(of->mean * law_draw(of->law, &s->rng[DRAW_SERVICE]));
  if (s->spec->by == STATION_MEMORY) /* whole workgroups */
    out->hint = (out->hint / MEMORY_BYTES + 1) * MEMORY_BYTES;
  out->hint = out->hint ? out->hint : 1;
  out->priority = of->priority;
  out->weight = of->weight;
  out->client = number;
  out->deadline = out->submit + 10 * out->hint;
  command_init(s, &s->commands[0], out->hint);
  s->jobs[s->next] = (pending){out->submit, out->hint, -1, number};
}

static aq_status station_next(aq_workload_source *source, aq_job *out,
                              bool *got, aq_diag *diag)
{
  station *s = (station *)source;
  (void)diag;
  *out = (aq_job){.id = s->next,
                  .stream = AQ_NONE,
                  .queue = AQ_NONE,
                  .submit = station_peek(source),
                  .host_begin = AQ_TIME_NONE,
                  .host_end = AQ_TIME_NONE,
                  .deadline = AQ_TIME_NONE,
                  .job_flags = AQ_JOB_IDEMPOTENT,
                  .via = AQ_VIA_DIRECT,
                  .correlation = (int64_t)s->next,
                  .pid = AQ_NONE,
                  .tid = AQ_NONE,
                  .commands = s->commands,
                  .command_count = 1};
  area_add(s, out->submit, 1);
  if (s->spec->script)
    scripted(s, out);
  else
    drawn(s, out);
  if (s->spec->population)
    thinking_pop(s);
  s->next++;
  *got = true;
  return AQ_OK;
}

static void station_done(aq_workload_source *source, uint64_t id, aq_time time)
{
  station *s = (station *)source;
  pending *job = &s->jobs[id];
  area_add(s, time, -1);
  job->response = time - job->arrival;
  s->out.done++;
  s->out.commands += s->spec->script ? s->spec->script[id].commands : 1;
  s->out.asked += job->service;
  s->out.responses += job->response;
  s->out.weighted += (__int128)job->service * job->response;
  s->out.end = time;
  if (job->of_class < STATION_CLASSES)
    s->out.longest[job->of_class] =
        aq_time_max(s->out.longest[job->of_class], job->response);
  if (s->spec->script && s->spec->script[id].deadline != AQ_TIME_NONE) {
    const aq_time lateness = time - s->spec->script[id].deadline;
    s->out.late += lateness > 0;
    s->out.lateness = aq_time_max(s->out.lateness, lateness);
  }
  if (s->spec->population)
    thinking_push(s, time + think(s));
  if (s->spec->one_at_a_time && job->of_class == s->spec->class_count - 1)
    s->again = time;
}

static void station_rejected(aq_workload_source *source, uint64_t id,
                             aq_time time)
{
  station *s = (station *)source;
  (void)id;
  area_add(s, time, -1);
  s->out.rejected++;
}

static const char *station_name(aq_workload_source *source, int64_t id)
{
  (void)source;
  (void)id;
  return "serve";
}

/* ---- records ---- */

static station *of_sink(aq_record_sink *sink)
{
  return (station *)(void *)((char *)sink - offsetof(station, sink));
}

static aq_status take_device(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  (void)sink;
  (void)device;
  (void)diag;
  *ordinal = 0;
  return AQ_OK;
}

static aq_status take_queue(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  (void)sink;
  (void)diag;
  *ordinal = queue->source_id;
  return AQ_OK;
}

static aq_status take_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  (void)sink;
  (void)text;
  (void)length;
  (void)diag;
  *id = 0;
  return AQ_OK;
}

static aq_status take_rows(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  station *s = of_sink(sink);
  (void)diag;
  for (size_t i = 0; i < count; i++) {
    s->out.rows++;
    s->out.served += rows[i].complete - rows[i].launch;
  }
  return AQ_OK;
}

/* ---- results ---- */

static station_mean batches_mean(const double *values, uint64_t count)
{
  double sum = 0, square = 0;
  const uint64_t each = count / BATCHES;
  if (each == 0)
    return (station_mean){NAN, NAN, count};
  for (uint64_t b = 0; b < BATCHES; b++) {
    double batch = 0;
    for (uint64_t i = 0; i < each; i++)
      batch += values[b * each + i];
    batch /= (double)each;
    sum += batch;
    square += batch * batch;
  }
  const double mean = sum / BATCHES;
  const double variance = (square - BATCHES * mean * mean) / (BATCHES - 1);
  return (station_mean){mean, sqrt(fmax(variance, 0) / BATCHES), count};
}

/* The served jobs of a class, or (-1) of all, after warming up. */
static station_mean response_mean(const station *s, int of_class)
{
  const uint64_t jobs = s->spec->jobs;
  double *values = calloc(jobs + 1, sizeof *values);
  uint64_t count = 0;
  for (uint64_t i = jobs / WARM_PART; i < jobs; i++) {
    const pending *job = &s->jobs[i];
    if (job->response >= 0 && (of_class < 0 || (int)job->of_class == of_class))
      values[count++] = (double)job->response / (double)STATION_UNIT;
  }
  const station_mean mean = batches_mean(values, count);
  free(values);
  return mean;
}

static void rejected_mean(station *s)
{
  const uint64_t jobs = s->spec->jobs, warm = jobs / WARM_PART;
  double *values = calloc(jobs + 1, sizeof *values);
  for (uint64_t i = warm; i < jobs; i++)
    values[i - warm] = s->jobs[i].response < 0;
  s->out.rejected_part = batches_mean(values, jobs - warm);
  free(values);
}

/* Batches of as many arrivals each, by the time they took. */
static void throughput_mean(station *s)
{
  const uint64_t jobs = s->spec->jobs, warm = jobs / WARM_PART;
  const uint64_t each = (jobs - warm - 1) / BATCHES;
  double rates[BATCHES];
  if (each == 0)
    return;
  for (uint64_t b = 0; b < BATCHES; b++) {
    const aq_time took = s->jobs[warm + (b + 1) * each].arrival -
                         s->jobs[warm + b * each].arrival;
    rates[b] = (double)each * (double)STATION_UNIT / (double)took;
  }
  s->out.throughput = batches_mean(rates, BATCHES);
  s->out.throughput.count = jobs - warm;
}

/* Of waiting times by load: what every order conserves. */
static void conserved_mean(station *s)
{
  const uint64_t jobs = s->spec->jobs, warm = jobs / WARM_PART;
  double *values = calloc(jobs + 1, sizeof *values);
  for (uint64_t i = warm; i < jobs; i++) {
    const pending *job = &s->jobs[i];
    const double mean = job->of_class < s->spec->class_count
                            ? s->spec->classes[job->of_class].mean
                            : 0;
    values[i - warm] = s->rate * mean * (double)(job->response - job->service) /
                       (double)STATION_UNIT;
  }
  s->out.conserved = batches_mean(values, jobs - warm);
  free(values);
}

/* ---- running ---- */

static void station_init(station *s, const station_spec *spec)
{
  *s = (station){.source = {.peek = station_peek,
                            .next = station_next,
                            .done = station_done,
                            .rejected = station_rejected,
                            .name = station_name},
                 .sink = {.device = take_device,
                          .queue = take_queue,
                          .name = take_name,
                          .put = take_rows},
                 .spec = spec,
                 .out.lateness = INT64_MIN};
  for (uint64_t i = 0; i < DRAWS; i++)
    aq_rng_init(&s->rng[i], spec->seed, i);
  s->jobs = calloc(spec->jobs, sizeof *s->jobs);
  for (uint64_t i = 0; i < spec->jobs; i++)
    s->jobs[i].response = -1;
  for (uint32_t i = 0; i < spec->class_count; i++)
    s->rate += spec->classes[i].rate;
  s->again = spec->one_at_a_time ? 0 : AQ_TIME_MAX;
  s->thinking = calloc(spec->population + 1, sizeof *s->thinking);
  for (uint32_t i = 0; i < spec->population; i++)
    thinking_push(s, think(s));
  if (!spec->script && !spec->population)
    s->due = units(exponential(&s->rng[DRAW_ARRIVAL]) / s->rate);
}

station_result station_run(const station_spec *spec)
{
  station s;
  char **edits = device_edits(spec);
  aq_diag diag = AQ_DIAG_INIT;
  aq_policy_choice *policy = NULL;
  aq_run_totals totals;
  station_init(&s, spec);
  if (spec->policy)
    ck_assert_status(aq_policy_choice_create(spec->policy, &policy, &diag),
                     AQ_OK, &diag);
  const aq_run_options options = {.transport = device_begin(),
                                  .open = {.device = "mi300x",
                                           .edits = (const char *const *)edits,
                                           .seed = spec->seed},
                                  .policy = policy};
  ck_assert_status(aq_run(&options, &s.source, &s.sink, &totals, &diag), AQ_OK,
                   &diag);
  aq_policy_choice_destroy(policy);
  s.out.packets = totals.packets;
  s.out.doorbells = totals.doorbells;
  s.out.begin = totals.begin;
  device_end(&s.out);
  s.out.response = response_mean(&s, -1);
  for (uint32_t i = 0; i < STATION_CLASSES; i++)
    s.out.of_class[i] = response_mean(&s, (int)i);
  rejected_mean(&s);
  throughput_mean(&s);
  conserved_mean(&s);
  for (size_t i = 0; edits[i]; i++)
    free(edits[i]);
  free(edits);
  free(s.thinking);
  free(s.jobs);
  return s.out;
}
