/* SPDX-License-Identifier: MIT */
/*
 * Pools: memory that is freed and allocated again in the order of the queues.
 *
 * States. alloca_states.h has them, as tables: an allocation is live; then,
 * when its dealloca is asked for, being submitted (ASKED), under way (LEAVING)
 * and over. A block is idle, leaves or is held, as the newest allocation of its
 * chain says; block_settle puts it into the list of that state, and into no
 * list when it is held. All of that changes in allocation_turn and block_hold,
 * with the pool's lock and nowhere else.
 *
 * Order. An alloca that gets a leaving block waits for the point (left, turn)
 * that the newest dealloca signals. That dealloca is in its queue already: a
 * block is not offered while its dealloca is being submitted, or an alloca of
 * the same queue could come before it and wait for what stands behind it. Of
 * another queue, no operation up to the dealloca may wait for an operation that
 * is not submitted or itself deferred: it could stand behind the alloca. A
 * dealloca waits for that of the next older allocation, so a block that is idle
 * has no operation under way, and a value of `left` that is reached stands for
 * all deallocas before it. A dealloca that follows one that is not complete
 * signals a semaphore of its own: its failure is not that of the older one.
 *
 * Failures, by the newer allocations N of the block:
 *
 *   an alloca is an error, or fails     its allocation ends (OVER); without N,
 *                                       the block is as it was before: idle, or
 *                                       leaving with the next older one
 *   the same, its dealloca is asked     VOID: whatever becomes of the dealloca,
 *   for or under way                    its allocation ends then
 *   a dealloca is an error              live again; there can be no N
 *   a dealloca fails, without N         live again
 *   a dealloca fails, with N            live again; `left` fails, with it each
 *                                       alloca of N, each dealloca of N, and
 *                                       they end: the block is held
 *   a queue's device stops              its operations fail, as above
 *   no memory                           nothing has happened
 *
 * Owners. The pool has blocks from block_new to block_destroy. An allocation
 * lives until it ends and its operations have let go of it (`refs`): the
 * alloca, a dealloca, and the thread that submits one, which looks afterwards
 * whether that one has `ended` meanwhile. Semaphores are counted; a call
 * retains the ones of its points. The pool compares the queue of an allocation:
 * a queue at the address of a destroyed one only changes the choice of a block.
 * It follows the queue of a leaving block alone, which lives: the dealloca has
 * not been through dealloca_done, and a queue is destroyed after that.
 *
 * Locks. The pool's is taken with no other of the queue's, but perhaps with a
 * gate: operations end in calls of the retirer. With it, the lock of the queue
 * of a leaving block is taken and in that the locks of semaphores, the
 * transport is called (mem_alloc, mem_free) and a semaphore may be freed;
 * nothing else holds a semaphore of the pool when its last reference goes, so
 * that calls no one.
 */
#include "config.h"

#include "queue/ops/alloca_pool.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "queue/alloca_states.h"
#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/operations.h"

enum {
  CLASS_SHIFT = 8, /* the smallest block is of 256 bytes */
  CLASS_STEPS = 4, /* in a doubling */
  CLASSES = (48 - CLASS_SHIFT) * CLASS_STEPS,
  KINDS = AQ_MEMORY_DEVICE + 1,
};

