/* SPDX-License-Identifier: MIT */
/*
 * Continuous batching, step by step beside vLLM's rules as LLMServingSim has
 * them: its scheduler made data/batcher_*.txt of the requests in
 * data/batcher.jsonl, with steps of 2 ms, 5 us a token and 10 ns a token of
 * context. A line is a step: its time in ns, and request:tokens:before.
 */
#include "support/aqtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/serving/batcher.h"
#include "study/serving/import.h"

static aq_diag diag = AQ_DIAG_INIT;

static void requests_load(aq_llm_requests *out)
{
  aq_llm_import_result result;
  const char *path = aqtest_source("study/serving/data/batcher.jsonl");
  FILE *file = fopen(path, "r");
  ck_assert(file != NULL);
  ck_assert_status(aq_llm_import(aq_llm_format_find("llmservingsim"), file,
                                 path, out, &result, &diag),
                   AQ_OK, &diag);
  fclose(file);
}

static void request_add(aq_batcher *b, const aq_llm_requests *all, uint32_t i)
{
  const aq_llm_request *r = &all->list[i];
  ck_assert_status(aq_batcher_add(b,
                                  &(aq_batcher_request){
                                      .tag = i,
                                      .prompt = r->prompt,
                                      .output = r->output,
                                      .hashes = all->hashes + r->hash,
                                      .hash_tokens = all->hash_block,
                                      .hashed_tokens = (uint64_t)r->hashes *
                                                       all->hash_block},
                                  &diag),
                   AQ_OK, &diag);
}

static void token_count(const aq_batch_token *token, void *user)
{
  uint32_t *left = user;
  *left -= token->last;
}

/* "0:64:0 1:3:16" of a batch. */
static void batch_text(const aq_batch *batch, char *out, size_t size)
{
  size_t at = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < batch->count && at < size; i++)
    at += (size_t)snprintf(out + at, size - at, "%s%u:%u:%u", i ? " " : "",
                           batch->items[i].tag, batch->items[i].tokens,
                           batch->items[i].before);
}

static int64_t duration(const aq_batch *batch)
{
  int64_t context = 0;
  for (uint32_t i = 0; i < batch->count; i++)
    context += batch->items[i].before + batch->items[i].tokens;
  return 2000000 + 5000 * (int64_t)batch->tokens + 10 * context;
}

static void compare(const char *name)
{
  aq_batcher_options o = {.reserve_full = true};
  unsigned cache, chunked, preemptions;
  char line[4096], got[4096];
  aq_llm_requests all;
  aq_batcher *b;
  requests_load(&all);
  FILE *file = fopen(aqtest_source(name), "r");
  ck_assert(file && fgets(line, sizeof line, file));
  ck_assert_int_eq(sscanf(line,
                          "# block %u blocks %u cache %u seqs %u tokens %u "
                          "chunked %u preemptions %u",
                          &o.block_tokens, &o.blocks, &cache, &o.max_seqs,
                          &o.max_tokens, &chunked, &preemptions),
                   7);
  o.prefix_cache = cache;
  o.chunked = chunked;
  ck_assert_status(aq_batcher_create(&o, &b, &diag), AQ_OK, &diag);
  uint32_t added = 0, left = (uint32_t)all.count;
  int64_t now = all.list[0].arrival;
  while (fgets(line, sizeof line, file)) {
    aq_batch batch;
    const int64_t base = strtoll(line, NULL, 10);
    static int64_t first;
    if (added == 0)
      first = base;
    for (;;) {
      while (added < all.count && all.list[added].arrival <= now)
        request_add(b, &all, added++);
      ck_assert_status(aq_batcher_form(b, &batch, &diag), AQ_OK, &diag);
      if (batch.count > 0)
        break;
      ck_assert_uint_lt(added, all.count);
      now = all.list[added].arrival;
    }
    line[strcspn(line, "\n")] = 0;
    batch_text(&batch, got, sizeof got);
    ck_assert_str_eq(got, strchr(line, ' ') + 1);
    ck_assert_int_eq(now, base - first);
    now += duration(&batch);
    ck_assert_status(aq_batcher_done(b, &batch, token_count, &left, &diag),
                     AQ_OK, &diag);
  }
  fclose(file);
  ck_assert_uint_eq(left, 0);
  ck_assert_uint_eq(aq_batcher_preemptions(b), preemptions);
  ck_assert_uint_eq(aq_batcher_free_blocks(b), o.blocks);
  aq_batcher_destroy(b);
  aq_llm_requests_fini(&all);
}

