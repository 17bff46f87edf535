/* SPDX-License-Identifier: MIT */
/* Turns of host threads while the device thread executes a kernel's code. */
#include "backend_sim/rig.h"

#include <pthread.h>
#include <sched.h>

#include "backend_sim/core.h"
#include "backend_sim/sim.h"

/* A kernel that does nothing, step by step, until it may end. */
typedef struct endless {
  const aqsim *sim;
  int steps;      /* atomic */
  int asked;      /* atomic: the step that saw that a host wants its turn */
  bool may_end;   /* atomic */
  bool host_asks; /* atomic: steps wait until they see that */
} endless;

static aq_status endless_begin(void *user, const aq_execution_desc *desc,
                               void **out, aq_diag *diag)
{
  (void)desc, (void)diag;
  *out = user;
  return AQ_OK;
}

static aq_execution_state endless_step(void *execution, uint64_t budget,
                                       uint64_t ticks, aq_execution_step *out)
{
  endless *e = execution;
  (void)budget, (void)ticks;
  *out = (aq_execution_step){.instructions = 1};
  const int step = __atomic_add_fetch(&e->steps, 1, __ATOMIC_ACQ_REL);
  if (__atomic_load_n(&e->host_asks, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(e->sim->wanted, __ATOMIC_ACQUIRE) == 0)
      sched_yield();
    __atomic_store_n(&e->host_asks, false, __ATOMIC_RELEASE);
    __atomic_store_n(&e->asked, step, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&e->may_end, __ATOMIC_ACQUIRE) ? AQ_EXECUTION_DONE
                                                        : AQ_EXECUTION_MORE;
}

static void endless_end(void *execution)
{
  (void)execution;
}

/* Of a host: the device executes nothing during it. */
typedef struct turn {
  const endless *kernel;
  int step; /* the last one, or 0 */
} turn;

static void turn_note(const char *line, void *user)
{
  turn *t = user;
  (void)line;
  t->step = __atomic_load_n(&t->kernel->steps, __ATOMIC_ACQUIRE);
}

START_TEST(a_host_has_its_turn_after_one_step_of_a_kernel)
{
  enum { TURNS = 20 };
  rig r;
  endless e = {.sim = NULL};
  const aq_executor executor = {
      AQ_EXECUTOR_ABI, sizeof(aq_executor), "endless",  &e,
      endless_begin,   endless_step,        endless_end};
  rig_open_with(
      &r, &aqsim_transport_ops,
      &(aq_transport_options){.mode = AQ_MODE_LIVE, .executor = &executor});
  e.sim = aqsim_from(r.t);
  const aq_signal done = rig_signal(&r, 1, 0);
  static const aq_kernel_desc desc = {
      .name = "endless", .object = (uintptr_t)&desc, .code = true};
  const aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, done);
  rig_submit(&r, rig_queue(&r, 64), &packet);
  while (__atomic_load_n(&e.steps, __ATOMIC_ACQUIRE) == 0)
    sched_yield(); /* the device thread drives then */
  for (int i = 0; i < TURNS; i++) {
    turn t = {.kernel = &e};
    __atomic_store_n(&e.host_asks, true, __ATOMIC_RELEASE);
    while (__atomic_load_n(&e.host_asks, __ATOMIC_ACQUIRE))
      r.t->ops->inspect(r.t, turn_note, &t);
    ck_assert_int_gt(t.step, 0);
    ck_assert_int_eq(t.step, __atomic_load_n(&e.asked, __ATOMIC_ACQUIRE));
  }
  __atomic_store_n(&e.may_end, true, __ATOMIC_RELEASE);
  const aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/live/turns",
             a_host_has_its_turn_after_one_step_of_a_kernel)
