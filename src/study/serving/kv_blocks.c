/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/kv_blocks.h"

#include <assert.h>
#include <stdlib.h>

static void append(aq_kv_blocks *blocks, uint32_t block)
{
  aq_block *b = &blocks->list[block];
  b->before = blocks->last;
  b->after = AQ_BLOCK_NONE;
  if (blocks->last == AQ_BLOCK_NONE)
    blocks->first = block;
  else
    blocks->list[blocks->last].after = block;
  blocks->last = block;
  blocks->free++;
}

static void remove_free(aq_kv_blocks *blocks, uint32_t block)
{
  const aq_block *b = &blocks->list[block];
  if (b->before == AQ_BLOCK_NONE)
    blocks->first = b->after;
  else
    blocks->list[b->before].after = b->after;
  if (b->after == AQ_BLOCK_NONE)
    blocks->last = b->before;
  else
    blocks->list[b->after].before = b->before;
  blocks->free--;
}

aq_status aq_kv_blocks_init(aq_kv_blocks *blocks, uint32_t count, aq_diag *diag)
{
  *blocks = (aq_kv_blocks){.list = calloc(count, sizeof *blocks->list),
                           .count = count,
                           .first = AQ_BLOCK_NONE,
                           .last = AQ_BLOCK_NONE,
                           .by_hash = AQ_MAP_INIT};
  if (!blocks->list)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < count; i++)
    append(blocks, i);
  return AQ_OK;
}

void aq_kv_blocks_fini(aq_kv_blocks *blocks)
{
  free(blocks->list);
  aq_map_fini(&blocks->by_hash);
  blocks->list = NULL;
}

uint32_t aq_kv_blocks_find(const aq_kv_blocks *blocks, uint64_t hash)
{
  uint64_t block;
  return aq_map_get(&blocks->by_hash, hash, &block) ? (uint32_t)block
                                                    : AQ_BLOCK_NONE;
}

void aq_kv_blocks_hold(aq_kv_blocks *blocks, uint32_t block)
{
  if (blocks->list[block].holders++ == 0)
    remove_free(blocks, block);
}

uint32_t aq_kv_blocks_acquire(aq_kv_blocks *blocks)
{
  const uint32_t block = blocks->first;
  aq_block *b = &blocks->list[block];
  uint64_t named;
  assert(block != AQ_BLOCK_NONE);
  remove_free(blocks, block);
  /* A newer block may have the same hash: it stays found. */
  if (b->hashed && aq_map_get(&blocks->by_hash, b->hash, &named) &&
      named == block)
    aq_map_remove(&blocks->by_hash, b->hash, NULL);
  b->hashed = false;
  b->holders = 1;
  return block;
}

void aq_kv_blocks_release(aq_kv_blocks *blocks, uint32_t block)
{
  assert(blocks->list[block].holders > 0);
  if (--blocks->list[block].holders == 0)
    append(blocks, block);
}

bool aq_kv_blocks_name(aq_kv_blocks *blocks, uint32_t block, uint64_t hash)
{
  aq_block *b = &blocks->list[block];
  if (b->hashed)
    return true;
  if (!aq_map_put(&blocks->by_hash, hash, block))
    return false;
  b->hashed = true;
  b->hash = hash;
  return true;
}
