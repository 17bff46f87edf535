/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/pool.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "queue/operations.h"
#include "queue/queue_priv.h"
#include "queue/tap_priv.h"

enum {
  CLASS_SHIFT = 8, /* the smallest block is of 256 bytes */
  CLASS_STEPS = 4, /* in a doubling */
  CLASSES = (48 - CLASS_SHIFT) * CLASS_STEPS,
  KINDS = AQ_MEMORY_DEVICE + 1,
};

typedef enum block_state { BLOCK_HELD, BLOCK_LEAVING, BLOCK_IDLE } block_state;

typedef struct block {
  struct block *next, **link;         /* of its list: leaving or idle */
  struct block *next_all, **link_all; /* of the pool's */
  void *address;
  uint64_t size; /* of its class */
  uint32_t class;
  aq_memory_kind kind;
  block_state state;
  bool void_alloca;    /* its alloca failed: it has no holder */
  bool kept;           /* its dealloca failed after it was handed on */
  uint64_t turn;       /* counts its holders: the value to which `left` rises */
  aq_semaphore *left;  /* NULL: it never left, or that failed */
  const aq_queue *who; /* queue that it leaves; compared only */
} block;

typedef struct block_list {
  block *first;
} block_list;

struct aq_pool {
  aq_context *context;
  uint32_t device;
  pthread_mutex_t lock;
  aq_map blocks; /* by address: block */
  block *all;
  block_list idle[KINDS][CLASSES], leaving[KINDS][CLASSES];
  aq_memory_stats stats;
};

/* ---- classes ---- */

static uint32_t class_of(uint64_t size, uint64_t *rounded)
{
  uint32_t class = 0;
  uint64_t step = UINT64_C(1) << CLASS_SHIFT;
  uint64_t at = step;
  while (at < size) {
    step = UINT64_C(1) << (CLASS_SHIFT + class / CLASS_STEPS);
    at += step / CLASS_STEPS;
    class ++;
  }
  *rounded = at;
  return class;
}

static void list_put(block_list *list, block *b)
{
  b->next = list->first;
  b->link = &list->first;
  if (b->next)
    b->next->link = &b->next;
  list->first = b;
}

static void list_take(block *b)
{
  *b->link = b->next;
  if (b->next)
    b->next->link = b->link;
}

/* ---- blocks, with the lock ---- */

static void block_destroy(aq_pool *pool, block *b)
{
  aq_map_remove(&pool->blocks, (uintptr_t)b->address, NULL);
  *b->link_all = b->next_all;
  if (b->next_all)
    b->next_all->link_all = b->link_all;
  pool->context->ops->mem_free(pool->context->transport, b->address);
  pool->stats.reserved -= b->size;
  aq_semaphore_release(b->left);
  free(b);
}

static uint64_t pool_trim(aq_pool *pool)
{
  const uint64_t before = pool->stats.reserved;
  for (int kind = 0; kind < KINDS; kind++)
    for (int class = 0; class < CLASSES; class ++)
      while (pool->idle[kind][class].first) {
        block *b = pool->idle[kind][class].first;
        list_take(b);
        block_destroy(pool, b);
      }
  return before - pool->stats.reserved;
}

static void block_idle(aq_pool *pool, block *b)
{
  b->state = BLOCK_IDLE;
  b->void_alloca = false;
  list_put(&pool->idle[b->kind][b->class], b);
}

static uint64_t pool_room(const aq_pool *pool)
{
  const aq_memory_stats *stats = &pool->stats;
  return stats->limit > stats->reserved ? stats->limit - stats->reserved : 0;
}

