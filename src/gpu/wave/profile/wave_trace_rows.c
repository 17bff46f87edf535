/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/wave_trace_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/text.h"
#include "gpu/isa/control_flow.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/trace.h"

struct aq_wave_steps {
  aq_wave_trace_options options;
  aq_wave_clocks clocks;
  aq_names names;
  aq_traced *rows; /* with ids of `names` */
  size_t count, capacity;
  uint64_t left_out;
  bool done; /* the rows were put */
};

aq_wave_steps *aq_wave_steps_create(const aq_wave_trace_options *options,
                                    const aq_wave_clocks *clocks)
{
  aq_wave_steps *steps = calloc(1, sizeof *steps);
  if (!steps)
    return NULL;
  steps->options = *options;
  steps->clocks = *clocks;
  return steps;
}

void aq_wave_steps_destroy(aq_wave_steps *steps)
{
  if (!steps)
    return;
  aq_names_fini(&steps->names);
  free(steps->rows);
  free(steps);
}

bool aq_wave_steps_wants(const aq_wave_steps *steps, const aq_wave *w)
{
  return aq_wave_trace_chooses(&steps->options, w);
}

static int64_t id_of(aq_wave_steps *steps, const char *text)
{
  return aq_names_id(&steps->names, text, strlen(text));
}

static bool is_scalar(const aq_isa_inst *inst)
{
  switch (aq_isa_class_of(inst)) {
  case AQ_ISA_CLASS_VALU:
  case AQ_ISA_CLASS_MATRIX:
  case AQ_ISA_CLASS_VMEM:
  case AQ_ISA_CLASS_SCRATCH:
  case AQ_ISA_CLASS_LDS:
    return false;
  default:
    return true;
  }
}

bool aq_wave_steps_add(aq_wave_steps *steps, const aq_wave *w,
                       const aq_wave_op *o, uint32_t dispatch, int64_t cycle,
                       int64_t end)
{
  const aq_wave_grid *grid = w->grid;
  const aq_execution_desc *desc = &grid->desc;
  char text[AQ_ISA_TEXT_SIZE];
  if (steps->count >= steps->options.limit) {
    steps->left_out++;
    return true;
  }
  aq_isa_print(&o->decoded->inst, text);
  const int64_t clock =
      steps->clocks.clock
          ? steps->clocks.clock(desc->device, steps->clocks.user)
          : 0;
  const aq_traced row = {.dispatch = dispatch,
                         .kernel = id_of(steps, desc->kernel),
                         .gfx = id_of(steps, desc->gfx),
                         .text = id_of(steps, text),
                         .device = desc->device,
                         .queue = desc->queue ? (int64_t)desc->queue->hsa.id
                                              : AQ_NONE,
                         .packet = (int64_t)desc->dispatch_id,
                         .workgroup = (int64_t)steps->options.workgroup,
                         .wave = w->number,
                         .offset = (int64_t)(aq_wave_code_pc(o) - grid->entry),
                         .lanes = is_scalar(&o->decoded->inst)
                                      ? AQ_NONE
                                      : __builtin_popcountll(AQ_WAVE_EXEC(w)),
                         .cycle = cycle,
                         .cycles = end - cycle,
                         .clock = clock > 0 ? clock : AQ_NONE};
  return row.kernel >= 0 && row.gfx >= 0 && row.text >= 0 &&
         AQ_ARRAY_PUSH(steps->rows, steps->count, steps->capacity, row);
}

static aq_status name_put(const aq_wave_steps *steps, aq_record_sink *sink,
                          int64_t *id, aq_diag *diag)
{
  const char *text = aq_names_text(&steps->names, *id);
  return sink->name(sink, text, strlen(text), id, diag);
}

aq_status aq_wave_steps_put(aq_wave_steps *steps, aq_record_sink *sink,
                            aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (!sink->put_traced || steps->done)
    return AQ_OK;
  for (size_t i = 0; i < steps->count && status == AQ_OK; i++) {
    aq_traced row = steps->rows[i];
    status = name_put(steps, sink, &row.kernel, diag);
    if (status == AQ_OK)
      status = name_put(steps, sink, &row.gfx, diag);
    if (status == AQ_OK)
      status = name_put(steps, sink, &row.text, diag);
    if (status == AQ_OK)
      status = sink->put_traced(sink, &row, 1, diag);
  }
  steps->done = true;
  if (steps->left_out && steps->options.to)
    fprintf(steps->options.to,
            "aqueduct: executable trace without %" PRIu64
            " step%s past the limit of %" PRIu64 "\n",
            steps->left_out, aq_text_plural(steps->left_out),
            steps->options.limit);
  return status;
}
