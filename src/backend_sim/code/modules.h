/* SPDX-License-Identifier: MIT */
/*
 * Code objects and kernels of an open simulator, where packets in flight refer
 * to them. A module lies in the memory of its device; the object of one of its
 * kernels is the address of the kernel's descriptor there. The thread that
 * drives time calls all functions.
 */
#ifndef AQSIM_MODULES_H
#define AQSIM_MODULES_H

#include "backend_sim/core.h"

/* Registers a kernel, with its name in the records. */
aq_status aqsim_kernel_add(aqsim *sim, const aq_kernel_desc *desc,
                           aq_kernel_info *out, aq_diag *diag);

/* Retires the kernel of an object, if there is one, and frees the retired
 * kernels that no packet in flight refers to. */
void aqsim_kernel_forget(aqsim *sim, uint64_t object);

/* Loads a code object for a device. AQ_ERR_UNSUPPORTED: for another one. */
aq_status aqsim_module_load(aqsim *sim, uint32_t device, const void *bytes,
                            size_t size, uint64_t *out, aq_diag *diag);

/* Forgets its kernels and frees its memory; an unknown module is ignored. */
void aqsim_module_unload(aqsim *sim, uint64_t module);

/* The kernel "NAME" or "NAME.kd" of a module. */
aq_status aqsim_module_kernel(aqsim *sim, uint64_t module, const char *name,
                              aq_kernel_info *out, aq_diag *diag);

void aqsim_modules_fini(aqsim *sim);

#endif