static block *block_new(aq_pool *pool, aq_memory_kind kind, uint32_t class,
                        uint64_t size, aq_diag *diag)
{
  aq_context *context = pool->context;
  if (size > pool_room(pool))
    pool_trim(pool);
  if (size > pool_room(pool)) {
    aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                "alloca: %llu bytes; device %u has %llu left of %llu",
                (unsigned long long)size, pool->device,
                (unsigned long long)pool_room(pool),
                (unsigned long long)pool->stats.limit);
    return NULL;
  }
  block *b = calloc(1, sizeof *b);
  if (!b) {
    aq_diag_no_memory(diag);
    return NULL;
  }
  aq_status status = context->ops->mem_alloc(context->transport, pool->device,
                                             kind, size, &b->address, diag);
  if (status == AQ_ERR_NO_MEMORY && pool_trim(pool) > 0)
    status = context->ops->mem_alloc(context->transport, pool->device, kind,
                                     size, &b->address, diag);
  if (status == AQ_OK &&
      !aq_map_put(&pool->blocks, (uintptr_t)b->address, (uintptr_t)b)) {
    context->ops->mem_free(context->transport, b->address);
    status = aq_diag_no_memory(diag);
  }
  if (status != AQ_OK) {
    free(b);
    return NULL;
  }
  b->size = size;
  b->class = class;
  b->kind = kind;
  b->next_all = pool->all;
  b->link_all = &pool->all;
  if (b->next_all)
    b->next_all->link_all = &b->next_all;
  pool->all = b;
  pool->stats.reserved += size;
  return b;
}

/* One that leaves the same queue, else any. */
static block *block_leaving(const aq_pool *pool, aq_memory_kind kind,
                            uint32_t class, const aq_queue *queue)
{
  for (block *b = pool->leaving[kind][class].first; b; b = b->next)
    if (!queue || b->who == queue)
      return b;
  return NULL;
}

/* The cheapest block: an idle one, one that leaves in this queue, new memory,
 * one that leaves in another queue. NULL: no memory. */
static block *block_take(aq_pool *pool, const aq_queue *queue,
                         aq_memory_kind kind, uint64_t size, aq_diag *diag)
{
  uint64_t rounded;
  const uint32_t class = class_of(size, &rounded);
  block *b = pool->idle[kind][class].first;
  if (!b)
    b = block_leaving(pool, kind, class, queue);
  bool found = b != NULL;
  if (!b)
    b = block_new(pool, kind, class, rounded, diag);
  if (!b) {
    b = block_leaving(pool, kind, class, NULL);
    found = b != NULL;
  }
  if (!b) {
    pool->stats.refused++;
    return NULL;
  }
  if (found)
    list_take(b);
  pool->stats.reused += found;
  pool->stats.allocations++;
  pool->stats.used += b->size;
  if (pool->stats.used > pool->stats.used_max)
    pool->stats.used_max = pool->stats.used;
  return b;
}

/* It is where it was before an alloca that did not come to pass. */
static void block_return(aq_pool *pool, block *b)
{
  if (b->kept) {
    b->kept = false; /* held by the operation whose dealloca failed */
    return;
  }
  pool->stats.used -= b->size;
  if (!b->left || aq_semaphore_value(b->left) >= b->turn) {
    block_idle(pool, b);
  } else {
    b->state = BLOCK_LEAVING;
    list_put(&pool->leaving[b->kind][b->class], b);
  }
}

/* ---- operations ---- */

/* An alloca or dealloca on its way. */
typedef struct block_note {
  aq_pool *pool;
  block *block;
  uint64_t turn;
  aq_point points[]; /* of the sync, and one more */
} block_note;

static block_note *note_make(aq_pool *pool, const aq_point *points,
                             uint32_t count, aq_diag *diag)
{
  block_note *note =
      calloc(1, sizeof *note + (count + UINT64_C(1)) * sizeof(aq_point));
  if (!note) {
    aq_diag_no_memory(diag);
    return NULL;
  }
  note->pool = pool;
  if (count > 0)
    memcpy(note->points, points, count * sizeof *points);
  return note;
}

static void alloca_over(aq_status status, const char *cause, void *user)
{
  block_note *note = user;
  aq_pool *pool = note->pool;
  block *b = note->block;
  (void)cause;
  aq_lock(pool->context->hub, &pool->lock);
  if (status != AQ_OK && b->turn == note->turn && b->state == BLOCK_HELD)
    block_return(pool, b);
  else if (status != AQ_OK && b->turn == note->turn + 1)
    b->void_alloca = true; /* its dealloca is under way */
  aq_unlock(pool->context->hub, &pool->lock);
  free(note);
}

