/* SPDX-License-Identifier: MIT */
/*
 * Where the text of a device model's base comes from. Used by the reader of
 * models only; the caller owns the returned text.
 */
#ifndef AQSIM_DEVICE_LIBRARY_H
#define AQSIM_DEVICE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"

typedef struct aqsim_base {
  char *place; /* for diagnostics, and to name it */
  char *text;
  size_t size;
  bool built_in;
} aqsim_base;

/* The base `name` of the model at `place`: a file beside it when the name ends
 * in ".device", else a built-in model. */
aq_status aqsim_base_load(const char *place, const char *name, aqsim_base *out,
                          aq_diag *diag);
void aqsim_base_fini(aqsim_base *base);

#endif
