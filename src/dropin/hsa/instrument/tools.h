/* SPDX-License-Identifier: MIT */
/*
 * Tools libraries: $HSA_TOOLS_LIB names shared objects, separated by spaces,
 * which get the tables of the library's functions (api_table.def) when the
 * runtime has opened. A tool replaces functions in them, and calls of the
 * client go to it. A name that cannot be loaded is printed and passed to later
 * tools.
 *
 * Interface (ROCr): bool OnLoad(table, version, failed_count, failed_names),
 * false: it is unloaded; void OnUnload(void).
 *
 * Thread rule: one thread at a time; tables change only inside of OnLoad.
 */
#ifndef AQDROP_TOOLS_H
#define AQDROP_TOOLS_H

#include <stdbool.h>

/* Not with the lock of the process: tools call functions of HSA. */
void aqdrop_tools_load(void);
void aqdrop_tools_unload(void);
bool aqdrop_tools_are_loaded(void);

#endif