static void dealloca_over(aq_status status, const char *cause, void *user)
{
  block_note *note = user;
  aq_pool *pool = note->pool;
  block *b = note->block;
  aq_semaphore *failed = NULL;
  (void)cause;
  aq_lock(pool->context->hub, &pool->lock);
  if (b->turn == note->turn && b->state == BLOCK_LEAVING) {
    list_take(b);
    if (status == AQ_OK || b->void_alloca) {
      block_idle(pool, b);
    } else {
      b->state = BLOCK_HELD;
      pool->stats.used += b->size;
    }
  } else if (b->turn == note->turn && status != AQ_OK) {
    b->kept = true; /* the alloca that got it fails with `left` */
  }
  if (status != AQ_OK && b->turn == note->turn) {
    failed = b->left;
    b->left = NULL;
  }
  aq_unlock(pool->context->hub, &pool->lock);
  aq_semaphore_release(failed);
  free(note);
}

static const aq_task_class alloca_class = {.kind = AQ_OPERATION_ALLOCA,
                                           .size = sizeof(aq_task)};
static const aq_task_class dealloca_class = {.kind = AQ_OPERATION_DEALLOCA,
                                             .size = sizeof(aq_task)};

/* No memory: told as the failure of the operation. */
static aq_status alloca_refuse(const aq_sync *sync, const aq_diag *words)
{
  const aq_task task = aq_task_init(&alloca_class, sync);
  aq_task_refuse(&task, AQ_ERR_NO_MEMORY, words->text);
  return AQ_OK;
}

static aq_status alloca_submit(aq_queue *queue, const aq_sync *sync,
                               const aq_memory_request *request, void **out,
                               aq_diag *diag)
{
  aq_pool *pool = &queue->context->pools[queue->options.device];
  aq_task task = aq_task_init(&alloca_class, sync);
  aq_diag words = AQ_DIAG_INIT;
  if (request->size == 0 || (unsigned)request->kind >= KINDS ||
      request->size > UINT64_C(1) << 46)
    return aq_diag_set(diag, AQ_ERR_INVALID, "alloca: %zu bytes of kind %u",
                       request->size, (unsigned)request->kind);
  block_note *note =
      note_make(pool, task.sync.waits, task.sync.wait_count, diag);
  if (!note)
    return AQ_ERR_NO_MEMORY;
  aq_lock(queue->hub, &pool->lock);
  block *b = block_take(pool, queue, request->kind, request->size, &words);
  void *address = b ? b->address : NULL;
  if (b) {
    if (b->state == BLOCK_LEAVING)
      note->points[task.sync.wait_count++] = (aq_point){b->left, b->turn};
    b->state = BLOCK_HELD;
    note->turn = b->turn;
  }
  aq_unlock(queue->hub, &pool->lock);
  if (!b) {
    free(note);
    *out = NULL;
    return alloca_refuse(sync, &words);
  }
  note->block = b;
  task.sync.waits = note->points;
  task.over = alloca_over;
  task.over_user = note;
  *out = address; /* before: a waiter for the signal may read it */
  aq_status status = aq_task_submit(queue, &task, diag);
  if (status == AQ_OK)
    return AQ_OK;
  *out = NULL;
  alloca_over(status, NULL, note);
  return status;
}

aq_status aq_queue_alloca(aq_queue *queue, const aq_sync *sync,
                          const aq_memory_request *request, void **out,
                          aq_diag *diag)
{
  const uint64_t token =
      aq_tap_begin(queue, AQ_OPERATION_ALLOCA, sync, request);
  aq_status status = alloca_submit(queue, sync, request, out, diag);
  const aq_tap *tap = queue->context->tap;
  if (tap)
    tap->end(token, status, status == AQ_OK ? *out : NULL, tap->user);
  return status;
}

/* From held to leaving; NULL: it is not held. With the lock. */
static block *block_leave(aq_pool *pool, const aq_queue *queue, void *address,
                          aq_diag *diag)
{
  uint64_t found = 0;
  aq_map_get(&pool->blocks, (uintptr_t)address, &found);
  block *b = (block *)(uintptr_t)found;
  if (!b || b->state != BLOCK_HELD) {
    aq_diag_set(diag, AQ_ERR_INVALID, "dealloca: %p is not allocated%s",
                address, b ? " any more" : "");
    return NULL;
  }
  if (!b->left &&
      aq_semaphore_make(pool->context, b->turn, 0, &b->left, diag) != AQ_OK)
    return NULL;
  b->turn++;
  b->who = queue;
  b->state = BLOCK_LEAVING;
  list_put(&pool->leaving[b->kind][b->class], b);
  pool->stats.used -= b->size;
  return b;
}

