/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/part_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/time_text.h"
#include "store/foreach_row.h"
#include "study/calibrate/fit.h"
#include "study/calibrate/run_rows.h"
#include "study/session/replay.h"

/* ---- which part ---- */

typedef enum portion_unit {
  PORTION_PERCENT,
  PORTION_ROWS,
  PORTION_TIME
} portion_unit;

typedef struct portion {
  portion_unit unit;
  int64_t first;       /* percent or rows */
  aq_time from, until; /* since the first start */
} portion;

enum {
  PERCENT_MOST = 90,
  LAUNCHES = 10,     /* onto an idle queue, that a part should have */
  EXTENDED_PART = 2, /* to have them it grows to 1 in so many rows at most */
};
_Static_assert(LAUNCHES == 10, "AQ_FIT_EXTENDED is of the tenth");

/* The part for a replay that names none, if the part is so many rows. */
static const char usual_part[] = "first=20%";
enum { USUAL_ROWS = 20 };

static bool time_read(const char *text, size_t length, aq_time *out)
{
  char copy[AQ_FITTED_TEXT];
  snprintf(copy, sizeof copy, "%.*s", (int)length, text);
  return length < sizeof copy && aq_time_read(copy, out) == AQ_TIME_READ;
}

static bool first_read(const char *text, portion *out)
{
  char *end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  out->first = strtoll(text, &end, 10);
  if (strcmp(end, "%") == 0) {
    out->unit = PORTION_PERCENT;
    return out->first >= 1 && out->first <= PERCENT_MOST;
  }
  if (*end == 0) {
    out->unit = PORTION_ROWS;
    return out->first >= 1 && out->first < INT32_MAX;
  }
  out->unit = PORTION_TIME;
  return time_read(text, strlen(text), &out->until) && out->until > 0;
}

static aq_status portion_read(const char *text, portion *out, aq_diag *diag)
{
  const char *dots = strstr(text, "..");
  bool good = false;
  *out = (portion){0};
  if (strlen(text) >= AQ_FITTED_TEXT)
    good = false;
  else if (strncmp(text, "first=", 6) == 0)
    good = first_read(text + 6, out);
  else if (strncmp(text, "range=", 6) == 0 && dots) {
    out->unit = PORTION_TIME;
    good = time_read(text + 6, (size_t)(dots - text - 6), &out->from) &&
           time_read(dots + 2, strlen(dots + 2), &out->until) &&
           out->from < out->until;
  }
  if (good)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "'%.64s': expected first=N%% (1 to %d), first=ROWS, "
                     "first=TIME or range=TIME..TIME",
                     text, PERCENT_MOST);
}

/* ---- the rows ---- */

typedef struct starts {
  aq_time *at; /* rising */
  size_t count, capacity;
} starts;

static bool start_add(void *user, const aq_record *row, int64_t number,
                      const char *name)
{
  starts *s = user;
  (void)number;
  (void)name;
  if ((row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
       row->kind != AQ_KIND_FILL) ||
      row->start == AQ_TIME_NONE || row->end == AQ_TIME_NONE ||
      (row->host_end == AQ_TIME_NONE && row->submit == AQ_TIME_NONE))
    return true;
  return AQ_ARRAY_PUSH(s->at, s->count, s->capacity, row->start);
}

static aq_status starts_read(starts *s, aq_store *store, const aq_run_info *run,
                             aq_diag *diag)
{
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(store, run->id, AQ_ORDER_START, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_each(reader, start_add, s, diag);
  aq_run_reader_close(reader);
  return status;
}

/* The place of the first row from a time on. */
static size_t starts_from(const starts *s, aq_time time)
{
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t half = low + (high - low) / 2;
    if (s->at[half] < time)
      low = half + 1;
    else
      high = half;
  }
  return low;
}

static aq_status part_place(aq_fitted_part *part, const portion *p,
                            const starts *s, aq_diag *diag)
{
  const size_t wanted = p->unit == PORTION_PERCENT
                            ? s->count * (size_t)p->first / 100
                            : (size_t)p->first;
  if (s->count == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "nothing to fit: the run has no kernel, copy or fill "
                       "with times");
  part->from = aq_time_add(s->at[0], p->from);
  part->until = p->unit == PORTION_TIME ? aq_time_add(s->at[0], p->until)
                : wanted < s->count     ? s->at[wanted]
                                        : AQ_TIME_MAX;
  part->of = (int64_t)s->count;
  part->rows =
      (int64_t)(starts_from(s, part->until) - starts_from(s, part->from));
  if (part->rows > 0 && part->rows < part->of)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s is %" PRId64 " of the %" PRId64
                     " rows of the run: expected rows to fit and others to "
                     "score",
                     part->asked, part->rows, part->of);
}

