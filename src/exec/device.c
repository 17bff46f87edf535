/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "exec/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_set.h"
#include "backend_sim/sim.h"
#include "exec/program_code.h"

enum { LIST_SIZE = 280 /* of a line's parts */, MODELS_MAX = 256 };

/* A device model and the code for it. */
typedef struct candidate {
  const char *name; /* static */
  aq_target target;
  aq_program_fit fit;
} candidate;

/* As the drop-in reads it. */
static bool xnack_is_on(void)
{
  const char *text = getenv("HSA_XNACK");
  return text && strcmp(text, "1") == 0;
}

/* A model whose instruction set is unknown, or that an edit does not suit, is
 * no candidate. */
static bool candidate_read(const char *name, const aq_exec_device_wish *wish,
                           const aq_program_code *code, bool xnack,
                           candidate *out)
{
  aqsim_device_set set;
  if (aqsim_device_set_load(name, wish->edits, &set, NULL) != AQ_OK)
    return false;
  out->name = name;
  const bool known = aq_target_of_device(set.models[0]->gfx, xnack,
                                         &out->target, NULL) == AQ_OK;
  aqsim_device_set_fini(&set);
  if (known)
    out->fit = aq_program_code_fit(code, &out->target);
  return known;
}

/* LLVM numbers processors as they come. */
static int newness(const candidate *c)
{
  const aq_processor *processor = c->target.processor;
  const bool gfx9 = strncmp(processor->name, "gfx9", 4) == 0;
  return (int)processor->mach + (gfx9 ? 1 << 16 : 0);
}

static bool is_better(const candidate *a, const candidate *b)
{
  const int order = aq_program_fit_compare(&a->fit, &b->fit);
  if (order != 0)
    return order > 0;
  if (strcmp(b->name, AQSIM_DEFAULT_DEVICE) == 0)
    return false;
  return strcmp(a->name, AQSIM_DEFAULT_DEVICE) == 0 || newness(a) > newness(b);
}

/* The shipped models, that of a GPU before its variants ("mi300x" before
 * "mi300x-rocm7.0"), whose names are longer. */
static size_t models_sort(const char *names[MODELS_MAX])
{
  size_t count = 0;
  for (size_t i = 0; i < aqsim_model_count() && count < MODELS_MAX; i++) {
    const char *name = aqsim_model_name(i);
    size_t at = count++;
    for (; at > 0 && strlen(names[at - 1]) > strlen(name); at--)
      names[at] = names[at - 1];
    names[at] = name;
  }
  return count;
}

/* The model that fits best, the first of equal ones; false: none does. */
static bool model_choose(const aq_exec_device_wish *wish,
                         const aq_program_code *code, bool xnack,
                         candidate *best)
{
  const char *names[MODELS_MAX];
  const size_t count = models_sort(names);
  candidate next;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (!candidate_read(names[i], wish, code, xnack, &next) ||
        !aq_program_fit_is(code, &next.fit) ||
        (found && !is_better(&next, best)))
      continue;
    *best = next;
    found = true;
  }
  return found;
}

/* "mi50 (gfx906), mi100 (gfx908)": the first model of each processor. */
static void models_list(char *text, size_t size)
{
  const char *names[MODELS_MAX];
  const size_t count = models_sort(names);
  char gfx[24], one[64];
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; i < count && used < size; i++) {
    aqsim_model *model;
    if (aqsim_model_load(names[i], NULL, &model, NULL) != AQ_OK)
      continue;
    snprintf(gfx, sizeof gfx, "(%s)", model->gfx);
    snprintf(one, sizeof one, "%s%s %s", used ? ", " : "", names[i], gfx);
    if (!strstr(text, gfx))
      used += (size_t)snprintf(text + used, size - used, "%s", one);
    aqsim_model_destroy(model);
  }
}

static aq_status refuse(const aq_exec_device_wish *wish,
                        const aq_program_code *code, bool xnack, aq_diag *diag)
{
  char targets[LIST_SIZE / 2], models[LIST_SIZE];
  candidate other;
  aq_program_code_targets(code, targets, sizeof targets);
  if (model_choose(wish, code, !xnack, &other))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%.80s has code for %s: that fits no device with XNACK "
                       "%s; %s HSA_XNACK=1 it fits --device %s",
                       code->files[0].path, targets, xnack ? "on" : "off",
                       xnack ? "without" : "with", other.name);
  models_list(models, sizeof models);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%.80s has code for %s, which fits no device model; "
                     "there are %s: choose one with --device",
                     code->files[0].path, targets, models);
}

static aq_status device_by_code(const aq_exec_device_wish *wish,
                                const aq_program_code *code, const char **out,
                                const aq_notes *notes, aq_diag *diag)
{
  const bool xnack = xnack_is_on();
  char targets[LIST_SIZE], target[AQ_TARGET_TEXT_SIZE];
  candidate best;
  if (!model_choose(wish, code, xnack, &best))
    return refuse(wish, code, xnack, diag);
  aq_program_code_targets(code, targets, sizeof targets);
  aq_target_print(&best.target, target);
  aq_note(notes,
          "device %s (%s), since %s has code for %s; --device chooses another",
          best.name, target, code->files[0].path, targets);
  *out = best.name;
  return AQ_OK;
}

/* ---- a device of the user's ---- */

static bool set_fits(const aqsim_device_set *set, const aq_program_code *code)
{
  for (uint32_t i = 0; i < set->count; i++) {
    aq_target target;
    if (aq_target_of_device(set->models[i]->gfx, xnack_is_on(), &target,
                            NULL) != AQ_OK)
      return true; /* an instruction set of the user's: nothing to say */
    const aq_program_fit fit = aq_program_code_fit(code, &target);
    if (aq_program_fit_is(code, &fit))
      return true;
  }
  return false;
}

static void misfit_note(const aq_exec_device_wish *wish,
                        const aq_program_code *code, const aq_notes *notes)
{
  const aq_exec_device_wish any = {.program = wish->program};
  char targets[LIST_SIZE];
  aq_diag why = AQ_DIAG_INIT;
  candidate best;
  aq_program_code_targets(code, targets, sizeof targets);
  if (model_choose(&any, code, xnack_is_on(), &best))
    aq_note(notes,
            "warning: no code of %s fits --device %s: it has code for %s, "
            "which --device %s runs",
            code->files[0].path, wish->device, targets, best.name);
  else if (refuse(&any, code, xnack_is_on(), &why) != AQ_OK)
    aq_note(notes, "warning: --device %s: %s", wish->device, why.text);
}

aq_status aq_exec_device_choose(const aq_exec_device_wish *wish,
                                const char **out, const aq_notes *notes,
                                aq_diag *diag)
{
  aqsim_device_set set;
  aq_program_code code;
  aq_status status =
      aqsim_device_set_load(wish->device ? wish->device : AQSIM_DEFAULT_DEVICE,
                            wish->edits, &set, diag);
  if (status != AQ_OK)
    return status;
  *out = wish->device;
  status = aq_program_code_read(wish->program, &code, notes, diag);
  if (status == AQ_OK) {
    if (code.count > 0 && !wish->device)
      status = device_by_code(wish, &code, out, notes, diag);
    else if (code.count > 0 && !set_fits(&set, &code))
      misfit_note(wish, &code, notes);
    aq_program_code_fini(&code);
  }
  aqsim_device_set_fini(&set);
  return status;
}