typedef struct block {
  struct block *next, **link;         /* of its list; link NULL: in none */
  struct block *next_all, **link_all; /* of the pool's */
  void *address;
  uint64_t size; /* of its class */
  uint32_t class;
  aq_memory_kind kind;
  aq_allocation *newest;
  aq_semaphore *left; /* of the newest dealloca, or NULL */
  uint64_t turn;      /* to which that raises it */
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

static void list_remove(block *b)
{
  if (!b->link)
    return;
  *b->link = b->next;
  if (b->next)
    b->next->link = b->link;
  b->link = NULL;
}

/* ---- allocations, with the lock ---- */

/* Begun by an alloca. */
typedef struct allocation {
  aq_allocation chain; /* first */
  aq_pool *pool;
  block *block;
  uint32_t refs;      /* of operations, and of a thread that submits one */
  aq_semaphore *left; /* its newest dealloca raises it to `turn` */
  uint64_t turn;
  aq_queue *who;    /* queue of that; followed only while it leaves */
  aq_point waits[]; /* of the alloca: the sync's, and one more */
} allocation;

/* In the list of its state. `before`: the one that it had. */
static void block_settle(aq_pool *pool, block *b, aq_block_state before)
{
  const aq_block_state state = aq_block_state_of(b->newest);
  list_remove(b);
  if (state == AQ_BLOCK_FREE)
    list_put(&pool->idle[b->kind][b->class], b);
  else if (state == AQ_BLOCK_RETIRING)
    list_put(&pool->leaving[b->kind][b->class], b);
  if (before == AQ_BLOCK_ALLOCATED)
    pool->stats.used -= b->size;
  if (state == AQ_BLOCK_ALLOCATED)
    pool->stats.used += b->size;
  if (pool->stats.used > pool->stats.used_max)
    pool->stats.used_max = pool->stats.used;
}

static void block_hold(aq_pool *pool, block *b, allocation *a)
{
  const aq_block_state before = aq_block_state_of(b->newest);
  aq_allocation_begin(&b->newest, &a->chain);
  a->block = b;
  block_settle(pool, b, before);
}

static void allocation_turn(allocation *a, aq_allocation_event event)
{
  block *b = a->block;
  const aq_block_state before = aq_block_state_of(b->newest);
  aq_allocation_turn(&b->newest, &a->chain, event);
  block_settle(a->pool, b, before);
}

static void allocation_free(allocation *a)
{
  aq_semaphore_release(a->left);
  free(a);
}

static void allocation_release(allocation *a)
{
  if (--a->refs == 0 && a->chain.state == AQ_ALLOCATION_ENDED)
    allocation_free(a);
}

/* ---- blocks, with the lock ---- */

static void block_destroy(aq_pool *pool, block *b)
{
  while (b->newest) { /* no dealloca was asked for */
    allocation *a = (allocation *)b->newest;
    b->newest = a->chain.older;
    allocation_free(a);
  }
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
        list_remove(b);
        block_destroy(pool, b);
      }
  return before - pool->stats.reserved;
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

/* One that leaves in this queue. */
static block *block_leaving_here(const aq_pool *pool, aq_memory_kind kind,
                                 uint32_t class, const aq_queue *queue)
{
  for (block *b = pool->leaving[kind][class].first; b; b = b->next)
    if (((const allocation *)b->newest)->who == queue)
      return b;
  return NULL;
}

/* One that leaves in another queue, whatever the host does or not. */
static block *block_leaving_soon(const aq_pool *pool, aq_memory_kind kind,
                                 uint32_t class)
{
  for (block *b = pool->leaving[kind][class].first; b; b = b->next)
    if (aq_queue_will_resume(((const allocation *)b->newest)->who))
      return b;
  return NULL;
}

/* The cheapest block: an idle one, one that leaves in this queue, new memory,
 * one that is sure to leave in another queue. NULL: no memory. */
static block *block_acquire(aq_pool *pool, const aq_queue *queue,
                            aq_memory_kind kind, uint64_t size, aq_diag *diag)
{
  uint64_t rounded;
  const uint32_t class = class_of(size, &rounded);
  block *b = pool->idle[kind][class].first;
  if (!b)
    b = block_leaving_here(pool, kind, class, queue);
  bool found = b != NULL;
  if (!b)
    b = block_new(pool, kind, class, rounded, diag);
  if (!b) {
    b = block_leaving_soon(pool, kind, class);
    found = b != NULL;
  }
  if (!b) {
    pool->stats.refused++;
    return NULL;
  }
  pool->stats.reused += found;
  pool->stats.allocations++;
  return b;
}

/* ---- operations ---- */

/* A dealloca on its way. Freed when it has ended and the thread that submits it
 * has seen that it is accepted. */
typedef struct departure {
  allocation *allocation;     /* with a reference */
  aq_semaphore *left, *after; /* of the points that it signals and waits for */
  bool ended;
  uint32_t refs;
  aq_point points[]; /* waits and signals of the sync, and one more of each */
} departure;

/* With the lock. */
static void departure_release(departure *d)
{
  if (--d->refs > 0)
    return;
  allocation_release(d->allocation);
  aq_semaphore_release(d->left);
  aq_semaphore_release(d->after);
  free(d);
}

static void alloca_done(aq_status status, const char *cause, void *user)
{
  allocation *a = user;
  aq_pool *pool = a->pool;
  (void)cause;
  aq_lock(pool->context->sync_domain, &pool->lock);
  if (status != AQ_OK)
    allocation_turn(a, AQ_ALLOCA_FAILED);
  allocation_release(a);
  aq_unlock(pool->context->sync_domain, &pool->lock);
}

static void dealloca_done(aq_status status, const char *cause, void *user)
{
  departure *d = user;
  aq_pool *pool = d->allocation->pool;
  (void)cause;
  aq_lock(pool->context->sync_domain, &pool->lock);
  d->ended = true;
  allocation_turn(d->allocation,
                  status == AQ_OK ? AQ_DEALLOCA_COMPLETE : AQ_DEALLOCA_FAILED);
  departure_release(d);
  aq_unlock(pool->context->sync_domain, &pool->lock);
}

static const aq_task_class alloca_class = {.kind = AQ_OPERATION_ALLOCA,
                                           .size = sizeof(aq_task)};
static const aq_task_class dealloca_class = {.kind = AQ_OPERATION_DEALLOCA,
                                             .size = sizeof(aq_task)};

/* No memory: told as the failure of the operation. */
static aq_status alloca_refuse(const aq_sync *sync, const aq_diag *words)
{
  const aq_task task = aq_task_init(&alloca_class, sync);
  aq_task_fail(&task, AQ_ERR_NO_MEMORY, words->text);
  return AQ_OK;
}

static allocation *allocation_make(aq_pool *pool, const aq_sync *sync,
                                   aq_diag *diag)
{
  const uint32_t count = sync->wait_count;
  allocation *a =
      calloc(1, sizeof *a + (count + UINT64_C(1)) * sizeof *a->waits);
  if (!a) {
    aq_diag_no_memory(diag);
    return NULL;
  }
  a->pool = pool;
  a->refs = 1;
  if (count > 0)
    memcpy(a->waits, sync->waits, count * sizeof *a->waits);
  return a;
}

static aq_status alloca_submit(aq_queue *queue, const aq_sync *sync,
                               const aq_memory_request *request, void **out,
                               aq_diag *diag)
{
  aq_pool *pool = &queue->context->pools[queue->options.device];
  aq_task task = aq_task_init(&alloca_class, sync);
  aq_diag words = AQ_DIAG_INIT;
  aq_semaphore *left = NULL;
  if (request->size == 0 || (unsigned)request->kind >= KINDS ||
      request->size > UINT64_C(1) << 46)
    return aq_diag_set(diag, AQ_ERR_INVALID, "alloca: %zu bytes of kind %u",
                       request->size, (unsigned)request->kind);
  allocation *a = allocation_make(pool, &task.sync, diag);
  if (!a)
    return AQ_ERR_NO_MEMORY;
  aq_lock(queue->sync_domain, &pool->lock);
  block *b = block_acquire(pool, queue, request->kind, request->size, &words);
  void *address = b ? b->address : NULL;
  if (b && b->newest) {
    const allocation *older = (const allocation *)b->newest;
    left = aq_semaphore_retain(older->left);
    a->waits[task.sync.wait_count++] = (aq_point){left, older->turn};
  }
  if (b)
    block_hold(pool, b, a);
  aq_unlock(queue->sync_domain, &pool->lock);
  if (!b) {
    free(a);
    *out = NULL;
    return alloca_refuse(sync, &words);
  }
  task.sync.waits = a->waits;
  task.on_done = alloca_done;
  task.on_done_user = a;
  *out = address; /* before: a waiter for the signal may read it */
  aq_status status = aq_task_submit(queue, &task, diag);
  aq_semaphore_release(left);
  if (status == AQ_OK)
    return AQ_OK;
  *out = NULL;
  alloca_done(status, NULL, a);
  return status;
}

aq_status aq_queue_alloca(aq_queue *queue, const aq_sync *sync,
                          const aq_memory_request *request, void **out,
                          aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_ALLOCA, sync, request);
  aq_status status = alloca_submit(queue, sync, request, out, diag);
  const aq_submit_hooks *hooks = queue->context->hooks;
  if (hooks)
    hooks->end(token, status, status == AQ_OK ? *out : NULL, hooks->user);
  return status;
}

