/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/match/device_match.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/model/device_set.h"
#include "backend_sim/sim.h"

enum { MODELS_MAX = 256 };

/* A model whose instruction set is unknown, or that an edit does not suit, is
 * no candidate. */
static bool fit_read(const char *name, const char *const *edits,
                     const aq_program_code *code, bool xnack,
                     aq_device_fit *out)
{
  aqsim_device_set set;
  if (aqsim_device_set_load(name, edits, &set, NULL) != AQ_OK)
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
static int newness(const aq_device_fit *c)
{
  const aq_processor *processor = c->target.processor;
  const bool gfx9 = strncmp(processor->name, "gfx9", 4) == 0;
  return (int)processor->mach + (gfx9 ? 1 << 16 : 0);
}

static bool is_better(const aq_device_fit *a, const aq_device_fit *b)
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

bool aq_device_fit_find(const char *const *edits, const aq_program_code *code,
                        bool xnack, aq_device_fit *best)
{
  const char *names[MODELS_MAX];
  const size_t count = models_sort(names);
  aq_device_fit next;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (!fit_read(names[i], edits, code, xnack, &next) ||
        !aq_program_fit_is(code, &next.fit) ||
        (found && !is_better(&next, best)))
      continue;
    *best = next;
    found = true;
  }
  return found;
}

bool aq_device_fit_known(bool (*knows)(const char *gfx, void *user), void *user,
                         aq_device_fit *best)
{
  static const aq_program_code none;
  const char *names[MODELS_MAX];
  const size_t count = models_sort(names);
  aq_device_fit next;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (!fit_read(names[i], NULL, &none, false, &next) ||
        (found && !is_better(&next, best)) ||
        !knows(next.target.processor->name, user))
      continue;
    *best = next;
    found = true;
  }
  return found;
}

void aq_device_fit_models(char *text, size_t size)
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