/* A percentage that has too few launches onto an idle queue grows until it has
 * them, if they come early enough. */
static aq_status part_extend(aq_fitted_part *part, const starts *s,
                             aq_store *store, const aq_run_info *run,
                             aq_diag *diag)
{
  const aq_calibrate_part most = {part->from, s->at[s->count / EXTENDED_PART]};
  if (part->until >= most.until)
    return AQ_OK;
  aq_calibrate *c = aq_calibrate_create();
  if (!c)
    return aq_diag_no_memory(diag);
  aq_status status = aq_calibrate_add(c, store, run, &most, diag);
  const aq_time enough = aq_calibrate_launch_start(c, LAUNCHES);
  aq_calibrate_destroy(c);
  if (status != AQ_OK || enough == AQ_TIME_NONE || enough < part->until)
    return status;
  part->extended_from = part->rows;
  part->rows = (int64_t)starts_from(s, enough + 1);
  part->until = s->at[part->rows];
  part->launches = LAUNCHES;
  return AQ_OK;
}

/* ---- the constants ---- */

static aq_calibrate_model model_of(const aq_device_model *model)
{
  return (aq_calibrate_model){
      .unmap_after = aq_device_model_number(model, "unmap_after"),
      .idle_ramp = aq_device_model_number(model, "idle_ramp"),
      .remap_ramp = aq_device_model_number(model, "remap_ramp"),
      .unmap_after_prior = true,
      .idle_ramp_kept = true,
      .remap_ramp_kept = true,
      .graph_head = aq_device_model_number(model, "graph_head"),
      .interrupt_to_host = aq_device_model_number(model, "interrupt_to_host"),
      .copy_return = aq_device_model_number(model, "copy_return")};
}

/* The offset of the clocks that the part shows. */
static void clock_find(const aq_calibrate *c, const aq_calibrate_model *known,
                       const aq_device_model *model, aq_replay_clock *out)
{
  if (c->skewed_count == 0)
    return;
  aq_clock_offset_of(&c->skewed[0].witnesses, known->interrupt_to_host,
                     known->copy_return, &out->run);
  out->contained = aq_device_model_number(model, "clock_offset");
  out->shift = out->run.offset - out->contained;
}

static aq_status constants_fit(aq_part_fit *fit, aq_calibrate *c,
                               const aq_device_model *model,
                               const char *const *edits, bool keep_clocks,
                               aq_diag *diag)
{
  aq_calibrate_model known = model_of(model);
  aq_calibrate_facts facts;
  aq_device_fit fits[AQ_DEVICE_FIT_VARYING];
  if (!keep_clocks)
    clock_find(c, &known, model, &fit->part.clock);
  known.unmap_after_kept = aq_device_edits_set(edits, "unmap_after");
  const aq_status status = aq_calibrate_report(c, &known, &facts, diag);
  if (status != AQ_OK)
    return status;
  aq_device_fit_varying(model, &facts, fit->part.clock.shift, edits, fits);
  for (size_t i = 0; i < AQ_DEVICE_FIT_VARYING; i++) {
    const aq_device_fit *f = &fits[i];
    aq_fitted_constant *to = &fit->part.constants[fit->part.count++];
    *to = (aq_fitted_constant){.key = f->key,
                               .was = f->was,
                               .value = f->value,
                               .at_least = f->at_least,
                               .samples =
                                   f->sample ? (int64_t)f->sample->n : AQ_NONE};
    snprintf(to->why_not, sizeof to->why_not, "%s", f->why_not);
  }
  return AQ_OK;
}

/* ---- the edits ---- */

/* The session's own edits come last: they win. */
static aq_status edits_make(aq_part_fit *fit, const char *const *own,
                            aq_diag *diag)
{
  size_t count = 0;
  while (own && own[count])
    count++;
  fit->edits = calloc(fit->part.count + count + 1, sizeof *fit->edits);
  if (!fit->edits)
    return aq_diag_no_memory(diag);
  size_t at = 0;
  for (size_t i = 0; i < fit->part.count; i++) {
    const aq_fitted_constant *c = &fit->part.constants[i];
    if (c->why_not[0])
      continue;
    snprintf(fit->texts[i], sizeof fit->texts[i], "%.40s=%" PRId64 " ps",
             c->key, c->value);
    fit->edits[at++] = fit->texts[i];
  }
  for (size_t i = 0; i < count; i++)
    fit->edits[at++] = own[i];
  return AQ_OK;
}

