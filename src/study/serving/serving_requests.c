/* SPDX-License-Identifier: MIT */
/* Requests of served models: from their arrival to their last token. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/serving/serving_priv.h"

static const aq_time END_OF_TIME = AQ_TIME_MAX / 4;

/* ---- gaps ---- */

size_t aq_gap_of(aq_time gap)
{
  const double ns = (double)gap / (double)AQ_NS;
  if (ns <= 1)
    return 0;
  const size_t n = (size_t)ceil(log2(ns) * AQ_GAP_PARTS);
  return n < AQ_GAP_COUNT ? n : AQ_GAP_COUNT - 1;
}

aq_time aq_gap_limit(size_t n)
{
  return (aq_time)(exp2((double)n / AQ_GAP_PARTS) * (double)AQ_NS);
}

/* ---- windows ---- */

static uint64_t room_of(const aq_serving_server *server)
{
  return (uint64_t)server->batching.blocks * server->batching.block_tokens;
}

static aq_status window_check(const aq_serving *sv,
                              const aq_serving_server *server, aq_diag *diag)
{
  uint64_t room = room_of(server);
  if (server->role == AQ_SV_PREFILL && room_of(&sv->servers[server->to]) < room)
    room = room_of(&sv->servers[server->to]);
  for (size_t i = server->cursor; i < server->end; i++) {
    const aq_llm_request *r = &server->requests.list[i];
    if ((uint64_t)r->prompt + r->output > room)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "server %s: request %zu has %llu tokens; its cache "
                         "holds %llu",
                         server->name, i + 1,
                         (unsigned long long)r->prompt + r->output,
                         (unsigned long long)room);
    if (!server->batching.chunked && r->prompt > server->batching.max_tokens)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "server %s: request %zu has a prompt of %u tokens; "
                         "without \"chunked\" a step has %u",
                         server->name, i + 1, r->prompt,
                         server->batching.max_tokens);
  }
  return AQ_OK;
}

aq_status aq_serving_windows(aq_serving *sv, const aq_serving_options *options,
                             aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < sv->server_count && status == AQ_OK; i++) {
    aq_serving_server *server = &sv->servers[i];
    const aq_llm_requests *requests = &server->requests;
    size_t first = 0, count = requests->count;
    if (count == 0)
      continue;
    if (server->count > 0 && server->count < count) {
      aq_rng rng;
      aq_rng_init(&rng, (uint64_t)options->seed, i);
      /* A chain is not cut: from its first request to its last. */
      size_t at = (size_t)(aq_rng_unit(&rng) * (double)(count - server->count));
      while (at > 0 && at < requests->count && requests->list[at].chained)
        at--;
      first = at;
      count = server->count;
    }
    server->cursor = first;
    server->end = first + count;
    while (server->end < requests->count && requests->list[server->end].chained)
      server->end++;
    server->base = requests->list[first].arrival;
    const double last =
        (double)(requests->list[server->end - 1].arrival - server->base) /
        server->rate;
    if (last * 1000 > (double)END_OF_TIME)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "server %s: its requests last %.3g days; at most 26 "
                         "expected (\"count\" takes some of them)",
                         server->name, last / 86400e9);
    status = window_check(sv, server, diag);
    if (options->alone && options->alone != i + 1)
      server->end = server->cursor;
  }
  return status;
}

/* ---- arrivals ---- */

static aq_time arrival_time(const aq_serving_server *server, size_t at)
{
  const double ns =
      (double)(server->requests.list[at].arrival - server->base) / server->rate;
  return (aq_time)(ns * 1000 + 0.5);
}

aq_time aq_serving_arrival_next(const aq_serving_server *server)
{
  aq_time next = AQ_TIME_MAX;
  if (server->cursor < server->end)
    next = arrival_time(server, server->cursor);
  if (server->arrival_count > 0 && server->arrivals[0].at < next)
    next = server->arrivals[0].at;
  return next;
}

