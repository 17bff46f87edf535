/* SPDX-License-Identifier: MIT */
/*
 * Traces of an object a line: Mooncake's, whose hash_ids stand for a prompt's
 * prefixes in blocks of 512 tokens, and LLMServingSim's, with token ids, and
 * sessions of requests with a tool's time between them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/fnv.h"
#include "common/json_in.h"
#include "common/map.h"
#include "study/serving/import.h"
#include "study/serving/text_lines.h"

enum {
  MOONCAKE_BLOCK = 512,
  TOKENS_BLOCK = 16, /* LLMServingSim's and vLLM's usual block */
  HASHES_MAX = AQ_LLM_TOKENS_MAX / 4,
  SUB_REQUESTS_MAX = 65536,
};

static const int64_t NS_MAX = INT64_MAX / 4, TOOL_MAX = INT64_MAX / 4000;

typedef struct reader {
  aq_llm_lines lines;
  aq_llm_requests *out;
  uint64_t *hashes;
  size_t capacity;
  uint32_t hash_count;
  aq_names sessions;
} reader;

/* Takes one line's object. */
typedef aq_status line_taker(reader *r, const aq_json_node *node,
                             aq_diag *diag);

static aq_status integer_need(const aq_json_node *node, const char *key,
                              int64_t least, int64_t most, int64_t *out)
{
  aq_json_node member;
  aq_status status = aq_json_need(node, key, &member);
  return status == AQ_OK ? aq_json_integer(&member, least, most, out) : status;
}

static aq_status request_put(reader *r, aq_llm_request *row, int64_t prompt,
                             int64_t output, aq_diag *diag)
{
  row->prompt = (uint32_t)prompt;
  row->output = (uint32_t)output;
  return aq_llm_requests_add(r->out, row, r->hashes, r->hash_count)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

static aq_status lines_read(FILE *file, const char *path, aq_llm_requests *out,
                            line_taker *take, aq_diag *diag)
{
  reader r = {.lines = {.file = file, .path = path},
              .out = out,
              .sessions = AQ_NAMES_INIT};
  aq_status status = AQ_OK;
  for (bool got = true; status == AQ_OK;) {
    aq_json_doc doc;
    char where[4200];
    status = aq_llm_lines_next(&r.lines, &got, diag);
    if (status != AQ_OK || !got)
      break;
    snprintf(where, sizeof where, "%s:%zu", path, r.lines.number);
    status = aq_json_parse(&doc, r.lines.line, r.lines.length, where, diag);
    if (status != AQ_OK)
      break;
    const aq_json_node root = aq_json_root(&doc);
    r.hash_count = 0;
    status = take(&r, &root, diag);
    aq_json_free(&doc);
  }
  aq_names_fini(&r.sessions);
  aq_llm_lines_fini(&r.lines);
  free(r.hashes);
  return status;
}

/* ---- Mooncake ---- */

static aq_status ids_read(reader *r, const aq_json_node *node, int64_t prompt,
                          aq_diag *diag)
{
  const size_t most = ((size_t)prompt + MOONCAKE_BLOCK - 1) / MOONCAKE_BLOCK;
  size_t count;
  aq_json_node list;
  aq_status status = aq_json_need(node, "hash_ids", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 0, HASHES_MAX, &count);
  if (status != AQ_OK)
    return status;
  if (count > most)
    return aq_json_error(&list,
                         "%zu ids, but %lld tokens have %zu blocks of %d",
                         count, (long long)prompt, most, MOONCAKE_BLOCK);
  if (!AQ_ARRAY_RESERVE(r->hashes, r->capacity, count))
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    int64_t value;
    status = aq_json_integer(&element, 0, INT64_MAX, &value);
    if (status == AQ_OK)
      r->hashes[r->hash_count++] = (uint64_t)value;
  }
  return status;
}

static aq_status mooncake_take(reader *r, const aq_json_node *node,
                               aq_diag *diag)
{
  int64_t ms, prompt = 0, output = 0;
  aq_llm_request row = {.session = -1};
  aq_status status = integer_need(node, "timestamp", 0, NS_MAX / 1000000, &ms);
  if (status == AQ_OK)
    status = integer_need(node, "input_length", 1, AQ_LLM_TOKENS_MAX, &prompt);
  if (status == AQ_OK)
    status = integer_need(node, "output_length", 1, AQ_LLM_TOKENS_MAX, &output);
  if (status == AQ_OK)
    status = ids_read(r, node, prompt, diag);
  if (status != AQ_OK)
    return status;
  row.arrival = ms * 1000000;
  return request_put(r, &row, prompt, output, diag);
}

