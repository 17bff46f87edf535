/* SPDX-License-Identifier: MIT */
/* The simulator's services for the device half of a policy, in picoseconds. */
#include "backend_sim/policy/policy_rig.h"

#include <stdlib.h>
#include <string.h>

static const char *const ideal[] = {IDEAL, NULL};

/* One slot, from which a queue can be taken after 2 D. */
static const char *const one_slot[] = {
    IDEAL,
    "pipes=1",
    "slots_per_pipe=1",
    "queue_quantum=20 us",
    "preemption=drain",
    "dependency_poll=0 ns",
    NULL,
};

/* A request of a test at a time. */
typedef enum ask {
  ASK_PREEMPT,
  ASK_RESUME,
  ASK_MASK,
  ASK_BUDGET,
  ASK_SUSPEND,
  ASK_GO_ON,
  ASK_EVICT,
  ASK_QUANTUM,
} ask;

typedef struct step {
  aq_time at;
  ask what;
  aq_preemption preemption;
  uint32_t target, value;
} step;

struct aq_policy {
  aq_policy_device *device;
  const step *steps;
  aq_device_launch launches[8]; /* by kernel handle */
  uint32_t limit;
  aq_preempt_result over[8];
  aq_preempted rows[8]; /* as they are kept */
  uint32_t row_count;
  uint32_t over_count, launched, completed;
  aq_time used, wasted;
  uint64_t evicted_first;
  uint32_t evicted;
  aq_diag failed;
  aq_policy_binding binding;
};

static void attach(aq_policy *p, aq_policy_device *device)
{
  p->device = device;
  for (uint32_t i = 0; p->steps && p->steps[i].at; i++)
    device->timer_add(device, p->steps[i].at, i);
}

static void device_timer(aq_policy *p, aq_policy_device *d, uint64_t cookie)
{
  const step *s = &p->steps[cookie];
  const uint32_t mask = s->value;
  switch (s->what) {
  case ASK_PREEMPT:
    d->preempt(d, &s->preemption);
    return;
  case ASK_RESUME:
    d->resume(d, s->target);
    return;
  case ASK_MASK:
    d->kernel_cu_mask(d, s->target, &mask, 32);
    return;
  case ASK_BUDGET:
    d->kernel_budget(d, s->target, s->value);
    return;
  case ASK_SUSPEND:
  case ASK_GO_ON:
    d->queue_suspend(d, s->target, s->what == ASK_SUSPEND);
    return;
  case ASK_EVICT:
    p->evicted = d->queue_evict(d, s->target, s->value);
    return;
  case ASK_QUANTUM:
    d->queue_quantum(d, s->target, s->value * D);
    return;
  }
}

static void preempted(aq_policy *p, aq_policy_device *device,
                      const aq_preempt_result *result)
{
  (void)device;
  p->over[p->over_count++] = *result;
}

static void launch(aq_policy *p, aq_policy_device *device,
                   const aq_device_kernel *kernel, aq_device_launch *out)
{
  ck_assert_uint_eq(kernel->issued, 0);
  if (p->limit)
    ck_assert_int_eq(device->cus, 4);
  *out = p->launches[p->launched++ % 8];
}

static void complete(aq_policy *p, aq_policy_device *device,
                     const aq_device_kernel *kernel)
{
  (void)device;
  ck_assert_uint_eq(kernel->finished, kernel->workgroups);
  p->completed++;
}

static void charge(aq_policy *p, aq_policy_device *device, uint32_t queue,
                   aq_time amount, bool wasted)
{
  (void)device;
  (void)queue;
  *(wasted ? &p->wasted : &p->used) += amount;
}

enum {
  NEEDS = AQ_NEED_LAUNCH | AQ_NEED_SLICE | AQ_NEED_REMASK | AQ_NEED_DRAIN |
          AQ_NEED_SWITCH | AQ_NEED_RESET | AQ_NEED_KILL | AQ_NEED_EVICT |
          AQ_NEED_SUSPEND
};

static const aq_policy_ops ops = {.abi = AQ_POLICY_ABI,
                                  .size = sizeof ops,
                                  .name = "asked",
                                  .needs = NEEDS,
                                  .attach = attach,
                                  .device_timer = device_timer,
                                  .preempted = preempted,
                                  .launch = launch,
                                  .complete = complete,
                                  .charge = charge};

