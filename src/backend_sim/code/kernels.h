/* SPDX-License-Identifier: MIT */
/*
 * Kernels: host functions and cost models under a name, and the objects that
 * packets name. The registry owns its kernels. One that is unregistered, or
 * whose object another one takes, is retired: found no more, but kept until
 * aqsim_kernels_sweep, for a dispatch may still run it. One thread at a time.
 */
#ifndef AQSIM_KERNELS_H
#define AQSIM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "common/transport.h"

typedef struct aqsim_kernel {
  aq_kernel_desc desc;       /* its name is owned by the registry */
  int64_t record_name;       /* id of the name in the record sink, or AQ_NONE */
  struct aqsim_kernel *next; /* registered before it */
  struct aqsim_kernel *previous; /* registered after it */
  bool retired;                  /* no packet finds it any more */
  bool in_use;                   /* by a dispatch: scratch of a sweep */
} aqsim_kernel;

typedef struct aqsim_kernels {
  aqsim_kernel *last;
  aqsim_kernel *retired; /* by `next` */
  aq_map by_object;
  aq_map by_entry; /* to objects */
} aqsim_kernels;

void aqsim_kernels_fini(aqsim_kernels *kernels);

/* A copy of the description; its address is the kernel object, unless the
 * description names one. */
aq_status aqsim_kernel_register(aqsim_kernels *kernels,
                                const aq_kernel_desc *desc, aqsim_kernel **out,
                                aq_diag *diag);

/* Retires the kernel of an object; false: there is none. */
bool aqsim_kernel_unregister(aqsim_kernels *kernels, uint64_t object);

/* Frees the retired kernels that are not marked as in use, and takes the marks
 * off the others. */
void aqsim_kernels_sweep(aqsim_kernels *kernels);

/* The latest kernel of that name, or NULL. */
const aqsim_kernel *aqsim_kernel_find(const aqsim_kernels *kernels,
                                      const char *name);

/* The kernel that an object is, or NULL. */
const aqsim_kernel *aqsim_kernel_from(const aqsim_kernels *kernels,
                                      uint64_t object);

/* The kernel whose code begins at an address, or NULL. */
const aqsim_kernel *aqsim_kernel_at(const aqsim_kernels *kernels,
                                    uint64_t entry);

void aqsim_kernel_describe(const aqsim_kernel *kernel, aq_kernel_info *out);

#endif
