/* SPDX-License-Identifier: MIT */
/*
 * The blocks of malloc() in kernels. The allocator is code of the program
 * (`__ockl_dm_alloc` of ROCm's device library): it cuts blocks out of memory
 * that the runtime allocated for it. Calls of its functions say which blocks
 * there are; its own accesses are not looked at.
 *
 * Under the checker's lock, as all of check.
 */
#ifndef AQ_GPU_CHECK_CORE_HEAP_H
#define AQ_GPU_CHECK_CORE_HEAP_H

#include "gpu/check/core/core.h"

enum { AQ_CHECK_HEAP_ALIGN = 8 /* of blocks, at least; bytes */ };

/* A call of the allocator. */
typedef struct aq_check_heap_call {
  int64_t kernel; /* name */
  uint64_t entry;
  uint32_t site;
} aq_check_heap_call;

typedef struct aq_check_heap_block {
  uint64_t base, size; /* as asked for; bytes. Size 0: no block */
  bool freed;
  aq_check_heap_call made, gone;
} aq_check_heap_block;

/* The allocator's functions of loaded code. */
void aq_check_heap_code(aq_check *check, uint64_t base, uint64_t bias,
                        const aq_codeobj *code, const void *bytes, size_t size);
void aq_check_heap_code_gone(aq_check *check, uint64_t base);

/* The role of the function that has an instruction, or begins with it. */
aq_check_heap_role aq_check_heap_role_at(const aq_check *check, uint64_t pc,
                                         bool begins);

/* Whether the instruction may call a function or return from one. */
bool aq_check_heap_jumps(const aq_isa_inst *inst);

/* The wave made the jump of a site, to `next`. */
void aq_check_heap_step(aq_wave *w, const aq_wave_op *next, uint32_t site);

/* Whether the wave executes the allocator. */
bool aq_check_heap_is_inside(const aq_wave *w);

/* The block that has all of these bytes of an allocation and was not freed, or
 * NULL. */
const aq_check_heap_block *aq_check_heap_has(const aq_check_known *known,
                                             uint64_t first, uint64_t end);

/* Puts a block, which replaces blocks in its place; false: out of memory. */
bool aq_check_heap_put(aq_check_known *known, const aq_check_heap_block *block);

/* The block that has the bytes around an address, or NULL. */
aq_check_heap_block *aq_check_heap_at(const aq_check_known *known,
                                      uint64_t address);

/* The blocks one by one, from *at = 0 on; NULL behind the last. */
const aq_check_heap_block *aq_check_heap_each(const aq_check_known *known,
                                              size_t *at);

/* The block that an address lies in, or the nearest one; NULL: none is near. */
const aq_check_heap_block *aq_check_heap_near(const aq_check_known *known,
                                              uint64_t address);

/* The waves of a workgroup that ended are in no function. */
void aq_check_heap_group_clear(aq_check_group *group, const aq_wave_grid *grid);
void aq_check_heap_group_fini(aq_check_group *group);

/* Reports the blocks that were not freed. */
void aq_check_heap_leaks(aq_check *check, const aq_check_known *known);

/* The blocks of an allocation that is gone. */
void aq_check_heap_drop(aq_check_known *known);
void aq_check_heap_fini(aq_check *check);

#endif
