/* SPDX-License-Identifier: MIT */
/*
 * Requests to a language model: times, tokens, sessions and prefixes, as
 * published traces have them, and the file that `import --workload` writes
 * (doc/formats/requests.md).
 *
 * A list owns its arrays. Reading and writing are of one thread.
 */
#ifndef AQ_STUDY_SERVING_REQUESTS_H
#define AQ_STUDY_SERVING_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/diag.h"

enum {
  AQ_LLM_TOKENS_MAX = 1 << 24, /* of a prompt, or of an answer */
  AQ_LLM_HASH_BLOCK_MAX = 1 << 16,
};

#define AQ_LLM_NONE UINT32_MAX

typedef struct aq_llm_request {
  int64_t arrival; /* ns; of a chained request that of its session */
  int64_t tool;    /* ns from the end of the request before, if chained */
  int64_t session; /* negative: none */
  uint64_t hash;   /* of its hashes in the list, the first */
  uint32_t hashes; /* how many: each stands for its block and all before */
  uint32_t prompt, output; /* tokens, both at least 1 */
  uint32_t next;           /* the chained request after it, or AQ_LLM_NONE */
  bool chained; /* it arrives `tool` after the end of the one before */
} aq_llm_request;

typedef struct aq_llm_requests {
  aq_llm_request *list; /* by arrival; chained ones where their session is */
  size_t count, capacity;
  uint64_t *hashes;
  size_t hash_count, hash_capacity;
  uint32_t hash_block; /* tokens of a hash; 0: there are none */
  bool hash_answers;   /* hashes continue into the answer, in whole blocks; else
                        * the last one may stand for a part of a block */
} aq_llm_requests;

void aq_llm_requests_fini(aq_llm_requests *requests);

/* Appends a request (its `hash`, `hashes` and `next` are set here) with its
 * hashes. False: out of memory. */
bool aq_llm_requests_add(aq_llm_requests *requests,
                         const aq_llm_request *request, const uint64_t *hashes,
                         uint32_t hash_count);

/* Sorts by arrival (stable; a chain stays together), rebases the first arrival
 * to 0 and links chains. *moved gets how many requests came before an earlier
 * one. False: out of memory. */
bool aq_llm_requests_order(aq_llm_requests *requests, size_t *moved);

/* The file. Errors are AQ_ERR_INPUT and name file and line. */
aq_status aq_llm_requests_read(const char *path, aq_llm_requests *out,
                               aq_diag *diag);
aq_status aq_llm_requests_read_stream(FILE *file, const char *path,
                                      aq_llm_requests *out, aq_diag *diag);
/* False: an error of `out`. */
bool aq_llm_requests_write(const aq_llm_requests *requests, FILE *out);

#endif
