/* SPDX-License-Identifier: MIT */
/*
 * Facts for the report of `exec --report-fidelity`, where that is asked for.
 * Each is a line of the file PID.fidelity beside the spool, its fields
 * separated by tabs, names last; src/cli/exec/fidelity.c reads them:
 *   host  plug-in|built-in|nothing  KERNEL   it has no code that executes
 *   code  GFX  INSTRUCTIONS  INDIRECT  KERNEL   its code was looked through
 *   inexact  CLASS  COUNT  INSTRUCTION  KERNEL  of which this is not exact
 *   refused  WHY  KERNEL                     it cannot execute
 *   function  NAME                           an unsupported one was called
 * Once for each kernel and function, and again where code is loaded again.
 * Any thread.
 */
#ifndef AQDROP_FIDELITY_H
#define AQDROP_FIDELITY_H

#include "dropin/hsa/base/runtime.h"

/* Before the machine executes anything. */
void aqdrop_fidelity_begin(aqdrop *runtime);

/* A kernel was registered whose effect is that of an entry, or nothing (NULL).
 */
void aqdrop_fidelity_host(const aqdrop *runtime, const char *kernel,
                          const aq_kernel_entry *entry);

/* A kernel was dispatched that has neither code that executes nor a host
 * function. */
void aqdrop_fidelity_missing(const aqdrop *runtime, const char *kernel,
                             size_t length);

/* The client called a function that is not supported; `reported` is the
 * function's own. */
void aqdrop_fidelity_function(const aqdrop *runtime, const char *name,
                              bool *reported);

#endif
