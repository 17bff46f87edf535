/* SPDX-License-Identifier: MIT */
/* Priority, CU mask and cooperative launches of a queue, on every transport. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmdbuf/kernel_occupancy.h"
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
  ck_assert_ptr_nonnull(strstr(g->diag.text, "CU mask: sets compute unit "));
}

/* ---- cooperative launches ---- */

static bool has_cooperative(const ground *g)
{
  return aq_device_caps(&g->info, 0) & AQ_CAP_COOPERATIVE;
}

enum { GROUP = 256 };

/* Four waves of a quarter of a SIMD's registers each. */
static uint64_t kernel_of_quarters(ground *g)
{
  const aq_kernel_desc desc = {
      .name = "quarters",
      .vgprs = 128,
      .sgprs = 16,
      .wave_size = 64,
      .cost = {.kind = AQ_COST_WORKGROUP, .base = 100 * AQ_US}};
  aq_kernel_info info;
  ck_assert_ok(g, g->ops->kernel_register(g->t, &desc, &info, &g->diag));
  return info.object;
}

static aq_status groups_launch(ground *g, aq_queue *queue, uint64_t object,
                               uint64_t groups)
{
  const aq_launch launch = {.object = object,
                            .grid = {(uint32_t)groups * GROUP, 1, 1},
                            .workgroup = {GROUP, 1, 1}};
  return aq_queue_dispatch(queue, NULL, &launch, &g->diag);
}

static aq_time groups_take(ground *g, aq_queue *queue, uint64_t object,
                           uint64_t groups)
{
  const aq_time begin = g->ops->now(g->t);
  ck_assert_ok(g, groups_launch(g, queue, object, groups));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  return g->ops->now(g->t) - begin;
}

static void a_cooperative_launch_fits_at_once_or_is_refused(ground *g)
{
  const uint32_t timed = AQ_CAP_VIRTUAL_TIME | AQ_CAP_TIMING;
  aq_queue *queue, *plain;
  aq_occupancy fit;
  char count[32];
  if (!has_cooperative(g) || !(g->info.caps & AQ_CAP_HOST_KERNELS))
    return;
  const uint64_t object = kernel_of_quarters(g);
  ck_assert_ok(g,
               aq_kernel_occupancy(g->t, 0, object, GROUP, 0, &fit, &g->diag));
  ck_assert_ok(g,
               queue_try(g, (aq_queue_options){.cooperative = true}, &queue));
  ck_assert_int_eq(groups_launch(g, queue, object, fit.workgroups + 1),
                   AQ_ERR_INVALID);
  snprintf(count, sizeof count, "%llu", (unsigned long long)fit.workgroups + 1);
  ck_assert_ptr_nonnull(strstr(g->diag.text, count));
  snprintf(count, sizeof count, "%llu", (unsigned long long)fit.workgroups);
  ck_assert_ptr_nonnull(strstr(g->diag.text, count));
  ck_assert_ptr_nonnull(strstr(g->diag.text, "vector registers"));
  const aq_time all = groups_take(g, queue, object, fit.workgroups);
  ck_assert_ok(g, queue_try(g, (aq_queue_options){.priority = 0}, &plain));
  const aq_time more = groups_take(g, plain, object, fit.workgroups + 1);
  if ((g->info.caps & timed) == timed) {
    ck_assert_int_lt(all, 200 * AQ_US);
    ck_assert_int_gt(more, 200 * AQ_US);
  }
  aq_queue_destroy(plain);
  aq_queue_destroy(queue);
  g->ops->kernel_unregister(g->t, object);
}

static void a_device_has_one_cooperative_queue(ground *g)
{
  const aq_queue_options options = {.cooperative = true};
  aq_queue *one, *two;
  const aq_status status = queue_try(g, options, &one);
  if (!has_cooperative(g)) {
    ck_assert_int_eq(status, AQ_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(g->diag.text, "cooperative queues"));
    return;
  }
  ck_assert_ok(g, status);
  ck_assert_int_eq(queue_try(g, options, &two), AQ_ERR_RESOURCES);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "in use"));
  aq_queue_destroy(one);
  ck_assert_ok(g, queue_try(g, options, &two));
  aq_queue_destroy(two);
}

static void a_cooperative_queue_refuses_what_it_cannot_count(ground *g)
{
  const uint32_t mask[1] = {1};
  const aq_launch unknown = {
      .object = 0x40, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  aq_builder *builder;
  aq_link *link;
  aq_queue *queue;
  if (!has_cooperative(g))
    return;
  ck_assert_int_eq(queue_try(g,
                             (aq_queue_options){.cooperative = true,
                                                .cu_mask = mask,
                                                .cu_mask_bits = 32},
                             &queue),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_ok(g,
               queue_try(g, (aq_queue_options){.cooperative = true}, &queue));
  ck_assert_int_eq(aq_queue_dispatch(queue, NULL, &unknown, &g->diag),
                   AQ_ERR_UNSUPPORTED);
  link = ground_steps_link(g, 3, &builder);
  ck_assert_int_eq(
      aq_queue_execute(queue, NULL, &(aq_execution){.link = link}, &g->diag),
      AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "command buffers"));
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_queue_destroy(queue);
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

static void captures_keep_that_a_queue_is_cooperative(ground *g)
{
  char path[4096];
  aq_capture *capture;
  aq_cap_file *file;
  aq_cap_player *player;
  aq_cap_played played;
  aq_queue *queue;
  if (!has_cooperative(g))
    return;
  snprintf(path, sizeof path, "%s/cooperative.aqcap", aqtest_tmpdir());
  ck_assert_ok(g, aq_capture_create(g->context, &capture, &g->diag));
  ck_assert_ok(g,
               queue_try(g, (aq_queue_options){.cooperative = true}, &queue));
  ck_assert_ok(g, aq_queue_barrier(queue, NULL, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, aq_capture_finish(capture, path, &g->diag));
  aq_capture_destroy(capture);
  ck_assert_ok(g, aq_cap_file_open(path, &file, &g->diag));
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = g->t};
  if (aq_cap_player_create(file, &options, &player, &g->diag) == AQ_OK) {
    /* The device's only one is in use. */
    ck_assert_int_eq(aq_cap_player_run(player, &played, &g->diag),
                     AQ_ERR_RESOURCES);
    aq_cap_player_destroy(player);
    aq_queue_destroy(queue);
    ck_assert_ok(g, aq_cap_player_create(file, &options, &player, &g->diag));
    ck_assert_ok(g, aq_cap_player_run(player, &played, &g->diag));
    ck_assert_uint_eq(played.plain_queues, 0);
    aq_cap_player_destroy(player);
  } else {
    ck_assert(ground_hides(g));
    aq_queue_destroy(queue);
  }
  aq_cap_file_close(file);
  unlink(path);
}

static const ground_case cases[] = {
    GROUND_CASE(a_mask_of_fewer_compute_units_takes_longer),
    GROUND_CASE(properties_are_taken_or_refused_by_name),
    GROUND_CASE(masks_and_priorities_that_cannot_be_are_refused),
    GROUND_CASE(a_cooperative_launch_fits_at_once_or_is_refused),
    GROUND_CASE(a_device_has_one_cooperative_queue),
    GROUND_CASE(a_cooperative_queue_refuses_what_it_cannot_count),
    GROUND_CASE(options_of_an_older_caller_have_none_of_them),
    GROUND_CASE(captures_keep_the_properties),
    GROUND_CASE(captures_keep_that_a_queue_is_cooperative),
};

int main(void)
{
  return ground_main("queue/properties", cases, sizeof cases / sizeof *cases);
}
