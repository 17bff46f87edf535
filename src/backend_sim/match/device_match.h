/* SPDX-License-Identifier: MIT */
/* The device model that a program's code fits best. Pure functions. */
#ifndef AQ_BACKEND_SIM_MATCH_DEVICE_MATCH_H
#define AQ_BACKEND_SIM_MATCH_DEVICE_MATCH_H

#include "backend_sim/match/program_code.h"

/* A device model and the code for it. */
typedef struct aq_device_fit {
  const char *name; /* static */
  aq_target target;
  aq_program_fit fit;
} aq_device_fit;

/* The shipped model that most of the code fits, then the default device, then
 * one of gfx9, then the newest processor; of equal ones that of a GPU before
 * its variants. `edits` of the models end with NULL, or are NULL. False: none
 * fits. */
bool aq_device_fit_find(const char *const *edits, const aq_program_code *code,
                        bool xnack, aq_device_fit *best);

/* The same order without code: of the models whose processor ("gfx90a") `knows`
 * accepts. */
bool aq_device_fit_known(bool (*knows)(const char *gfx, void *user), void *user,
                         aq_device_fit *best);

/* "mi50 (gfx906), mi100 (gfx908)": the first model of each processor. */
void aq_device_fit_models(char *text, size_t size);

#endif
