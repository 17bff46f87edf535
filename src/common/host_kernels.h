/* SPDX-License-Identifier: MIT */
/*
 * The available host functions: from kernel plug-ins (kernel.h) and
 * from built-in tables. Opened once, then constant; pure functions.
 */
#ifndef AQ_COMMON_HOST_KERNELS_H
#define AQ_COMMON_HOST_KERNELS_H

#include "arena.h"
#include "kernel.h"
#include "plugin.h"

typedef struct aq_host_kernels {
  aq_plugin *plugins; /* in the order in which they are searched */
  uint32_t count;
  const aq_kernel_entry *const *built_in; /* searched last; NULL ends them */
} aq_host_kernels;

/* Loads plug-ins, named by `names`: names or paths (plugin.h), NULL ends them.
 * `built_in` is borrowed. On error nothing is open. */
aq_status aq_host_kernels_open(aq_host_kernels *set, const char *const *names,
                               const aq_kernel_entry *const *built_in,
                               aq_diag *diag);

/* The same; with no names, the plug-ins of the variable AQUEDUCT_KERNELS,
 * separated by semicolons. */
aq_status aq_host_kernels_open_default(aq_host_kernels *set,
                                       const char *const *names,
                                       const aq_kernel_entry *const *built_in,
                                       aq_diag *diag);

/* Sets AQUEDUCT_KERNELS, with paths from the root, and AQUEDUCT_MISSING_KERNELS
 * for processes that this one starts; NULL or empty leaves a variable as it is.
 * False when out of memory. */
bool aq_kernel_names_export(const char *const *names, const char *missing);

void aq_host_kernels_close(aq_host_kernels *set);

/* The entry of a kernel (its name without ".kd"), or NULL. */
const aq_kernel_entry *aq_host_kernels_find(const aq_host_kernels *set,
                                            const char *name, size_t length);

/* The entries of all plug-ins as one table that an entry without a name ends;
 * the caller frees it. NULL when out of memory. */
aq_kernel_entry *aq_host_kernels_entries(const aq_host_kernels *set);

/* Reads "auto", "host" or "isa"; NULL and "" are auto. */
aq_status aq_kernels_from_read(const char *text, aq_kernels_from *out,
                               aq_diag *diag);

/* The description by which a transport registers an entry: function, user and
 * cost are set in `desc`. Without a cost of its own a kernel takes 2 us and 10
 * ns a workgroup (assumed); NULL: timing only. The entry stays. */
void aq_kernel_entry_describe(const aq_kernel_entry *entry,
                              aq_kernel_desc *desc);

#endif
