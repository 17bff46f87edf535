/* SPDX-License-Identifier: MIT */
/*
 * Target ids: which processor code is for, and how XNACK and SRAM ECC are set,
 * as in "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
 *
 * Pure functions; processors are static.
 */
#ifndef AQ_GPU_CODEOBJ_TARGET_H
#define AQ_GPU_CODEOBJ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_processor {
  uint32_t mach; /* EF_AMDGPU_MACH */
  const char *name;
  const char *generic; /* the generic target that covers it, or "" */
  const char *family;  /* "gfx94x"; "generic" of generic targets */
  bool xnack, sramecc; /* can be set */
} aq_processor;

/* Of code: the target of its compilation; of a device: its setting. */
typedef enum aq_feature {
  AQ_FEATURE_UNSUPPORTED, /* the processor does not have it */
  AQ_FEATURE_ANY, /* code: runs with either; device: its setting is not told */
  AQ_FEATURE_OFF,
  AQ_FEATURE_ON,
} aq_feature;

typedef struct aq_target {
  const aq_processor *processor;
  aq_feature xnack, sramecc;
  uint32_t generic_version; /* of generic targets, else 0 */
} aq_target;

enum { AQ_TARGET_TEXT_SIZE = 64 };

/* Reads a target id, with or without the triple before the processor. */
aq_status aq_target_parse(const char *text, size_t length, aq_target *out,
                          aq_diag *diag);

/* The target of a device with a processor, as AMD's runtime names it: SRAM ECC
 * is on and XNACK as given where the processor has them. */
aq_status aq_target_of_device(const char *gfx, bool xnack, aq_target *out,
                              aq_diag *diag);

/* Reads e_flags by the version of the ABI (e_ident[EI_ABIVERSION]; 1 is code
 * object version 3, 0 and version 2 need aq_target_from_isa). */
aq_status aq_target_from_flags(uint32_t abi_version, uint32_t flags,
                               aq_target *out, aq_diag *diag);

/* Reads the target of code object version 2. Its note of the ISA names the
 * processor, an odd stepping of gfx90x means XNACK; e_flags are as in version
 * 3, or, before LLVM 7, settings without a processor. */
aq_status aq_target_from_isa(const uint32_t isa[3], uint32_t flags,
                             aq_target *out, aq_diag *diag);

/* "gfx90a:sramecc+:xnack-": the set features, in this order. */
void aq_target_print(const aq_target *target, char text[AQ_TARGET_TEXT_SIZE]);

bool aq_target_is_generic(const aq_target *target);

/* How well code fits a device: more is better. */
typedef enum aq_target_fit {
  AQ_FIT_NONE,
  AQ_FIT_GENERIC, /* a generic target that covers the device's processor */
  AQ_FIT_EXACT,   /* the same processor, XNACK and SRAM ECC as code wants */
} aq_target_fit;

/* LLVM's rules: the processor is the same or covered, and each of XNACK and
 * SRAM ECC is any in the code or set alike. A device whose setting is not told
 * takes both. */
aq_target_fit aq_target_fits(const aq_target *code, const aq_target *device);

/* AQ_OK where code fits a device, else AQ_ERR_UNSUPPORTED; the diagnostic says
 * which of processor, XNACK and SRAM ECC differs. */
aq_status aq_target_check(const aq_target *code, const aq_target *device,
                          aq_diag *diag);

#endif
