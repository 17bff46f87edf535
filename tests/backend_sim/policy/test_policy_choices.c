/* SPDX-License-Identifier: MIT */
/* Hooks by which a device asks a policy to choose: which packet, which copy,
 * which compute unit, which queue in which slot, and how many at once. */
#include "backend_sim/policy/policy_rig.h"

static const char *const ideal[] = {IDEAL, NULL};

/* One pipe of two slots: a third queue has to take one of another. */
static const char *const crowded[] = {IDEAL, "pipes=1", "slots_per_pipe=2",
                                      NULL};

struct aq_policy {
  aq_policy_device *device;
  aq_time wakes;   /* nothing is answered before; 0: at once */
  bool last_first; /* pick and copy_pick answer the last one */
  uint32_t place;  /* compute unit */
  uint32_t starts, ends;
  uint32_t most, engines; /* copies that waited at once; engines that asked */
  uint32_t limit;
  aq_time limit_at[2], limit_ends; /* when it is set and lifted; 0: never */
  uint32_t slot;                   /* whose queue is the victim */
  aq_preempt_mode mode;
  uint32_t mapped;
  aq_diag failed;
  aq_policy_binding binding;
};

/* ---- the hooks ---- */

static void attach(aq_policy *p, aq_policy_device *device)
{
  p->device = device;
  if (p->wakes)
    device->timer_add(device, p->wakes, 0);
  if (p->limit)
    device->timer_add(device, 1, p->limit);
  if (p->limit_ends)
    device->timer_add(device, p->limit_ends, 0);
}

/* The number of packets that queue 0 may have running. */
static void device_timer(aq_policy *p, aq_policy_device *device,
                         uint64_t packets)
{
  if (p->limit)
    device->queue_limit(device, 0, (uint32_t)packets);
}

static uint32_t choose(const aq_policy *p, aq_policy_device *device,
                       uint32_t count)
{
  if (device->now(device) < p->wakes)
    return AQ_POLICY_NONE;
  return p->last_first ? count - 1 : 0;
}

static uint32_t pick(aq_policy *p, aq_policy_device *device, uint32_t pipe,
                     const aq_device_packet *packets, uint32_t count)
{
  (void)pipe;
  (void)packets;
  return choose(p, device, count);
}

static uint32_t copy_pick(aq_policy *p, aq_policy_device *device,
                          uint32_t engine, const aq_device_packet *copies,
                          uint32_t count)
{
  (void)copies;
  p->engines |= 1u << engine;
  p->most = count > p->most ? count : p->most;
  return choose(p, device, count);
}

static uint32_t place(aq_policy *p, aq_policy_device *device,
                      const aq_device_kernel *kernel, const aq_device_cu *cus,
                      uint32_t count)
{
  (void)device;
  (void)kernel;
  ck_assert_uint_eq(count, 4);
  return cus[p->place].free ? p->place : AQ_POLICY_NONE;
}

static void workgroup_start(aq_policy *p, aq_policy_device *device,
                            const aq_device_kernel *kernel, uint32_t cu)
{
  (void)kernel;
  (void)device;
  ck_assert_uint_eq(cu, p->place);
  p->starts++;
}

static void workgroup_done(aq_policy *p, aq_policy_device *device,
                           const aq_device_kernel *kernel, uint32_t cu)
{
  (void)device;
  (void)kernel;
  (void)cu;
  p->ends++;
}

/* A slot without a running queue; else, once, the test's choice. */
static void map(aq_policy *p, aq_policy_device *device, aq_mapping *out)
{
  aq_device_queue queue;
  uint32_t waiter = AQ_POLICY_NONE, busy = 0;
  for (uint32_t i = 0; i < device->queues; i++) {
    if (!device->queue(device, i, &queue) || queue.ready + queue.running == 0)
      continue;
    if (queue.slot != AQ_POLICY_NONE)
      busy |= 1u << queue.slot;
    else if (waiter == AQ_POLICY_NONE)
      waiter = i;
  }
  if (waiter == AQ_POLICY_NONE || (busy == 3 && p->mapped++ > 0))
    return;
  out->queue = waiter;
  out->slot = busy == 3 ? p->slot : busy & 1;
  out->mode = p->mode;
}

