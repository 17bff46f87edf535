/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/text.h"
#include "study/serving/text_lines.h"

static const char HEADER[] = "arrival_ns,prompt,output,session,tool_ns,hashes";
static const char PROMPTS[] = "prompts", ANSWERS[] = "prompts and answers";
static const int64_t TOOL_MAX = INT64_MAX / 4000; /* ns */

void aq_llm_requests_fini(aq_llm_requests *requests)
{
  free(requests->list);
  free(requests->hashes);
  *requests = (aq_llm_requests){0};
}

bool aq_llm_requests_add(aq_llm_requests *requests,
                         const aq_llm_request *request, const uint64_t *hashes,
                         uint32_t hash_count)
{
  const size_t first = requests->hash_count;
  aq_llm_request added = *request;
  if (!AQ_ARRAY_RESERVE(requests->hashes, requests->hash_capacity,
                        first + hash_count))
    return false;
  added.hash = first;
  added.hashes = hash_count;
  added.next = AQ_LLM_NONE;
  if (!AQ_ARRAY_PUSH(requests->list, requests->count, requests->capacity,
                     added))
    return false;
  if (hash_count)
    memcpy(requests->hashes + first, hashes, hash_count * sizeof *hashes);
  requests->hash_count += hash_count;
  return true;
}

/* ---- order ---- */

/* A request with its key: of a chain, the arrival of its first one. */
typedef struct sorted {
  aq_llm_request request;
  int64_t key;
  size_t at;
} sorted;

static int sorted_compare(const void *a, const void *b)
{
  const sorted *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Each chained request to the one before it in its session. */
static bool chains_link(aq_llm_requests *requests)
{
  aq_map last = AQ_MAP_INIT;
  bool good = true;
  for (size_t i = 0; i < requests->count && good; i++) {
    aq_llm_request *request = &requests->list[i];
    uint64_t before;
    request->next = AQ_LLM_NONE;
    if (request->session < 0)
      continue;
    if (request->chained &&
        aq_map_get(&last, (uint64_t)request->session, &before))
      requests->list[before].next = (uint32_t)i;
    good = aq_map_put(&last, (uint64_t)request->session, i);
  }
  aq_map_fini(&last);
  return good;
}

bool aq_llm_requests_order(aq_llm_requests *requests, size_t *moved)
{
  sorted *all = malloc((requests->count + 1) * sizeof *all);
  aq_map first = AQ_MAP_INIT;
  int64_t latest = INT64_MIN;
  bool good = all != NULL;
  *moved = 0;
  for (size_t i = 0; i < requests->count && good; i++) {
    const aq_llm_request *request = &requests->list[i];
    uint64_t key = (uint64_t)request->arrival;
    if (request->chained)
      good = aq_map_get(&first, (uint64_t)request->session, &key);
    else if (request->session >= 0)
      good = aq_map_put(&first, (uint64_t)request->session, key);
    all[i] = (sorted){*request, (int64_t)key, i};
    *moved += (int64_t)key < latest && !request->chained;
    if ((int64_t)key > latest)
      latest = (int64_t)key;
  }
  if (good && requests->count > 0) {
    qsort(all, requests->count, sizeof *all, sorted_compare);
    for (size_t i = 0; i < requests->count; i++) {
      requests->list[i] = all[i].request;
      requests->list[i].arrival = all[i].key - all[0].key;
    }
    good = chains_link(requests);
  }
  aq_map_fini(&first);
  free(all);
  return good;
}

/* ---- the file ---- */

static aq_status head_read(aq_llm_lines *lines, aq_llm_requests *out,
                           aq_diag *diag)
{
  bool got;
  unsigned block = 0;
  char of[24] = "", left;
  aq_status status = aq_llm_lines_next(lines, &got, diag);
  if (status != AQ_OK)
    return status;
  if (!got ||
      sscanf(lines->line, "# aqueduct requests 1, hash block %u of %23[a-z ]%c",
             &block, of, &left) != 2 ||
      block > AQ_LLM_HASH_BLOCK_MAX ||
      (strcmp(of, PROMPTS) != 0 && strcmp(of, ANSWERS) != 0))
    return aq_llm_lines_error(
        lines, diag,
        "not a list of requests: \"# aqueduct requests 1, hash block N of "
        "prompts\" expected (importing a workload writes such files)");
  out->hash_block = block;
  out->hash_answers = strcmp(of, ANSWERS) == 0;
  status = aq_llm_lines_next(lines, &got, diag);
  if (status == AQ_OK && (!got || strcmp(lines->line, HEADER) != 0))
    status = aq_llm_lines_error(lines, diag, "\"%s\" expected", HEADER);
  return status;
}

/* Hexadecimal numbers between spaces. */
static aq_status hashes_read(const aq_llm_lines *lines, const char *text,
                             uint64_t **hashes, size_t *capacity,
                             uint32_t *count, aq_diag *diag)
{
  *count = 0;
  while (*text) {
    char *end;
    errno = 0;
    const uint64_t value = strtoull(text, &end, 16);
    if (end == text || errno || *text == '-' || (*end && *end != ' '))
      return aq_llm_lines_error(
          lines, diag, "hashes \"%.40s\": hexadecimal numbers expected", text);
    if (!AQ_ARRAY_RESERVE(*hashes, *capacity, *count + 1))
      return aq_diag_no_memory(diag);
    (*hashes)[(*count)++] = value;
    for (text = end; *text == ' ';)
      text++;
  }
  return AQ_OK;
}

static aq_status row_read(const aq_llm_lines *lines, aq_llm_request *out,
                          aq_diag *diag)
{
  int64_t arrival = 0, prompt = 0, output = 0, tool = 0;
  aq_status status;
  *out = (aq_llm_request){.session = -1};
  out->chained = lines->field_count == 6 && lines->fields[4][0];
  if (lines->field_count != 6)
    return aq_llm_lines_error(lines, diag, "%zu fields, 6 expected",
                              lines->field_count);
  status = aq_llm_lines_integer(lines, 0, "arrival_ns", 0, INT64_MAX, &arrival,
                                diag);
  if (status == AQ_OK)
    status = aq_llm_lines_integer(lines, 1, "prompt", 1, AQ_LLM_TOKENS_MAX,
                                  &prompt, diag);
  if (status == AQ_OK)
    status = aq_llm_lines_integer(lines, 2, "output", 1, AQ_LLM_TOKENS_MAX,
                                  &output, diag);
  if (status == AQ_OK && (lines->fields[3][0] || out->chained))
    status = aq_llm_lines_integer(lines, 3, "session", 0, INT64_MAX / 2,
                                  &out->session, diag);
  if (status == AQ_OK && out->chained)
    status =
        aq_llm_lines_integer(lines, 4, "tool_ns", 0, TOOL_MAX, &tool, diag);
  out->arrival = arrival;
  out->tool = tool;
  out->prompt = (uint32_t)prompt;
  out->output = (uint32_t)output;
  return status;
}

/* A hash stands for whole blocks, and the last one may be of a part. */
static aq_status row_check(const aq_llm_lines *lines,
                           const aq_llm_requests *read,
                           const aq_llm_request *row, uint32_t hashes,
                           aq_diag *diag)
{
  const uint64_t tokens = (uint64_t)row->prompt + row->output;
  if (hashes > 0 && (read->hash_block == 0 ||
                     (hashes - 1) * (uint64_t)read->hash_block >= tokens))
    return aq_llm_lines_error(lines, diag,
                              "%u hashes of %u tokens, but %" PRIu64 " tokens",
                              hashes, read->hash_block, tokens);
  if (read->count == UINT32_MAX - 1)
    return aq_llm_lines_error(lines, diag, "more than %zu requests",
                              read->count);
  const aq_llm_request *before =
      read->count ? &read->list[read->count - 1] : NULL;
  if (!row->chained && before && row->arrival < before->arrival)
    return aq_llm_lines_error(lines, diag, "it arrives before the line above");
  return AQ_OK;
}

static aq_status rows_read(aq_llm_lines *lines, aq_llm_requests *out,
                           aq_diag *diag)
{
  uint64_t *hashes = NULL;
  size_t capacity = 0;
  uint32_t count = 0;
  aq_status status;
  for (;;) {
    aq_llm_request row;
    bool got;
    status = aq_llm_lines_next(lines, &got, diag);
    if (status != AQ_OK || !got)
      break;
    status = aq_llm_lines_split(lines, diag);
    if (status == AQ_OK)
      status = row_read(lines, &row, diag);
    if (status == AQ_OK)
      status = hashes_read(lines, lines->fields[5], &hashes, &capacity, &count,
                           diag);
    if (status == AQ_OK)
      status = row_check(lines, out, &row, count, diag);
    if (status == AQ_OK && !aq_llm_requests_add(out, &row, hashes, count))
      status = aq_diag_no_memory(diag);
    if (status != AQ_OK)
      break;
  }
  free(hashes);
  return status;
}

/* A chain needs its first request, which has an arrival. */
static aq_status chains_check(const aq_llm_lines *lines,
                              aq_llm_requests *requests, aq_diag *diag)
{
  if (!chains_link(requests))
    return aq_diag_no_memory(diag);
  size_t linked = 0, chained = 0;
  for (size_t i = 0; i < requests->count; i++) {
    chained += requests->list[i].chained;
    linked += requests->list[i].next != AQ_LLM_NONE;
  }
  return linked == chained
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s: %zu request%s with a tool_ns, but without an "
                           "earlier request of the session",
                           lines->path, chained - linked,
                           aq_text_plural(chained - linked));
}

