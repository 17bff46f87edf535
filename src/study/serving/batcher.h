/* SPDX-License-Identifier: MIT */
/*
 * Continuous batching: which tokens of which requests one step computes.
 *
 * The rules are vLLM's (V1): first each running request, in the order of its
 * admission, gets the tokens that it lacks, within the step's budget; where no
 * block is left, the request admitted last gives its blocks back and waits in
 * front. A step in which this happened admits none. Then waiting requests are
 * admitted while budget, places and blocks last; prompts longer than the
 * budget are computed in chunks. A request that comes back computes again all
 * tokens that the prefix cache does not have.
 *
 * A sequence is a request in a batcher, by its number, which is used again
 * after its end. One thread. After AQ_ERR_NO_MEMORY only destroy is allowed.
 */
#ifndef AQ_STUDY_SERVING_BATCHER_H
#define AQ_STUDY_SERVING_BATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_batcher aq_batcher;

typedef struct aq_batcher_options {
  uint32_t max_seqs;   /* running requests */
  uint32_t max_tokens; /* of a step */
  uint32_t block_tokens, blocks;
  uint32_t long_prefill; /* most tokens of one prompt in a step; 0: no limit */
  bool prefix_cache;
  bool chunked;        /* prompts may be computed in parts */
  bool reserve_full;   /* admits a request only with room for all its tokens */
  bool cache_transfer; /* requests end with their first token: another batcher
                        * continues them */
} aq_batcher_options;

/* A request as it is put in. `hashes` is borrowed until its end. */
typedef struct aq_batcher_request {
  uint32_t tag;            /* the caller's own */
  uint32_t prompt, output; /* tokens, at least 1 each */
  uint32_t ready;          /* tokens whose cache comes from elsewhere: 0, or the
                            * prompt, whose first answer token exists then */
  const uint64_t *hashes;  /* one for each `hash_tokens` of them, or NULL */
  uint32_t hash_tokens;    /* a multiple of block_tokens */
  uint64_t hashed_tokens;  /* that hashes stand for */
} aq_batcher_request;

typedef struct aq_batch_item {
  uint32_t sequence, tag;
  uint32_t tokens; /* computed in this step */
  uint32_t before; /* that were in the cache */
} aq_batch_item;

typedef struct aq_batch {
  aq_batch_item *items; /* the batcher's, until the next batch is formed */
  uint32_t count;
  uint32_t chunks, singles; /* items of more than one token, and of one */
  uint64_t tokens;
  uint64_t chunk_pairs;  /* of chunks: token by token that it attends to */
  uint64_t chunk_tokens; /* of chunks */
  uint64_t single_cache; /* of singles: tokens in the cache, with their own */
} aq_batch;

/* What became of an item. */
typedef struct aq_batch_token {
  uint32_t tag;
  bool token, first, last; /* a token came; it is the first, the last */
  uint32_t cached;      /* with the first: prompt tokens found in the cache */
  uint32_t preemptions; /* so far */
} aq_batch_token;

aq_status aq_batcher_create(const aq_batcher_options *options, aq_batcher **out,
                            aq_diag *diag);
void aq_batcher_destroy(aq_batcher *batcher); /* NULL is allowed */

/* Puts a request behind all waiting ones. */
aq_status aq_batcher_add(aq_batcher *batcher, const aq_batcher_request *request,
                         aq_diag *diag);

/* Forms the next step. An empty batch: nothing can run. The step before has
 * ended. */
aq_status aq_batcher_form(aq_batcher *batcher, aq_batch *out, aq_diag *diag);

/* The step has ended: `token` is called for each item, in order. */
aq_status aq_batcher_done(aq_batcher *batcher, const aq_batch *batch,
                          void (*token)(const aq_batch_token *token,
                                        void *user),
                          void *user, aq_diag *diag);

/* Ends the requests of the step without a token. */
void aq_batcher_drop(aq_batcher *batcher, const aq_batch *batch);

uint32_t aq_batcher_running(const aq_batcher *batcher);
uint32_t aq_batcher_waiting(const aq_batcher *batcher);
uint64_t aq_batcher_preemptions(const aq_batcher *batcher);
uint32_t aq_batcher_free_blocks(const aq_batcher *batcher);

#endif
