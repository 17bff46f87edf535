/* SPDX-License-Identifier: MIT */
/* "N:FILE": which dispatch becomes which file. Pure functions. */
#ifndef AQ_COMMON_DISPATCH_SELECTOR_H
#define AQ_COMMON_DISPATCH_SELECTOR_H

#include <stdint.h>

#include "diag.h"

typedef struct aq_dispatch_choice {
  uint64_t number;  /* of dispatches with executed code, from 1 */
  const char *file; /* within the text */
} aq_dispatch_choice;

/* AQ_ERR_INPUT names the expected form. */
aq_status aq_dispatch_choice_read(const char *text, aq_dispatch_choice *out,
                                  aq_diag *diag);

#endif