/* The semaphore that the next dealloca raises, and to what: that of the last
 * one if it is complete. With the lock. */
static aq_status left_choose(aq_pool *pool, block *b, aq_diag *diag)
{
  if (b->left && aq_semaphore_value(b->left) == b->turn) {
    b->turn++;
    return AQ_OK;
  }
  aq_semaphore *left;
  aq_status status = aq_semaphore_make(pool->context, 0, 0, &left, diag);
  if (status != AQ_OK)
    return status;
  aq_semaphore_release(b->left);
  b->left = left;
  b->turn = 1;
  return AQ_OK;
}

/* Asks for the dealloca of an address, and adds its points. With the lock. */
static aq_status departure_begin(aq_pool *pool, departure *d, void *address,
                                 aq_queue *queue, aq_sync *sync, aq_diag *diag)
{
  uint64_t found = 0;
  aq_map_get(&pool->blocks, (uintptr_t)address, &found);
  block *b = (block *)(uintptr_t)found;
  if (!b || !b->newest || b->newest->state != AQ_ALLOCATION_LIVE)
    return aq_diag_set(diag, AQ_ERR_INVALID, "dealloca: %p is not allocated%s",
                       address, b ? " any more" : "");
  aq_status status = left_choose(pool, b, diag);
  if (status != AQ_OK)
    return status;
  allocation *a = (allocation *)b->newest;
  const allocation *older = (const allocation *)a->chain.older;
  aq_point *waits = d->points, *signals = waits + sync->wait_count + 1;
  if (older) {
    d->after = aq_semaphore_retain(older->left);
    waits[sync->wait_count++] = (aq_point){older->left, older->turn};
  }
  aq_semaphore_release(a->left);
  a->left = aq_semaphore_retain(b->left);
  a->turn = b->turn;
  a->who = queue;
  a->refs++;
  d->allocation = a;
  d->left = aq_semaphore_retain(b->left);
  signals[sync->signal_count++] = (aq_point){d->left, a->turn};
  sync->waits = waits;
  sync->signals = signals;
  allocation_turn(a, AQ_DEALLOCA_REQUESTED);
  return AQ_OK;
}

