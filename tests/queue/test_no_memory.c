/* SPDX-License-Identifier: MIT */
/*
 * Memory runs out at each point in turn where the queue layer, and the
 * transport for it, asks for some: from the host (allocators are wrapped by the
 * linker) and from the device (its hook). Operations under way end with a clean
 * error, and all memory is freed.
 */
#include "queue/ground.h"
#include "queue/shortage.h"

#include <stdlib.h>
#include <string.h>

/* ---- everything once ---- */

static void noted(aq_status status, const char *cause, void *user)
{
  (void)status, (void)cause;
  ++*(unsigned *)user;
}

static void counted(aq_status status, void *user)
{
  (void)status;
  ++*(unsigned *)user;
}

typedef struct parts {
  aq_context *context;
  aq_queue *queues[2];
  aq_semaphore *go, *mid, *end;
  unsigned accepted, released, told, noticed;
} parts;

/* Submits one; an accepted one is released later. */
static aq_status step(ground *g, parts *p, int queue, aq_point wait,
                      aq_point signal, uint64_t *cell, uint64_t value)
{
  const ground_step args = {cell, value};
  const aq_sync sync = {.waits = &wait,
                        .wait_count = wait.semaphore != NULL,
                        .signals = &signal,
                        .signal_count = 1,
                        .release = counted,
                        .user = &p->released};
  aq_status status =
      aq_queue_dispatch(p->queues[queue], &sync,
                        &(aq_launch){.object = g->kernel,
                                     .grid = {1, 1, 1},
                                     .workgroup = {1, 1, 1},
                                     .kernargs = &args,
                                     .kernarg_size = sizeof args},
                        &g->diag);
  p->accepted += status == AQ_OK;
  return status;
}

static aq_status everything(ground *g, aq_edge_way way, parts *p,
                            uint64_t *cell)
{
  aq_status status = aq_context_create(
      &(aq_context_options){
          .size = sizeof(aq_context_options), .transport = g->t, .way = way},
      &p->context, &g->diag);
  for (int i = 0; i < 2 && status == AQ_OK; i++)
    status = aq_queue_create(
        p->context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = 64},
        &p->queues[i], &g->diag);
  aq_semaphore **const semaphores[] = {&p->go, &p->mid, &p->end};
  for (int i = 0; i < 3 && status == AQ_OK; i++)
    status = aq_semaphore_create(p->context, 0, 0, semaphores[i], &g->diag);
  if (status == AQ_OK)
    status = aq_semaphore_notify(p->end, 1, noted, &p->told, &g->diag);
  p->noticed = status == AQ_OK;
  if (status == AQ_OK) /* deferred, then an edge, then behind it */
    status =
        step(g, p, 0, (aq_point){p->go, 1}, (aq_point){p->mid, 1}, cell, 1);
  if (status == AQ_OK)
    status = step(g, p, 1, (aq_point){NULL, 0}, (aq_point){p->go, 1}, cell, 2);
  if (status == AQ_OK)
    status =
        step(g, p, 1, (aq_point){p->mid, 1}, (aq_point){p->end, 1}, cell, 3);
  const aq_point end = {p->end, 1};
  if (status == AQ_OK)
    status =
        aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag);
  return status;
}

static void parts_free(parts *p)
{
  aq_queue_destroy(p->queues[0]);
  aq_queue_destroy(p->queues[1]);
  aq_semaphore_release(p->go);
  aq_semaphore_release(p->mid);
  aq_semaphore_release(p->end);
  aq_context_destroy(p->context);
}

/* True while the allocation of that number is reached. */
static bool fails_cleanly(aq_edge_way way, long host, long device)
{
  const ground_kind kind = {"sim", "sim", AQ_MODE_VIRTUAL,
                            AQ_EDGE_BARRIER_VALUE};
  ground g;
  parts p = {0};
  uint64_t cell = 1;
  ground_open(&g, &kind, NULL, &shortage_hooks);
  shortage_begin(host, device);
  aq_status status = everything(&g, way, &p, &cell);
  const bool failed = shortage_over();
  parts_free(&p);
  ck_assert_uint_eq(p.released, p.accepted);
  ck_assert_uint_eq(p.told, p.noticed);
  if (failed && status != AQ_OK) {
    ck_assert_status(status, AQ_ERR_NO_MEMORY, &g.diag);
    ck_assert_int_ne(g.diag.text[0], 0);
  } else {
    ck_assert_status(status, AQ_OK, &g.diag);
    ck_assert_uint_eq(
        cell, ground_stepped(ground_stepped(ground_stepped(1, 2), 1), 3));
  }
  ground_close(&g);
  ck_assert_uint_eq(shortage_end(), 0);
  return failed;
}

START_TEST(every_allocation_of_the_host_may_fail)
{
  for (int way = AQ_EDGE_BARRIER_AND; way < AQ_EDGE_WAY_COUNT; way++) {
    long n = 0;
    while (fails_cleanly((aq_edge_way)way, n, -1))
      n++;
    ck_assert_int_ge(n, 10);
  }
}
END_TEST

START_TEST(every_allocation_of_the_device_may_fail)
{
  for (int way = AQ_EDGE_BARRIER_AND; way < AQ_EDGE_WAY_COUNT; way++) {
    long n = 0;
    while (fails_cleanly((aq_edge_way)way, -1, n))
      n++;
    ck_assert_int_ge(n, 5);
  }
}
END_TEST

AQ_TEST_MAIN("queue/no_memory", every_allocation_of_the_host_may_fail,
             every_allocation_of_the_device_may_fail)