static void failed(void *user, const char *text)
{
  aq_policy *p = user;
  aq_diag_set(&p->failed, AQ_ERR_INVALID, "%s", text);
}

static void evicted(void *user, uint32_t ring, uint64_t first, uint32_t packets)
{
  aq_policy *p = user;
  (void)ring;
  (void)packets;
  p->evicted_first = first;
}

static void row_keep(void *user, uint32_t ring, const aq_preempted *row)
{
  aq_policy *p = user;
  (void)ring;
  p->rows[p->row_count++] = *row;
}

static void check_row(const aq_policy *p, aq_preempted_mode mode, aq_time asked,
                      int64_t freed, aq_time wasted, int64_t returned)
{
  const aq_preempted *row = &p->rows[0];
  ck_assert_uint_eq(p->row_count, 1);
  ck_assert_int_eq(row->mode, mode);
  ck_assert_int_eq(row->asked, asked);
  ck_assert_int_eq(row->freed, freed);
  ck_assert_int_eq(row->wasted, wasted);
  ck_assert_int_eq(row->returned, returned);
}

static void open_with(rig *r, aq_policy *p, const aq_policy_ops *table,
                      const char *const *edits)
{
  p->failed = (aq_diag)AQ_DIAG_INIT;
  p->binding = (aq_policy_binding){.size = sizeof p->binding,
                                   .ops = table,
                                   .policy = p,
                                   .failed = failed,
                                   .evicted = evicted,
                                   .identify = policy_identify,
                                   .preempted = row_keep,
                                   .user = p};
  rig_open_with(r, &aqsim_transport_ops,
                &(aq_transport_options){.edits = edits, .policy = &p->binding});
}

static aq_time end_of(rig *r, const aq_ring *queue)
{
  return rig_record(r, queue, 0)->end;
}

#define PREEMPT(how, on)                                                       \
  {                                                                            \
    .size = sizeof(aq_preemption), .mode = AQ_PREEMPT_##how,                   \
    .scope = AQ_PREEMPT_##on                                                   \
  }

/* 20 workgroups are 3 waves of 8. Stopped in the middle of the second wave at
 * 1.5 D, resumed at 5 D. */
static aq_time end_of_preempted(aq_preemption what, aq_policy *p)
{
  rig r;
  const step steps[] = {
      {3 * D / 2, ASK_PREEMPT, .preemption = what}, {5 * D, ASK_RESUME}, {0}};
  p->steps = steps;
  open_with(&r, p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 20);
  rig_run(&r);
  const aq_time end = end_of(&r, queue);
  ck_assert_str_eq(p->failed.text, "");
  ck_assert_uint_eq(p->over_count, 1);
  rig_close(&r);
  return end;
}

START_TEST(waves_of_workgroups_take_what_division_says)
{
  static const int counts[] = {1, 8, 9, 24, 25};
  for (int i = 0; i < 5; i++) {
    rig r;
    aq_policy p = {0};
    open_with(&r, &p, &ops, ideal);
    aq_ring *queue = policy_start(&r, (uint32_t)counts[i]);
    rig_run(&r);
    ck_assert_int_eq(end_of(&r, queue), (counts[i] + 7) / 8 * D);
    ck_assert_int_eq(p.used, counts[i] * D);
    ck_assert_uint_eq(p.completed, 1);
    rig_close(&r);
  }
}
END_TEST

START_TEST(a_switched_kernel_keeps_what_its_workgroups_have_left)
{
  aq_policy p = {0};
  /* Half a wave, then the last one. */
  ck_assert_int_eq(end_of_preempted((aq_preemption)PREEMPT(SWITCH, KERNEL), &p),
                   5 * D + D / 2 + D);
  ck_assert_uint_eq(p.over[0].workgroups, 8);
  ck_assert_int_eq(p.over[0].freed, p.over[0].asked);
  ck_assert_int_eq(p.used, 20 * D);
  ck_assert_int_eq(p.wasted, 0);
}
END_TEST

