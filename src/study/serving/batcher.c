/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/batcher.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/serving/kv_blocks.h"

#define NO_SEQUENCE UINT32_MAX

typedef struct sequence {
  aq_batcher_request request;
  uint32_t total;    /* tokens at its end */
  uint32_t reached;  /* tokens that exist: prompt and answer so far */
  uint32_t computed; /* of them, in the cache or in the step under way */
  uint32_t *blocks;
  uint32_t block_count, block_capacity;
  uint32_t named; /* blocks with a hash */
  uint32_t hit;   /* tokens found at its admission */
  uint32_t preemptions;
  uint32_t next; /* waiting, or free */
  bool answered; /* its first token came */
} sequence;

struct aq_batcher {
  aq_batcher_options options;
  aq_kv_blocks blocks;
  sequence *sequences;
  uint32_t count, capacity, free; /* free: a number, or NO_SEQUENCE */
  uint32_t *running;              /* by admission */
  uint32_t running_count, running_capacity;
  uint32_t waits_first, waits_last, waiting;
  aq_batch_item *items;
  uint32_t item_capacity;
  uint32_t *hits; /* blocks found for the request at hand */
  uint32_t hit_count, hit_capacity;
  uint64_t preemptions;
};

static uint32_t least(uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

aq_status aq_batcher_create(const aq_batcher_options *options, aq_batcher **out,
                            aq_diag *diag)
{
  aq_batcher *b = calloc(1, sizeof *b);
  if (!b)
    return aq_diag_no_memory(diag);
  b->options = *options;
  b->free = b->waits_first = b->waits_last = NO_SEQUENCE;
  aq_status status = aq_kv_blocks_init(&b->blocks, options->blocks, diag);
  if (status != AQ_OK)
    aq_batcher_destroy(b);
  else
    *out = b;
  return status;
}

void aq_batcher_destroy(aq_batcher *b)
{
  if (!b)
    return;
  for (uint32_t i = 0; i < b->count; i++)
    free(b->sequences[i].blocks);
  aq_kv_blocks_fini(&b->blocks);
  free(b->sequences);
  free(b->running);
  free(b->items);
  free(b->hits);
  free(b);
}

uint32_t aq_batcher_running(const aq_batcher *b)
{
  return b->running_count;
}

uint32_t aq_batcher_waiting(const aq_batcher *b)
{
  return b->waiting;
}

uint64_t aq_batcher_preemptions(const aq_batcher *b)
{
  return b->preemptions;
}

uint32_t aq_batcher_free_blocks(const aq_batcher *b)
{
  return b->blocks.free;
}

/* ---- waiting requests ---- */

aq_status aq_batcher_add(aq_batcher *b, const aq_batcher_request *request,
                         aq_diag *diag)
{
  uint32_t number = b->free;
  if (number != NO_SEQUENCE)
    b->free = b->sequences[number].next;
  else if (!AQ_ARRAY_RESERVE_ZEROED(b->sequences, b->capacity, b->count + 1))
    return aq_diag_no_memory(diag);
  else
    number = b->count++;
  sequence *s = &b->sequences[number];
  *s = (sequence){.request = *request,
                  .total = request->prompt + request->output,
                  .reached = request->prompt + (request->ready > 0),
                  .computed = request->ready,
                  .answered = request->ready > 0,
                  .blocks = s->blocks,
                  .block_capacity = s->block_capacity};
  b->sequences[number].next = NO_SEQUENCE;
  if (b->waits_first == NO_SEQUENCE)
    b->waits_first = number;
  else
    b->sequences[b->waits_last].next = number;
  b->waits_last = number;
  b->waiting++;
  return AQ_OK;
}

/* ---- blocks of a sequence ---- */

static uint32_t blocks_of(const aq_batcher *b, uint64_t tokens)
{
  return (uint32_t)((tokens + b->options.block_tokens - 1) /
                    b->options.block_tokens);
}

/* The hash of the n-th block, which covers everything before it. A hash of the
 * trace may stand for several blocks. */
static bool hash_of(const aq_batcher *b, const sequence *s, uint32_t n,
                    uint64_t *out)
{
  const aq_batcher_request *r = &s->request;
  const uint64_t tokens = b->options.block_tokens;
  if (!r->hashes || (n + UINT64_C(1)) * tokens > r->hashed_tokens)
    return false;
  const uint64_t each = r->hash_tokens / tokens;
  uint64_t hash = r->hashes[n / each];
  if (each > 1) { /* splitmix64 of both */
    hash += (n % each + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
  }
  *out = hash;
  return true;
}

/* The cached blocks of its prefix; at least one token stays to be
 * computed, or no answer would come. */
static bool hits_find(aq_batcher *b, const sequence *s)
{
  const uint32_t most = (s->reached - 1) / b->options.block_tokens;
  uint64_t hash;
  b->hit_count = 0;
  if (!b->options.prefix_cache)
    return true;
  while (b->hit_count < most && hash_of(b, s, b->hit_count, &hash)) {
    const uint32_t block = aq_kv_blocks_find(&b->blocks, hash);
    if (block == AQ_BLOCK_NONE)
      break;
    if (!AQ_ARRAY_RESERVE(b->hits, b->hit_capacity, b->hit_count + 1))
      return false;
    b->hits[b->hit_count++] = block;
  }
  return true;
}

/* Free blocks that room for `tokens` takes; those found may be free too. */
static uint32_t blocks_needed(const aq_batcher *b, const sequence *s,
                              uint64_t tokens)
{
  const uint32_t has = s->block_count + b->hit_count;
  const uint32_t all = blocks_of(b, tokens);
  uint32_t needed = all > has ? all - has : 0;
  for (uint32_t i = 0; i < b->hit_count; i++)
    needed += b->blocks.list[b->hits[i]].holders == 0;
  return needed;
}

/* Hashes of its blocks that are full with `tokens`. */
static bool blocks_name(aq_batcher *b, sequence *s, uint32_t tokens)
{
  uint64_t hash;
  if (!b->options.prefix_cache)
    return true;
  for (const uint32_t full = tokens / b->options.block_tokens;
       s->named < full && hash_of(b, s, s->named, &hash); s->named++)
    if (!aq_kv_blocks_name(&b->blocks, s->blocks[s->named], hash))
      return false;
  return true;
}

/* Room for the tokens of this step: all of it or none. */
static aq_status blocks_get(aq_batcher *b, sequence *s, uint32_t computed,
                            uint32_t tokens, bool *got, aq_diag *diag)
{
  const uint32_t all = blocks_of(b, (uint64_t)computed + tokens);
  *got = blocks_needed(b, s, (uint64_t)computed + tokens) <= b->blocks.free;
  if (!*got)
    return AQ_OK;
  if (!AQ_ARRAY_RESERVE(s->blocks, s->block_capacity, (size_t)all + 1))
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < b->hit_count; i++) {
    aq_kv_blocks_hold(&b->blocks, b->hits[i]);
    s->blocks[s->block_count++] = b->hits[i];
    s->named = s->block_count;
  }
  while (s->block_count < all)
    s->blocks[s->block_count++] = aq_kv_blocks_acquire(&b->blocks);
  return blocks_name(b, s, least(computed + tokens, s->reached))
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

/* The last ones first, so that the prefix stays longest. */
static void blocks_return(aq_batcher *b, sequence *s)
{
  while (s->block_count > 0)
    aq_kv_blocks_release(&b->blocks, s->blocks[--s->block_count]);
  s->named = 0;
}

/* ---- forming a step ---- */

static uint32_t tokens_wanted(const aq_batcher *b, uint32_t tokens)
{
  return b->options.long_prefill ? least(tokens, b->options.long_prefill)
                                 : tokens;
}

static aq_status item_put(aq_batcher *b, aq_batch *batch, uint32_t number,
                          uint32_t tokens, uint32_t before, aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE(b->items, b->item_capacity, batch->count + 1))
    return aq_diag_no_memory(diag);
  b->items[batch->count++] =
      (aq_batch_item){number, b->sequences[number].request.tag, tokens, before};
  batch->tokens += tokens;
  if (tokens > 1) {
    batch->chunks++;
    batch->chunk_tokens += tokens;
    batch->chunk_pairs += (uint64_t)tokens * before +
                          (uint64_t)tokens * (tokens + UINT64_C(1)) / 2;
  } else {
    batch->singles++;
    batch->single_cache += before + UINT64_C(1);
  }
  return AQ_OK;
}

static void preempt(aq_batcher *b)
{
  const uint32_t number = b->running[--b->running_count];
  sequence *s = &b->sequences[number];
  blocks_return(b, s);
  s->computed = 0;
  s->preemptions++;
  b->preemptions++;
  b->sequences[number].next = b->waits_first;
  if (b->waits_first == NO_SEQUENCE)
    b->waits_last = number;
  b->waits_first = number;
  b->waiting++;
}

/* Running requests get their tokens; *preempted: some were sent back. */
static aq_status running_serve(aq_batcher *b, aq_batch *batch, uint32_t *budget,
                               bool *preempted, aq_diag *diag)
{
  b->hit_count = 0;
  for (uint32_t i = 0; i<b->running_count && * budget> 0; i++) {
    const uint32_t number = b->running[i];
    sequence *s = &b->sequences[number];
    const uint32_t tokens =
        least(tokens_wanted(b, s->reached - s->computed), *budget);
    bool got = false;
    while (!got && i < b->running_count) {
      aq_status status = blocks_get(b, s, s->computed, tokens, &got, diag);
      if (status != AQ_OK)
        return status;
      if (got)
        break;
      preempt(b);
      *preempted = true;
    }
    if (!got)
      return AQ_OK;
    aq_status status = item_put(b, batch, number, tokens, s->computed, diag);
    if (status != AQ_OK)
      return status;
    *budget -= tokens;
  }
  return AQ_OK;
}

/* Whether there is room for everything the request has reached. */
static bool all_fits(const aq_batcher *b, const sequence *s, uint32_t computed)
{
  const uint32_t tokens = s->reached > computed ? s->reached : computed;
  return !b->options.reserve_full ||
         blocks_needed(b, s, tokens) <= b->blocks.free;
}

/* Admits the first that waits; *admitted false: it has to wait on. */
static aq_status waiting_admit(aq_batcher *b, aq_batch *batch, uint32_t *budget,
                               bool *admitted, aq_diag *diag)
{
  const uint32_t number = b->waits_first;
  sequence *s = &b->sequences[number];
  uint32_t computed = s->computed;
  *admitted = false;
  b->hit_count = 0;
  if (computed == 0 && !hits_find(b, s))
    return aq_diag_no_memory(diag);
  if (computed == 0)
    computed = b->hit_count * b->options.block_tokens;
  const uint32_t wanted = tokens_wanted(b, s->reached - computed);
  const uint32_t tokens = least(wanted, *budget);
  /* A request that was preempted may have come to more than a whole step. */
  const bool whole = b->options.chunked || wanted <= *budget ||
                     *budget == b->options.max_tokens;
  if (!whole || !all_fits(b, s, computed))
    return AQ_OK;
  if (!AQ_ARRAY_RESERVE(b->running, b->running_capacity, b->running_count + 1))
    return aq_diag_no_memory(diag);
  aq_status status = blocks_get(b, s, computed, tokens, admitted, diag);
  if (status != AQ_OK || !*admitted)
    return status;
  b->waits_first = b->sequences[b->waits_first].next;
  if (b->waits_first == NO_SEQUENCE)
    b->waits_last = NO_SEQUENCE;
  b->waiting--;
  if (s->computed == 0 && s->preemptions == 0)
    s->hit = computed;
  s->computed = computed;
  b->running[b->running_count++] = number;
  *budget -= tokens;
  return item_put(b, batch, number, tokens, computed, diag);
}

aq_status aq_batcher_form(aq_batcher *b, aq_batch *out, aq_diag *diag)
{
  uint32_t budget = b->options.max_tokens;
  bool preempted = false, admitted = true;
  *out = (aq_batch){0};
  aq_status status = running_serve(b, out, &budget, &preempted, diag);
  while (status == AQ_OK && !preempted && admitted && budget > 0 &&
         b->waits_first != NO_SEQUENCE &&
         b->running_count < b->options.max_seqs)
    status = waiting_admit(b, out, &budget, &admitted, diag);
  out->items = b->items;
  for (uint32_t i = 0; i < out->count; i++)
    b->sequences[b->items[i].sequence].computed += b->items[i].tokens;
  return status;
}

/* ---- the end of a step ---- */

static void sequence_end(aq_batcher *b, uint32_t number)
{
  sequence *s = &b->sequences[number];
  blocks_return(b, s);
  s->next = b->free;
  s->total = 0; /* no longer one that runs */
  b->free = number;
}

static void running_tidy(aq_batcher *b)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < b->running_count; i++)
    if (b->sequences[b->running[i]].total > 0)
      b->running[kept++] = b->running[i];
  b->running_count = kept;
}

