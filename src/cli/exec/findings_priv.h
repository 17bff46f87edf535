/* SPDX-License-Identifier: MIT */
/* A finding with its texts, and how it is written. Within exec. */
#ifndef AQ_CLI_EXEC_FINDINGS_PRIV_H
#define AQ_CLI_EXEC_FINDINGS_PRIV_H

#include <stdio.h>

#include "cli/exec/findings.h"
#include "common/json_out.h"

/* Numbers as in the row; texts are borrowed, NULL where unknown. */
typedef struct aq_finding_texts {
  aq_finding row;
#define TEXTS(T)                                                               \
  T(category)                                                                  \
  T(kind)                                                                      \
  T(message)                                                                   \
  T(kernel)                                                                    \
  T(instruction)                                                               \
  T(file)                                                                      \
  T(place)                                                                     \
  T(made)                                                                      \
  T(freed)                                                                     \
  T(other)                                                                     \
  T(other_kernel)                                                              \
  T(other_instruction)                                                         \
  T(other_file)                                                                \
  T(missing)                                                                   \
  T(called)
#define T(name) const char *name;
  TEXTS(T)
#undef T
} aq_finding_texts;

/* A frame of the host, "SYMBOL at FILE:LINE" or "SYMBOL (FILE+OFFSET)", with
 * the symbol demangled; the caller's, NULL: out of memory. */
char *aq_finding_frame(const char *line, size_t length);

/* The finding in a line, as in SARIF, JSON and JUnit; the caller's, NULL: out
 * of memory. */
char *aq_finding_line(const aq_finding_texts *finding);

void aq_finding_print(const aq_finding_texts *finding, FILE *out);
void aq_finding_json(const aq_finding_texts *finding, aq_json_out *json);
void aq_finding_sarif(const aq_finding_texts *finding, aq_json_out *json);

/* The head and the end of a SARIF document around its results. */
void aq_findings_sarif_begin(aq_json_out *json);
void aq_findings_sarif_end(aq_json_out *json, const char *cut);

/* ---- suppressions ---- */

typedef struct aq_suppressions aq_suppressions;

/* Lines "KIND:PATTERN": a kind of finding, or "*", or "possible"; and a pattern
 * (fnmatch) that a kernel's name, a source file or a frame of the host must
 * match. '#' begins a comment. AQ_ERR_INPUT names file and line. */
aq_status aq_suppressions_read(const char *file, aq_suppressions **out,
                               aq_diag *diag);
/* The same of an open file; `file` is its name in messages. */
aq_status aq_suppressions_parse(FILE *in, const char *file,
                                aq_suppressions **out, aq_diag *diag);
void aq_suppressions_free(aq_suppressions *list);

/* Whether a line of it names the finding, which is counted there; NULL is
 * allowed for the list. */
bool aq_suppressions_match(aq_suppressions *list,
                           const aq_finding_texts *finding);

#endif