static const aq_policy_ops picking = {.abi = AQ_POLICY_ABI,
                                      .size = sizeof picking,
                                      .name = "picking",
                                      .needs = AQ_NEED_PICK,
                                      .attach = attach,
                                      .device_timer = device_timer,
                                      .pick = pick};

static const aq_policy_ops copying = {.abi = AQ_POLICY_ABI,
                                      .size = sizeof copying,
                                      .name = "copying",
                                      .needs = AQ_NEED_COPY_PICK,
                                      .attach = attach,
                                      .device_timer = device_timer,
                                      .copy_pick = copy_pick};

static const aq_policy_ops placing = {.abi = AQ_POLICY_ABI,
                                      .size = sizeof placing,
                                      .name = "placing",
                                      .needs = AQ_NEED_PLACE,
                                      .place = place,
                                      .workgroup_start = workgroup_start,
                                      .workgroup_done = workgroup_done};

static const aq_policy_ops limiting = {.abi = AQ_POLICY_ABI,
                                       .size = sizeof limiting,
                                       .name = "limiting",
                                       .needs = AQ_NEED_LIMIT,
                                       .attach = attach,
                                       .device_timer = device_timer};

static const aq_policy_ops mapping = {.abi = AQ_POLICY_ABI,
                                      .size = sizeof mapping,
                                      .name = "mapping",
                                      .needs = AQ_NEED_MAP | AQ_NEED_DRAIN |
                                               AQ_NEED_SWITCH,
                                      .map = map};

/* Queues 0, 1 and 2, the last in the place of the first; then no other. */
static void map_three(aq_policy *p, aq_policy_device *device, aq_mapping *out)
{
  (void)device;
  if (p->mapped == 3)
    return;
  out->queue = p->mapped;
  out->slot = p->mapped++ & 1;
  out->mode = AQ_PREEMPT_DRAIN;
}

static const aq_policy_ops mapping_three = {.abi = AQ_POLICY_ABI,
                                            .size = sizeof mapping_three,
                                            .name = "mapping three",
                                            .needs =
                                                AQ_NEED_MAP | AQ_NEED_DRAIN,
                                            .map = map_three};

static void failed(void *user, const char *text)
{
  aq_policy *p = user;
  aq_diag_set(&p->failed, AQ_ERR_INVALID, "%s", text);
}

static void open_with(rig *r, aq_policy *p, const aq_policy_ops *table,
                      const char *const *edits)
{
  p->failed = (aq_diag)AQ_DIAG_INIT;
  p->binding = (aq_policy_binding){.size = sizeof p->binding,
                                   .ops = table,
                                   .policy = p,
                                   .failed = failed,
                                   .identify = policy_identify,
                                   .user = p};
  rig_open_with(r, &aqsim_transport_ops,
                &(aq_transport_options){.edits = edits, .policy = &p->binding});
}

static void close_sound(rig *r, const aq_policy *p)
{
  ck_assert_str_eq(p->failed.text, "");
  rig_close(r);
}

static aq_time end_of(rig *r, const aq_ring *queue)
{
  return rig_record(r, queue, 0)->end;
}

/* ---- packets ---- */

START_TEST(a_policy_may_idle_and_choose_the_packet)
{
  rig r;
  aq_policy p = {.wakes = 3 * D, .last_first = true};
  const char *const one_pipe[] = {IDEAL, "pipes=1", NULL};
  open_with(&r, &p, &picking, one_pipe);
  aq_ring *first = policy_start(&r, 9), *second = policy_start(&r, 4);
  rig_run(&r);
  /* Both at 3 D, the second first: its last workgroup starts before. */
  ck_assert_int_eq(end_of(&r, second), 4 * D);
  ck_assert_int_eq(end_of(&r, first), 5 * D);
  close_sound(&r, &p);
}
END_TEST

