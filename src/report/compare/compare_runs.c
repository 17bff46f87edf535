/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/compare_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_in.h"
#include "common/map.h"
#include "report/compare/compare_json.h"
#include "report/stats/fit_part.h"
#include "report/stats/latency.h"

enum { BATCH = 512 };

/* What joins the rows of a run with the other's. */
typedef enum join_by { JOIN_BY_NUMBER, JOIN_BY_ORIGIN } join_by;

typedef struct row_array {
  aq_compare_row *rows;
  size_t count, capacity;
} row_array;

/* The identities of the runs, and how they join. */
typedef struct pairing {
  const aq_run_info *reference, *run;
  join_by reference_by, run_by;
} pairing;

/* False when the runs have no row in common. */
static bool pair_runs(const aq_run_info *a, const aq_run_info *b, pairing *out)
{
  if (a->id == b->id)
    *out = (pairing){b, a, JOIN_BY_NUMBER, JOIN_BY_NUMBER};
  else if (a->origin == b->id)
    *out = (pairing){b, a, JOIN_BY_NUMBER, JOIN_BY_ORIGIN};
  else if (b->origin == a->id)
    *out = (pairing){a, b, JOIN_BY_NUMBER, JOIN_BY_ORIGIN};
  else if (a->origin != AQ_NONE && a->origin == b->origin)
    *out = (pairing){b, a, JOIN_BY_ORIGIN, JOIN_BY_ORIGIN};
  else
    return false;
  return true;
}

static aq_status read_rows(aq_run_reader *reader, join_by by, row_array *out,
                           aq_diag *diag)
{
  aq_record *records = malloc(BATCH * sizeof *records);
  int64_t numbers[BATCH];
  if (!records)
    return aq_diag_no_memory(diag);
  aq_status status;
  for (;;) {
    size_t count = 0;
    status = aq_run_reader_next(reader, records, numbers, BATCH, &count, diag);
    if (status != AQ_OK || count == 0)
      break;
    if (!AQ_ARRAY_RESERVE(out->rows, out->capacity, out->count + count)) {
      status = aq_diag_no_memory(diag);
      break;
    }
    for (size_t i = 0; i < count; i++) {
      int64_t key = by == JOIN_BY_ORIGIN ? records[i].origin : numbers[i];
      out->count += aq_compare_row_init(&out->rows[out->count], &records[i],
                                        numbers[i], key);
    }
  }
  free(records);
  return status;
}

