/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/device_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_gaps.h"
#include "backend_sim/model/device_library.h"
#include "backend_sim/model/device_value.h"
#include "common/text.h"

enum { BASES_MAX = 16, ENGINES_MAX = 32 };

/* A stretch of the text that is read; not terminated. */
typedef struct span {
  const char *at;
  size_t length;
} span;

/* Of one file, or of one edit. */
typedef struct reader {
  aqsim_model *model;
  const char *place;
  bool built_in;
  int64_t line;                   /* 0: an edit */
  int64_t lines[AQSIM_KEY_COUNT]; /* where this file set it, 0: not */
  bool begun;                     /* a constant or the base was read */
  const char *name;               /* of the file's model */
  const struct reader *derived;   /* whose base this is, or NULL */
  aq_diag *diag;
} reader;

/* "%.*s" wants an int; the output shortens a long word anyway. */
static int shown(span text)
{
  return text.length < 80 ? (int)text.length : 80;
}

static span span_trim(span text)
{
  while (text.length > 0 && (*text.at == ' ' || *text.at == '\t')) {
    text.at++;
    text.length--;
  }
  while (text.length > 0 &&
         (text.at[text.length - 1] == ' ' || text.at[text.length - 1] == '\t'))
    text.length--;
  return text;
}

/* The text before `mark`; *rest is the text after it. */
static bool span_split(span text, char mark, span *before, span *after)
{
  const char *found = memchr(text.at, mark, text.length);
  if (!found)
    return false;
  size_t length = (size_t)(found - text.at);
  *before = span_trim((span){text.at, length});
  *after = span_trim((span){found + 1, text.length - length - 1});
  return true;
}

static aq_status reader_fail(reader *r, const char *what, span text,
                             const char *expected)
{
  aq_diag line = AQ_DIAG_INIT;
  aq_diag_set(&line, AQ_ERR_INPUT, "%s%s%.*s%s%s", what,
              text.length ? " '" : "", shown(text), text.at,
              text.length ? "'" : "", expected);
  if (r->line)
    return aq_diag_set(r->diag, AQ_ERR_INPUT, "%s:%lld: %s", r->place,
                       (long long)r->line, line.text);
  return aq_diag_set(r->diag, AQ_ERR_INPUT, "edit '%s': %s", r->place,
                     line.text);
}

static int key_find(span name)
{
  for (int key = 0; key < AQSIM_KEY_COUNT; key++)
    if (strlen(aqsim_keys[key].name) == name.length &&
        memcmp(aqsim_keys[key].name, name.at, name.length) == 0)
      return key;
  return -1;
}