static bool arrival_is_before(const aq_serving_arrival *a,
                              const aq_serving_arrival *b)
{
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

bool aq_serving_arrival_add(aq_serving *sv, aq_serving_server *server,
                            aq_time at, uint32_t request, uint32_t live)
{
  const aq_serving_arrival added = {at, sv->next_order++, request, live};
  if (!AQ_ARRAY_RESERVE(server->arrivals, server->arrival_capacity,
                        server->arrival_count + 1))
    return false;
  size_t i = server->arrival_count++;
  for (; i > 0 && arrival_is_before(&added, &server->arrivals[(i - 1) / 2]);
       i = (i - 1) / 2)
    server->arrivals[i] = server->arrivals[(i - 1) / 2];
  server->arrivals[i] = added;
  return true;
}

static aq_serving_arrival arrival_pop(aq_serving_server *server)
{
  const aq_serving_arrival top = server->arrivals[0];
  const aq_serving_arrival moved = server->arrivals[--server->arrival_count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= server->arrival_count)
      break;
    if (child + 1 < server->arrival_count &&
        arrival_is_before(&server->arrivals[child + 1],
                          &server->arrivals[child]))
      child++;
    if (!arrival_is_before(&server->arrivals[child], &moved))
      break;
    server->arrivals[at] = server->arrivals[child];
    at = child;
  }
  server->arrivals[at] = moved;
  return top;
}

static uint32_t live_make(aq_serving *sv, uint32_t server, uint32_t request,
                          aq_time at)
{
  uint32_t number = sv->live_free;
  if (number != AQ_LLM_NONE)
    sv->live_free = sv->lives[number].next;
  else if (!AQ_ARRAY_RESERVE(sv->lives, sv->live_capacity, sv->live_count + 1))
    return AQ_LLM_NONE;
  else
    number = sv->live_count++;
  sv->lives[number] = (aq_serving_live){.server = server,
                                        .request = request,
                                        .arrival = at,
                                        .begin = AQ_TIME_NONE,
                                        .first = AQ_TIME_NONE,
                                        .last = AQ_TIME_NONE};
  return number;
}

static aq_status batcher_add(const aq_serving *sv, aq_serving_server *server,
                             uint32_t live, aq_diag *diag)
{
  const aq_serving_live *l = &sv->lives[live];
  const aq_llm_requests *all = &sv->servers[l->server].requests;
  const aq_llm_request *r = &all->list[l->request];
  uint64_t hashed = (uint64_t)r->hashes * all->hash_block;
  if (!all->hash_answers && hashed > r->prompt)
    hashed = r->prompt;
  return aq_batcher_add(
      server->batcher,
      &(aq_batcher_request){.tag = live,
                            .prompt = r->prompt,
                            .output = r->output,
                            .ready = l->tokens > 0 ? r->prompt : 0,
                            .hashes = r->hashes ? &all->hashes[r->hash] : NULL,
                            .hash_tokens = all->hash_block,
                            .hashed_tokens = hashed},
      diag);
}

aq_status aq_serving_arrivals_admit(aq_serving *sv, aq_serving_server *server,
                                    aq_time time, aq_diag *diag)
{
  const uint32_t self = (uint32_t)(server - sv->servers);
  aq_status status = AQ_OK;
  while (status == AQ_OK) {
    const aq_time at = aq_serving_arrival_next(server);
    aq_serving_arrival a = {at, 0, (uint32_t)server->cursor, AQ_LLM_NONE};
    if (at > time)
      break;
    if (server->cursor < server->end &&
        arrival_time(server, server->cursor) == at)
      do /* chained ones come when the one before has ended */
        server->cursor++;
      while (server->cursor < server->end &&
             server->requests.list[server->cursor].chained);
    else
      a = arrival_pop(server);
    if (a.live == AQ_LLM_NONE)
      a.live = live_make(sv, self, a.request, at);
    if (a.live == AQ_LLM_NONE)
      return aq_diag_no_memory(diag);
    status = batcher_add(sv, server, a.live, diag);
  }
  return status;
}

/* ---- tokens ---- */

typedef struct step_end {
  aq_serving *sv;
  aq_serving_server *server;
  aq_time time;
  bool failed;
} step_end;

static aq_time deadline_of(const aq_serving_server *server,
                           const aq_serving_live *live, uint32_t output)
{
  if (server->ttft == AQ_TIME_NONE || server->tpot == AQ_TIME_NONE)
    return AQ_NONE;
  return aq_time_add(live->arrival,
                     aq_time_add(server->ttft, server->tpot * (output - 1)));
}

