/* SPDX-License-Identifier: MIT */
/*
 * The kernels that programs need beyond the caller's: fill, copy, update, and
 * the one that reads a grid from a buffer into the packet behind its own.
 *
 * Each has its arguments declared here; on a transport that runs host functions
 * they are registered as such, elsewhere a link is given code objects of the
 * same contract. Their workgroups are of 256 work-items, one a 16 bytes (fill,
 * copy, update), or of one (patch).
 */
#ifndef AQ_CMDBUF_BUILTINS_H
#define AQ_CMDBUF_BUILTINS_H

#include "common/transport.h"

typedef enum aq_builtin {
  AQ_BUILTIN_FILL,
  AQ_BUILTIN_COPY,
  AQ_BUILTIN_UPDATE,
  AQ_BUILTIN_PATCH,
  AQ_BUILTIN_COUNT
} aq_builtin;

typedef struct aq_builtins {
  uint64_t objects[AQ_BUILTIN_COUNT]; /* kernel objects; 0: there is none */
} aq_builtins;

enum { AQ_BUILTIN_WORKGROUP = 256, AQ_BUILTIN_BYTES = 16 };

typedef struct aq_fill_args {
  void *target;
  uint64_t bytes;        /* a multiple of pattern_size */
  uint64_t pattern;      /* in the low bytes */
  uint64_t pattern_size; /* bytes: 1, 2, 4 or 8 */
} aq_fill_args;

typedef struct aq_copy_args {
  void *target;
  const void *source;
  uint64_t bytes;
} aq_copy_args;

/* The bytes follow. */
typedef struct aq_update_args {
  void *target;
  uint64_t bytes;
} aq_update_args;

/* Writes three 32-bit counts to the grid of `packet`, then publishes it: its
 * header is stored with release, as a producer would. */
typedef struct aq_patch_args {
  const void *params;
  aq_packet *packet;
  uint32_t header_setup;
  uint32_t zero;
} aq_patch_args;

_Static_assert(sizeof(aq_fill_args) == 32, "read by device code");
_Static_assert(sizeof(aq_copy_args) == 24, "read by device code");
_Static_assert(sizeof(aq_update_args) == 16, "read by device code");
_Static_assert(sizeof(aq_patch_args) == 24, "read by device code");

/* Registers them where the transport runs host functions, else all are 0. */
AQ_API aq_status aq_builtins_register(aq_transport *transport, aq_builtins *out,
                                      aq_diag *diag);

#endif
