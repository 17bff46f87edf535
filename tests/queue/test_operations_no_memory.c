/* SPDX-License-Identifier: MIT */
/* Each kind of operation while memory runs out at each allocation in turn: an
 * accepted one ends, with success or with a clean error, and nothing leaks. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue/ground.h"
#include "queue/operations.h"
#include "queue/shortage.h"

enum { SIZE = (1 << 20) + 5 /* two pieces */, PART = 65536 };

typedef struct parts {
  ground *g;
  aq_context *context;
  aq_queue *queue, *other;
  aq_semaphore *done;
  unsigned char *device, *host;
  int fd;
  unsigned accepted, released;
  uint64_t value; /* of done */
} parts;

static void counted(aq_status status, void *user)
{
  (void)status;
  ++*(unsigned *)user;
}

static aq_status called(void *user, aq_diag *diag)
{
  (void)user, (void)diag;
  return AQ_OK;
}

typedef aq_status submit(parts *p, aq_queue *queue, const aq_sync *sync);

static aq_status fill(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_fill(queue, sync, &(aq_fill){p->device, 64, 1, 1, 0},
                       &p->g->diag);
}

static aq_status update(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_update(queue, sync, &(aq_update){p->device, "abc", 3, 0},
                         &p->g->diag);
}

static aq_status update_by_host(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_update(queue, sync,
                         &(aq_update){p->device, "abc", 3, AQ_COPY_HOST},
                         &p->g->diag);
}

static aq_status copy(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_copy(
      queue, sync,
      &(aq_copy){p->device, p->host, PART, AQ_PATH_HOST, AQ_COPY_ENGINE},
      &p->g->diag);
}

static aq_status file_read(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_read(queue, sync, &(aq_file_range){p->fd, 0, p->device, SIZE},
                       &p->g->diag);
}

static aq_status file_write(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_write(
      queue, sync, &(aq_file_range){p->fd, 0, p->device, SIZE}, &p->g->diag);
}

static aq_status host_call(parts *p, aq_queue *queue, const aq_sync *sync)
{
  return aq_queue_host_call(queue, sync, &(aq_host_call){.function = called},
                            &p->g->diag);
}

static aq_status memory(parts *p, aq_queue *queue, const aq_sync *sync)
{
  void *address;
  aq_status status =
      aq_queue_alloca(queue, NULL, &(aq_memory_request){AQ_MEMORY_DEVICE, 1000},
                      &address, &p->g->diag);
  if (status == AQ_OK && !address)
    return aq_diag_set(&p->g->diag, AQ_ERR_NO_MEMORY, "alloca failed");
  if (status == AQ_OK)
    status = aq_queue_dealloca(queue, sync, address, &p->g->diag);
  return status;
}

static submit *const operations[] = {fill,      update,    update_by_host,
                                     copy,      file_read, file_write,
                                     host_call, memory};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* On one queue, then on another one that waits for it. */
static aq_status twice(parts *p, submit *operation)
{
  aq_status status = AQ_OK;
  for (int i = 0; i < 2 && status == AQ_OK; i++) {
    const aq_point wait = {p->done, p->value}, signal = {p->done, p->value + 1};
    const aq_sync sync = {.waits = &wait,
                          .wait_count = 1,
                          .signals = &signal,
                          .signal_count = 1,
                          .release = counted,
                          .user = &p->released};
    status = operation(p, i == 0 ? p->queue : p->other, &sync);
    p->accepted += status == AQ_OK;
    p->value += status == AQ_OK;
  }
  const aq_point end = {p->done, p->value};
  return status == AQ_OK ? aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX,
                                             NULL, &p->g->diag)
                         : status;
}

static aq_status everything(parts *p, aq_edge_way way, submit *operation)
{
  ground *g = p->g;
  aq_status status = aq_context_create(
      &(aq_context_options){
          .size = sizeof(aq_context_options), .transport = g->t, .way = way},
      &p->context, &g->diag);
  const aq_queue_options options = {.size_of = sizeof options, .size = 64};
  if (status == AQ_OK)
    status = aq_queue_create(p->context, &options, &p->queue, &g->diag);
  if (status == AQ_OK)
    status = aq_queue_create(p->context, &options, &p->other, &g->diag);
  if (status == AQ_OK)
    status = aq_semaphore_create(p->context, 0, 0, &p->done, &g->diag);
  return status == AQ_OK ? twice(p, operation) : status;
}

/* True while the allocation of that number is reached. */
static bool fails_cleanly(aq_edge_way way, submit *operation, long host,
                          long device)
{
  const ground_kind kind = {"sim", "sim", AQ_MODE_VIRTUAL,
                            AQ_EDGE_BARRIER_VALUE};
  ground g;
  parts p = {.g = &g};
  void *memory;
  ground_open(&g, &kind, NULL, &shortage_hooks);
  p.fd = memfd_create("test", MFD_CLOEXEC);
  ck_assert_int_eq(ftruncate(p.fd, SIZE), 0);
  ck_assert_ok(
      &g, g.ops->mem_alloc(g.t, 0, AQ_MEMORY_DEVICE, SIZE, &memory, &g.diag));
  p.device = memory;
  ck_assert_ok(
      &g, g.ops->mem_alloc(g.t, 0, AQ_MEMORY_HOST, PART, &memory, &g.diag));
  p.host = memory;
  shortage_begin(host, device);
  const aq_status status = everything(&p, way, operation);
  const bool failed = shortage_over();
  aq_queue_destroy(p.queue);
  aq_queue_destroy(p.other);
  aq_semaphore_release(p.done);
  aq_context_destroy(p.context);
  ck_assert_uint_eq(p.released, p.accepted);
  if (failed && status != AQ_OK) {
    ck_assert_msg(status == AQ_ERR_NO_MEMORY || status == AQ_ERR_RESOURCES ||
                      status == AQ_ERR_DEADLOCK,
                  "%s", g.diag.text);
    ck_assert_int_ne(g.diag.text[0], 0);
  } else {
    ck_assert_status(status, AQ_OK, &g.diag);
  }
  ground_close(&g);
  close(p.fd);
  ck_assert_msg(shortage_end() == 0, "way %d host %ld device %ld: %zu, %s", way,
                host, device, shortage_end(), status ? g.diag.text : "ok");
  return failed;
}

static void sweep(bool device)
{
  static const aq_edge_way ways[] = {AQ_EDGE_BARRIER_AND,
                                     AQ_EDGE_BARRIER_VALUE};
  for (int way = 0; way < 2; way++)
    for (int i = 0; i < OPERATIONS; i++) {
      long n = 0;
      while (fails_cleanly(ways[way], operations[i], device ? -1 : n,
                           device ? n : -1))
        n++;
      ck_assert_int_ge(n, 5);
    }
}

START_TEST(every_allocation_of_the_host_may_fail)
{
  sweep(false);
}
END_TEST

START_TEST(every_allocation_of_the_device_may_fail)
{
  sweep(true);
}
END_TEST

AQ_TEST_MAIN("queue/operations_no_memory",
             every_allocation_of_the_host_may_fail,
             every_allocation_of_the_device_may_fail)
