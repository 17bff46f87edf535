/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON, on top of yajl: an open document takes keys and values in
 * order. Unknown numbers (AQ_NONE) and NULL texts become null. A document keeps
 * an error of memory until aq_json_out_end reports it. One thread at a time.
 */
#ifndef AQ_COMMON_JSON_OUT_H
#define AQ_COMMON_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct aq_json_out aq_json_out;

/* A document, or NULL when out of memory. Pretty ones have line breaks. */
aq_json_out *aq_json_out_begin(bool pretty);

void aq_json_out_drop(aq_json_out *json); /* NULL is allowed */

/* Writes it and a newline to `out` and frees it; false when something failed.
 */
bool aq_json_out_end(aq_json_out *json, FILE *out);

/* The text instead, the caller's to free; NULL when something failed. */
char *aq_json_out_take(aq_json_out *json);

void aq_json_out_map(aq_json_out *json, const char *key); /* key may be NULL */
void aq_json_out_array(aq_json_out *json, const char *key);
void aq_json_out_close_map(aq_json_out *json);
void aq_json_out_close_array(aq_json_out *json);

void aq_json_out_text(aq_json_out *json, const char *key, const char *text);
void aq_json_out_int(aq_json_out *json, const char *key, int64_t value);
void aq_json_out_bool(aq_json_out *json, const char *key, bool value);

/* Picoseconds shown as ns, exact; AQ_NONE as null. */
void aq_json_out_ns(aq_json_out *json, const char *key, int64_t ps);
void aq_json_out_real(aq_json_out *json, const char *key, double value);

/* A value that is JSON already; other text becomes a JSON string. */
void aq_json_out_raw(aq_json_out *json, const char *key, const char *text);

#endif