/* As if it had not been asked for. */
static void block_stay(aq_pool *pool, block *b)
{
  aq_lock(pool->context->hub, &pool->lock);
  b->turn--;
  list_take(b);
  b->state = BLOCK_HELD;
  pool->stats.used += b->size;
  aq_unlock(pool->context->hub, &pool->lock);
}

/* The pool that has it: of the queue's device, else of another. */
static aq_pool *pool_of(const aq_queue *queue, const void *address)
{
  aq_context *context = queue->context;
  for (uint32_t i = 0; i < context->info.device_count; i++) {
    aq_pool *pool = &context->pools[i];
    aq_lock(context->hub, &pool->lock);
    const bool found = aq_map_get(&pool->blocks, (uintptr_t)address, NULL);
    aq_unlock(context->hub, &pool->lock);
    if (found)
      return pool;
  }
  return &context->pools[queue->options.device];
}

static aq_status dealloca_submit(aq_queue *queue, const aq_sync *sync,
                                 void *address, aq_diag *diag)
{
  aq_pool *pool = pool_of(queue, address);
  aq_task task = aq_task_init(&dealloca_class, sync);
  aq_diag own = AQ_DIAG_INIT;
  aq_diag *words = diag ? diag : &own;
  block_note *note =
      note_make(pool, task.sync.signals, task.sync.signal_count, words);
  if (!note)
    return AQ_ERR_NO_MEMORY;
  aq_lock(queue->hub, &pool->lock);
  block *b = block_leave(pool, queue, address, words);
  if (b) {
    note->block = b;
    note->turn = b->turn;
    note->points[task.sync.signal_count++] = (aq_point){b->left, b->turn};
  }
  aq_unlock(queue->hub, &pool->lock);
  if (!b) {
    free(note);
    return words->status;
  }
  task.sync.signals = note->points;
  task.over = dealloca_over;
  task.over_user = note;
  aq_status status = aq_task_submit(queue, &task, diag);
  if (status != AQ_OK) {
    block_stay(pool, b);
    free(note);
  }
  return status;
}

aq_status aq_queue_dealloca(aq_queue *queue, const aq_sync *sync, void *address,
                            aq_diag *diag)
{
  const uint64_t token =
      aq_tap_begin(queue, AQ_OPERATION_DEALLOCA, sync, address);
  return aq_tap_end(queue->context, token,
                    dealloca_submit(queue, sync, address, diag));
}

/* ---- pools ---- */

aq_status aq_pools_create(aq_context *context, aq_diag *diag)
{
  context->pools =
      calloc(context->info.device_count + 1, sizeof *context->pools);
  if (!context->pools)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < context->info.device_count; i++) {
    aq_pool *pool = &context->pools[i];
    pool->context = context;
    pool->device = i;
    pool->stats.limit = UINT64_MAX;
    pthread_mutex_init(&pool->lock, NULL);
  }
  return AQ_OK;
}

static void pool_fini(aq_pool *pool)
{
  while (pool->all)
    block_destroy(pool, pool->all);
  aq_map_fini(&pool->blocks);
  pthread_mutex_destroy(&pool->lock);
}

void aq_pools_destroy(aq_context *context)
{
  for (uint32_t i = 0; context->pools && i < context->info.device_count; i++)
    pool_fini(&context->pools[i]);
  free(context->pools);
}

void aq_context_memory(aq_context *context, uint32_t device,
                       aq_memory_stats *out)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->hub, &pool->lock);
  *out = pool->stats;
  aq_unlock(context->hub, &pool->lock);
}

void aq_context_memory_limit(aq_context *context, uint32_t device,
                             uint64_t bytes)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->hub, &pool->lock);
  pool->stats.limit = bytes;
  aq_unlock(context->hub, &pool->lock);
}

uint64_t aq_context_memory_trim(aq_context *context, uint32_t device)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->hub, &pool->lock);
  const uint64_t bytes = pool_trim(pool);
  aq_unlock(context->hub, &pool->lock);
  return bytes;
}
