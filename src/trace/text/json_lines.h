/* SPDX-License-Identifier: MIT */
/*
 * A file as lines, each a JSON object: shared by the formats of JSON Lines.
 *
 * A line has at most 1 MiB; blank ones are passed over. Ownership: a line and
 * its tree live until the next call.
 * Thread rule: one thread at a time per file.
 */
#ifndef AQ_TRACE_TEXT_JSON_LINES_H
#define AQ_TRACE_TEXT_JSON_LINES_H

#include <yajl/yajl_tree.h>

#include "trace/import/importers.h"

typedef struct aq_json_lines {
  aq_import *import;
  aq_stream_reader *reader;
  const char *rest; /* of the reader's piece */
  size_t rest_size;
  char *line; /* terminated */
  size_t size, capacity;
  uint64_t number; /* of the line, from 1 */
  yajl_val tree;
  bool cut; /* the line has no end: the file may be truncated */
} aq_json_lines;

aq_status aq_json_lines_open(aq_json_lines *lines, aq_import *import,
                             const aq_trace_file *file);
void aq_json_lines_close(aq_json_lines *lines);

/* The next line that is not blank; *got is false after the last one. A last
 * line without its end that is no JSON value: the file is truncated. */
aq_status aq_json_lines_next(aq_json_lines *lines, bool *got);

/* The object that the line is; anything else is an error. */
aq_status aq_json_lines_object(aq_json_lines *lines, yajl_val *object);

/* Words an error of the line: "FILE: line 3: WHAT OF". */
aq_status aq_json_lines_error(const aq_json_lines *lines, const char *what,
                              const char *of);

/* A member, NULL where there is none; a text, NULL where it is none. */
yajl_val aq_json_lines_member(yajl_val object, const char *key);
const char *aq_json_lines_text(yajl_val value);

#endif