aq_status aq_llm_import_mooncake(FILE *file, const char *path,
                                 aq_llm_requests *out,
                                 aq_llm_import_result *result, aq_diag *diag)
{
  (void)result;
  out->hash_block = MOONCAKE_BLOCK;
  return lines_read(file, path, out, mooncake_take, diag);
}

/* ---- LLMServingSim ---- */

/* Tokens in a row, cut into blocks; each hash covers all tokens before. */
typedef struct chain {
  uint64_t digest;
  size_t tokens;
} chain;

static aq_status tokens_hash(reader *r, const aq_json_node *node,
                             const char *key, int64_t tokens, chain *c,
                             aq_diag *diag)
{
  aq_json_node list;
  size_t count;
  if (!aq_json_member(node, key, &list))
    return AQ_OK;
  aq_status status = aq_json_array(&list, 0, AQ_LLM_TOKENS_MAX, &count);
  if (status != AQ_OK)
    return status;
  if (count != (size_t)tokens)
    return aq_json_error(&list, "%zu ids of %lld tokens", count,
                         (long long)tokens);
  if (!AQ_ARRAY_RESERVE(r->hashes, r->capacity,
                        r->hash_count + count / TOKENS_BLOCK + 1))
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    int64_t id;
    status = aq_json_integer(&element, 0, INT64_MAX, &id);
    if (status != AQ_OK)
      break;
    c->digest = aq_fnv_add(c->digest, &id, sizeof id);
    if (++c->tokens % TOKENS_BLOCK == 0)
      r->hashes[r->hash_count++] = c->digest;
  }
  return status;
}

static aq_status call_take(reader *r, const aq_json_node *node,
                           aq_llm_request *row, aq_diag *diag)
{
  int64_t prompt = 0, output = 0;
  aq_json_node ids;
  chain c = {.digest = AQ_FNV_START};
  r->hash_count = 0;
  aq_status status =
      integer_need(node, "input_toks", 1, AQ_LLM_TOKENS_MAX, &prompt);
  if (status == AQ_OK)
    status = integer_need(node, "output_toks", 1, AQ_LLM_TOKENS_MAX, &output);
  if (status == AQ_OK)
    status = tokens_hash(r, node, "input_tok_ids", prompt, &c, diag);
  /* Without the prompt's tokens, the answer's say nothing. */
  if (status == AQ_OK && aq_json_member(node, "input_tok_ids", &ids))
    status = tokens_hash(r, node, "output_tok_ids", output, &c, diag);
  return status == AQ_OK ? request_put(r, row, prompt, output, diag) : status;
}

static aq_status session_take(reader *r, const aq_json_node *node,
                              const aq_json_node *calls, int64_t arrival,
                              aq_diag *diag)
{
  aq_json_node member;
  const char *name;
  size_t count;
  int64_t tool = 0;
  aq_llm_request row = {.arrival = arrival};
  aq_status status = aq_json_need(node, "session_id", &member);
  if (status == AQ_OK)
    status = aq_json_text(&member, &name);
  if (status == AQ_OK)
    status = aq_json_array(calls, 1, SUB_REQUESTS_MAX, &count);
  if (status != AQ_OK)
    return status;
  const size_t before = r->sessions.count;
  row.session = aq_names_id(&r->sessions, name, strlen(name));
  if (row.session < 0)
    return aq_diag_no_memory(diag);
  if (r->sessions.count == before)
    return aq_json_error(&member,
                         "\"%.60s\" again: a name for each line "
                         "expected",
                         name);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node call = aq_json_element(calls, i);
    row.tool = tool;
    row.chained = i > 0;
    status = call_take(r, &call, &row, diag);
    tool = 0;
    if (status == AQ_OK && aq_json_member(&call, "tool_duration_ns", &member))
      status = aq_json_integer(&member, 0, TOOL_MAX, &tool);
  }
  return status;
}

static aq_status llmservingsim_take(reader *r, const aq_json_node *node,
                                    aq_diag *diag)
{
  int64_t ns = 0;
  aq_json_node calls;
  aq_llm_request row = {.session = -1};
  aq_status status = integer_need(node, "arrival_time_ns", 0, NS_MAX, &ns);
  if (status != AQ_OK)
    return status;
  row.arrival = ns;
  if (aq_json_member(node, "sub_requests", &calls))
    return session_take(r, node, &calls, row.arrival, diag);
  return call_take(r, node, &row, diag);
}

aq_status aq_llm_import_llmservingsim(FILE *file, const char *path,
                                      aq_llm_requests *out,
                                      aq_llm_import_result *result,
                                      aq_diag *diag)
{
  (void)result;
  out->hash_block = TOKENS_BLOCK;
  out->hash_answers = true;
  return lines_read(file, path, out, llmservingsim_take, diag);
}
