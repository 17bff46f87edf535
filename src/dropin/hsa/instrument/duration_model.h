/* SPDX-License-Identifier: MIT */
/*
 * Durations of executed kernels, predicted from their counted work:
 * AQUEDUCT_COST. Part of opening and closing the runtime; one thread.
 */
#ifndef AQDROP_DURATION_MODEL_H
#define AQDROP_DURATION_MODEL_H

#include "dropin/hsa/base/runtime.h"

/* Reads the variable and asks the machine to count; the models are loaded. */
aq_status aqdrop_duration_model_open(aqdrop *runtime, aq_diag *diag);

/* Puts the counted work into the recording. All executions have ended. */
void aqdrop_duration_model_put(const aqdrop *runtime);

void aqdrop_duration_model_fini(aqdrop *runtime);

#endif
