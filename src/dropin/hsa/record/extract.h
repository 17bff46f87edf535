/* SPDX-License-Identifier: MIT */
/* `exec --extract-dispatch`: one dispatch of the process as a file. */
#ifndef AQDROP_EXTRACT_H
#define AQDROP_EXTRACT_H

#include "dropin/hsa/base/runtime.h"

/* Before the machine executes anything. AQUEDUCT_EXTRACT is "N:FILE". */
aq_status aqdrop_extract_begin(aqdrop *runtime, aq_diag *diag);

#endif