/* `accepted`: it is under way, or over. With the lock. */
static void departure_go(departure *d, bool accepted)
{
  if (!accepted) {
    allocation_turn(d->allocation, AQ_DEALLOCA_REFUSED);
    d->refs--;
  } else if (!d->ended) {
    allocation_turn(d->allocation, AQ_DEALLOCA_ACCEPTED);
  }
  departure_release(d);
}

/* The pool that has it: of the queue's device, else of another. */
static aq_pool *pool_of(const aq_queue *queue, const void *address)
{
  aq_context *context = queue->context;
  for (uint32_t i = 0; i < context->info.device_count; i++) {
    aq_pool *pool = &context->pools[i];
    aq_lock(context->sync_domain, &pool->lock);
    const bool found = aq_map_get(&pool->blocks, (uintptr_t)address, NULL);
    aq_unlock(context->sync_domain, &pool->lock);
    if (found)
      return pool;
  }
  return &context->pools[queue->options.device];
}

static departure *departure_make(const aq_sync *sync, aq_diag *diag)
{
  const uint64_t count = UINT64_C(2) + sync->wait_count + sync->signal_count;
  departure *d = calloc(1, sizeof *d + count * sizeof *d->points);
  if (!d) {
    aq_diag_no_memory(diag);
    return NULL;
  }
  d->refs = 2;
  if (sync->wait_count > 0)
    memcpy(d->points, sync->waits, sync->wait_count * sizeof *d->points);
  if (sync->signal_count > 0)
    memcpy(d->points + sync->wait_count + 1, sync->signals,
           sync->signal_count * sizeof *d->points);
  return d;
}

static aq_status dealloca_submit(aq_queue *queue, const aq_sync *sync,
                                 void *address, aq_diag *diag)
{
  aq_pool *pool = pool_of(queue, address);
  aq_task task = aq_task_init(&dealloca_class, sync);
  departure *d = departure_make(&task.sync, diag);
  if (!d)
    return AQ_ERR_NO_MEMORY;
  aq_lock(queue->sync_domain, &pool->lock);
  aq_status status = departure_begin(pool, d, address, queue, &task.sync, diag);
  aq_unlock(queue->sync_domain, &pool->lock);
  if (status != AQ_OK) {
    free(d);
    return status;
  }
  task.on_done = dealloca_done;
  task.on_done_user = d;
  status = aq_task_submit(queue, &task, diag);
  aq_lock(queue->sync_domain, &pool->lock);
  departure_go(d, status == AQ_OK);
  aq_unlock(queue->sync_domain, &pool->lock);
  return status;
}

aq_status aq_queue_dealloca(aq_queue *queue, const aq_sync *sync, void *address,
                            aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_DEALLOCA, sync, address);
  return aq_submit_hooks_end(queue->context, token,
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

void aq_pools_destroy(aq_context *context)
{
  for (uint32_t i = 0; context->pools && i < context->info.device_count; i++) {
    aq_pool *pool = &context->pools[i];
    while (pool->all)
      block_destroy(pool, pool->all);
    aq_map_fini(&pool->blocks);
    pthread_mutex_destroy(&pool->lock);
  }
  free(context->pools);
}

void aq_context_memory(aq_context *context, uint32_t device,
                       aq_memory_stats *out)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->sync_domain, &pool->lock);
  *out = pool->stats;
  aq_unlock(context->sync_domain, &pool->lock);
}

void aq_context_memory_limit(aq_context *context, uint32_t device,
                             uint64_t bytes)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->sync_domain, &pool->lock);
  pool->stats.limit = bytes;
  aq_unlock(context->sync_domain, &pool->lock);
}

uint64_t aq_context_memory_trim(aq_context *context, uint32_t device)
{
  aq_pool *pool = &context->pools[device];
  aq_lock(context->sync_domain, &pool->lock);
  const uint64_t bytes = pool_trim(pool);
  aq_unlock(context->sync_domain, &pool->lock);
  return bytes;
}
