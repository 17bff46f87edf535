/* SPDX-License-Identifier: MIT */
#include "queue/stress.h"

#include "queue/operations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 128, WAITS = 3, BYTES = 192 };

typedef struct chain {
  struct stress *stress;
  unsigned number;
  aq_semaphore *semaphore;
  uint64_t cell;
  unsigned char *bytes;                    /* of the device: BYTES twice */
  unsigned char a[BYTES], expected[BYTES]; /* expected contents */
  uint64_t submitted; /* atomic: points below are promised */
  uint64_t released;  /* atomic */
} chain;

typedef struct stress {
  ground *g;
  const stress_plan *plan;
  aq_queue *queues[STRESS_QUEUES];
  chain chains[STRESS_THREADS];
} stress;

static void released(aq_status status, void *user)
{
  chain *c = user;
  if (status == AQ_OK)
    __atomic_fetch_add(&c->released, 1, __ATOMIC_RELAXED);
}

static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static uint32_t waits_choose(chain *c, uint64_t step, uint64_t *random,
                             aq_point *waits)
{
  const stress *s = c->stress;
  uint32_t count = 0;
  waits[count++] = (aq_point){c->semaphore, step};
  while (count < WAITS && next(random) % 2) {
    const chain *other = &s->chains[next(random) % s->plan->threads];
    const uint64_t known = __atomic_load_n(&other->submitted, __ATOMIC_ACQUIRE);
    if (known > 0)
      waits[count++] = (aq_point){
          other->semaphore, known - next(random) % (known < 8 ? known : 8)};
  }
  return count;
}

/* Check writes a line for each assertion that holds, which would be most of the
 * measured time: this one reports only failures. */
static void require(aq_status status, const aq_diag *diag)
{
  if (status != AQ_OK)
    ck_assert_status(status, AQ_OK, diag);
}

/* Some steps move bytes instead: a filled or updated, or copied to the others,
 * by a kernel, an engine or the host. Which ones is known beforehand. */
static unsigned transfer_of(const chain *c, uint64_t step)
{
  return (unsigned)((step * 2654435761u + c->number * 40503u) >> 7) % 16;
}

enum { TRANSFERS = 6 };

static aq_status transfer_submit(chain *c, aq_queue *queue, const aq_sync *sync,
                                 uint64_t step, aq_diag *diag)
{
  const unsigned kind = transfer_of(c, step);
  const size_t at = step % (BYTES / 2), size = 1 + step % (BYTES / 2);
  const unsigned char byte = (unsigned char)(step * 7 + c->number);
  if (kind == 0) {
    memset(c->a + at, byte, size);
    return aq_queue_fill(queue, sync,
                         &(aq_fill){c->bytes + at, size, byte, 1, 0}, diag);
  }
  if (kind < 3) {
    unsigned char update[BYTES / 2];
    memset(update, byte ^ 0x55, sizeof update);
    memcpy(c->a + at, update, size);
    return aq_queue_update(
        queue, sync,
        &(aq_update){c->bytes + at, update, (uint32_t)size,
                     kind == 1 ? AQ_COPY_KERNEL : AQ_COPY_HOST},
        diag);
  }
  memcpy(c->expected + at, c->a + at, size);
  return aq_queue_copy(queue, sync,
                       &(aq_copy){c->bytes + BYTES + at, c->bytes + at, size,
                                  AQ_PATH_OWN, kind - 2},
                       diag);
}

static aq_status step_submit(chain *c, aq_queue *queue, const aq_sync *sync,
                             uint64_t step, aq_diag *diag)
{
  if (transfer_of(c, step) < TRANSFERS)
    return transfer_submit(c, queue, sync, step, diag);
  const ground_step args = {&c->cell, step};
  return aq_queue_dispatch(queue, sync,
                           &(aq_launch){.object = c->stress->g->kernel,
                                        .grid = {1, 1, 1},
                                        .workgroup = {1, 1, 1},
                                        .kernargs = &args,
                                        .kernarg_size = sizeof args},
                           diag);
}

