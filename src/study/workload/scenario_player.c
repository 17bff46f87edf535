/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/scenario_player.h"

#include <assert.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/rng.h"

/* The purposes of an agent's draws; each has a substream of its own. */
enum purpose {
  DRAW_ARRIVAL,
  DRAW_MIX,
  DRAW_COST,
  DRAW_CALL,
  DRAW_HINT,
  PURPOSE_COUNT
};

/* Times from here on are taken for never. */
static const aq_time END_OF_TIME = AQ_TIME_MAX / 4;

/* The identical clients of one entry share their number of requests one by
 * one: each has this. */
typedef struct instance {
  uint64_t left; /* requests that may still be started */
  uint32_t number;
} instance;

/* One request in progress: an open client, or one of the parallel requests of a
 * closed client. It acts as one host thread. */
typedef struct agent {
  const aq_sc_client *client;
  instance *of;
  aq_rng rng[PURPOSE_COUNT];
  const aq_sc_request *request;
  uint32_t step, repeat;  /* of the next call */
  uint32_t begun;         /* steps with a job */
  aq_time begin, submit;  /* of the next call */
  aq_time arrival, burst; /* of the request; of its burst */
  uint32_t burst_left;
  size_t at;          /* next of the listed arrivals */
  uint32_t in_flight; /* last jobs that have not completed */
  bool submitting;    /* it has calls left to make */
  int64_t stream;     /* of the request's first stream */
  uint64_t *jobs;     /* last job of each step */
  uint64_t number;    /* of the request, from 1 */
} agent;

typedef struct player {
  aq_workload_source source; /* first */
  aq_scenario scenario;
  agent *agents;
  instance *instances;
  uint32_t agent_count;
  uint32_t *heap; /* agents by (submit, number) */
  uint32_t heap_count;
  aq_map waiting;       /* job → agent of closed clients */
  aq_map unfinished;    /* last job of a step → agent with calls left */
  aq_command *commands; /* of the job handed out last */
  size_t command_capacity;
  aq_time expected; /* of them, for hints */
  uint64_t next_job, requests;
  int64_t next_stream; /* of requests that have streams of their own */
  aq_time last_submit;
  int64_t only; /* entry of the client that acts alone; negative: all act */
} player;

/* ---- the agents in order of their next call ---- */

static bool agent_is_before(const player *p, uint32_t a, uint32_t b)
{
  const aq_time x = p->agents[a].submit, y = p->agents[b].submit;
  return x != y ? x < y : a < b;
}

static void heap_push(player *p, uint32_t number)
{
  uint32_t at = p->heap_count++;
  while (at > 0 && agent_is_before(p, number, p->heap[(at - 1) / 2])) {
    p->heap[at] = p->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  p->heap[at] = number;
}

static uint32_t heap_pop(player *p)
{
  const uint32_t top = p->heap[0], moved = p->heap[--p->heap_count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= p->heap_count)
      break;
    if (child + 1 < p->heap_count &&
        agent_is_before(p, p->heap[child + 1], p->heap[child]))
      child++;
    if (!agent_is_before(p, p->heap[child], moved))
      break;
    p->heap[at] = p->heap[child];
    at = child;
  }
  p->heap[at] = moved;
  return top;
}

/* Takes an agent out of the heap, if it is there. */
static void heap_remove(player *p, uint32_t number)
{
  uint32_t at = 0;
  while (at < p->heap_count && p->heap[at] != number)
    at++;
  if (at == p->heap_count)
    return;
  /* Up to the top, whose place the last one takes. */
  for (; at > 0; at = (at - 1) / 2)
    p->heap[at] = p->heap[(at - 1) / 2];
  p->heap[0] = number;
  heap_pop(p);
}

/* ---- the next call of an agent ---- */

static aq_time draw(agent *a, const aq_distribution *d, enum purpose purpose)
{
  return aq_distribution_draw(d, &a->rng[purpose]);
}

/* The agent's thread makes its next call at `begin`, or when it learns of it if
 * that is later. */
static void call_plan(player *p, agent *a, aq_time begin)
{
  a->begin = begin;
  a->submit = aq_time_add(begin, draw(a, &a->client->call, DRAW_CALL));
  a->submit = aq_time_max(a->submit, p->last_submit);
  heap_push(p, (uint32_t)(a - p->agents));
}

static void request_choose(agent *a, const aq_scenario *scenario)
{
  const aq_sc_client *client = a->client;
  uint32_t at = 0;
  if (client->mix_count > 1) {
    const double unit = aq_rng_unit(&a->rng[DRAW_MIX]);
    while (unit >= client->mix[at].below)
      at++;
  }
  a->request = &scenario->requests[client->mix[at].request];
}

