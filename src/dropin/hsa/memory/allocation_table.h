/* SPDX-License-Identifier: MIT */
/*
 * The table of blocks: ranges of memory that a pool allocated or that another
 * process shares, by address; they do not overlap. memory*.c and svm.c use it.
 *
 * Thread rule: the caller holds the lock of the table for each function that
 * takes the table or a pointer into it; the mapping functions take a block
 * that is not in the table, and no lock.
 */
#ifndef AQDROP_ALLOCATION_TABLE_H
#define AQDROP_ALLOCATION_TABLE_H

#include <pthread.h>

#include "dropin/hsa/base/pools.h"
#include "dropin/hsa/base/runtime.h"

enum { AQDROP_PAGE = 4096 };

/* Called when the allocation it belongs to is freed. */
typedef struct aqdrop_freed_call {
  struct aqdrop_freed_call *next;
  void *address; /* as it was registered: somewhere in the allocation */
  hsa_amd_deallocation_callback_t function;
  void *data;
} aqdrop_freed_call;

typedef struct aqdrop_allocation {
  char *base;
  size_t size;       /* as asked for */
  size_t room;       /* mapped on either side besides: check.h */
  aqdrop_pool *pool; /* NULL: memory of others */
  int file;          /* that it is a mapping of, or -1 */
  bool protected;    /* mapped twice: protected.h */
  off_t at;          /* of protected memory in the runtime's file */
  void *user_data;
  uint64_t agents; /* bits of the agents that reach it */
  aqdrop_freed_call *calls;
} aqdrop_allocation;

struct aqdrop_memory {
  pthread_mutex_t lock;
  aqdrop_allocation *allocations;
  size_t count, capacity;
  off_t file_end; /* of protected memory; freed pages leave gaps */
};

/* The bytes of the pages that a size takes. */
size_t aqdrop_allocation_bytes(size_t size);

/* The block that an address lies in, or NULL; valid until the table changes. */
aqdrop_allocation *aqdrop_allocation_find(aqdrop_memory *memory,
                                          const void *address);

/* Whether a block has a byte of the range. */
bool aqdrop_allocation_touches(const aqdrop_memory *memory, const void *base,
                               size_t size);

/* Copies a block into its place; false when memory ran out or it overlaps. */
bool aqdrop_allocation_insert(aqdrop_memory *memory,
                              const aqdrop_allocation *new);

/* Takes the block that begins at an address out of the table: an allocation of
 * ours, or one of others. The caller owns *out. */
bool aqdrop_allocation_remove(aqdrop_memory *memory, const void *address,
                              bool ours, aqdrop_allocation *out);

/* Unmaps a block's pages and closes its file. */
void aqdrop_allocation_unmap(const aqdrop_allocation *b);

/* The same while devices may look at the block; its pages in the runtime's
 * file go as well. */
void aqdrop_allocation_unmap_live(aqdrop *runtime, const aqdrop_allocation *b);

/* Gives up the pages that a block has in the runtime's file, if it has some. */
void aqdrop_allocation_punch(const aqdrop *runtime, const aqdrop_allocation *b);

void aqdrop_allocation_calls_free(aqdrop_freed_call *call);

/* The agents that reach every block of a pool, whichever else are allowed. */
uint64_t aqdrop_allocation_pool_agents(const aqdrop *runtime,
                                       const aqdrop_pool *pool);

#endif
