/* SPDX-License-Identifier: MIT */
/*
 * What words of memory went through: for a word the last write and two reads
 * since. Words that went through the same share a state, which counts them; a
 * shadow is an array of states' numbers. State 0 is of words without
 * accesses.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_CHECK_CORE_ACCESS_HISTORY_H
#define AQ_GPU_CHECK_CORE_ACCESS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An access: by a dispatch, copy or host call (serial of happens_before.h), and
 * of a dispatch the workgroup, its wave and that one's clock
 * (synchronisation.c). 0: none.
 */
typedef uint64_t aq_check_epoch;

enum { AQ_CHECK_SERIAL_SHIFT = 44 };

static inline uint32_t aq_check_epoch_serial(aq_check_epoch e)
{
  return (uint32_t)(e >> AQ_CHECK_SERIAL_SHIFT);
}

/* How a dispatch divides the bits below its serial: the workgroup from `group`
 * on, the wave from `wave` on, and the clock. A dispatch of few workgroups
 * counts further. */
typedef struct aq_check_bits {
  uint8_t group, wave;
} aq_check_bits;

static inline uint64_t aq_check_epoch_group(aq_check_epoch e,
                                            aq_check_bits bits)
{
  return (e & ((UINT64_C(1) << AQ_CHECK_SERIAL_SHIFT) - 1)) >> bits.group;
}

static inline uint64_t aq_check_epoch_wave(aq_check_epoch e, aq_check_bits bits)
{
  return (e & ((UINT64_C(1) << bits.group) - 1)) >> bits.wave;
}

static inline uint64_t aq_check_epoch_clock(aq_check_epoch e,
                                            aq_check_bits bits)
{
  return e & ((UINT64_C(1) << bits.wave) - 1);
}

/* One word: the accesses, the instructions (sites) that made them, and which
 * bytes. No padding: words are compared as bytes. */
typedef struct aq_check_word {
  aq_check_epoch write, read[2];
  uint32_t write_site, read_site[2];
  uint8_t write_mask, read_mask[2];
  uint8_t spare;
} aq_check_word;

_Static_assert(sizeof(aq_check_word) == 40, "words have padding");

typedef struct aq_check_state {
  aq_check_word word;
  uint32_t words; /* that are in it */
  uint32_t next;  /* free */
} aq_check_state;

typedef struct aq_access_history {
  aq_check_state *list;
  uint32_t count, capacity;
  uint32_t free; /* 0: none */
} aq_access_history;

void aq_access_history_fini(aq_access_history *states);

/* A state that no word is in; 0: out of memory. */
uint32_t aq_access_history_add(aq_access_history *states,
                               const aq_check_word *word);

/* The word of a state; of 0, one without accesses. */
static inline aq_check_word
aq_access_history_of(const aq_access_history *states, uint32_t state)
{
  return state ? states->list[state - 1].word : (aq_check_word){.write = 0};
}

static inline void aq_access_history_enter(aq_access_history *states,
                                           uint32_t state, uint32_t words)
{
  if (state)
    states->list[state - 1].words += words;
}

/* Words leave a state; true: it is free now. */
static inline bool aq_access_history_leave(aq_access_history *states,
                                           uint32_t state, uint32_t words)
{
  if (!state || (states->list[state - 1].words -= words) > 0)
    return false;
  states->list[state - 1].next = states->free;
  states->free = state;
  return true;
}

#endif
