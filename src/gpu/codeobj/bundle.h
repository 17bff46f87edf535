/* SPDX-License-Identifier: MIT */
/*
 * Offload bundles: files that hold code objects for several targets, as clang
 * writes them, plain (__CLANG_OFFLOAD_BUNDLE__) or compressed (CCOB, with zlib
 * or zstd).
 *
 * The bytes may be anything: they are checked. One thread at a time.
 */
#ifndef AQ_GPU_CODEOBJ_BUNDLE_H
#define AQ_GPU_CODEOBJ_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "gpu/codeobj/target.h"

typedef struct aq_bundle_entry {
  const char *id;  /* "hipv4-amdgcn-amd-amdhsa--gfx906" */
  bool has_target; /* it is code for an AMD GPU that is known */
  aq_target target;
  const unsigned char *bytes; /* within the bundle */
  size_t size;
} aq_bundle_entry;

typedef struct aq_bundle {
  aq_bundle_entry *entries;
  size_t count;
  unsigned char *unpacked; /* what entries point into, if it was compressed */
  char *texts;             /* the ids */
} aq_bundle;

/* The limit for unpacking a compressed bundle. */
#define AQ_BUNDLE_SIZE_MAX (UINT64_C(1) << 30)

bool aq_bundle_is(const void *bytes, size_t size);

/* Reads a bundle. Its entries point into `bytes`, which the caller keeps. */
aq_status aq_bundle_read(const void *bytes, size_t size, aq_bundle *out,
                         aq_diag *diag);
void aq_bundle_fini(aq_bundle *bundle);

/* Bundles behind each other, as linkers put the bundles of several sources into
 * one section; bytes between them are skipped. The images of OpenMP and OpenACC
 * in a program are a bundle too, one entry for each processor. */
typedef struct aq_bundles {
  aq_bundle *list;
  size_t count, capacity;
} aq_bundles;

/* Whether bytes are a bundle, or an executable or library of the host with code
 * for devices: HIP's (.hip_fatbin), LLVM's (.llvm.offloading) or GCC's (beside
 * .gnu.offload_funcs). */
bool aq_bundles_are(const void *bytes, size_t size);

/* Reads all of them; AQ_ERR_INPUT: there is none, or one is damaged. */
aq_status aq_bundles_read(const void *bytes, size_t size, aq_bundles *out,
                          aq_diag *diag);
void aq_bundles_fini(aq_bundles *bundles);

/* The entry that fits a device best, the first of equal ones; NULL: none. */
const aq_bundle_entry *aq_bundle_find(const aq_bundle *bundle,
                                      const aq_target *device);

#endif
