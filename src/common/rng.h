/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that depend on nothing but a seed, a substream and how many
 * were drawn: Philox4x32-10, counter based (Random123).
 *
 * Each client, kernel or purpose draws from a substream of its own, so that
 * adding one changes nothing for the others. A generator is the caller's
 * storage; one thread at a time.
 */
#ifndef AQ_COMMON_RNG_H
#define AQ_COMMON_RNG_H

#include <stdint.h>

typedef struct aq_rng {
  uint64_t seed, substream;
  uint64_t blocks; /* drawn so far */
  uint64_t words[2];
  unsigned left; /* of words */
} aq_rng;

/* The same seed and substream give the same numbers everywhere. */
void aq_rng_init(aq_rng *rng, uint64_t seed, uint64_t substream);

/* 64 random bits. */
uint64_t aq_rng_bits(aq_rng *rng);

/* A number above 0 and below 1, 53 bits fine. */
double aq_rng_unit(aq_rng *rng);

#endif