static aq_status key_unknown(reader *r, span name)
{
  const char *names[AQSIM_KEY_COUNT + 1] = {NULL};
  char typed[64], expected[160];
  for (int key = 0; key < AQSIM_KEY_COUNT; key++)
    names[key] = aqsim_keys[key].name;
  snprintf(typed, sizeof typed, "%.*s", shown(name), name.at);
  const char *near = aq_text_nearest(typed, names);
  snprintf(expected, sizeof expected,
           "; expected a key that doc/formats/device.md lists%s%s%s",
           near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  return reader_fail(r, "unknown key", name, expected);
}

/* Splits "VALUE UNIT +- SPREAD UNIT", and reads the spread of a time. */
static aq_status spread_read(reader *r, int key, span *value)
{
  const aqsim_key *k = &aqsim_keys[key];
  char text[64], expected[160];
  r->model->spreads[key] = 0;
  for (size_t i = 0; i + 1 < value->length; i++) {
    if (value->at[i] != '+' || value->at[i + 1] != '-')
      continue;
    span spread = span_trim((span){value->at + i + 2, value->length - i - 2});
    *value = span_trim((span){value->at, i});
    if (k->kind != AQSIM_KIND_TIME || spread.length == 0 ||
        spread.length >= sizeof text)
      return reader_fail(r, k->name, spread,
                         ": expected +- and a time, behind a time");
    memcpy(text, spread.at, spread.length);
    text[spread.length] = 0;
    if (!aqsim_value_read(k, text, &r->model->spreads[key], expected,
                          sizeof expected))
      return reader_fail(r, k->name, spread, expected);
    return AQ_OK;
  }
  return AQ_OK;
}

/* Sets one constant from "VALUE UNIT", or in an edit from a factor of the value
 * in force; `source` is arena text. */
static aq_status constant_set(reader *r, int key, span value,
                              const char *source)
{
  aqsim_model *model = r->model;
  const aqsim_key *k = &aqsim_keys[key];
  char text[64], expected[160];
  aq_status status =
      aqsim_kind_is_text(k->kind) ? AQ_OK : spread_read(r, key, &value);
  if (status != AQ_OK)
    return status;
  if (value.length == 0 || value.length >= sizeof text)
    return reader_fail(r, k->name, (span){"", 0},
                       ": expected a value of 1 to 63 characters");
  memcpy(text, value.at, value.length);
  text[value.length] = 0;
  if (aqsim_kind_is_text(k->kind)) {
    const char *copy = aq_arena_text(&model->arena, text, value.length);
    if (!copy)
      return aq_diag_no_memory(r->diag);
    *aqsim_model_text(model, key) = copy;
  } else {
    int64_t *number = aqsim_model_number(model, key);
    const bool factor = r->line == 0 && aqsim_value_is_factor(text);
    if (factor ? !aqsim_value_multiply(k, text, *number, number, expected,
                                       sizeof expected)
               : !aqsim_value_read(k, text, number, expected, sizeof expected))
      return reader_fail(r, k->name, value, expected);
  }
  model->sources[key] = source;
  model->from[key] = r->name;
  r->lines[key] = r->line;
  return AQ_OK;
}

/* ---- bases ---- */

/* Reads the constants of a base into the model that r reads. */
static aq_status base_read(reader *r, const char *name);

static bool is_assumed(const char *source)
{
  return strncmp(source, "assumed", 7) == 0;
}

/* What another part's file says of a constant is worth no more than a guess
 * here. */
static bool source_assume(reader *r, const char *base, const char **source)
{
  if (!*source || is_assumed(*source))
    return true;
  size_t size = strlen(base) + strlen(*source) + 32;
  char *text = aq_arena_alloc(&r->model->arena, size);
  if (!text)
    return false;
  snprintf(text, size, "assumed: as %s, there %s", base, *source);
  *source = text;
  return true;
}

static aq_status sources_assume(reader *r, const char *base)
{
  aqsim_model *model = r->model;
  bool good = true;
  for (int key = 0; key < AQSIM_KEY_COUNT && good; key++)
    good = source_assume(r, base, &model->sources[key]);
  for (size_t i = 0; i < model->gap_count && good; i++)
    good = source_assume(r, base, &model->gaps[i].source);
  return good ? AQ_OK : aq_diag_no_memory(r->diag);
}

static aq_status base_set(reader *r, span value, span source)
{
  span none = {"", 0};
  if (r->begun)
    return reader_fail(r, "base", none,
                       ": expected once, before the constants");
  r->begun = true;
  if (value.length == 0)
    return reader_fail(r, "base", none, ": expected the name of a model");
  const char *base = aq_arena_text(&r->model->arena, value.at, value.length);
  if (!base)
    return aq_diag_no_memory(r->diag);
  bool assumed = source.length >= 7 && is_assumed(source.at);
  if (!assumed && (source.length < 4 || memcmp(source.at, "same", 4) != 0))
    return reader_fail(r, "source of base", source,
                       "; expected 'same…' for the same part or 'assumed…' for "
                       "another one");
  aq_status status = base_read(r, base);
  return status == AQ_OK && assumed ? sources_assume(r, base) : status;
}

static bool is_in_use(const reader *r, const aqsim_base *base)
{
  for (; r; r = r->derived)
    if (r->built_in == base->built_in && strcmp(r->place, base->place) == 0)
      return true;
  return false;
}

/* ---- lines ---- */

static aq_status constant_read(reader *r, span line)
{
  span name, rest, value, source;
  if (!span_split(line, '=', &name, &rest))
    return reader_fail(r, "no '=' in", line,
                       "; expected KEY = VALUE UNIT ; SOURCE");
  bool is_base = name.length == 4 && memcmp(name.at, "base", 4) == 0;
  int key = key_find(name);
  if (key < 0 && !is_base)
    return key_unknown(r, name);
  if (!is_base && r->lines[key]) {
    char expected[64];
    snprintf(expected, sizeof expected, "; it was set in line %lld",
             (long long)r->lines[key]);
    return reader_fail(r, "duplicate key", name, expected);
  }
  if (!span_split(rest, ';', &value, &source) || source.length == 0)
    return reader_fail(r, "no source for", name,
                       "; expected '; SOURCE' or '; assumed' after the value");
  if (is_base)
    return base_set(r, value, source);
  r->begun = true;
  const char *copy = aq_arena_text(&r->model->arena, source.at, source.length);
  if (!copy)
    return aq_diag_no_memory(r->diag);
  return constant_set(r, key, value, copy);
}

static aq_status gap_read(reader *r, span line)
{
  r->begun = true;
  const char *problem = aqsim_gap_read(r->model, line.at, line.length, r->name);
  char text[96];
  if (!problem)
    return AQ_OK;
  snprintf(text, sizeof text, ": %s", problem);
  return reader_fail(r, "after", (span){"", 0}, text);
}

static aq_status line_read(reader *r, span line)
{
  for (size_t i = 0; i < line.length; i++)
    if ((unsigned char)line.at[i] < 0x20 && line.at[i] != '\t')
      return reader_fail(r, "control character in the line", (span){"", 0},
                         "; expected text");
  line = span_trim(line);
  if (line.length == 0 || line.at[0] == '#')
    return AQ_OK;
  if (line.at[0] == '[') {
    if (line.at[line.length - 1] != ']' || line.length < 3)
      return reader_fail(r, "bad section", line, "; expected [NAME]");
    return AQ_OK;
  }
  return aqsim_gap_is_line(line.at, line.length) ? gap_read(r, line)
                                                 : constant_read(r, line);
}

/* The limits of the dispatcher's tables. */
static const char *shape_fault(const aqsim_model *m)
{
  if (m->xccs > AQSIM_XCCS_MAX || m->cus > m->xccs * AQSIM_CUS_MAX)
    return "cus and xccs: expected at most 256 compute units for each of at "
           "most 16 complexes";
  if (m->simds_per_cu > AQSIM_WAVES_MAX ||
      m->waves_per_simd > AQSIM_WAVES_MAX ||
      m->simds_per_cu * m->waves_per_simd > AQSIM_WAVES_MAX)
    return "simds_per_cu and waves_per_simd: expected at most 256 waves in a "
           "compute unit";
  if (m->vgprs_per_simd > AQSIM_REGISTERS_MAX ||
      m->agprs_per_simd > AQSIM_REGISTERS_MAX ||
      m->sgprs_per_simd > AQSIM_REGISTERS_MAX)
    return "vgprs_per_simd, agprs_per_simd and sgprs_per_simd: expected at "
           "most 4096";
  if (m->lds_per_cu > AQSIM_LDS_MAX)
    return "lds_per_cu: expected at most 1 MiB";
  return NULL;
}

/* Rules between constants. */
static aq_status model_check(reader *r)
{
  const aqsim_model *m = r->model;
  span none = {"", 0};
  for (int key = 0; key < AQSIM_KEY_COUNT; key++)
    if (!m->sources[key])
      return reader_fail(
          r, "missing key",
          (span){aqsim_keys[key].name, strlen(aqsim_keys[key].name)},
          "; expected every key of doc/formats/device.md");
  const char *fault = shape_fault(m);
  if (fault)
    return reader_fail(r, fault, none, "");
  if (m->fetch_window < m->fetch_batch)
    return reader_fail(r, "fetch_window is below fetch_batch", none,
                       "; expected at least one batch");
  if (m->slots_per_pipe > AQSIM_SLOTS_PER_PIPE_MAX ||
      m->pipes > AQSIM_PIPES_MAX)
    return reader_fail(r, "pipes or slots_per_pipe", none,
                       ": expected at most 1024 pipes of 64 slots");
  if (m->copy_engines + m->copy_engines_peer > ENGINES_MAX)
    return reader_fail(r, "copy_engines and copy_engines_peer", none,
                       ": expected at most 32 together");
  if ((m->queue_size_min & (m->queue_size_min - 1)) ||
      (m->queue_size_max & (m->queue_size_max - 1)) ||
      m->queue_size_min > m->queue_size_max ||
      m->queue_size_max > UINT32_MAX / 2)
    return reader_fail(r, "queue_size_min and queue_size_max", none,
                       ": expected rising powers of two, at most 2^30");
  return AQ_OK;
}

static aq_status model_read(reader *r, const char *text, size_t size)
{
  const char *end = text + size;
  while (text < end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((newline ? newline : end) - text);
    size_t used = length + (newline != NULL);
    if (length > 0 && text[length - 1] == '\r')
      length--;
    aq_status status = line_read(r, (span){text, length});
    if (status != AQ_OK)
      return status;
    text += used;
    r->line++;
  }
  return AQ_OK;
}

/* "a/b/mi300x.device" is the model mi300x. */
static const char *model_name(aq_arena *arena, const char *place)
{
  const char *slash = strrchr(place, '/');
  const char *base = slash ? slash + 1 : place;
  size_t length = strlen(base);
  if (length > 7 && strcmp(base + length - 7, ".device") == 0)
    length -= 7;
  return aq_arena_text(arena, base, length);
}

static aq_status base_read(reader *r, const char *name)
{
  aqsim_base base = {0};
  span shown_name = {name, strlen(name)};
  int depth = 1;
  for (const reader *each = r->derived; each; each = each->derived)
    depth++;
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = aqsim_base_load(r->place, name, &base, &why);
  if (status != AQ_OK) {
    char text[AQ_DIAG_TEXT_MAX];
    snprintf(text, sizeof text, ": %.200s", why.text);
    return status == AQ_ERR_INPUT
               ? reader_fail(r, "base", shown_name, text)
               : aq_diag_set(r->diag, status, "%s", why.text);
  }
  reader inner = {.model = r->model,
                  .place = base.place,
                  .built_in = base.built_in,
                  .line = 1,
                  .derived = r,
                  .diag = r->diag};
  if (is_in_use(r, &base))
    status = reader_fail(r, "base", shown_name,
                         " begins with this model; expected another one");
  else if (depth >= BASES_MAX)
    status = reader_fail(r, "base", shown_name,
                         " is too deep; expected at most 16 bases");
  else if (!(inner.name = model_name(&r->model->arena, base.place)))
    status = aq_diag_no_memory(r->diag);
  else
    status = model_read(&inner, base.text, base.size);
  aqsim_base_fini(&base);
  return status;
}

aq_status aqsim_model_parse(const char *place, const char *text, size_t size,
                            aqsim_model **out, aq_diag *diag)
{
  aqsim_model *model = calloc(1, sizeof *model);
  if (!model || !(model->name = model_name(&model->arena, place))) {
    free(model);
    return aq_diag_no_memory(diag);
  }
  reader r = {.model = model,
              .place = place,
              .line = 1,
              .name = model->name,
              .diag = diag};
  aq_status status = model_read(&r, text, size);
  if (status == AQ_OK)
    status = model_check(&r);
  if (status != AQ_OK) {
    aqsim_model_destroy(model);
    return status;
  }
  *out = model;
  return AQ_OK;
}

void aqsim_model_destroy(aqsim_model *model)
{
  if (!model)
    return;
  aq_arena_fini(&model->arena);
  free(model->gaps);
  free(model);
}

aq_status aqsim_model_set(aqsim_model *model, const char *edit, aq_diag *diag)
{
  reader r = {.model = model, .place = edit, .name = "an edit", .diag = diag};
  span line = {edit, strlen(edit)}, name, value;
  if (!span_split(line, '=', &name, &value))
    return reader_fail(&r, "no '='", (span){"", 0}, "; expected KEY=VALUE");
  int key = key_find(name);
  if (key < 0)
    return key_unknown(&r, name);
  aqsim_model before = *model;
  aq_status status = constant_set(&r, key, value, "edited");
  if (status == AQ_OK)
    status = model_check(&r);
  if (status != AQ_OK) {
    before.arena = model->arena; /* it may have grown */
    *model = before;
  }
  return status;
}
