/* SPDX-License-Identifier: MIT */
/* Reads of files, and the staging memory that they take. */
#include "queue/ground.h"

#include <sys/mman.h>
#include <unistd.h>

#include "queue/operations.h"

static const aq_transport_ops *uncounted;
static unsigned staged; /* atomic: pieces of staging memory */

static aq_status mem_alloc_counted(aq_transport *t, uint32_t device,
                                   aq_memory_kind kind, size_t size, void **out,
                                   aq_diag *diag)
{
  if (kind == AQ_MEMORY_HOST)
    __atomic_fetch_add(&staged, 1, __ATOMIC_RELAXED);
  return uncounted->mem_alloc(t, device, kind, size, out, diag);
}

static void files_that_wait_for_their_turn_take_no_staging(ground *g)
{
  enum { READS = 12, SIZE = 3 << 20 };
  const int fd = memfd_create("file", MFD_CLOEXEC);
  aq_transport_ops counting = *g->ops;
  ground other = *g;
  void *memory;
  ck_assert_int_eq(ftruncate(fd, SIZE), 0);
  ck_assert_ok(
      g, g->ops->mem_alloc(g->t, 0, AQ_MEMORY_DEVICE, SIZE, &memory, &g->diag));
  uncounted = g->ops;
  counting.mem_alloc = mem_alloc_counted;
  g->t->ops = &counting;
  ck_assert_ok(g, aq_context_create(
                      &(aq_context_options){.size = sizeof(aq_context_options),
                                            .transport = g->t,
                                            .way = g->kind->way},
                      &other.context, &g->diag));
  aq_queue *queue = ground_queue(&other, NULL);
  staged = 0;
  for (int i = 0; i < READS; i++)
    ck_assert_ok(g, aq_queue_read(queue, NULL,
                                  &(aq_file_range){
                                      .fd = fd, .memory = memory, .size = SIZE},
                                  &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_le(__atomic_load_n(&staged, __ATOMIC_RELAXED), 2);
  aq_queue_destroy(queue);
  aq_context_destroy(other.context);
  g->t->ops = uncounted;
  g->ops->mem_free(g->t, memory);
  close(fd);
}

static const ground_case cases[] = {
    GROUND_CASE(files_that_wait_for_their_turn_take_no_staging),
};

int main(void)
{
  return ground_main("queue/file_io", cases, sizeof cases / sizeof *cases);
}