aq_status aq_llm_requests_read_stream(FILE *file, const char *path,
                                      aq_llm_requests *out, aq_diag *diag)
{
  aq_llm_lines lines = {.file = file, .path = path};
  aq_llm_requests read = {0};
  aq_status status = head_read(&lines, &read, diag);
  if (status == AQ_OK)
    status = rows_read(&lines, &read, diag);
  if (status == AQ_OK)
    status = chains_check(&lines, &read, diag);
  if (status == AQ_OK && read.count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: no request", path);
  aq_llm_lines_fini(&lines);
  if (status == AQ_OK)
    *out = read;
  else
    aq_llm_requests_fini(&read);
  return status;
}

aq_status aq_llm_requests_read(const char *path, aq_llm_requests *out,
                               aq_diag *diag)
{
  FILE *file = fopen(path, "r");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  aq_status status = aq_llm_requests_read_stream(file, path, out, diag);
  fclose(file);
  return status;
}

bool aq_llm_requests_write(const aq_llm_requests *requests, FILE *out)
{
  fprintf(out, "# aqueduct requests 1, hash block %u of %s\n%s\n",
          requests->hash_block, requests->hash_answers ? ANSWERS : PROMPTS,
          HEADER);
  for (size_t i = 0; i < requests->count; i++) {
    const aq_llm_request *r = &requests->list[i];
    fprintf(out, "%" PRId64 ",%u,%u,", r->arrival, r->prompt, r->output);
    if (r->session >= 0)
      fprintf(out, "%" PRId64, r->session);
    fputc(',', out);
    if (r->chained)
      fprintf(out, "%" PRId64, r->tool);
    fputc(',', out);
    for (uint32_t h = 0; h < r->hashes; h++)
      fprintf(out, "%s%" PRIx64, h ? " " : "", requests->hashes[r->hash + h]);
    fputc('\n', out);
  }
  return !ferror(out);
}