START_TEST(a_reset_kernel_starts_anew_and_pays_for_it)
{
  aq_policy p = {0};
  ck_assert_int_eq(end_of_preempted((aq_preemption)PREEMPT(RESET, KERNEL), &p),
                   5 * D + 3 * D);
  /* A wave, and half of another. */
  ck_assert_int_eq(p.over[0].wasted, 8 * D + 4 * D);
  ck_assert_int_eq(p.wasted, 12 * D);
  ck_assert_int_eq(p.used, 20 * D);
  check_row(&p, AQ_PREEMPTED_RESET, 3 * D / 2, 3 * D / 2, 12 * D, 0);
  ck_assert_int_eq(p.rows[0].job, 0);
}
END_TEST

START_TEST(a_drained_kernel_ends_the_wave_that_runs)
{
  aq_policy p = {0};
  ck_assert_int_eq(end_of_preempted((aq_preemption)PREEMPT(DRAIN, KERNEL), &p),
                   5 * D + D);
  ck_assert_int_eq(p.over[0].freed, 2 * D);
  ck_assert_int_eq(p.wasted, 0);
  check_row(&p, AQ_PREEMPTED_DRAIN, 3 * D / 2, 2 * D, 0, 0);
}
END_TEST

START_TEST(a_killed_kernel_completes_with_an_error)
{
  rig r;
  aq_policy p = {0};
  const step steps[] = {
      {3 * D / 2, ASK_PREEMPT, .preemption = PREEMPT(KILL, KERNEL)}, {0}};
  p.steps = steps;
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 20);
  rig_run(&r);
  ck_assert_int_eq(end_of(&r, queue), 3 * D / 2);
  ck_assert(rig_record(&r, queue, 0)->flags & AQ_FLAG_ERROR);
  ck_assert_int_eq(p.wasted, 12 * D);
  rig_close(&r);
}
END_TEST

/* Of 4 compute units the last two: their 4 workgroups continue, or start anew,
 * on the others, which are full until 2 D. */
START_TEST(some_compute_units_can_be_taken_from_a_kernel)
{
  static const uint32_t last_two = 0xc;
  static const struct {
    aq_preempt_mode mode;
    aq_time end, wasted;
  } cases[] = {/* 4 left of 12 in pairs of 2 CUs: 1 + 4 waves of 4 */
               {AQ_PREEMPT_DRAIN, 4 * D, 0},
               {AQ_PREEMPT_RESET, 6 * D, 2 * D}};
  for (int i = 0; i < 2; i++) {
    rig r;
    aq_policy p = {0};
    step steps[] = {{3 * D / 2, ASK_PREEMPT, .preemption = PREEMPT(DRAIN, CUS)},
                    {0}};
    steps[0].preemption.mode = cases[i].mode;
    steps[0].preemption.mask = &last_two;
    steps[0].preemption.mask_count = 32;
    p.steps = steps;
    open_with(&r, &p, &ops, ideal);
    aq_ring *queue = policy_start(&r, i == 0 ? 24 : 28);
    rig_run(&r);
    ck_assert_str_eq(p.failed.text, "");
    ck_assert_int_eq(end_of(&r, queue), cases[i].end);
    ck_assert_int_eq(p.wasted, cases[i].wasted);
    rig_close(&r);
  }
}
END_TEST

START_TEST(masks_densities_budgets_and_slices_limit_a_launch)
{
  static const uint32_t one = 1;
  const struct {
    aq_device_launch launch;
    aq_time end; /* of 8 workgroups */
  } cases[] = {{{.cu_mask = &one, .mask_count = 32}, 4 * D},
               {{.per_cu = 1}, 2 * D},
               {{.budget = 2}, 4 * D},
               {{.slice = 3}, 3 * D},
               {{.slice = 4, .per_cu = 1}, 2 * D}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    aq_policy p = {.launches = {cases[i].launch}};
    open_with(&r, &p, &ops, ideal);
    aq_ring *queue = policy_start(&r, 8);
    rig_run(&r);
    ck_assert_str_eq(p.failed.text, "");
    ck_assert_int_eq(end_of(&r, queue), cases[i].end);
    ck_assert_int_eq(rig_record(&r, queue, 0)->start, 0);
    ck_assert_int_eq(p.used, 8 * D);
    rig_close(&r);
  }
}
END_TEST

