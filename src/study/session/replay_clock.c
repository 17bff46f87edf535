/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/replay_clock.h"

#include <stdio.h>
#include <string.h>

#include "transport/registry/device_models.h"

/* With the times of returns that the model has. */
static aq_status model_apply(const aq_clock_witnesses *witnesses,
                             const char *device, const char *const *edits,
                             aq_replay_clock *out, aq_diag *diag)
{
  char name[256];
  aq_device_model *model;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ",*"), device);
  aq_status status = aq_device_model_load(name, edits, &model, diag);
  if (status != AQ_OK)
    return status;
  aq_clock_offset_of(witnesses,
                     aq_device_model_number(model, "interrupt_to_host"),
                     aq_device_model_number(model, "copy_return"), &out->run);
  out->contained = aq_device_model_number(model, "clock_offset");
  out->shift = out->run.offset - out->contained;
  aq_device_model_free(model);
  return AQ_OK;
}

aq_status aq_replay_clock_find(aq_store *store, const aq_run_info *origin,
                               const char *device, const char *const *edits,
                               aq_replay_clock *out, aq_diag *diag)
{
  aq_clock_witnesses witnesses;
  aq_clock_offset differs;
  *out = (aq_replay_clock){0};
  if (origin->kind != AQ_RUN_MEASURED || !device)
    return AQ_OK;
  aq_status status =
      aq_clock_witnesses_find(store, origin->id, &witnesses, diag);
  if (status == AQ_OK && aq_clock_offset_of(&witnesses, 0, 0, &differs))
    status = model_apply(&witnesses, device, edits, out, diag);
  aq_clock_witnesses_fini(&witnesses);
  return status;
}

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

void aq_replay_clock_note(const aq_replay_clock *clock, const aq_notes *notes)
{
  const aq_clock_offset *run = &clock->run;
  if (run->witnesses)
    aq_note(notes,
            "host and device clocks of this run differ by %+.1f us (n = %zu "
            "waits; %zu return before the end of their work, by up to %.1f "
            "us); launches of the device model contain %+.1f us, so doorbells "
            "ring %+.1f us later",
            us(run->offset), run->witnesses, run->proofs, us(run->proved),
            us(clock->contained), us(clock->shift));
}

void aq_replay_clock_json(const aq_replay_clock *clock, aq_json_out *json)
{
  const aq_clock_offset *run = &clock->run;
  if (!run->witnesses)
    return;
  aq_json_out_map(json, "clock");
  aq_json_out_int(json, "offset_ps", run->offset);
  aq_json_out_int(json, "spread_ps", run->spread);
  aq_json_out_int(json, "witnesses", (int64_t)run->witnesses);
  aq_json_out_int(json, "proved_ps", run->proved);
  aq_json_out_int(json, "shift_ps", clock->shift);
  aq_json_out_close_map(json);
}
