/* SPDX-License-Identifier: MIT */
/* --kernels and --missing-kernels, for this process and for the drop-in. */
#ifndef AQ_CLI_KERNEL_OPTIONS_H
#define AQ_CLI_KERNEL_OPTIONS_H

#include "cli/cli.h"
#include "common/kernel_set.h"

/* Sets the variables that the drop-in reads; false when out of memory. */
bool aq_cli_kernels_export(const aq_cli *cli);

/* Opens what --kernels names, or AQUEDUCT_KERNELS without it, beside what is
 * built in: the device library. */
aq_status aq_cli_kernels_open(aq_cli *cli, aq_kernel_set *out);

/* Whether kernels without a host function are allowed. */
aq_status aq_cli_kernels_may_miss(aq_cli *cli, bool *out);

#endif
