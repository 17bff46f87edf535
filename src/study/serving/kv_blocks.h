/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a key-value cache: which are free, how many requests hold each,
 * and which prefix lies in it.
 *
 * Free blocks wait in the order in which they became free, and are taken from
 * the front. A block keeps its hash while it waits, so that a later request
 * with the same prefix finds it; taking it for other tokens forgets the hash.
 * This is the order of vLLM's block pool. One thread.
 */
#ifndef AQ_STUDY_SERVING_KV_BLOCKS_H
#define AQ_STUDY_SERVING_KV_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/map.h"

#define AQ_BLOCK_NONE UINT32_MAX

typedef struct aq_block {
  uint64_t hash;          /* where `hashed` */
  uint32_t before, after; /* of the free ones */
  uint32_t holders;
  bool hashed;
} aq_block;

typedef struct aq_kv_blocks {
  aq_block *list;
  uint32_t count, free;
  uint32_t first, last; /* of the free ones, or AQ_BLOCK_NONE */
  aq_map by_hash;
} aq_kv_blocks;

aq_status aq_kv_blocks_init(aq_kv_blocks *blocks, uint32_t count,
                            aq_diag *diag);
void aq_kv_blocks_fini(aq_kv_blocks *blocks);

/* The block with this hash, or AQ_BLOCK_NONE. */
uint32_t aq_kv_blocks_find(const aq_kv_blocks *blocks, uint64_t hash);

/* One more holder of a block, free or not. */
void aq_kv_blocks_hold(aq_kv_blocks *blocks, uint32_t block);

/* The free block that waits longest; there has to be one. */
uint32_t aq_kv_blocks_acquire(aq_kv_blocks *blocks);

/* One holder less. */
void aq_kv_blocks_release(aq_kv_blocks *blocks, uint32_t block);

/* Gives a held block its hash, unless it has one; false: out of memory. */
bool aq_kv_blocks_name(aq_kv_blocks *blocks, uint32_t block, uint64_t hash);

#endif