/* Its row, and the request of its session that it brings. */
static bool request_end(aq_serving *sv, uint32_t number, aq_time time,
                        bool rejected)
{
  aq_serving_live *live = &sv->lives[number];
  aq_serving_server *owner = &sv->servers[live->server];
  const aq_llm_request *r = &owner->requests.list[live->request];
  const bool late = live->first == AQ_TIME_NONE;
  const aq_time tool =
      r->next == AQ_LLM_NONE ? 0 : owner->requests.list[r->next].tool * AQ_NS;
  if (!AQ_ARRAY_PUSH(
          sv->ended, sv->ended_count, sv->ended_capacity,
          (aq_request){.client = live->server,
                       .entry = live->server,
                       .arrival = live->arrival,
                       .begin =
                           live->begin == AQ_TIME_NONE ? AQ_NONE : live->begin,
                       .complete = rejected ? AQ_NONE : time,
                       .deadline = deadline_of(owner, live, r->output),
                       .calls = live->steps,
                       .commands = AQ_NONE,
                       .hint = AQ_NONE,
                       .rejected = rejected,
                       .prompt = r->prompt,
                       .tokens = live->tokens,
                       .first = late ? AQ_NONE : live->first,
                       .gap = live->tokens > 1 ? live->gap : AQ_NONE,
                       .cached = live->cached,
                       .recomputed = live->preemptions}))
    return false;
  if (r->next != AQ_LLM_NONE &&
      !aq_serving_arrival_add(sv, owner, aq_time_add(time, tool), r->next,
                              AQ_LLM_NONE))
    return false;
  live->next = sv->live_free;
  sv->live_free = number;
  return true;
}

/* Its cache goes to the server that continues it. */
static bool cache_transfer(aq_serving *sv, aq_serving_server *from,
                           uint32_t live, aq_time at)
{
  aq_serving_server *to = &sv->servers[from->to];
  if (from->local)
    return aq_serving_arrival_add(sv, to, at, sv->lives[live].request, live);
  return AQ_ARRAY_PUSH(sv->transfers, sv->transfer_count, sv->transfer_capacity,
                       (aq_serving_transfer){at, (uint32_t)(from - sv->servers),
                                             from->to, live});
}

static void token_take(const aq_batch_token *token, void *user)
{
  step_end *end = user;
  aq_serving *sv = end->sv;
  aq_serving_live *live = &sv->lives[token->tag];
  aq_serving_server *owner = &sv->servers[live->server];
  live->steps++;
  if (!token->token)
    return;
  if (token->first) {
    live->first = end->time;
    live->cached = token->cached;
  } else {
    const aq_time gap = end->time - live->last;
    /* Requests of one step mostly have the same gap. */
    if (gap != owner->last_gap) {
      owner->last_gap = gap;
      owner->last_count = aq_gap_of(gap);
    }
    owner->gaps[owner->last_count]++;
    live->gap = aq_time_max(live->gap, gap);
  }
  live->last = end->time;
  live->tokens++;
  if (!token->last)
    return;
  live->preemptions += token->preemptions;
  const bool over = live->tokens >= owner->requests.list[live->request].output;
  end->failed |= over ? !request_end(sv, token->tag, end->time, false)
                      : !cache_transfer(sv, end->server, token->tag, end->time);
}

aq_status aq_serving_step_done(aq_serving *sv, aq_serving_server *server,
                               aq_time time, aq_diag *diag)
{
  step_end end = {sv, server, time, false};
  aq_status status = AQ_OK;
  server->busy = false;
  server->ready = aq_time_add(time, server->model->step_gap);
  if (server->rejected) {
    for (uint32_t i = 0; i < server->batch.count; i++)
      end.failed |= !request_end(sv, server->batch.items[i].tag, time, true);
    aq_batcher_drop(server->batcher, &server->batch);
  } else {
    status = aq_batcher_done(server->batcher, &server->batch, token_take, &end,
                             diag);
  }
  return end.failed ? aq_diag_no_memory(diag) : status;
}
