/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/rng.h"

#include <Random123/philox.h>

void aq_rng_init(aq_rng *rng, uint64_t seed, uint64_t substream)
{
  *rng = (aq_rng){.seed = seed, .substream = substream};
}

static void rng_refill(aq_rng *rng)
{
  const philox4x32_ctr_t counter = {
      {(uint32_t)rng->blocks, (uint32_t)(rng->blocks >> 32),
       (uint32_t)rng->substream, (uint32_t)(rng->substream >> 32)}};
  const philox4x32_key_t key = {
      {(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)}};
  const philox4x32_ctr_t block = philox4x32(counter, key);
  rng->words[1] = block.v[0] | (uint64_t)block.v[1] << 32;
  rng->words[0] = block.v[2] | (uint64_t)block.v[3] << 32;
  rng->left = 2;
  rng->blocks++;
}

uint64_t aq_rng_bits(aq_rng *rng)
{
  if (rng->left == 0)
    rng_refill(rng);
  return rng->words[--rng->left];
}

double aq_rng_unit(aq_rng *rng)
{
  return ((double)(aq_rng_bits(rng) >> 12) + 0.5) * 0x1p-52;
}
