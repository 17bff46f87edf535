/* SPDX-License-Identifier: MIT */
/*
 * JSON as a stream of events, from a reader through the fixing scan and yajl
 * to an importer.
 *
 * Repairs are counted in the import's result. A document that ends
 * early is truncated: where that is allowed (trace.h), containers open then
 * never sees its close. Texts are borrowed for the call. A callback that fails
 * ends the reading. Thread rule: one thread at a time per reading.
 */
#ifndef AQ_TRACE_TEXT_JSON_H
#define AQ_TRACE_TEXT_JSON_H

#include "trace/import/import.h"
#include "trace/text/json_scan.h"

typedef enum aq_json_type {
  AQ_JSON_STRING,
  AQ_JSON_NUMBER, /* the text as it is in the file */
  AQ_JSON_OTHER,  /* null, true, false: text is NULL */
} aq_json_type;

typedef struct aq_json aq_json;

typedef struct aq_json_events {
  aq_status (*open)(void *client, bool array);
  aq_status (*close)(void *client);
  aq_status (*key)(void *client, const char *text, size_t length);
  aq_status (*value)(void *client, aq_json_type type, const char *text,
                     size_t length);
} aq_json_events;

/* Reads a document. `*where` (may be NULL) gets the reading while it lasts, to
 * ask for the place. */
aq_status aq_json_read(aq_import *import, aq_stream_reader *reader,
                       const aq_json_filter *filter,
                       const aq_json_events *events, void *client,
                       const aq_json **where);

/* The byte of the source that is being parsed, or where the object that is set
 * aside begins. */
uint64_t aq_json_byte(const aq_json *json);

/* Integer of a number, or of a string that holds one (counted). Anything else
 * counts as a bad number of the field, null (which NaN reads as) too. */
bool aq_json_int(aq_import *import, const char *field, aq_json_type type,
                 const char *text, size_t length, int64_t *out);
bool aq_json_tick(aq_import *import, aq_json_type type, const char *text,
                  size_t length, aq_tick_unit unit, aq_tick *out);

#endif