/* Starts a request that arrives at `arrival`, unless the client is done. */
static void request_start(player *p, agent *a, aq_time arrival,
                          aq_time thread_free)
{
  const aq_sc_client *client = a->client;
  if (a->of->left == 0 || arrival >= END_OF_TIME ||
      (client->until != AQ_TIME_NONE && arrival >= client->until))
    return;
  a->of->left--;
  a->number = ++p->requests;
  a->arrival = arrival;
  a->step = a->repeat = a->begun = 0;
  a->submitting = true;
  if (client->independent) {
    a->stream = p->next_stream;
    p->next_stream += (int64_t)p->scenario.stream_names.count;
  }
  request_choose(a, &p->scenario);
  call_plan(p, a, aq_time_max(arrival, thread_free));
}

static aq_time client_start(const agent *a)
{
  const aq_time stagger = a->client->stagger, number = a->of->number;
  if (number > 0 && stagger > END_OF_TIME / number)
    return END_OF_TIME;
  return aq_time_add(a->client->start, stagger * number);
}

/* When the next request of an open client arrives; END_OF_TIME: never. */
static aq_time arrival_next(agent *a)
{
  const aq_sc_client *client = a->client;
  switch (client->arrivals) {
  case AQ_SC_EVERY:
    return aq_time_add(a->arrival, draw(a, &client->every, DRAW_ARRIVAL));
  case AQ_SC_BURSTS:
    if (--a->burst_left > 0)
      return aq_time_add(a->arrival, draw(a, &client->spacing, DRAW_ARRIVAL));
    a->burst = aq_time_add(a->burst, draw(a, &client->every, DRAW_ARRIVAL));
    a->burst_left = client->burst;
    return aq_time_max(a->burst, a->arrival);
  case AQ_SC_AT:
    if (a->at < client->at_count)
      return aq_time_add(client_start(a), client->at[a->at++]);
    break;
  case AQ_SC_CLOSED:
    break;
  }
  return END_OF_TIME;
}

/* Whether it makes no request before its last one has ended. */
static bool client_waits(const aq_sc_client *client)
{
  return client->arrivals == AQ_SC_CLOSED || client->blocks;
}

/* When the next request of a client that waits arrives. */
static aq_time arrival_after(agent *a, aq_time over)
{
  return a->client->blocks
             ? aq_time_max(arrival_next(a), over)
             : aq_time_add(over, draw(a, &a->client->think, DRAW_ARRIVAL));
}

/* Plans the call after the one that was handed out. */
static void agent_advance(player *p, agent *a)
{
  const aq_sc_step *step = &a->request->steps[a->step];
  if (++a->repeat == step->repeat) {
    a->repeat = 0;
    a->step++;
  }
  if (a->step < a->request->step_count) {
    call_plan(p, a, a->submit);
    return;
  }
  a->submitting = false;
  if (!client_waits(a->client))
    request_start(p, a, arrival_next(a), a->submit);
}

/* ---- the source ---- */

static aq_time player_peek(aq_workload_source *source)
{
  const player *p = (player *)source;
  return p->heap_count ? p->agents[p->heap[0]].submit : AQ_TIME_MAX;
}

static aq_time command_time(const aq_command *command)
{
  const aq_cost *cost = &command->cost;
  uint64_t workgroups = 0;
  if (cost->kind == AQ_COST_PER_WORKGROUP) {
    workgroups = 1;
    for (int i = 0; i < 3; i++)
      workgroups *= (command->grid[i] + command->workgroup[i] - 1u) /
                    command->workgroup[i];
  }
  return cost->base + (aq_time)workgroups * cost->per_workgroup;
}

static aq_status commands_fill(player *p, agent *a, const aq_sc_step *step,
                               aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE(p->commands, p->command_capacity, step->command_count))
    return aq_diag_no_memory(diag);
  size_t count = 0;
  p->expected = 0;
  for (uint32_t i = 0; i < step->launch_count; i++) {
    const aq_sc_kernel *kernel = &p->scenario.kernels[step->launches[i].kernel];
    for (uint32_t n = 0; n < step->launches[i].repeat; n++) {
      aq_command *command = &p->commands[count++];
      *command = kernel->command;
      command->acquire = step->acquire;
      command->release = step->release;
      if (aq_cost_is_spin(command->cost.kind))
        command->cost.base = draw(a, &kernel->duration, DRAW_COST);
      p->expected =
          aq_time_add(p->expected, kernel->expected ? kernel->expected
                                                    : command_time(command));
    }
  }
  if (step->graph)
    p->commands[0].flags |= AQ_FLAG_GRAPH_FIRST;
  return AQ_OK;
}