/* Eight packets of a workgroup each without barriers on a device for eight. */
static void limited(aq_policy *p, aq_time ends[8])
{
  rig r;
  open_with(&r, p, &limiting, ideal);
  const uint64_t kernel = rig_kernel_with(
      &r, &(aq_kernel_desc){.name = "k",
                            .cost = {.kind = AQ_COST_WORKGROUP, .base = D}});
  aq_ring *queue = rig_queue(&r, 64);
  const aq_packet packet = rig_dispatch(kernel, false, rig_none);
  rig_sleep(&r, 2);
  for (int i = 0; i < 8; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  for (uint64_t i = 0; i < 8; i++)
    ends[i] = rig_record(&r, queue, i)->end - 2;
  close_sound(&r, p);
}

START_TEST(a_queue_runs_as_many_packets_at_once_as_its_limit)
{
  static const uint32_t limits[] = {0, 1, 2, 3, 8, 9};
  for (int i = 0; i < 6; i++) {
    aq_time ends[8];
    limited(&(aq_policy){.limit = limits[i]}, ends);
    for (uint32_t k = 0; k < 8; k++)
      ck_assert_int_eq(ends[k], limits[i] ? (k / limits[i] + 1) * D : D);
  }
}
END_TEST

START_TEST(a_limit_can_be_lifted_while_packets_wait)
{
  aq_time ends[8];
  limited(&(aq_policy){.limit = 2, .limit_ends = 2 + 3 * D / 2}, ends);
  for (int k = 0; k < 8; k++)
    ck_assert_int_eq(ends[k], k < 2 ? D : k < 4 ? 2 * D : 5 * D / 2);
}
END_TEST

/* ---- copies ---- */

/* Three copies on one engine, at once; which ended as the how manieth. */
static void copied(aq_policy *p, int order[3], aq_time *first_launch)
{
  static char bytes[3][64000];
  rig r;
  open_with(&r, p, &copying, NULL);
  for (int i = 0; i < 3; i++)
    ck_assert_status(r.t->ops->copy_async(r.t, 0, bytes[(i + 1) % 3], bytes[i],
                                          (size_t)(i + 1) * 1000, NULL, 0,
                                          rig_none, &r.diag),
                     AQ_OK, &r.diag);
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, 3);
  *first_launch = AQ_TIME_MAX;
  for (int i = 0; i < 3; i++) {
    order[i] = (int)(r.sink.rows[i].bytes / 1000);
    *first_launch = aq_time_min(*first_launch, r.sink.rows[i].start);
  }
  close_sound(&r, p);
}

START_TEST(a_copy_engine_takes_the_copy_that_the_policy_picks)
{
  int order[3];
  aq_time launch;
  aq_policy p = {0};
  copied(&p, order, &launch);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(order[i], i + 1);
  ck_assert_uint_eq(p.engines, 1);
  ck_assert_uint_eq(p.most, 2);
  /* The first had the engine for itself. */
  p = (aq_policy){.last_first = true};
  copied(&p, order, &launch);
  ck_assert_int_eq(order[0], 1);
  ck_assert_int_eq(order[1], 3);
  ck_assert_int_eq(order[2], 2);
}
END_TEST

START_TEST(a_copy_engine_idles_until_the_policy_wants_it)
{
  int order[3];
  aq_time launch, at_once;
  aq_policy p = {0};
  copied(&p, order, &at_once);
  p = (aq_policy){.wakes = 3 * D, .last_first = true};
  copied(&p, order, &launch);
  ck_assert_uint_eq(p.most, 3);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(order[i], 3 - i);
  ck_assert_int_eq(launch, at_once + 3 * D);
}
END_TEST

/* ---- workgroups ---- */

START_TEST(a_policy_may_place_every_workgroup)
{
  rig r;
  aq_policy p = {.place = 2};
  open_with(&r, &p, &placing, ideal);
  aq_ring *queue = policy_start(&r, 8);
  rig_run(&r);
  ck_assert_int_eq(end_of(&r, queue), 4 * D);
  ck_assert_uint_eq(p.starts, 8);
  ck_assert_uint_eq(p.ends, 8);
  close_sound(&r, &p);
}
END_TEST

