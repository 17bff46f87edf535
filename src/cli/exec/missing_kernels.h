/* SPDX-License-Identifier: MIT */
/*
 * Kernels that a program dispatched and that no host function executes: the
 * drop-in leaves the kernel's name and its code object in the folder of the
 * exec's spools, since reading metadata needs libraries that it does not load
 * into foreign processes.
 */
#ifndef AQ_CLI_EXEC_MISSING_KERNELS_H
#define AQ_CLI_EXEC_MISSING_KERNELS_H

#include "common/notes.h"

/* Notes the argument layout of each kernel that the files of a folder name,
 * and removes the files; passes over a file that it cannot read. */
void aq_missing_kernels_report(const char *folder, const aq_notes *notes);

#endif
