/* SPDX-License-Identifier: MIT */
/*
 * Published traces of requests to language models, as lists of requests.
 *
 * An importer reads a stream to its end. Errors are AQ_ERR_INPUT and name file
 * and line. One thread.
 */
#ifndef AQ_STUDY_SERVING_IMPORT_H
#define AQ_STUDY_SERVING_IMPORT_H

#include "study/serving/requests.h"

/* Counts for the user; `why` names the requests left out. */
typedef struct aq_llm_import_result {
  size_t requests, sessions, with_hashes;
  size_t left_out;
  const char *why;         /* static; NULL: nothing was left out */
  size_t moved;            /* came before an earlier request */
  uint64_t prompt, output; /* tokens */
} aq_llm_import_result;

typedef struct aq_llm_format {
  const char *name, *source; /* the origin of such files */
  aq_status (*read)(FILE *file, const char *path, aq_llm_requests *out,
                    aq_llm_import_result *result, aq_diag *diag);
} aq_llm_format;

/* Ended by a format without a name. */
extern const aq_llm_format aq_llm_formats[];

/* NULL: none has the name. */
const aq_llm_format *aq_llm_format_find(const char *name);

/* Reads a file, sorts its requests and counts. */
aq_status aq_llm_import(const aq_llm_format *format, FILE *file,
                        const char *path, aq_llm_requests *out,
                        aq_llm_import_result *result, aq_diag *diag);

/* The importers. */
aq_status aq_llm_import_azure(FILE *file, const char *path,
                              aq_llm_requests *out,
                              aq_llm_import_result *result, aq_diag *diag);
aq_status aq_llm_import_burstgpt(FILE *file, const char *path,
                                 aq_llm_requests *out,
                                 aq_llm_import_result *result, aq_diag *diag);
aq_status aq_llm_import_llmservingsim(FILE *file, const char *path,
                                      aq_llm_requests *out,
                                      aq_llm_import_result *result,
                                      aq_diag *diag);
aq_status aq_llm_import_mooncake(FILE *file, const char *path,
                                 aq_llm_requests *out,
                                 aq_llm_import_result *result, aq_diag *diag);

#endif
