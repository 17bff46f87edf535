/* SPDX-License-Identifier: MIT */
/* Shared by xcc.c, xcc_exclusive.c and xcc_preempt.c: what every step of a
 * complex does is inline. */
#ifndef AQSIM_XCC_PRIV_H
#define AQSIM_XCC_PRIV_H

#include "backend_sim/dispatch/xcc.h"

/* ---- sets of compute units ---- */

static inline bool aqsim_cu_bits_have(const aqsim_cu_bits *bits, uint32_t cu)
{
  return bits->word[cu / 64] >> cu % 64 & 1;
}

static inline void aqsim_cu_bits_set(aqsim_cu_bits *bits, uint32_t cu, bool on)
{
  const uint64_t bit = UINT64_C(1) << cu % 64;
  bits->word[cu / 64] =
      on ? bits->word[cu / 64] | bit : bits->word[cu / 64] & ~bit;
}

static inline uint32_t aqsim_cu_bits_count(const aqsim_cu_bits *bits)
{
  uint32_t count = 0;
  for (int i = 0; i < AQSIM_CU_WORDS; i++)
    count += (uint32_t)__builtin_popcountll(bits->word[i]);
  return count;
}

static inline bool aqsim_cu_bits_any(const aqsim_cu_bits *bits, uint32_t words)
{
  uint64_t any = 0;
  for (uint32_t i = 0; i < words; i++)
    any |= bits->word[i];
  return any != 0;
}

/* The first at or after `from`, going round; there is one. */
static inline uint32_t aqsim_cu_bits_next(const aqsim_cu_bits *bits,
                                          uint32_t words, uint32_t from)
{
  uint32_t at = from / 64;
  uint64_t word = bits->word[at] & ~UINT64_C(0) << from % 64;
  while (word == 0) {
    at = at + 1 < words ? at + 1 : 0;
    word = bits->word[at];
  }
  return at * 64 + (uint32_t)__builtin_ctzll(word);
}

/* ---- parts and workgroups ---- */

/* Have not started. */
static inline uint64_t aqsim_part_left(const aqsim_part *part)
{
  return part->left[AQSIM_BODY] + part->left[AQSIM_TAIL] +
         part->left[AQSIM_SAVED];
}

/* May run at once. */
static inline uint64_t aqsim_part_slots(const aqsim_part *part)
{
  return (uint64_t)part->cu_count * part->grid->most;
}

/* Behind the running workgroups of its class. */
static inline void aqsim_workgroup_append(aqsim_part *part, int class,
                                          uint32_t index)
{
  aqsim_workgroup *workgroups = part->xcc->workgroups;
  workgroups[index].next = 0;
  if (part->last[class])
    workgroups[part->last[class]].next = index;
  else
    part->first[class] = index;
  part->last[class] = index;
}

/* One starts and ends at `end`. */
void aqsim_workgroup_place(aqsim_part *part, int class, uint32_t cu,
                           aq_time end);

/* Releases the room of a running workgroup that is out of its list. */
void aqsim_workgroup_free(aqsim_part *part, uint32_t index);

/* The first of a class is no more. */
void aqsim_workgroup_remove(aqsim_part *part, int class);

/* Which of its compute units have room for one more of a part. */
void aqsim_part_room_make(aqsim_part *part);

/* ---- xcc_exclusive.c ---- */

/* The only present part, with nothing running, continues alone. False: there is
 * no such part. */
bool aqsim_xcc_exclusive_begin(aqsim_xcc *xcc);

/* Its last workgroup ends. */
void aqsim_xcc_exclusive_finish(aqsim_xcc *xcc, aq_time end);

/* Makes single workgroups of the workgroups that run at `time`, the first
 * `started` having started. */
void aqsim_xcc_exclusive_split(aqsim_xcc *xcc, aq_time time, uint64_t started);

/* Single workgroups are needed, everything up to `now` having happened. */
void aqsim_xcc_exclusive_end(aqsim_xcc *xcc);

/* Adds the state at `now`. */
void aqsim_xcc_exclusive_scan(const aqsim_xcc *xcc,
                              aqsim_dispatcher_sample *out);

/* A part alone in a full complex repeats itself: each workgroup that ends is
 * followed by another on the same compute unit, for as many rounds as there are
 * workgroups left. Whole rounds before `time` are passed over. False: it does
 * not repeat itself yet. */
bool aqsim_xcc_rounds_skip(aqsim_xcc *xcc, aq_time time);

/* When the rest of a part ends if the complex has no other: no arrival can make
 * that sooner. */
aq_time aqsim_part_soonest(const aqsim_part *part);

#endif