START_TEST(steps_with_a_prefix_cache_are_those_of_llmservingsim)
{
  compare("study/serving/data/batcher_cached.txt");
}
END_TEST

START_TEST(steps_without_room_are_those_of_llmservingsim)
{
  compare("study/serving/data/batcher_scarce.txt");
}
END_TEST

START_TEST(steps_of_whole_prompts_are_those_of_llmservingsim)
{
  compare("study/serving/data/batcher_whole.txt");
}
END_TEST

/* Four blocks of four tokens, steps of eight tokens, whole prompts: one of two
 * requests is preempted when both come to nine tokens, more than a step. */
START_TEST(a_request_that_grew_beyond_a_step_is_computed_again_in_parts)
{
  const aq_batcher_options o = {
      .max_seqs = 2, .max_tokens = 8, .block_tokens = 4, .blocks = 4};
  uint32_t left = 2;
  aq_batcher *b;
  aq_batch batch;
  ck_assert_status(aq_batcher_create(&o, &b, &diag), AQ_OK, &diag);
  for (uint32_t i = 0; i < 2; i++)
    ck_assert_status(
        aq_batcher_add(
            b, &(aq_batcher_request){.tag = i, .prompt = 6, .output = 6},
            &diag),
        AQ_OK, &diag);
  for (int step = 0; left > 0; step++) {
    ck_assert_int_lt(step, 50);
    ck_assert_status(aq_batcher_form(b, &batch, &diag), AQ_OK, &diag);
    ck_assert_uint_gt(batch.count, 0);
    ck_assert_uint_le(batch.tokens, o.max_tokens);
    ck_assert_status(aq_batcher_done(b, &batch, token_count, &left, &diag),
                     AQ_OK, &diag);
  }
  ck_assert_uint_gt(aq_batcher_preemptions(b), 0);
  ck_assert_uint_eq(aq_batcher_free_blocks(b), o.blocks);
  aq_batcher_destroy(b);
}
END_TEST

/* ---- LLMServingSim's published example ---- */

/* A request of sim.csv: its tokens' times, in ns. */
typedef struct published {
  int64_t arrival, begin;
  int64_t *times;
  size_t count;
} published;

typedef struct replay {
  published *of;
  uint32_t *seen; /* tokens so far, by request */
  uint32_t count, tokens, last, wrong;
  int64_t now;
} replay;

static void row_read(char *line, replay *r)
{
  char *at = line;
  int64_t fields[11] = {0};
  for (int i = 0; i < 11; i++, at = strchr(at, ',') + 1)
    fields[i] = strtoll(at, NULL, 10);
  published *p = &r->of[fields[1]];
  p->arrival = fields[5];
  p->begin = fields[5] + fields[8];
  p->times = calloc((size_t)fields[4] + 1, sizeof *p->times);
  p->times[p->count++] = fields[5] + fields[9];
  for (at = strchr(at, '[') + 1; *at && *at != ']';) {
    char *end;
    const int64_t gap = strtoll(at, &end, 10);
    if (end == at)
      break;
    p->times[p->count] = p->times[p->count - 1] + gap;
    p->count++;
    at = end + strspn(end, ", ");
  }
}

static void published_load(const char *path, replay *r)
{
  char *line = NULL;
  size_t capacity = 0;
  FILE *file = fopen(path, "r");
  ck_assert(file && getline(&line, &capacity, file) > 0);
  r->of = calloc(4096, sizeof *r->of);
  for (; getline(&line, &capacity, file) > 0; r->count++)
    row_read(line, r);
  free(line);
  fclose(file);
}

static void token_compare(const aq_batch_token *token, void *user)
{
  replay *r = user;
  if (!token->token)
    return;
  const published *p = &r->of[token->tag];
  const uint32_t at = r->seen[token->tag]++;
  r->tokens++;
  r->wrong += at >= p->count || p->times[at] != r->now;
}

