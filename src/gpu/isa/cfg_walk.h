/* SPDX-License-Identifier: MIT */
/*
 * The instructions that can be reached from entries: both sides of branches,
 * calls, and functions whose address the code computes from its own place or
 * loads from a pointer that is known.
 *
 * A target in registers that were filled elsewhere is not followed:
 * `unresolved` is set, and the caller walks the functions that may be meant.
 * One thread at a time.
 */
#ifndef AQ_GPU_ISA_CFG_WALK_H
#define AQ_GPU_ISA_CFG_WALK_H

#include "common/map.h"
#include "gpu/isa/isa.h"

typedef struct aq_isa_walk {
  const aq_isa_decoder *decoder; /* borrowed, as `user` */
  /* How many bytes of code there are at an address, from `*bytes` on. */
  size_t (*code)(void *user, uint64_t address, const void **bytes);
  /* The pointer at an address; false: not known. NULL: none is known. */
  bool (*pointer)(void *user, uint64_t address, uint64_t *value);
  /* Once for each instruction. `inst` is NULL where code was expected and is
   * none. False ends the walk: out of memory. */
  bool (*visit)(void *user, uint64_t pc, const aq_isa_inst *inst);
  void *user;
  bool unresolved; /* a call went where the walk did not find out */
  aq_map seen;     /* addresses that were visited */
} aq_isa_walk;

/* Walks from `entry`, leaving out what earlier walks visited. False: out of
 * memory. */
bool aq_isa_walk_from(aq_isa_walk *walk, uint64_t entry);
void aq_isa_walk_fini(aq_isa_walk *walk);

#endif
