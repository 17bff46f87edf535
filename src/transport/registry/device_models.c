/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/registry/device_models.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_model.h"
#include "backend_sim/model/occupancy.h"

const char *aq_device_model_name(size_t index)
{
  return index < aqsim_model_count() ? aqsim_model_name(index) : NULL;
}

/* The caller's model, and the owner of its texts. */
typedef struct loaded_model {
  aq_device_model model; /* first */
  aqsim_model *source;
  char hash[AQSIM_HASH_SIZE];
  aqsim_constant texts[AQSIM_KEY_COUNT];
  aq_device_constant constants[AQSIM_KEY_COUNT];
  aq_device_gap *gaps;
} loaded_model;

static void loaded_fill(loaded_model *loaded)
{
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_constant *from = &loaded->texts[i];
    aqsim_model_constant(loaded->source, i, from);
    loaded->constants[i] = (aq_device_constant){
        from->key,  from->group, from->meaning, from->source, from->from,
        from->unit, from->value, from->number,  from->timing, from->spread};
  }
  aqsim_model_hash(loaded->source, loaded->hash);
  for (size_t i = 0; i < loaded->source->gap_count; i++) {
    const aqsim_gap *gap = &loaded->source->gaps[i];
    loaded->gaps[i] = (aq_device_gap){gap->name,   gap->grid,   gap->time,
                                      gap->spread, gap->source, gap->from};
  }
  loaded->model = (aq_device_model){loaded->source->name,
                                    loaded->hash,
                                    aqsim_model_verdict(loaded->source),
                                    loaded->constants,
                                    AQSIM_KEY_COUNT,
                                    loaded->gaps,
                                    loaded->source->gap_count,
                                    aqsim_device_resources(loaded->source)};
}

aq_status aq_device_model_load(const char *name, const char *const *edits,
                               aq_device_model **out, aq_diag *diag)
{
  loaded_model *loaded = calloc(1, sizeof *loaded);
  if (!loaded)
    return aq_diag_no_memory(diag);
  aq_status status = aqsim_model_load(name, edits, &loaded->source, diag);
  if (status != AQ_OK) {
    free(loaded);
    return status;
  }
  loaded->gaps = calloc(loaded->source->gap_count + 1, sizeof *loaded->gaps);
  if (!loaded->gaps) {
    aq_device_model_free(&loaded->model);
    return aq_diag_no_memory(diag);
  }
  loaded_fill(loaded);
  *out = &loaded->model;
  return AQ_OK;
}

static const aq_device_constant *constant_find(const aq_device_model *model,
                                               const char *key)
{
  for (size_t i = 0; i < model->count; i++)
    if (strcmp(model->constants[i].key, key) == 0)
      return &model->constants[i];
  return NULL;
}

int64_t aq_device_model_number(const aq_device_model *model, const char *key)
{
  const aq_device_constant *constant = constant_find(model, key);
  return constant ? constant->number : 0;
}

const char *aq_device_model_text(const aq_device_model *model, const char *key)
{
  const aq_device_constant *constant = constant_find(model, key);
  return constant ? constant->value : "";
}

void aq_device_model_free(aq_device_model *model)
{
  loaded_model *loaded = (loaded_model *)model;
  if (!loaded)
    return;
  aqsim_model_destroy(loaded->source);
  free(loaded->gaps);
  free(loaded);
}