/* Others leave room for one more of the first on each compute unit: the second
 * has none before the first wave of the first ends. */
START_TEST(padding_keeps_others_out)
{
  rig r;
  aq_policy p = {.launches = {{.per_cu = 1, .padding = 1}}};
  open_with(&r, &p, &ops, ideal);
  policy_start(&r, 8);
  rig_sleep(&r, D / 2);
  aq_ring *second = policy_start(&r, 4);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_int_eq(rig_record(&r, second, 0)->start, D);
  rig_close(&r);
}
END_TEST

START_TEST(a_budget_and_a_mask_can_be_changed_while_a_kernel_runs)
{
  rig r;
  const step steps[] = {
      {D, ASK_BUDGET, .value = 8}, {2 * D, ASK_MASK, .value = 3}, {0}};
  aq_policy p = {.launches = {{.budget = 2}}, .steps = steps};
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 2 + 8 + 8 + 8);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_int_eq(end_of(&r, queue), 5 * D);
  rig_close(&r);
}
END_TEST

START_TEST(a_suspended_queue_launches_nothing)
{
  rig r;
  const step steps[] = {{D / 2, ASK_SUSPEND}, {7 * D, ASK_GO_ON}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 8);
  aq_packet packet = *aq_ring_slot(queue, 0);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_int_eq(rig_record(&r, queue, 0)->end, D);
  ck_assert_int_eq(rig_record(&r, queue, 1)->launch, 7 * D);
  check_row(&p, AQ_PREEMPTED_SUSPEND, D / 2, D, 0, 0);
  rig_close(&r);
}
END_TEST

START_TEST(a_suspension_that_ends_before_the_kernel_was_given_up)
{
  rig r;
  const step steps[] = {{D / 4, ASK_SUSPEND}, {D / 2, ASK_GO_ON}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  policy_start(&r, 8);
  rig_run(&r);
  check_row(&p, AQ_PREEMPTED_SUSPEND, D / 4, AQ_NONE, 0, 0);
  rig_close(&r);
}
END_TEST

/* Two queues on one slot; the first has six packets of D, the second one. */
static void two_on_a_slot(rig *r, aq_policy *p, const char *const *edits,
                          aq_ring *queues[2])
{
  open_with(r, p, &ops, edits);
  queues[0] = policy_start(r, 8);
  for (int i = 0; i < 5; i++)
    policy_put(r, queues[0], 8);
  queues[1] = policy_start(r, 8);
  rig_run(r);
  ck_assert_str_eq(p->failed.text, "");
}

START_TEST(a_queue_that_is_suspended_while_it_waits_takes_no_slot)
{
  rig r;
  const step steps[] = {
      {D / 2, ASK_SUSPEND, .target = 1}, {20 * D, ASK_GO_ON, .target = 1}, {0}};
  aq_policy p = {.steps = steps};
  aq_ring *queues[2];
  two_on_a_slot(&r, &p, one_slot, queues);
  ck_assert_int_eq(rig_record(&r, queues[0], 5)->end, 6 * D);
  ck_assert_int_eq(rig_record(&r, queues[1], 0)->launch, 20 * D);
  rig_close(&r);
}
END_TEST

START_TEST(a_suspended_queue_that_launched_nothing_loses_its_slot)
{
  rig r;
  const char *const slow[] = {IDEAL,
                              "pipes=1",
                              "slots_per_pipe=1",
                              "queue_quantum=20 us",
                              "preemption=drain",
                              "remap_latency=10 us",
                              NULL};
  const step steps[] = {{D / 2, ASK_SUSPEND}, {20 * D, ASK_GO_ON}, {0}};
  aq_policy p = {.steps = steps};
  aq_ring *queues[2];
  two_on_a_slot(&r, &p, slow, queues);
  /* Its quantum of 2 D begins when it is mapped, at D. */
  ck_assert_int_eq(rig_record(&r, queues[1], 0)->launch, 3 * D + D);
  ck_assert_int_eq(rig_record(&r, queues[0], 0)->launch, 20 * D + D);
  rig_close(&r);
}
END_TEST

START_TEST(a_suspended_queue_whose_gate_opens_waits_for_its_end)
{
  rig r;
  const step steps[] = {{5 * D / 2, ASK_SUSPEND}, {20 * D, ASK_GO_ON}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, one_slot);
  const aq_signal dep_wait = rig_signal(&r, 1, 0);
  const aq_packet barrier =
      rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, rig_none);
  aq_ring *waits = rig_queue(&r, 64);
  rig_submit(&r, waits, &barrier);
  aq_ring *works = policy_start(&r, 8);
  for (int i = 0; i < 5; i++)
    policy_put(&r, works, 8);
  rig_sleep(&r, 3 * D); /* it lost the slot at 2 D */
  r.t->ops->signal_store(r.t, dep_wait, 0, AQ_RELEASE);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_int_eq(rig_record(&r, works, 5)->end, 2 * D + 6 * D);
  ck_assert_int_eq(rig_record(&r, waits, 0)->end, 20 * D);
  rig_close(&r);
}
END_TEST

