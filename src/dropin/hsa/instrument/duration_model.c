/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/instrument/duration_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/recording.h"
#include "gpu/duration/roofline.h"
#include "gpu/wave/core/wave.h"

static int64_t model_number(const void *model, const char *key)
{
  aqsim_constant constant;
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_model_constant(model, i, &constant);
    if (strcmp(constant.key, key) == 0)
      return constant.number;
  }
  return 0;
}

static aq_time work_time(const aq_counted *row, void *user)
{
  const aqdrop *runtime = user;
  return aq_executed_predict(row, &runtime->rates[row->device]).time;
}

/* The executor's counts become times by the constants of each device. */
static aq_status rates_read(aqdrop *runtime, aq_diag *diag)
{
  const aqsim_device_set *set = &runtime->models;
  runtime->rates = calloc(set->count, sizeof *runtime->rates);
  if (!runtime->rates)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < set->count; i++)
    aq_rates_read(&runtime->rates[i], set->models[i]->gfx, model_number,
                  set->models[i]);
  return AQ_OK;
}

aq_status aqdrop_duration_model_open(aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_COST");
  aq_wave_counting_options options = {
      .xccs = (uint32_t)runtime->models.models[0]->xccs,
      .time = work_time,
      .user = runtime};
  aq_executed_mode mode = AQ_EXECUTED_AUTO;
  aq_status status = aq_executed_mode_read(text, &mode, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "AQUEDUCT_COST");
  if (mode == AQ_EXECUTED_NONE ||
      (mode == AQ_EXECUTED_AUTO &&
       aq_wave_machine_is_checked(runtime->machine)))
    return AQ_OK;
  options.sampled = mode == AQ_EXECUTED_SAMPLED;
  options.repeats = mode == AQ_EXECUTED_AUTO;
  status = rates_read(runtime, diag);
  return status == AQ_OK
             ? aq_wave_machine_count(runtime->machine, &options, diag)
             : status;
}

void aqdrop_duration_model_put(const aqdrop *runtime)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_sink *sink = aqdrop_recording_sink(runtime->recording);
  if (sink && runtime->machine &&
      aq_wave_machine_counted_put(runtime->machine, sink, &diag) != AQ_OK)
    fprintf(stderr, "aqueduct: counted work not stored: %s\n", diag.text);
}

void aqdrop_duration_model_fini(aqdrop *runtime)
{
  free(runtime->rates);
  runtime->rates = NULL;
}