/* A token comes where the request has caught up with its length. */
static bool item_done(aq_batcher *b, const aq_batch_item *item,
                      aq_batch_token *out)
{
  sequence *s = &b->sequences[item->sequence];
  *out = (aq_batch_token){
      .tag = item->tag, .cached = s->hit, .preemptions = s->preemptions};
  out->token = s->computed >= s->reached;
  out->first = out->token && !s->answered;
  if (!blocks_name(b, s, least(s->computed, s->reached)))
    return false;
  if (out->token) {
    s->reached++;
    s->answered = true;
  }
  out->last =
      s->reached >= s->total || (out->first && b->options.cache_transfer);
  return true;
}

aq_status aq_batcher_done(aq_batcher *b, const aq_batch *batch,
                          void (*token)(const aq_batch_token *token,
                                        void *user),
                          void *user, aq_diag *diag)
{
  bool ended = false;
  for (uint32_t i = 0; i < batch->count; i++) {
    aq_batch_token out;
    if (!item_done(b, &batch->items[i], &out))
      return aq_diag_no_memory(diag);
    if (out.last)
      sequence_end(b, batch->items[i].sequence);
    ended |= out.last;
    token(&out, user);
  }
  if (ended)
    running_tidy(b);
  return AQ_OK;
}

void aq_batcher_drop(aq_batcher *b, const aq_batch *batch)
{
  for (uint32_t i = 0; i < batch->count; i++)
    sequence_end(b, batch->items[i].sequence);
  running_tidy(b);
}