START_TEST(a_quantum_that_a_policy_shortens_ends_earlier)
{
  rig r;
  const char *const longer[] = {IDEAL,
                                "pipes=1",
                                "slots_per_pipe=1",
                                "queue_quantum=40 us",
                                "preemption=drain",
                                NULL};
  const step steps[] = {{D / 2, ASK_QUANTUM, .value = 2}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, longer);
  aq_ring *first = policy_start(&r, 8);
  for (int i = 0; i < 5; i++)
    policy_put(&r, first, 8);
  aq_ring *second = policy_start(&r, 8);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  /* The packet that was launched at 2 D ends first. */
  ck_assert_int_eq(rig_record(&r, second, 0)->launch, 3 * D);
  rig_close(&r);
}
END_TEST

START_TEST(a_kernel_that_a_switch_stopped_ends_when_its_queue_is_inactivated)
{
  rig r;
  const char *const switched[] = {IDEAL,
                                  "pipes=1",
                                  "slots_per_pipe=1",
                                  "queue_quantum=20 us",
                                  "preemption=switch",
                                  NULL};
  aq_policy p = {0};
  open_with(&r, &p, &ops, switched);
  aq_ring *first = policy_start(&r, 80); /* 10 waves of D */
  aq_ring *second = policy_start(&r, 8);
  rig_sleep(&r, 5 * D / 2); /* the second one has the slot from 2 D on */
  ck_assert_status(
      r.t->ops->queue_control(r.t, first, AQ_CONTROL_INACTIVATE, NULL, &r.diag),
      AQ_OK, &r.diag);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_int_eq(end_of(&r, second), 3 * D);
  ck_assert_int_eq(end_of(&r, first), 3 * D + 8 * D);
  rig_close(&r);
}
END_TEST

