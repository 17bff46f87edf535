/* SPDX-License-Identifier: MIT */
/*
 * JSON out, on top of yajl: an open document takes keys and values in order.
 * Unknown numbers (AQ_NONE) and NULL texts become null. Errors of memory are
 * kept and told by aq_cli_json_end. One thread at a time.
 */
#ifndef AQ_CLI_JSON_H
#define AQ_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

typedef struct aq_cli_json aq_cli_json;

/* A document, or NULL when out of memory. Pretty ones have line breaks. */
aq_cli_json *aq_cli_json_begin(bool pretty);

/* The document that --json asks for; *out is NULL without it. */
aq_status aq_cli_json_begin_if(aq_cli *cli, aq_cli_json **out);

/* Ends what begin_if began; without a document it is done. */
aq_status aq_cli_json_end_if(aq_cli *cli, aq_cli_json *json);

void aq_cli_json_drop(aq_cli_json *json); /* NULL is allowed */

/* Writes it and a newline to `out` and frees it; false when something failed.
 */
bool aq_cli_json_end(aq_cli_json *json, FILE *out);

/* The text instead, the caller's to free; NULL when something failed. */
char *aq_cli_json_take(aq_cli_json *json);

void aq_cli_json_map(aq_cli_json *json, const char *key); /* key may be NULL */
void aq_cli_json_array(aq_cli_json *json, const char *key);
void aq_cli_json_close_map(aq_cli_json *json);
void aq_cli_json_close_array(aq_cli_json *json);

void aq_cli_json_text(aq_cli_json *json, const char *key, const char *text);
void aq_cli_json_int(aq_cli_json *json, const char *key, int64_t value);
void aq_cli_json_bool(aq_cli_json *json, const char *key, bool value);

/* Picoseconds shown as ns, exact; AQ_NONE as null. */
void aq_cli_json_ns(aq_cli_json *json, const char *key, int64_t ps);
void aq_cli_json_real(aq_cli_json *json, const char *key, double value);

/* A value that is JSON already; what is not JSON becomes a text. */
void aq_cli_json_raw(aq_cli_json *json, const char *key, const char *text);

#endif
