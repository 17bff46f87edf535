/* SPDX-License-Identifier: MIT */
/*
 * Kernels that a program dispatched and that no host function plays: the
 * drop-in leaves the kernel's name and its code object in the folder of the
 * exec's spools, since reading metadata needs libraries that it does not load
 * into foreign processes.
 */
#ifndef AQ_CLI_MISSING_KERNELS_H
#define AQ_CLI_MISSING_KERNELS_H

#include "cli/cli.h"

/* Tells on stderr the argument layout of each kernel that the files of a
 * folder name, and removes them. What cannot be read is passed over. */
void aq_cli_missing_kernels_tell(const aq_cli *cli, const char *folder);

#endif