/* ---- slots ---- */

/* Two queues of two waves in the slots; at D / 2 a third one of one wave takes
 * one of them. */
static void mapped(aq_policy *p, aq_time ends[3])
{
  rig r;
  open_with(&r, p, &mapping, crowded);
  aq_ring *queues[3];
  for (int i = 0; i < 2; i++)
    queues[i] = policy_start(&r, 4);
  for (int i = 0; i < 2; i++)
    policy_put(&r, queues[i], 4);
  rig_sleep(&r, D / 2);
  queues[2] = policy_start(&r, 4);
  rig_run(&r);
  for (int i = 0; i < 3; i++)
    ends[i] = rig_record(&r, queues[i], i < 2)->end;
  close_sound(&r, p);
}

START_TEST(the_policy_chooses_the_victim_and_how_it_leaves)
{
  for (uint32_t slot = 0; slot < 2; slot++) {
    aq_policy p = {.slot = slot, .mode = AQ_PREEMPT_SWITCH};
    aq_time ends[3];
    mapped(&p, ends);
    /* The third runs from D / 2 to 3 D / 2; then the victim has its slot back
     * and half of its first packet and the second one to go. */
    ck_assert_int_eq(ends[2], 3 * D / 2);
    ck_assert_int_eq(ends[slot], 3 * D / 2 + D / 2 + D);
    ck_assert_int_eq(ends[1 - slot], 2 * D);
    ck_assert_uint_gt(p.mapped, 0);
  }
}
END_TEST

START_TEST(a_victim_that_drains_ends_its_packet_first)
{
  aq_policy p = {.slot = 1, .mode = AQ_PREEMPT_DRAIN};
  aq_time ends[3];
  mapped(&p, ends);
  ck_assert_int_eq(ends[2], 2 * D);
  ck_assert_int_eq(ends[1], 3 * D);
  ck_assert_int_eq(ends[0], 2 * D);
}
END_TEST

START_TEST(a_slot_that_is_not_there_fails_the_policy)
{
  rig r;
  aq_policy p = {.slot = 2, .mode = AQ_PREEMPT_SWITCH};
  open_with(&r, &p, &mapping, crowded);
  for (int i = 0; i < 3; i++)
    policy_start(&r, 4);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "map answers a slot that is not there");
  rig_close(&r);
}
END_TEST

START_TEST(a_slot_that_was_promised_to_a_destroyed_queue_goes_to_no_other)
{
  rig r;
  aq_policy p = {0};
  open_with(&r, &p, &mapping_three, crowded);
  policy_start(&r, 4);
  policy_start(&r, 4);
  rig_sleep(&r, D / 2);
  aq_ring *promised = policy_start(&r, 4);
  rig_sleep(&r, 3 * D / 4);
  ck_assert_uint_eq(p.mapped, 3);
  r.t->ops->queue_destroy(r.t, promised);
  aq_ring *next = policy_start(&r, 4);
  ck_assert_ptr_eq(next, promised); /* the same memory */
  rig_sleep(&r, 10 * D);
  ck_assert(!rig_has_record(&r, next, 0));
  close_sound(&r, &p);
}
END_TEST

AQ_TEST_MAIN("backend_sim/policy_choices",
             a_policy_may_idle_and_choose_the_packet,
             a_queue_runs_as_many_packets_at_once_as_its_limit,
             a_limit_can_be_lifted_while_packets_wait,
             a_copy_engine_takes_the_copy_that_the_policy_picks,
             a_copy_engine_idles_until_the_policy_wants_it,
             a_policy_may_place_every_workgroup,
             the_policy_chooses_the_victim_and_how_it_leaves,
             a_victim_that_drains_ends_its_packet_first,
             a_slot_that_is_not_there_fails_the_policy,
             a_slot_that_was_promised_to_a_destroyed_queue_goes_to_no_other)
