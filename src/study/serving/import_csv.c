/* SPDX-License-Identifier: MIT */
/*
 * Traces that are tables: Azure's (TIMESTAMP,ContextTokens,GeneratedTokens) and
 * BurstGPT's (Timestamp,…,Request tokens,Response tokens,…).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "study/serving/import.h"
#include "study/serving/text_lines.h"

static const int64_t SECOND = 1000000000; /* ns */

/* Which fields a table has. */
typedef struct columns {
  const char *time, *prompt, *output, *session; /* names; session: or NULL */
  int at[4];
} columns;

static aq_status header_read(aq_llm_lines *lines, columns *c, aq_diag *diag)
{
  const char *const names[] = {c->time, c->prompt, c->output, c->session};
  bool got;
  aq_status status = aq_llm_lines_next(lines, &got, diag);
  if (status == AQ_OK && got)
    status = aq_llm_lines_split(lines, diag);
  if (status != AQ_OK)
    return status;
  for (int i = 0; i < 4; i++) {
    c->at[i] = names[i] ? aq_llm_lines_find(lines, names[i]) : -1;
    if (i < 3 && c->at[i] < 0)
      return aq_llm_lines_error(
          lines, diag, "no column \"%s\": a header with %s, %s and %s expected",
          names[i], c->time, c->prompt, c->output);
  }
  return AQ_OK;
}

/* Days from 1970-01-01 (Howard Hinnant's civil calendar). */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
  year -= month <= 2;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const unsigned of_era = (unsigned)(year - era * 400);
  const unsigned of_year =
      (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1;
  const unsigned days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146097 + (int64_t)days - 719468;
}

/* "2023-11-16 18:15:46.6805900", perhaps with "+00:00" behind it, as ns from
 * 1970 on. */
static bool date_read(const char *text, int64_t *out)
{
  unsigned year, month, day, hour, minute;
  char seconds[32] = "";
  int length = 0;
  int64_t ns;
  if (sscanf(text, "%4u-%2u-%2u%*1[ T]%2u:%2u:%31[0-9.]%n", &year, &month, &day,
             &hour, &minute, seconds, &length) != 6)
    return false;
  if (text[length] && strcmp(text + length, "+00:00") != 0 &&
      strcmp(text + length, "Z") != 0)
    return false;
  if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
      day > 31 || hour > 23 || minute > 59 ||
      !aq_llm_decimal(seconds, SECOND, &ns) || ns >= 61 * SECOND)
    return false;
  const int64_t minutes = (days_of(year, month, day) * 24 + hour) * 60 + minute;
  *out = minutes * 60 * SECOND + ns;
  return true;
}

static aq_status row_read(const aq_llm_lines *lines, const columns *c,
                          bool dates, aq_llm_request *out, aq_diag *diag)
{
  const char *time =
      (size_t)c->at[0] < lines->field_count ? lines->fields[c->at[0]] : "";
  int64_t prompt, output;
  *out = (aq_llm_request){.session = -1};
  if (dates ? !date_read(time, &out->arrival)
            : !aq_llm_decimal(time, SECOND, &out->arrival))
    return aq_llm_lines_error(
        lines, diag, "%s \"%.40s\": %s expected", c->time, time,
        dates ? "a time as 2023-11-16 18:15:46.68" : "seconds");
  aq_status status = aq_llm_lines_integer(lines, c->at[1], c->prompt, 0,
                                          AQ_LLM_TOKENS_MAX, &prompt, diag);
  if (status == AQ_OK)
    status = aq_llm_lines_integer(lines, c->at[2], c->output, 0,
                                  AQ_LLM_TOKENS_MAX, &output, diag);
  if (status != AQ_OK)
    return status;
  out->prompt = (uint32_t)prompt;
  out->output = (uint32_t)output;
  return AQ_OK;
}

/* Sessions are numbered in the order in which they are first seen. */
static aq_status session_read(const aq_llm_lines *lines, const columns *c,
                              aq_names *sessions, aq_llm_request *out,
                              aq_diag *diag)
{
  if (c->at[3] < 0 || (size_t)c->at[3] >= lines->field_count)
    return AQ_OK;
  const char *text = lines->fields[c->at[3]];
  if (!text[0])
    return AQ_OK;
  out->session = aq_names_id(sessions, text, strlen(text));
  return out->session < 0 ? aq_diag_no_memory(diag) : AQ_OK;
}

static aq_status table_read(FILE *file, const char *path, columns c, bool dates,
                            aq_llm_requests *out, aq_llm_import_result *result,
                            aq_diag *diag)
{
  aq_llm_lines lines = {.file = file, .path = path};
  aq_names sessions = AQ_NAMES_INIT;
  aq_status status = header_read(&lines, &c, diag);
  for (bool got = true; status == AQ_OK;) {
    aq_llm_request row;
    status = aq_llm_lines_next(&lines, &got, diag);
    if (status != AQ_OK || !got)
      break;
    status = aq_llm_lines_split(&lines, diag);
    if (status == AQ_OK)
      status = row_read(&lines, &c, dates, &row, diag);
    if (status != AQ_OK)
      break;
    if (row.prompt == 0 || row.output == 0) {
      result->left_out++;
      result->why = "without tokens in prompt or answer (failed)";
      continue;
    }
    status = session_read(&lines, &c, &sessions, &row, diag);
    if (status == AQ_OK && !aq_llm_requests_add(out, &row, NULL, 0))
      status = aq_diag_no_memory(diag);
  }
  aq_names_fini(&sessions);
  aq_llm_lines_fini(&lines);
  return status;
}

aq_status aq_llm_import_azure(FILE *file, const char *path,
                              aq_llm_requests *out,
                              aq_llm_import_result *result, aq_diag *diag)
{
  return table_read(file, path,
                    (columns){.time = "TIMESTAMP",
                              .prompt = "ContextTokens",
                              .output = "GeneratedTokens"},
                    true, out, result, diag);
}

aq_status aq_llm_import_burstgpt(FILE *file, const char *path,
                                 aq_llm_requests *out,
                                 aq_llm_import_result *result, aq_diag *diag)
{
  return table_read(file, path,
                    (columns){.time = "Timestamp",
                              .prompt = "Request tokens",
                              .output = "Response tokens",
                              .session = "Session ID"},
                    false, out, result, diag);
}
