/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/whatif/whatif.h"

enum { QUEUES_MAX = 1024 };

static const struct {
  const char *name;
  aq_change_kind kind;
} changes[AQ_CHANGE_COUNT] = {
#define C(id, name, kind, meaning) [AQ_CHANGE_##id] = {name, AQ_CHANGE_##kind},
#include "study/whatif/changes.def"
#undef C
};

const char *aq_change_name(aq_change_id id)
{
  return changes[id].name;
}

/* "x0.5" or "0.5x", 0.01 to 100. */
static bool factor_read(const char *text, double *out)
{
  const bool first = *text == 'x';
  char *end;
  if (strspn(text + first, "0123456789.") == 0)
    return false;
  errno = 0;
  *out = strtod(text + first, &end);
  return errno == 0 && strcmp(end, first ? "" : "x") == 0 && *out >= 0.01 &&
         *out <= 100;
}

static bool number_read(const char *text, int64_t *out)
{
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && *end == 0 && *out >= 1 && *out <= QUEUES_MAX;
}

aq_status aq_change_read(aq_change_id id, const char *text, aq_change *out,
                         aq_diag *diag)
{
  const aq_change_kind kind = changes[id].kind;
  aq_change read = {.id = id, .factor = 1};
  if (kind == AQ_CHANGE_FACTOR && !factor_read(text, &read.factor))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "--%s %s: expected a factor from x0.01 to x100",
                       changes[id].name, text);
  if (kind == AQ_CHANGE_NUMBER && !number_read(text, &read.number))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "--%s %s: must be an integer from 1 to %d",
                       changes[id].name, text, QUEUES_MAX);
  if (kind == AQ_CHANGE_TEXT)
    read.text = text;
  *out = read;
  return AQ_OK;
}

aq_status aq_changes_usual(aq_change *out, size_t *count, aq_diag *diag)
{
  static const struct {
    aq_change_id id;
    const char *text;
  } usual[] = {{AQ_CHANGE_LAUNCH, "x0.5"},
               {AQ_CHANGE_HOST, "x0.5"},
               {AQ_CHANGE_GRAPHS, "yes"},
               {AQ_CHANGE_CLOCK, "x1.2"},
               {AQ_CHANGE_BANDWIDTH, "x1.5"}};
  aq_status status = AQ_OK;
  *count = sizeof usual / sizeof *usual;
  for (size_t i = 0; i < *count && status == AQ_OK; i++) {
    status = aq_change_read(usual[i].id, usual[i].text, &out[i], diag);
    out[i].optional = true;
  }
  return status;
}