/* The hint of the commands that were just drawn. */
static void hint_fill(const player *p, agent *a, aq_job *out)
{
  const aq_sc_client *client = a->client;
  if (client->hint == AQ_SC_HINT_NONE)
    return;
  out->hint = client->hint_time;
  if (client->hint == AQ_SC_HINT_FIXED)
    return;
  out->hint = p->expected;
  if (client->hint_error > 0) {
    const aq_distribution d = {
        .kind = AQ_LOGNORMAL, .a = out->hint, .sigma = client->hint_error};
    out->hint_error = (aq_time)((double)out->hint * client->hint_error);
    out->hint = draw(a, &d, DRAW_HINT);
  }
}

static void job_fill(const player *p, agent *a, const aq_sc_step *step,
                     aq_job *out)
{
  const aq_sc_client *client = a->client;
  *out = (aq_job){
      .id = p->next_job,
      .device = client->device,
      .stream = a->stream + step->stream,
      .queue = AQ_NONE,
      .submit = a->submit,
      .host_begin = a->begin,
      .host_end = a->submit,
      .deadline = client->deadline == AQ_TIME_NONE
                      ? AQ_TIME_NONE
                      : aq_time_add(a->arrival, client->deadline),
      .priority = client->priority,
      .client = (uint32_t)(a->of - p->instances),
      .weight = client->weight,
      .job_flags = client->job_flags,
      .hint = AQ_TIME_NONE,
      .marker = step->marker,
      .via = step->graph ? AQ_VIA_GRAPH : AQ_VIA_DIRECT,
      .correlation = (int64_t)p->next_job,
      .pid = AQ_NONE,
      .tid = a - p->agents,
      .commands = p->commands,
      .command_count = step->command_count,
      .request = a->number,
      .more =
          a->step + 1 < a->request->step_count || a->repeat + 1 < step->repeat,
      .entry = (uint32_t)(client - p->scenario.clients),
      .arrival = a->arrival,
  };
  hint_fill(p, a, out);
  if (a->repeat > 0)
    return;
  for (uint32_t i = 0; i < step->after_count; i++)
    out->dependencies[i] = a->jobs[step->after[i]];
  out->dependency_count = step->after_count;
}

/* No call is left of the agent's request. */
static void request_forget(player *p, const agent *a)
{
  for (uint32_t step = 0; step < a->begun; step++)
    aq_map_remove(&p->unfinished, a->jobs[step], NULL);
}

static aq_status player_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *diag)
{
  player *p = (player *)source;
  if (p->heap_count == 0) {
    *got = false;
    return AQ_OK;
  }
  agent *a = &p->agents[p->heap[0]];
  const aq_sc_step *step = &a->request->steps[a->step];
  const bool awaited =
      client_waits(a->client) && step->last && a->repeat + 1 == step->repeat;
  aq_status status = commands_fill(p, a, step, diag);
  if (status != AQ_OK)
    return status;
  if (awaited &&
      !aq_map_put(&p->waiting, p->next_job, (uint64_t)(a - p->agents)))
    return aq_diag_no_memory(diag);
  job_fill(p, a, step, out);
  if (a->repeat > 0)
    aq_map_remove(&p->unfinished, a->jobs[a->step], NULL);
  if (!out->more)
    request_forget(p, a);
  else if (!aq_map_put(&p->unfinished, p->next_job, (uint64_t)(a - p->agents)))
    return aq_diag_no_memory(diag);
  a->in_flight += awaited;
  a->jobs[a->step] = p->next_job++;
  a->begun = a->step + 1;
  p->last_submit = a->submit;
  heap_pop(p);
  agent_advance(p, a);
  *got = true;
  return AQ_OK;
}

static void player_done(aq_workload_source *source, uint64_t job, aq_time time)
{
  player *p = (player *)source;
  uint64_t number;
  if (!aq_map_remove(&p->waiting, job, &number))
    return;
  agent *a = &p->agents[number];
  if (--a->in_flight > 0 || a->submitting)
    return;
  const aq_time next = arrival_after(a, time);
  request_start(p, a, next, next);
}

static void player_rejected(aq_workload_source *source, uint64_t job,
                            aq_time time)
{
  player *p = (player *)source;
  uint64_t number;
  const bool unfinished = aq_map_get(&p->unfinished, job, &number);
  player_done(source, job, time);
  if (unfinished) {
    /* The calls that are left of a request are not made. */
    agent *a = &p->agents[number];
    request_forget(p, a);
    heap_remove(p, (uint32_t)number);
    a->submitting = false;
    if (!client_waits(a->client))
      request_start(p, a, arrival_next(a), time);
    else if (a->in_flight == 0)
      request_start(p, a, arrival_after(a, time), time);
  }
}

