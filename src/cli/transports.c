/* SPDX-License-Identifier: MIT */
#include "cli/transports.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/device_model.h"
#include "backend_sim/null.h"
#include "backend_sim/sim.h"

static const aq_transport_ops *const transports[] = {
    &aqsim_transport_ops, &aqsim_null_transport_ops, NULL};

const aq_transport_ops *const *aq_transports(void)
{
  return transports;
}

const aq_transport_ops *aq_transport_find(const char *name)
{
  for (size_t i = 0; transports[i]; i++)
    if (strcmp(transports[i]->name, name) == 0)
      return transports[i];
  return NULL;
}

const char *aq_device_model_name(size_t index)
{
  return index < aqsim_model_count() ? aqsim_model_name(index) : NULL;
}

/* What is handed out, and what it borrows from. */
typedef struct loaded_model {
  aq_device_model model; /* first */
  aqsim_model *source;
  char hash[AQSIM_HASH_SIZE];
  aqsim_constant texts[AQSIM_KEY_COUNT];
  aq_device_constant constants[AQSIM_KEY_COUNT];
} loaded_model;

static void loaded_fill(loaded_model *loaded)
{
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_constant *from = &loaded->texts[i];
    aqsim_model_constant(loaded->source, i, from);
    loaded->constants[i] = (aq_device_constant){
        from->key,  from->group, from->meaning, from->source,
        from->unit, from->value, from->timing};
  }
  aqsim_model_hash(loaded->source, loaded->hash);
  loaded->model = (aq_device_model){loaded->source->name, loaded->hash,
                                    aqsim_model_verdict(loaded->source),
                                    loaded->constants, AQSIM_KEY_COUNT};
}

aq_status aq_device_model_load(const char *name, const char *const *edits,
                               aq_device_model **out, aq_diag *diag)
{
  loaded_model *loaded = calloc(1, sizeof *loaded);
  if (!loaded)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  aq_status status = aqsim_model_load(name, edits, &loaded->source, diag);
  if (status != AQ_OK) {
    free(loaded);
    return status;
  }
  loaded_fill(loaded);
  *out = &loaded->model;
  return AQ_OK;
}

void aq_device_model_free(aq_device_model *model)
{
  loaded_model *loaded = (loaded_model *)model;
  if (!loaded)
    return;
  aqsim_model_destroy(loaded->source);
  free(loaded);
}