static aq_status read_run(aq_store *store, const aq_run_info *info, join_by by,
                          aq_row_order order, row_array *out, aq_diag *diag)
{
  aq_run_reader *reader;
  aq_status status = aq_run_reader_open(store, info->id, order, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = read_rows(reader, by, out, diag);
  aq_run_reader_close(reader);
  return status;
}

/* The names of the worst rows, as the reference run spells them. */
static aq_status name_worst(aq_store *store, aq_compare_runs *out,
                            aq_diag *diag)
{
  size_t count = out->figures.worst_count;
  aq_run_reader *reader;
  out->worst_names = calloc(count + 1, sizeof *out->worst_names);
  if (!out->worst_names)
    return aq_diag_no_memory(diag);
  if (count == 0)
    return AQ_OK;
  aq_status status = aq_run_reader_open(store, out->reference->id,
                                        AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    const char *name =
        aq_run_reader_name(reader, out->figures.worst[i].reference.name);
    out->worst_names[i] = name ? strdup(name) : NULL;
  }
  aq_run_reader_close(reader);
  return AQ_OK;
}

/* The notes of a run; nodes refer to each other. */
typedef struct replay_notes {
  aq_json_doc doc;
  aq_json_node root, replay;
} replay_notes;

/* Finds the object that describes a replay; false: the run is none. The caller
 * frees the document where this is true. */
static bool replay_find(const aq_run_info *run, replay_notes *out)
{
  aq_diag diag = AQ_DIAG_INIT;
  const char *notes = run->notes;
  if (!notes ||
      aq_json_parse(&out->doc, notes, strlen(notes), "notes", &diag) != AQ_OK)
    return false;
  out->doc.diag = NULL; /* this function's */
  out->root = aq_json_root(&out->doc);
  if (aq_json_is_object(&out->root) &&
      aq_json_member(&out->root, "replay", &out->replay) &&
      aq_json_is_object(&out->replay))
    return true;
  aq_json_free(&out->doc);
  return false;
}

void aq_compare_runs_loop(const aq_run_info *run,
                          char text[AQ_COMPARE_LOOP_TEXT])
{
  replay_notes notes;
  const char *loop;
  aq_json_node mode, level;
  int64_t number;
  text[0] = 0;
  if (!replay_find(run, &notes))
    return;
  if (aq_json_member(&notes.replay, "mode", &mode) &&
      aq_json_member(&notes.replay, "level", &level) &&
      aq_json_text(&mode, &loop) == AQ_OK &&
      aq_json_integer(&level, 1, 2, &number) == AQ_OK)
    snprintf(text, AQ_COMPARE_LOOP_TEXT, "  %.16s loop, level %d: %s\n", loop,
             (int)number,
             number == 1 ? "measured durations"
                         : "predicted durations, also for the formulas");
  aq_json_free(&notes.doc);
}

/* Both numbers of an object of a replay's notes. */
static bool pair_read(const aq_json_node *object, const char *first,
                      const char *second, int64_t least, int64_t out[2])
{
  aq_json_node node;
  return aq_json_member(object, first, &node) &&
         aq_json_integer(&node, least, INT64_MAX, &out[0]) == AQ_OK &&
         aq_json_member(object, second, &node) &&
         aq_json_integer(&node, 0, INT64_MAX, &out[1]) == AQ_OK;
}

/* A number of an object, or AQ_NONE. */
static int64_t number_of(const aq_json_node *object, const char *key)
{
  aq_json_node node;
  int64_t number;
  return aq_json_member(object, key, &node) &&
                 aq_json_integer(&node, INT64_MIN + 1, INT64_MAX, &number) ==
                     AQ_OK
             ? number
             : AQ_NONE;
}

/* A text of an object; false: there is none, it is empty or too long, or has
 * characters that a terminal would take for commands. */
static bool text_of(const aq_json_node *object, const char *key,
                    char text[AQ_COMPARE_FIT_TEXT])
{
  aq_json_node node;
  const char *found;
  if (!aq_json_member(object, key, &node) || !aq_json_is_text(&node) ||
      aq_json_text(&node, &found) != AQ_OK || !*found ||
      strlen(found) >= AQ_COMPARE_FIT_TEXT)
    return false;
  for (const char *c = found; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      return false;
  snprintf(text, AQ_COMPARE_FIT_TEXT, "%s", found);
  return true;
}

static bool constant_read(const aq_json_node *item, aq_compare_fit_constant *c)
{
  aq_json_node why, node;
  *c = (aq_compare_fit_constant){.was = number_of(item, "was_ps"),
                                 .value = number_of(item, "value_ps"),
                                 .samples = number_of(item, "samples")};
  c->kept = aq_json_member(item, "kept_because", &why) && aq_json_is_text(&why);
  c->at_least = aq_json_member(item, "at_least", &node) &&
                aq_json_bool(&node, &c->at_least) == AQ_OK && c->at_least;
  return text_of(item, "key", c->key) && c->was != AQ_NONE &&
         c->value != AQ_NONE;
}

/* The member that is damaged, or NULL. */
static const char *fit_read(const aq_json_node *fit, aq_compare_fit *out)
{
  aq_json_node constants;
  size_t count;
  out->from = number_of(fit, "from_ps");
  out->until = number_of(fit, "until_ps");
  out->rows = number_of(fit, "rows");
  out->of = number_of(fit, "of");
  out->extended_from = number_of(fit, "extended_from");
  if (!text_of(fit, "to", out->part))
    return "to";
  if (out->from == AQ_NONE)
    return "from_ps";
  if (out->until == AQ_NONE || out->until <= out->from)
    return "until_ps";
  if (out->rows < 1 || out->of < out->rows)
    return "rows";
  if (out->extended_from != AQ_NONE &&
      (out->extended_from < 1 || out->extended_from >= out->rows))
    return "extended_from";
  if (!aq_json_member(fit, "constants", &constants) ||
      aq_json_array(&constants, 0, AQ_COMPARE_FIT_MAX, &count) != AQ_OK)
    return "constants";
  for (size_t i = 0; i < count; i++) {
    const aq_json_node item = aq_json_element(&constants, i);
    if (!aq_json_is_object(&item) || !constant_read(&item, &out->constants[i]))
      return "constants";
  }
  out->count = count;
  return NULL;
}

void aq_compare_fit_part(const aq_compare_fit *fit,
                         char part[AQ_COMPARE_FIT_PART])
{
  snprintf(part, AQ_COMPARE_FIT_PART, "%s%s", fit->part,
           fit->extended_from == AQ_NONE ? "" : AQ_FIT_EXTENDED);
}

aq_status aq_compare_fit_read(const aq_run_info *run, aq_compare_fit *out,
                              aq_diag *diag)
{
  replay_notes notes;
  aq_json_node fit;
  *out = (aq_compare_fit){.count = 0};
  if (!replay_find(run, &notes))
    return AQ_OK;
  const char *damaged = !aq_json_member(&notes.replay, "fit", &fit) ? NULL
                        : aq_json_is_object(&fit) ? fit_read(&fit, out)
                                                  : "fit";
  aq_json_free(&notes.doc);
  return damaged ? aq_diag_set(diag, AQ_ERR_INPUT,
                               "run %" PRId64
                               ": its notes of fitted constants are damaged "
                               "(%s), so the rows that gave them are unknown",
                               run->id, damaged)
                 : AQ_OK;
}

/* Rows that gave constants are not scored. The part is one of the measured
 * run, which both may replay. */
static aq_status fitted_mark(aq_store *store, const pairing *pair,
                             const aq_run_info *fitted,
                             const aq_compare_fit *fit, row_array *reference,
                             aq_diag *diag)
{
  row_array own = {0};
  const row_array *measured = reference;
  aq_status status = AQ_OK;
  aq_map part = AQ_MAP_INIT;
  if (!fit->part[0])
    return AQ_OK;
  if (pair->reference->id != fitted->origin) {
    aq_run_info *origin;
    status = aq_store_run(store, fitted->origin, &origin, diag);
    if (status != AQ_OK)
      return status;
    status =
        read_run(store, origin, JOIN_BY_NUMBER, AQ_ORDER_STORED, &own, diag);
    aq_run_info_free(origin);
    measured = &own;
  }
  bool kept = true;
  for (size_t i = 0; i < measured->count && kept; i++) {
    const aq_compare_row *row = &measured->rows[i];
    if (row->start != AQ_NONE && row->start >= fit->from &&
        row->start < fit->until)
      kept = aq_map_put(&part, (uint64_t)row->key, 1);
  }
  for (size_t i = 0; i < reference->count && kept; i++) {
    aq_compare_row *row = &reference->rows[i];
    uint64_t in;
    if (aq_map_get(&part, (uint64_t)row->key, &in))
      row->flags = (row->flags == AQ_NONE ? 0 : row->flags) | AQ_COMPARE_FITTED;
  }
  aq_map_fini(&part);
  free(own.rows);
  return status == AQ_OK && !kept ? aq_diag_no_memory(diag) : status;
}

/* The parts to which either run was fitted; a run has nothing to leave out of
 * a comparison with itself. */
static aq_status fits_read(aq_store *store, const pairing *pair,
                           aq_compare_runs *out, row_array *reference,
                           aq_diag *diag)
{
  const aq_run_info *const runs[] = {pair->run, pair->reference};
  aq_compare_fit *const fits[] = {&out->fit, &out->reference_fit};
  aq_status status = AQ_OK;
  for (int i = 0;
       i < 2 && status == AQ_OK && pair->reference->id != pair->run->id; i++) {
    status = aq_compare_fit_read(runs[i], fits[i], diag);
    if (status == AQ_OK)
      status = fitted_mark(store, pair, runs[i], fits[i], reference, diag);
  }
  return status;
}

/* The intervals and the clocks' offset that a replay noted. */
static void notes_read(const aq_run_info *run, aq_compare_runs *out)
{
  replay_notes notes;
  aq_json_node interval, clock;
  int64_t pair[2];
  char name[AQ_COMPARE_FIT_TEXT];
  out->interval_makespan = out->interval_latency = AQ_NONE;
  out->clock_offset = AQ_TIME_NONE;
  if (!replay_find(run, &notes))
    return;
  if (aq_json_member(&notes.replay, "interval", &interval) &&
      aq_json_is_object(&interval) &&
      pair_read(&interval, "makespan_ps", "latency_ps", 0, pair)) {
    out->interval_makespan = pair[0];
    out->interval_latency = pair[1];
    out->interval_rows = number_of(&interval, "rows");
    out->interval_class = text_of(&interval, "class", name)
                              ? aq_interval_class_find(name)
                              : AQ_INTERVAL_CLASS_COUNT;
  }
  if (aq_json_member(&notes.replay, "clock", &clock) &&
      aq_json_is_object(&clock) &&
      pair_read(&clock, "offset_ps", "witnesses", INT64_MIN, pair)) {
    out->clock_offset = pair[0];
    out->clock_witnesses = pair[1];
  }
  aq_json_free(&notes.doc);
}

static aq_status compare_pair(aq_store *store, const pairing *pair,
                              size_t worst, aq_compare_runs *out, aq_diag *diag)
{
  row_array reference = {0}, rows = {0};
  aq_status status = read_run(store, pair->reference, pair->reference_by,
                              AQ_ORDER_START, &reference, diag);
  if (status == AQ_OK)
    status =
        read_run(store, pair->run, pair->run_by, AQ_ORDER_STORED, &rows, diag);
  if (status == AQ_OK)
    status = fits_read(store, pair, out, &reference, diag);
  if (status == AQ_OK)
    status = aq_compare_rows(reference.rows, reference.count, rows.rows,
                             rows.count, worst, &out->figures, diag);
  if (status == AQ_OK)
    status = aq_latency_medians(reference.rows, reference.count, rows.rows,
                                rows.count, &out->latency_reference,
                                &out->latency, diag);
  notes_read(pair->run, out);
  free(reference.rows);
  free(rows.rows);
  return status;
}

aq_status aq_compare_runs_init(aq_store *store, const aq_run_info *a,
                               const aq_run_info *b, size_t worst,
                               aq_compare_runs *out, aq_diag *diag)
{
  pairing pair;
  if (!pair_runs(a, b, &pair))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "runs %" PRId64 " and %" PRId64
                       " have no row in common: neither replays the other, "
                       "and they do not replay the same run",
                       a->id, b->id);
  aq_compare_runs runs = {.reference = pair.reference, .run = pair.run};
  aq_status status = compare_pair(store, &pair, worst, &runs, diag);
  if (status == AQ_OK)
    status = name_worst(store, &runs, diag);
  if (status == AQ_OK)
    *out = runs;
  else
    aq_compare_runs_fini(&runs);
  return status;
}

void aq_compare_runs_fini(aq_compare_runs *compare)
{
  for (size_t i = 0; compare->worst_names && i < compare->figures.worst_count;
       i++)
    free(compare->worst_names[i]);
  free(compare->worst_names);
  aq_compare_fini(&compare->figures);
}

/* ---- GPUs ---- */

static bool has_text(const char *text)
{
  return text && text[0];
}

/* A name that identifies a model; older drivers give every part the same one.
 */
static bool has_name(const aq_run_device *device)
{
  return has_text(device->name) &&
         strcmp(device->name, "AMD Radeon Graphics") != 0;
}

bool aq_compare_gpus_differ(const aq_run_device *a, const aq_run_device *b)
{
  if (has_text(a->gfx) && has_text(b->gfx) && strcmp(a->gfx, b->gfx) != 0)
    return true;
  if (a->cus > 0 && b->cus > 0 && a->cus != b->cus)
    return true;
  if (!has_name(a) || !has_name(b))
    return false;
  const size_t x = strlen(a->name), y = strlen(b->name);
  return strncmp(a->name, b->name, x < y ? x : y) != 0;
}

/* The first device of a run, its texts in `texts`. */
static aq_status first_device(aq_store *store, const aq_run_info *run,
                              aq_run_device *out, char texts[2][96],
                              aq_diag *diag)
{
  aq_run_reader *reader;
  *out = (aq_run_device){.cus = AQ_NONE};
  texts[0][0] = texts[1][0] = '\0';
  aq_status status =
      aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  if (aq_run_reader_device_count(reader) > 0) {
    const aq_run_device *device = aq_run_reader_device(reader, 0);
    snprintf(texts[0], 96, "%s", device->name ? device->name : "");
    snprintf(texts[1], 96, "%s", device->gfx ? device->gfx : "");
    *out =
        (aq_run_device){.name = texts[0], .gfx = texts[1], .cus = device->cus};
  }
  aq_run_reader_close(reader);
  return AQ_OK;
}

aq_status aq_compare_runs_gpus(aq_store *store, const aq_run_info *run,
                               const aq_run_info *measured, bool *differ,
                               char names[2][96], aq_diag *diag)
{
  const aq_run_info *runs[] = {run, measured};
  aq_run_device devices[2];
  char texts[2][2][96];
  for (int i = 0; i < 2; i++) {
    aq_status status =
        first_device(store, runs[i], &devices[i], texts[i], diag);
    if (status != AQ_OK)
      return status;
    snprintf(names[i], 96, "%s", texts[i][texts[i][0][0] ? 0 : 1]);
  }
  *differ = aq_compare_gpus_differ(&devices[0], &devices[1]);
  return AQ_OK;
}