/* The end of the step that began `now`: the next published time of a token,
 * or, of a step of chunks alone, the next time at which a request began. */
static int64_t end_of(const replay *r, bool token)
{
  int64_t next = INT64_MAX;
  for (uint32_t i = 0; i < r->count; i++) {
    const published *p = &r->of[i];
    if (!token && p->begin > r->now && p->begin < next)
      next = p->begin;
    if (r->seen[i] < p->count && p->times[r->seen[i]] > r->now &&
        p->times[r->seen[i]] < next)
      next = p->times[r->seen[i]];
  }
  return next;
}

/* Whether a step gives a token: one of its requests catches up. */
static bool gives_token(const replay *r, const aq_batch *batch,
                        const aq_llm_requests *all)
{
  for (uint32_t i = 0; i < batch->count; i++) {
    const aq_batch_item *item = &batch->items[i];
    if (item->before + item->tokens >=
        all->list[item->tag].prompt + r->seen[item->tag])
      return true;
  }
  return false;
}

START_TEST(every_token_of_the_published_example_comes_at_its_step)
{
  const char *data = aqtest_data("workloads/llmservingsim");
  char csv[4096], jsonl[4096];
  replay r = {0};
  aq_llm_requests all;
  aq_llm_import_result result;
  aq_batcher *b;
  if (!data) {
    aqtest_skip_unpublished();
    return;
  }
  snprintf(csv, sizeof csv, "%s/RTX4090-Llama-3.1-8B.sim.csv", data);
  snprintf(jsonl, sizeof jsonl, "%s/sharegpt-llama-3.1-8b-300-sps10.jsonl",
           data);
  published_load(csv, &r);
  FILE *file = fopen(jsonl, "r");
  ck_assert(file != NULL);
  ck_assert_status(aq_llm_import(aq_llm_format_find("llmservingsim"), file,
                                 jsonl, &all, &result, &diag),
                   AQ_OK, &diag);
  fclose(file);
  ck_assert_uint_eq(all.count, r.count);
  const aq_batcher_options o = {.max_seqs = 256,
                                .max_tokens = 2048,
                                .block_tokens = 16,
                                .blocks = 2588,
                                .prefix_cache = true,
                                .chunked = true,
                                .reserve_full = true};
  ck_assert_status(aq_batcher_create(&o, &b, &diag), AQ_OK, &diag);
  r.seen = calloc(r.count, sizeof *r.seen);
  r.now = r.of[0].arrival;
  for (uint32_t added = 0;;) {
    aq_batch batch;
    while (added < all.count && r.of[added].arrival <= r.now)
      request_add(b, &all, added++);
    ck_assert_status(aq_batcher_form(b, &batch, &diag), AQ_OK, &diag);
    if (batch.count == 0 && added == all.count)
      break;
    if (batch.count == 0) {
      r.now = r.of[added].arrival;
      continue;
    }
    r.now = end_of(&r, gives_token(&r, &batch, &all));
    ck_assert_status(aq_batcher_done(b, &batch, token_compare, &r, &diag),
                     AQ_OK, &diag);
  }
  for (uint32_t i = 0; i < r.count; i++) {
    ck_assert_uint_eq(r.seen[i], r.of[i].count);
    free(r.of[i].times);
  }
  ck_assert_uint_eq(r.wrong, 0);
  ck_assert_uint_gt(r.tokens, 10000);
  fprintf(stderr, "%u requests, %u tokens, %" PRIu64 " preemptions\n", r.count,
          r.tokens, aq_batcher_preemptions(b));
  free(r.of);
  free(r.seen);
  aq_batcher_destroy(b);
  aq_llm_requests_fini(&all);
}
END_TEST

AQ_TEST_MAIN("study/serving/batcher",
             steps_with_a_prefix_cache_are_those_of_llmservingsim,
             steps_without_room_are_those_of_llmservingsim,
             steps_of_whole_prompts_are_those_of_llmservingsim,
             a_request_that_grew_beyond_a_step_is_computed_again_in_parts,
             every_token_of_the_published_example_comes_at_its_step)