START_TEST(packets_can_be_taken_off_a_queue)
{
  rig r;
  const step steps[] = {{D / 2, ASK_EVICT, .value = 1}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 8);
  aq_packet packet = *aq_ring_slot(queue, 0);
  for (int i = 0; i < 40; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_uint_eq(p.evicted, 39);
  ck_assert_uint_eq(p.evicted_first, 2);
  ck_assert(!rig_has_record(&r, queue, 2));
  ck_assert_int_eq(rig_record(&r, queue, 1)->end, 2 * D);
  /* The ring continues behind them. */
  for (int i = 0; i < 40; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_record(&r, queue, 41)->end, 3 * D);
  ck_assert_int_eq(rig_record(&r, queue, 80)->end, 42 * D);
  rig_close(&r);
}
END_TEST

START_TEST(a_queue_that_is_reset_gives_all_its_packets_back)
{
  rig r;
  const step steps[] = {
      {D / 2, ASK_PREEMPT, .preemption = PREEMPT(RESET, QUEUE)}, {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 8);
  aq_packet packet = *aq_ring_slot(queue, 0);
  for (int i = 0; i < 5; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_uint_eq(p.evicted_first, 0);
  ck_assert_int_eq(p.wasted, 8 * D / 2);
  check_row(&p, AQ_PREEMPTED_RESET, D / 2, D / 2, 8 * D / 2, 6);
  ck_assert(!rig_has_record(&r, queue, 0));
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_record(&r, queue, 6)->end, D / 2 + D);
  rig_close(&r);
}
END_TEST

START_TEST(a_queue_that_is_switched_goes_on_where_it_was)
{
  rig r;
  const step steps[] = {
      {D / 4, ASK_SUSPEND},
      {D / 4, ASK_PREEMPT, .preemption = PREEMPT(SWITCH, QUEUE)},
      {5 * D, ASK_GO_ON},
      {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  aq_ring *queue = policy_start(&r, 16);
  rig_run(&r);
  ck_assert_str_eq(p.failed.text, "");
  ck_assert_uint_eq(p.over_count, 1);
  ck_assert_int_eq(end_of(&r, queue), 5 * D + 3 * D / 4 + D);
  check_row(&p, AQ_PREEMPTED_SWITCH, D / 4, D / 4, 0, 0);
  rig_close(&r);
}
END_TEST

START_TEST(latency_and_cost_of_the_firmware_delay_what_it_does)
{
  rig r;
  const step steps[] = {{D, ASK_PREEMPT, .preemption = PREEMPT(SWITCH, KERNEL)},
                        {3 * D, ASK_RESUME},
                        {0}};
  aq_policy p = {.steps = steps};
  open_with(&r, &p, &ops, ideal);
  p.binding.timing[AQ_SIDE_FIRMWARE] = (aq_policy_timing){D / 4, D / 8};
  aq_ring *queue = policy_start(&r, 16);
  rig_run(&r);
  /* Stopped for 2 D, each time D / 4 later. */
  ck_assert_int_eq(end_of(&r, queue), 4 * D);
  ck_assert_int_eq(p.over[0].asked, D + D / 4);
  rig_close(&r);
}
END_TEST

START_TEST(what_is_not_legal_ends_the_policy_and_frees_the_device)
{
  static const uint32_t nothing = 0;
  step cases[] = {
      {D / 2, ASK_RESUME, .target = 7},
      {D / 2, ASK_MASK, .value = 0},
      {D / 2, ASK_EVICT, .target = 9},
      {D / 2, ASK_PREEMPT, .preemption = PREEMPT(RESET, CUS)},
  };
  cases[3].preemption.mask = &nothing;
  cases[3].preemption.mask_count = 32;
  for (int i = 0; i < 4; i++) {
    rig r;
    const step steps[] = {
        {D / 4, ASK_PREEMPT, .preemption = PREEMPT(SWITCH, KERNEL)},
        cases[i],
        {0}};
    aq_policy p = {.steps = i == 3 ? steps + 1 : steps};
    open_with(&r, &p, &ops, ideal);
    aq_ring *queue = policy_start(&r, 8);
    rig_run(&r);
    ck_assert_str_ne(p.failed.text, "");
    ck_assert_int_le(end_of(&r, queue), D + D / 4);
    rig_close(&r);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/policy/device_policy",
             waves_of_workgroups_take_what_division_says,
             a_switched_kernel_keeps_what_its_workgroups_have_left,
             a_reset_kernel_starts_anew_and_pays_for_it,
             a_drained_kernel_ends_the_wave_that_runs,
             a_killed_kernel_completes_with_an_error,
             some_compute_units_can_be_taken_from_a_kernel,
             masks_densities_budgets_and_slices_limit_a_launch,
             padding_keeps_others_out,
             a_budget_and_a_mask_can_be_changed_while_a_kernel_runs,
             a_suspended_queue_launches_nothing,
             a_suspension_that_ends_before_the_kernel_was_given_up,
             a_queue_that_is_suspended_while_it_waits_takes_no_slot,
             a_suspended_queue_that_launched_nothing_loses_its_slot,
             a_suspended_queue_whose_gate_opens_waits_for_its_end,
             a_quantum_that_a_policy_shortens_ends_earlier,
             a_kernel_that_a_switch_stopped_ends_when_its_queue_is_inactivated,
             packets_can_be_taken_off_a_queue,
             a_queue_that_is_reset_gives_all_its_packets_back,
             a_queue_that_is_switched_goes_on_where_it_was,
             latency_and_cost_of_the_firmware_delay_what_it_does,
             what_is_not_legal_ends_the_policy_and_frees_the_device)