static void *chain_main(void *user)
{
  chain *c = user;
  stress *s = c->stress;
  uint64_t random = s->plan->seed * 977 + c->number * 7919 + 1;
  aq_diag diag = AQ_DIAG_INIT;
  for (uint64_t step = 0; step < s->plan->steps; step++) {
    aq_point waits[WAITS];
    const aq_point signal = {c->semaphore, step + 1};
    const aq_sync sync = {.waits = waits,
                          .wait_count = waits_choose(c, step, &random, waits),
                          .signals = &signal,
                          .signal_count = 1,
                          .flags = next(&random) % 4 ? 0 : AQ_SYNC_DEFER,
                          .release = released,
                          .user = c};
    aq_queue *queue = s->queues[next(&random) % s->plan->queues];
    require(step_submit(c, queue, &sync, step, &diag), &diag);
    __atomic_store_n(&c->submitted, step + 1, __ATOMIC_RELEASE);
    if (step < WINDOW || next(&random) % 16)
      continue;
    uint64_t before, after;
    aq_semaphore_query(c->semaphore, &before, NULL);
    const aq_point back = {c->semaphore, step + 1 - WINDOW / 2};
    require(aq_semaphore_wait(&back, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag),
            &diag);
    require(aq_semaphore_query(c->semaphore, &after, &diag), &diag);
    if (after < before || after < back.value)
      ck_abort_msg("the semaphore went from %llu to %llu",
                   (unsigned long long)before, (unsigned long long)after);
  }
  return NULL;
}

void stress_run(ground *g, const stress_plan *plan)
{
  stress *s = calloc(1, sizeof *s);
  pthread_t threads[STRESS_THREADS];
  const bool live = g->info.caps & AQ_CAP_LIVE;
  s->g = g;
  s->plan = plan;
  for (unsigned i = 0; i < plan->queues; i++)
    s->queues[i] = ground_queue(
        g, &(aq_queue_options){.size = 64,
                               .notifications = 256,
                               .device = i % g->info.device_count});
  for (unsigned i = 0; i < plan->threads; i++)
    s->chains[i] = (chain){.stress = s,
                           .number = i,
                           .semaphore = ground_semaphore(g, 0),
                           .cell = i};
  for (unsigned i = 0; i < plan->threads; i++) {
    void *memory;
    ck_assert_status(g->ops->mem_alloc(g->t, 0, AQ_MEMORY_HOST, 2 * BYTES,
                                       &memory, &g->diag),
                     AQ_OK, &g->diag);
    s->chains[i].bytes = memset(memory, 0, 2 * BYTES);
  }
  for (unsigned i = 0; i < plan->threads; i++)
    if (live)
      ck_assert_int_eq(
          pthread_create(&threads[i], NULL, chain_main, &s->chains[i]), 0);
    else
      chain_main(&s->chains[i]);
  for (unsigned i = 0; live && i < plan->threads; i++)
    pthread_join(threads[i], NULL);
  for (unsigned i = 0; i < plan->threads; i++)
    ground_wait(g, s->chains[i].semaphore, plan->steps);
  for (unsigned i = 0; i < plan->queues; i++)
    aq_queue_destroy(s->queues[i]);
  for (unsigned i = 0; i < plan->threads; i++) {
    const chain *c = &s->chains[i];
    uint64_t expected = i;
    for (uint64_t step = 0; step < plan->steps; step++)
      if (transfer_of(c, step) >= TRANSFERS)
        expected = ground_stepped(expected, step);
    ck_assert_uint_eq(c->cell, expected);
    ck_assert_mem_eq(c->bytes, c->a, BYTES);
    ck_assert_mem_eq(c->bytes + BYTES, c->expected, BYTES);
    ck_assert_uint_eq(c->released, plan->steps);
    aq_semaphore_release(c->semaphore);
  }
  free(s);
}
