/* SPDX-License-Identifier: MIT */
/*
 * Objects on the stacks of work-items: arrays and variables of functions, in
 * private memory. Neighbours touch, so an access that leaves one lies in the
 * next. Debug information says where objects lie (gpu/codeobj/frames.h);
 * registers, and words of private memory, remember the object whose address
 * they were made from.
 *
 * Under the checker's lock, as all of check.
 */
#ifndef AQ_GPU_CHECK_CORE_STACK_H
#define AQ_GPU_CHECK_CORE_STACK_H

#include "gpu/check/core/core.h"
#include "gpu/codeobj/frames.h"

/* How an instruction makes addresses: aq_check_site.tags. */
typedef enum aq_check_tags_kind {
  AQ_CHECK_TAGS_NONE,  /* it writes no register */
  AQ_CHECK_TAGS_CLEAR, /* its results are no addresses */
  AQ_CHECK_TAGS_MOVE,
  AQ_CHECK_TAGS_SUM,     /* of A, B and C, or of the ones that `sums` has */
  AQ_CHECK_TAGS_SELECT,  /* A or B */
  AQ_CHECK_TAGS_SHIFT,   /* of the frame's base, from bytes of a wave */
  AQ_CHECK_TAGS_READ,    /* a lane of A */
  AQ_CHECK_TAGS_WRITE,   /* a lane of the result */
  AQ_CHECK_TAGS_UPPER,   /* the upper word of private addresses */
  AQ_CHECK_TAGS_LOAD,    /* of memory, which may be private */
  AQ_CHECK_TAGS_UNKNOWN, /* it may write any register */
} aq_check_tags_kind;

/* The functions of loaded code and their objects; takes the frames. */
void aq_check_stack_code(aq_check *check, uint64_t base, uint64_t bias,
                         aq_code_frames *frames);
void aq_check_stack_code_gone(aq_check *check, uint64_t base);

/* Fills the facts of a site. */
void aq_check_stack_site(const aq_check *check, aq_check_site *site);

/* Before and after the wave executes an instruction whose site has `tags`. */
void aq_check_stack_before(aq_wave *w, const aq_check_site *site);
void aq_check_stack_after(aq_wave *w, const aq_check_site *site);

/* Before an access, by a load or to private memory. */
void aq_check_stack_access(aq_wave *w, uint32_t site,
                           const aq_wave_access_info *touch);

/* The waves of a workgroup that ended have no addresses. */
void aq_check_stack_group_clear(aq_check_group *group,
                                const aq_wave_grid *grid);
void aq_check_stack_group_fini(aq_check_group *group, const aq_wave_grid *grid);

/* Accesses whose object is not known. */
typedef struct aq_check_stack_unseen {
  uint64_t without; /* instructions in functions without debug information */
  uint64_t other;   /* in others */
} aq_check_stack_unseen;

aq_check_stack_unseen aq_check_stack_unseen_get(const aq_check *check);
void aq_check_stack_fini(aq_check *check);

#endif
