/* SPDX-License-Identifier: MIT */
/* Where runs get the code object with the spin kernel from: the device library.
 */
#ifndef AQ_CLI_SPIN_CODE_H
#define AQ_CLI_SPIN_CODE_H

#include "run/run.h"

/* An aq_kernels_code. */
aq_status aq_cli_spin_code(const char *gfx, const void **image, size_t *size,
                           aq_diag *diag);

#endif
