/* SPDX-License-Identifier: MIT */
/* Traced waves as JSON; see doc/formats/att.md. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"
#include "common/json_out.h"
#include "common/map.h"
#include "trace/import/importers.h"
#include "trace/import/wave_steps.h"

/* The lines of code, each once: a kernel's instruction at its offset. */
typedef struct code {
  aq_map lines; /* by kernel, text and offset: number */
  uint64_t count;
} code;

static uint64_t line_key(const aq_traced *step)
{
  const int64_t key[] = {step->kernel, step->text, step->offset};
  return aq_fnv_add(AQ_FNV_START, key, sizeof key);
}

static void optional_put(aq_json_out *json, const char *key, int64_t value)
{
  if (value != AQ_NONE)
    aq_json_out_int(json, key, value);
}

static bool line_put(aq_json_out *json, aq_trace_source *source, code *c,
                     const aq_traced *step)
{
  uint64_t number;
  if (aq_map_get(&c->lines, line_key(step), &number))
    return true;
  if (!aq_map_put(&c->lines, line_key(step), c->count++))
    return false;
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "kernel", source->name(source, step->kernel));
  aq_json_out_int(json, "offset", step->offset);
  aq_json_out_text(json, "text", source->name(source, step->text));
  aq_json_out_close_map(json);
  return true;
}

static void wave_put(aq_json_out *json, aq_trace_source *source, const code *c,
                     const aq_traced_wave *wave)
{
  const aq_traced *first = wave->steps;
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "dispatch", first->dispatch);
  aq_json_out_text(json, "kernel", source->name(source, first->kernel));
  aq_json_out_text(json, "gfx", source->name(source, first->gfx));
  aq_json_out_int(json, "device", first->device);
  optional_put(json, "queue", wave->queue);
  aq_json_out_int(json, "packet", first->packet);
  aq_json_out_int(json, "workgroup", first->workgroup);
  aq_json_out_int(json, "wave", first->wave);
  optional_put(json, "clock_hz", first->clock);
  aq_json_out_array(json, "instructions");
  for (size_t k = 0; k < wave->count; k++) {
    const aq_traced *step = &wave->steps[k];
    uint64_t line = 0;
    aq_map_get(&c->lines, line_key(step), &line);
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "cycle", step->cycle);
    aq_json_out_int(json, "cycles", step->cycles);
    optional_put(json, "lanes", step->lanes);
    aq_json_out_int(json, "line", (int64_t)line);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

aq_status aq_att_export(aq_trace_source *source, FILE *out, aq_diag *diag)
{
  aq_step_reader waves;
  code c = {.count = 0};
  aq_status status = aq_step_reader_open(source, &waves, diag);
  if (status != AQ_OK)
    return status;
  if (waves.count == 0)
    status = aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                         "the run has no traced waves; run its kernels' code "
                         "with the profile executable-traces");
  if (status == AQ_OK) {
    aq_json_out *json = aq_json_out_begin(false);
    aq_json_out_map(json, NULL);
    bool ok = true;
    aq_json_out_array(json, "code");
    for (size_t i = 0; i < waves.count && ok; i++)
      for (size_t k = 0; k < waves.list[i].count && ok; k++)
        ok = line_put(json, source, &c, &waves.list[i].steps[k]);
    aq_json_out_close_array(json);
    aq_json_out_array(json, "waves");
    for (size_t i = 0; i < waves.count; i++)
      wave_put(json, source, &c, &waves.list[i]);
    aq_json_out_close_array(json);
    aq_json_out_close_map(json);
    ok = aq_json_out_end(json, out) && ok;
    status = ok ? AQ_OK : aq_diag_no_memory(diag);
  }
  if (status == AQ_OK && (fflush(out) != 0 || ferror(out)))
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  aq_map_fini(&c.lines);
  aq_step_reader_fini(&waves);
  return status;
}