static const char *player_name(aq_workload_source *source, int64_t id)
{
  return aq_names_text(&((player *)source)->scenario.kernel_names, id);
}

/* All but the scenario. */
static void player_free(player *p)
{
  aq_map_fini(&p->waiting);
  aq_map_fini(&p->unfinished);
  free(p->commands);
  free(p->heap);
  free(p->agents);
  free(p->instances);
  free(p);
}

static void player_close(aq_workload_source *source)
{
  player *p = (player *)source;
  aq_scenario_fini(&p->scenario);
  player_free(p);
}

static void agent_init(const player *p, agent *a, uint32_t client,
                       uint32_t number)
{
  const aq_sc_client *of = &p->scenario.clients[client];
  const int64_t seed = of->seed >= 0 ? of->seed : p->scenario.seed;
  a->client = of;
  for (uint32_t i = 0; i < PURPOSE_COUNT; i++)
    aq_rng_init(&a->rng[i], (uint64_t)seed,
                (uint64_t)client << 40 | (uint64_t)number << 8 | i);
}

static aq_status agents_make(player *p, aq_diag *diag)
{
  aq_scenario *scenario = &p->scenario;
  size_t agents = 0, instances = 0;
  bool closed = false;
  for (uint32_t i = 0; i < scenario->client_count; i++) {
    const aq_sc_client *client = &scenario->clients[i];
    closed |= client_waits(client);
    instances += client->count;
    agents += (size_t)client->count * client->concurrency;
  }
  assert(agents > 0 && instances > 0);
  /* Only closed clients wait for completions. */
  if (closed)
    p->source.done = player_done;
  p->agents = calloc(agents, sizeof *p->agents);
  p->instances = calloc(instances, sizeof *p->instances);
  p->heap = calloc(agents, sizeof *p->heap);
  if (!p->agents || !p->instances || !p->heap)
    return aq_diag_no_memory(diag);

  instance *of = p->instances;
  for (uint32_t i = 0; i < scenario->client_count; i++) {
    const aq_sc_client *client = &scenario->clients[i];
    uint32_t number = 0;
    for (uint32_t n = 0; n < client->count; n++, of++) {
      *of = (instance){client->requests ? client->requests : UINT64_MAX, n};
      if (p->only >= 0 && p->only != i)
        continue;
      for (uint32_t c = 0; c < client->concurrency; c++) {
        agent *a = &p->agents[p->agent_count++];
        agent_init(p, a, i, number++);
        a->of = of;
        a->stream = (int64_t)(of - p->instances) *
                    (int64_t)scenario->stream_names.count;
        a->jobs = aq_arena_alloc(&scenario->arena,
                                 client->steps_max * sizeof *a->jobs);
        if (!a->jobs)
          return aq_diag_no_memory(diag);
      }
    }
  }
  p->next_stream = (int64_t)instances * (int64_t)scenario->stream_names.count;
  for (uint32_t i = 0; i < p->agent_count; i++) {
    const aq_sc_client *client = p->agents[i].client;
    aq_time first = client_start(&p->agents[i]);
    p->agents[i].arrival = p->agents[i].burst = first;
    p->agents[i].burst_left = client->burst;
    if (client->poisson || client->arrivals == AQ_SC_AT)
      first = arrival_next(&p->agents[i]);
    request_start(p, &p->agents[i], first, first);
  }
  return AQ_OK;
}

static bool deadlines_none(const aq_scenario *scenario)
{
  for (uint32_t i = 0; i < scenario->client_count; i++)
    if (scenario->clients[i].deadline != AQ_TIME_NONE)
      return false;
  return true;
}

aq_status aq_scenario_play(aq_scenario *scenario, uint32_t alone,
                           aq_workload_source **out, aq_diag *diag)
{
  player *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->source = (aq_workload_source){.peek = player_peek,
                                   .next = player_next,
                                   .rejected = player_rejected,
                                   .name = player_name,
                                   .close = player_close,
                                   .no_deadlines = deadlines_none(scenario)};
  p->scenario = *scenario;
  p->only = (int64_t)alone - 1;
  aq_status status = agents_make(p, diag);
  if (status != AQ_OK) {
    *scenario = p->scenario;
    player_free(p);
    return status;
  }
  *out = &p->source;
  return AQ_OK;
}
