/* SPDX-License-Identifier: MIT */
/* Priority and CU mask of a queue, on every transport. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue/capture/capture.h"
#include "queue/capture/capture_player.h"
#include "queue/capture/reader.h"
#include "queue/ground.h"

static aq_status queue_try(ground *g, aq_queue_options options, aq_queue **out)
{
  options.size_of = sizeof options;
  options.size = 64;
  *out = NULL;
  return aq_queue_create(g->context, &options, out, &g->diag);
}

/* Time of the transport for 64 workgroups of 10 us each. */
static aq_time masked_takes(ground *g, const uint32_t *mask, uint32_t bits)
{
  static const aq_kernel_desc desc = {
      .name = "waves", .cost = {.kind = AQ_COST_WORKGROUP, .base = 10 * AQ_US}};
  aq_kernel_info info;
  aq_queue *queue;
  ck_assert_ok(g, g->ops->kernel_register(g->t, &desc, &info, &g->diag));
  ck_assert_ok(
      g, queue_try(g, (aq_queue_options){.cu_mask = mask, .cu_mask_bits = bits},
                   &queue));
  const aq_time begin = g->ops->now(g->t);
  ck_assert_ok(g, aq_queue_dispatch(queue, NULL,
                                    &(aq_launch){.object = info.object,
                                                 .grid = {64 * 1024, 1, 1},
                                                 .workgroup = {1024, 1, 1}},
                                    &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  const aq_time took = g->ops->now(g->t) - begin;
  aq_queue_destroy(queue);
  g->ops->kernel_unregister(g->t, info.object);
  return took;
}

static void a_mask_of_fewer_compute_units_takes_longer(ground *g)
{
  const uint32_t caps = AQ_CAP_CU_MASK | AQ_CAP_VIRTUAL_TIME | AQ_CAP_TIMING;
  uint32_t few[2] = {3, 0}, many[2] = {UINT32_MAX, UINT32_MAX};
  if ((g->info.caps & caps) != caps)
    return;
  const aq_time slow = masked_takes(g, few, 64);
  const aq_time fast = masked_takes(g, many, 64);
  ck_assert_int_gt(slow, 4 * fast);
  ck_assert_int_le(masked_takes(g, NULL, 0), fast);
}

static void properties_are_taken_or_refused_by_name(ground *g)
{
  const uint32_t mask[2] = {0x33, 0};
  aq_queue *queue;
  for (int32_t priority = -1; priority <= 1; priority++) {
    const aq_status status =
        queue_try(g, (aq_queue_options){.priority = priority}, &queue);
    const bool has = priority == 0 || g->info.caps & AQ_CAP_PRIORITY;
    ck_assert_int_eq(status, has ? AQ_OK : AQ_ERR_UNSUPPORTED);
    if (!has)
      ck_assert_ptr_nonnull(strstr(g->diag.text, "its queues have no "));
    aq_queue_destroy(queue);
  }
  const aq_status status = queue_try(
      g, (aq_queue_options){.cu_mask = mask, .cu_mask_bits = 64}, &queue);
  ck_assert_int_eq(status,
                   g->info.caps & AQ_CAP_CU_MASK ? AQ_OK : AQ_ERR_UNSUPPORTED);
  aq_queue_destroy(queue);
}

static void masks_and_priorities_that_cannot_be_are_refused(ground *g)
{
  uint32_t mask[32] = {0};
  const uint32_t cus = g->info.devices[0].cus;
  aq_queue *queue;
  ck_assert_int_eq(queue_try(g, (aq_queue_options){.priority = 2}, &queue),
                   AQ_ERR_INVALID);
  if (!(g->info.caps & AQ_CAP_CU_MASK))
    return;
  ck_assert_int_eq(
      queue_try(g, (aq_queue_options){.cu_mask = mask, .cu_mask_bits = 64},
                &queue),
      AQ_ERR_INVALID); /* none */
  mask[0] = 1;
  ck_assert_int_eq(
      queue_try(g, (aq_queue_options){.cu_mask = mask, .cu_mask_bits = 33},
                &queue),
      AQ_ERR_INVALID);
  ck_assert_int_eq(queue_try(g, (aq_queue_options){.cu_mask = mask}, &queue),
                   AQ_ERR_INVALID);
  ck_assert_uint_lt(cus, 1024);
  mask[cus / 32] |= 1u << cus % 32;
  ck_assert_int_eq(
      queue_try(g, (aq_queue_options){.cu_mask = mask, .cu_mask_bits = 1024},
                &queue),
      AQ_ERR_INVALID);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "CU mask: compute unit "));
}

/* Of a caller that was built before they came: what lies there is no option. */
static void options_of_an_older_caller_have_none_of_them(ground *g)
{
  const aq_queue_options options = {.size_of =
                                        offsetof(aq_queue_options, priority),
                                    .size = 64,
                                    .priority = 2,
                                    .cu_mask_bits = 33};
  aq_queue *queue = NULL;
  ck_assert_ok(g, aq_queue_create(g->context, &options, &queue, &g->diag));
  aq_queue_destroy(queue);
}

static void captures_keep_the_properties(ground *g)
{
  const uint32_t mask[2] = {0x33, 0};
  char path[4096];
  aq_capture *capture;
  aq_cap_file *file;
  aq_cap_player *player;
  aq_cap_played played;
  aq_queue *queue;
  if (!(g->info.caps & AQ_CAP_CU_MASK))
    return;
  snprintf(path, sizeof path, "%s/properties.aqcap", aqtest_tmpdir());
  ck_assert_ok(g, aq_capture_create(g->context, &capture, &g->diag));
  ck_assert_ok(g, queue_try(g,
                            (aq_queue_options){.priority = 1,
                                               .cu_mask = mask,
                                               .cu_mask_bits = 64},
                            &queue));
  ck_assert_ok(g, aq_queue_barrier(queue, NULL, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, aq_capture_finish(capture, path, &g->diag));
  aq_capture_destroy(capture);
  aq_queue_destroy(queue);
  ck_assert_ok(g, aq_cap_file_open(path, &file, &g->diag));
  const aq_cap_queue *q = aq_cap_fixed(file->records[0]);
  const aq_cap_queue_properties *p = (const void *)(q + 1);
  ck_assert_uint_eq(file->records[0]->kind, AQ_CAP_QUEUE);
  ck_assert_uint_eq(file->records[0]->size, sizeof *q + sizeof *p + 8);
  ck_assert_int_eq(p->priority, 1);
  ck_assert_mem_eq(p + 1, mask, sizeof mask);
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = g->t};
  if (aq_cap_player_create(file, &options, &player, &g->diag) == AQ_OK) {
    ck_assert_ok(g, aq_cap_player_run(player, &played, &g->diag));
    ck_assert_uint_eq(played.plain_queues, 0);
    aq_cap_player_destroy(player);
  } else {
    ck_assert(ground_hides(g));
  }
  aq_cap_file_close(file);
  unlink(path);
}

static const ground_case cases[] = {
    GROUND_CASE(a_mask_of_fewer_compute_units_takes_longer),
    GROUND_CASE(properties_are_taken_or_refused_by_name),
    GROUND_CASE(masks_and_priorities_that_cannot_be_are_refused),
    GROUND_CASE(options_of_an_older_caller_have_none_of_them),
    GROUND_CASE(captures_keep_the_properties),
};

int main(void)
{
  return ground_main("queue/properties", cases, sizeof cases / sizeof *cases);
}
