/* SPDX-License-Identifier: MIT */
/*
 * Reading a JSON document that a person wrote: every error is one line with the
 * file and the place, "a.json: clients[1].closed.think: …"; syntax errors name
 * the line.
 *
 * A node knows its parent, so that errors can name the place; nodes live on the
 * stack of the caller that walks the document. Getters check type and range and
 * write their result only on success. One thread.
 */
#ifndef AQ_COMMON_JSON_IN_H
#define AQ_COMMON_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "time.h"

struct yajl_val_s;

enum { AQ_JSON_DEPTH_MAX = 32, AQ_JSON_SIZE_MAX = 1 << 26 /* bytes */ };

typedef struct aq_json_doc {
  const char *file; /* named in errors; borrowed */
  struct yajl_val_s *root;
  aq_diag *diag; /* gets the errors; borrowed */
} aq_json_doc;

typedef struct aq_json_node {
  const aq_json_doc *doc;
  const struct aq_json_node *parent; /* NULL for the root */
  const char *key;                   /* in an object */
  size_t index;                      /* in an array, when key is NULL */
  struct yajl_val_s *value;
} aq_json_node;

/* Reads a file of text, a pipe too; *out is the caller's to free. A file
 * larger than a document may be is read just so far that parsing refuses it. */
aq_status aq_json_load(const char *path, char **out, size_t *size,
                       aq_diag *diag);

/* Parses `size` bytes; `file` and `diag` are borrowed by the document. */
aq_status aq_json_parse(aq_json_doc *doc, const char *text, size_t size,
                        const char *file, aq_diag *diag);
void aq_json_free(aq_json_doc *doc);

aq_json_node aq_json_root(const aq_json_doc *doc);

/* Words an error at this node: AQ_ERR_INPUT. */
aq_status aq_json_error(const aq_json_node *node, const char *fmt, ...)
    AQ_PRINTF(2, 3);

/* Words that reading this node's document ran out of memory. */
aq_status aq_json_no_memory(const aq_json_node *node);

/* What type a node has. */
bool aq_json_is_object(const aq_json_node *node);
bool aq_json_is_array(const aq_json_node *node);
bool aq_json_is_text(const aq_json_node *node);

/* An object whose keys are all in the NULL-terminated list, each once. */
aq_status aq_json_object(const aq_json_node *node, const char *const *keys);

/* Members of an object in the order of the file: 0, 1, 2…; count in *count.
 * Fails if it is not an object or has a key twice. */
aq_status aq_json_members(const aq_json_node *node, size_t *count);
aq_json_node aq_json_member_at(const aq_json_node *node, size_t index);

/* Whether an object has a key; the member goes to *out. */
bool aq_json_member(const aq_json_node *node, const char *key,
                    aq_json_node *out);

/* A key that must be there. */
aq_status aq_json_need(const aq_json_node *node, const char *key,
                       aq_json_node *out);

/* An array of min..max elements. */
aq_status aq_json_array(const aq_json_node *node, size_t min, size_t max,
                        size_t *count);
aq_json_node aq_json_element(const aq_json_node *node, size_t index);

aq_status aq_json_integer(const aq_json_node *node, int64_t min, int64_t max,
                          int64_t *out);
aq_status aq_json_number(const aq_json_node *node, double min, double max,
                         double *out);

aq_status aq_json_bool(const aq_json_node *node, bool *out);

/* A text of at least one character; owned by the document. */
aq_status aq_json_text(const aq_json_node *node, const char **out);

/* A time of 0 or more with its unit: "3.5us". Units: ps ns us ms s. */
aq_status aq_json_time(const aq_json_node *node, aq_time *out);

#endif