/* Whether MODEL*N,MODEL names one model. */
static bool is_one_model(const char *devices)
{
  const size_t length = strcspn(devices, ",*");
  for (const char *at = devices; (at = strchr(at, ','));)
    if (strcspn(++at, ",*") != length || strncmp(at, devices, length) != 0)
      return false;
  return true;
}

static aq_status part_fit(aq_part_fit *fit, const aq_session *session,
                          aq_store *store, const aq_run_info *run,
                          const aq_replay_ask *ask, aq_diag *diag)
{
  const aq_calibrate_part part = {fit->part.from, fit->part.until};
  const char *const *edits = session->options.edits;
  aq_device_model *model = NULL;
  char *devices = NULL, name[256];
  aq_calibrate *c = aq_calibrate_create();
  aq_status status =
      c ? aq_replay_device_find(session, store, ask->origin, &devices, diag)
        : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(devices, ",*"), devices);
    status = is_one_model(devices)
                 ? aq_device_model_load(name, edits, &model, diag)
                 : aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                               "devices %s: constants are fitted to one model",
                               devices);
  }
  if (status == AQ_OK)
    status = aq_calibrate_add(c, store, run, &part, diag);
  if (status == AQ_OK)
    status = constants_fit(fit, c, model, edits, ask->keep_clocks != 0, diag);
  if (status == AQ_OK)
    status = edits_make(fit, edits, diag);
  aq_calibrate_destroy(c);
  aq_device_model_free(model);
  free(devices);
  return status;
}

static aq_status rows_suffice(const aq_fitted_part *part, int64_t least,
                              aq_diag *diag)
{
  char name[AQ_FITTED_NAME];
  if (part->rows >= least)
    return AQ_OK;
  aq_fitted_part_name(part, name);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s is %" PRId64 " of the %" PRId64
                     " rows of the run; expected at least %" PRId64,
                     name, part->rows, part->of, least);
}

aq_status aq_part_fit_make(aq_part_fit *out, const char *asked, int64_t least,
                           aq_session *session, aq_store *store,
                           const aq_replay_ask *ask, const aq_notes *notes,
                           aq_diag *diag)
{
  aq_run_info *run;
  portion p;
  starts s = {0};
  *out = (aq_part_fit){0};
  if (session->hardware)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "constants of a device model are fitted: expected the "
                       "simulator, not hardware");
  aq_status status = portion_read(asked, &p, diag);
  if (status == AQ_OK)
    status = aq_store_find(store, ask->origin, &run, diag);
  if (status != AQ_OK)
    return status;
  snprintf(out->part.asked, sizeof out->part.asked, "%s", asked);
  if (run->kind != AQ_RUN_MEASURED)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "run %s is simulated; expected a measured one",
                         run->name ? run->name : ask->origin);
  if (status == AQ_OK)
    status = starts_read(&s, store, run, diag);
  if (status == AQ_OK)
    status = part_place(&out->part, &p, &s, diag);
  if (status == AQ_OK && p.unit == PORTION_PERCENT)
    status = part_extend(&out->part, &s, store, run, diag);
  if (status == AQ_OK)
    status = rows_suffice(&out->part, least, diag);
  if (status == AQ_OK)
    status = part_fit(out, session, store, run, ask, diag);
  free(s.at);
  aq_run_info_free(run);
  if (status != AQ_OK)
    return status;
  out->own = session->options.edits;
  session->options.edits = out->edits;
  aq_fitted_part_note(&out->part, notes);
  return AQ_OK;
}

aq_status aq_part_fit_usual(aq_part_fit *out, aq_session *session,
                            aq_store *store, const aq_replay_ask *ask,
                            const aq_notes *notes, aq_diag *why_not,
                            aq_diag *diag)
{
  const aq_status status = aq_part_fit_make(out, usual_part, USUAL_ROWS,
                                            session, store, ask, notes, diag);
  if (status != AQ_ERR_INPUT && status != AQ_ERR_UNSUPPORTED)
    return status;
  *why_not = *diag;
  *diag = (aq_diag)AQ_DIAG_INIT;
  return AQ_OK;
}

void aq_part_fit_fini(aq_part_fit *fit, aq_session *session)
{
  if (!fit->edits)
    return;
  session->options.edits = fit->own;
  free(fit->edits);
  fit->edits = NULL;
}
