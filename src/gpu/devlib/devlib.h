/* SPDX-License-Identifier: MIT */
/*
 * The device library: the kernels that Aqueduct itself needs on a device.
 *
 * Each has one definition (device/kernels.c), compiled for every target and
 * embedded, and a host function of the same contract for transports that run
 * those. device_args.h has their arguments. Everything is static and constant;
 * pure functions.
 */
#ifndef AQ_GPU_DEVLIB_DEVLIB_H
#define AQ_GPU_DEVLIB_DEVLIB_H

#include <stddef.h>

#include "common/diag.h"
#include "common/kernel.h"
#include "gpu/devlib/device_args.h"

typedef enum aq_devlib_kernel {
#define K(id, name, args, ...) AQ_DEVLIB_##id,
#include "gpu/devlib/kernels.def"
#undef K
  AQ_DEVLIB_KERNEL_COUNT
} aq_devlib_kernel;

/* Name ("aq_fill"), host function and cost of each, by aq_devlib_kernel; ended
 * by an entry without a name. */
extern const aq_kernel_entry aq_devlib_entries[AQ_DEVLIB_KERNEL_COUNT + 1];

/* Bytes of its kernarg segment (update: without the bytes that follow). */
extern const uint32_t aq_devlib_kernarg_sizes[AQ_DEVLIB_KERNEL_COUNT];

typedef struct aq_devlib_object {
  const char *target; /* "gfx942", "gfx11-generic"; NULL ends the table */
  const unsigned char *bytes;
  size_t size;
} aq_devlib_object;

/* The table of contents, made with the embedded bytes. */
extern const aq_devlib_object aq_devlib_objects[];

/* The object for a device, named by its target id or processor ("gfx90a",
 * "gfx1030", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"): that of the very
 * processor, else of a generic target that covers it. AQ_ERR_UNSUPPORTED lists
 * what there is. */
aq_status aq_devlib_find(const char *target, const aq_devlib_object **out,
                         aq_diag *diag);

/* Its bytes alone: an aq_kernels_code for runs. */
aq_status aq_devlib_image(const char *target, const void **image, size_t *size,
                          aq_diag *diag);

#endif
