/* SPDX-License-Identifier: MIT */
/* The wrapper itself: without faults it is not there, and its settings. */
#include "transport/fault/fault.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "model/timeline.h"
#include "transport/fault/faulty.h"

/* model_drive() takes a table: that of the fault wrapper, opening a stack. */
static const aq_transport_stack *driven;

static aq_status driven_open(const aq_transport_options *options,
                             aq_transport **out, aq_diag *diag)
{
  return aq_transport_stack_open(driven, options, out, diag);
}

static void drive(const model_program *program, const char *names,
                  model_timeline *out)
{
  aq_transport_ops ops = aq_fault_transport_ops;
  aq_transport_stack *stack;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_transport_stack_create(names, NULL, &stack, &diag), AQ_OK,
                   &diag);
  driven = stack;
  ops.open = driven_open;
  model_drive(program, &ops, out);
  aq_transport_stack_destroy(stack);
}

START_TEST(without_faults_nothing_differs_from_what_is_wrapped)
{
  static const char *const stacks[] = {"fault+sim", "fault+fault+sim"};
  for (uint64_t seed = 0; seed < 300; seed++) {
    model_program p;
    model_timeline plain, wrapped;
    model_program_make(&p, seed);
    /* A wrapped transport cannot be set to poll, as model_drive() sets sim. */
    for (unsigned i = 0; i < p.action_count; i++)
      p.actions[i].ring = MODEL_RING;
    model_drive(&p, &aqsim_transport_ops, &plain);
    drive(&p, stacks[seed % 2], &wrapped);
    ck_assert_str_eq(plain.failure, wrapped.failure);
    ck_assert_msg(memcmp(plain.rows, wrapped.rows, sizeof plain.rows) == 0 &&
                      memcmp(&plain, &wrapped, sizeof plain) == 0,
                  "seed %llu differs", (unsigned long long)seed);
  }
}
END_TEST

/* ---- packets that a kernel publishes ---- */

typedef struct publisher {
  faulty *f;
  aq_ring *queue;
  aq_packet packet;
  bool raw; /* stores the doorbell instead of ringing it */
} publisher;

static void publish(const aq_kernel_call *call)
{
  publisher *p = call->user;
  uint64_t id = rig_put(p->queue, &p->packet);
  if (p->raw)
    __atomic_store_n(p->queue->doorbell, id, __ATOMIC_RELEASE);
  else
    rig_ring(&p->f->rig, p->queue, id);
}

static aq_time published_submit(const char *names, const char *schedule,
                                bool raw)
{
  faulty f;
  faulty_open(&f, names, schedule, NULL);
  publisher p = {.f = &f, .raw = raw};
  aq_kernel_desc desc = {.name = "publish",
                         .function = publish,
                         .user = &p,
                         .cost = {.kind = AQ_COST_FIXED, .base = 3 * AQ_US}};
  aq_ring *first = rig_queue(&f.rig, 64);
  p.queue = rig_queue(&f.rig, 64);
  p.packet = rig_dispatch(rig_kernel(&f.rig, "next", AQ_US), false, rig_none);
  aq_packet packet =
      rig_dispatch(rig_kernel_with(&f.rig, &desc), false, rig_none);
  rig_submit(&f.rig, first, &packet);
  rig_run(&f.rig);
  aq_time submit = rig_record(&f.rig, p.queue, 0)->submit;
  faulty_close(&f);
  return submit;
}

START_TEST(packets_that_a_kernel_publishes_are_passed_on)
{
  static const char late[] =
      "{\"faults\": [{\"fault\": \"doorbell-late\", \"queue\": 1, "
      "\"doorbell\": 0, \"delay\": \"9us\"}]}";
  for (int raw = 0; raw < 2; raw++) {
    aq_time plain = published_submit("sim", NULL, raw);
    ck_assert_time_eq(published_submit("fault+sim", NULL, raw), plain);
    ck_assert_time_eq(published_submit("sim", late, raw), plain + 9 * AQ_US);
  }
}
END_TEST

START_TEST(a_late_doorbell_comes_at_its_time_in_a_sleep_and_in_a_wait)
{
  static const char late[] =
      "{\"faults\": [{\"fault\": \"doorbell-late\", \"queue\": 0, "
      "\"doorbell\": 0, \"delay\": \"20us\"}]}";
  for (int wait = 0; wait < 2; wait++) {
    faulty f;
    faulty_open(&f, "sim", late, NULL);
    aq_ring *queue = rig_queue(&f.rig, 64);
    aq_signal done = rig_signal(&f.rig, 1, AQ_SIGNAL_DRAIN);
    aq_packet packet =
        rig_dispatch(rig_kernel(&f.rig, "k", AQ_US), false, done);
    rig_submit(&f.rig, queue, &packet);
    aq_wait_item item = {done, AQ_EQ, 0};
    rig_sleep(&f.rig, 5 * AQ_US);
    ck_assert_int_eq(rig_load(&f.rig, done), 1);
    if (wait)
      ck_assert_status(rig_wait(&f.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                       AQ_OK, &f.rig.diag);
    else /* wakes at the completion */
      ck_assert_status(f.ops->sleep_until(f.t, 10 * AQ_MS, true, &f.rig.diag),
                       AQ_OK, &f.rig.diag);
    ck_assert_int_eq(rig_load(&f.rig, done), 0);
    ck_assert_int_lt(f.ops->now(f.t), 100 * AQ_US);
    rig_run(&f.rig);
    ck_assert_time_eq(rig_record(&f.rig, queue, 0)->submit, 20 * AQ_US);
    faulty_close(&f);
  }
}
END_TEST

START_TEST(settings_that_are_wrong_are_refused_in_one_line)
{
  static const struct {
    const char *names, *words;
  } rows[] = {
      {"fault", "expected fault+NAME"},
      {"fault+", "a transport without a name"},
      {"sim+null", "transport sim wraps nothing"},
      {"sim,a=1", "transport sim takes no settings"},
      {"fault,seed=x+sim", "'seed=x'; expected a whole number"},
      {"fault,seed=5x+sim", "'seed=5x'; expected a whole number"},
      {"fault,seed=1,seed=2+sim", "'seed=2' after another schedule"},
      {"fault,what=1+sim", "expected file=PATH or seed=N"},
      {"fault,seed+sim", "expected KEY=VALUE"},
      {"fault,file=/no/such.json+sim", "/no/such.json"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    aq_transport_stack *stack = NULL;
    aq_transport *t;
    aq_diag diag = AQ_DIAG_INIT;
    aq_status status =
        aq_transport_stack_create(rows[i].names, NULL, &stack, &diag);
    if (status == AQ_OK)
      status = aq_transport_stack_open(
          stack, &(aq_transport_options){.size = sizeof(aq_transport_options)},
          &t, &diag);
    ck_assert_int_ne(status, AQ_OK);
    ck_assert_msg(strstr(diag.text, rows[i].words) != NULL, "%s: says \"%s\"",
                  rows[i].names, diag.text);
    aq_transport_stack_destroy(stack);
  }
}
END_TEST

START_TEST(device_faults_need_a_transport_with_device_hooks)
{
  static const char schedule[] = "{\"faults\": [{\"fault\": \"interrupt-lost\","
                                 " \"interrupt\": 0}]}";
  aq_transport_stack *stack;
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  const char *file = aqtest_write("f.json", schedule, strlen(schedule));
  ck_assert_status(aq_transport_stack_create("null", file, &stack, &diag),
                   AQ_OK, &diag);
  ck_assert_status(
      aq_transport_stack_open(
          stack, &(aq_transport_options){.size = sizeof(aq_transport_options)},
          &t, &diag),
      AQ_ERR_UNSUPPORTED, &diag);
  ck_assert_str_eq(diag.text, "fault: interrupt-lost needs device hooks, which "
                              "transport null does not have");
  aq_transport_stack_destroy(stack);
}
END_TEST

START_TEST(a_schedule_goes_to_the_wrapper_that_is_there)
{
  static const struct {
    const char *names, *faults, *name;
  } rows[] = {
      {"sim", NULL, "sim"},
      {"sim", "seed=1", "fault+sim"},
      {"fault+sim", "seed=1", "fault+sim"},
      {"fault,seed=2+sim", "seed=1", "fault+fault+sim"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    aq_transport_stack *stack;
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(
        aq_transport_stack_create(rows[i].names, rows[i].faults, &stack, &diag),
        AQ_OK, &diag);
    ck_assert_str_eq(aq_transport_stack_name(stack), rows[i].name);
    aq_transport_stack_destroy(stack);
  }
}
END_TEST

START_TEST(what_the_innermost_transport_is_decides_what_a_stack_is)
{
  static const struct {
    const char *names;
    bool hardware;
  } rows[] = {{"sim", false}, {"null", false},     {"fault+sim", false},
              {"hsa", true},  {"fault+hsa", true}, {"fault+fault+hsa", true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    aq_transport_stack *stack;
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(
        aq_transport_stack_create(rows[i].names, NULL, &stack, &diag), AQ_OK,
        &diag);
    ck_assert(aq_transport_stack_is_hardware(stack) == rows[i].hardware);
    aq_transport_stack_destroy(stack);
  }
}
END_TEST

/* What lies behind the size that a caller was compiled with is not its own. */
START_TEST(options_end_where_their_caller_says)
{
  static const char *const edits[] = {"no_such_key=1", NULL};
  static const char *const stacks[] = {"sim", "fault+sim"};
  for (int i = 0; i < 4; i++) {
    aq_transport_options options = {.size = sizeof options, .edits = edits};
    aq_transport_stack *stack;
    aq_transport *t;
    aq_diag diag = AQ_DIAG_INIT;
    if (i % 2)
      options.size = offsetof(aq_transport_options, edits);
    ck_assert_status(
        aq_transport_stack_create(stacks[i / 2], NULL, &stack, &diag), AQ_OK,
        &diag);
    ck_assert_status(aq_transport_stack_open(stack, &options, &t, &diag),
                     i % 2 ? AQ_OK : AQ_ERR_INPUT, &diag);
    if (i % 2)
      t->ops->close(t);
    aq_transport_stack_destroy(stack);
  }
}
END_TEST

START_TEST(a_barrier_or_whose_dependency_is_missing_does_not_open_by_another)
{
  static const char schedule[] =
      "{\"faults\": [{\"fault\": \"dependency-missing\", \"queue\": 0, "
      "\"barrier\": 0}]}";
  faulty f;
  faulty_open(&f, "sim", schedule, NULL);
  aq_ring *queue = rig_queue(&f.rig, 64);
  const aq_signal open[] = {rig_signal(&f.rig, 0, 0), rig_signal(&f.rig, 0, 0)},
                  done = rig_signal(&f.rig, 1, 0);
  const aq_wait_item item = {done, AQ_EQ, 0};
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_OR, open, 2, done);
  rig_submit(&f.rig, queue, &packet);
  ck_assert_status(rig_wait(&f.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &f.rig.diag);
  ck_assert_msg(strstr(f.rig.diag.text,
                       "injected: dependency-missing (queue 0, barrier 0)"),
                "%s", f.rig.diag.text);
  faulty_close(&f);
}
END_TEST

/* On each transport that serves them, of a value that fulfils it already. */
START_TEST(a_barrier_value_whose_dependency_is_missing_never_opens)
{
  static const char schedule[] =
      "{\"faults\": [{\"fault\": \"dependency-missing\", \"queue\": 0, "
      "\"barrier\": 1}]}";
  static const char *const inner[] = {"sim", "null"};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    faulty f;
    faulty_open(&f, inner[i], schedule, NULL);
    aq_ring *queue = rig_queue(&f.rig, 64);
    const aq_signal there = rig_signal(&f.rig, 5, 0);
    for (int k = 0; k < 2; k++) {
      const aq_signal done = rig_signal(&f.rig, 1, 0);
      const aq_wait_item item = {done, AQ_EQ, 0};
      aq_packet packet = {
          .barrier_value = {.header = AQ_PACKET_VENDOR,
                            .format = AQ_AMD_FORMAT_BARRIER_VALUE,
                            .signal = there,
                            .value = 5,
                            .mask = -1,
                            .condition = AQ_GE,
                            .completion_signal = done}};
      rig_submit(&f.rig, queue, &packet);
      ck_assert_status(rig_wait(&f.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                       k ? AQ_ERR_DEADLOCK : AQ_OK, &f.rig.diag);
    }
    ck_assert_msg(strstr(f.rig.diag.text,
                         "injected: dependency-missing (queue 0, barrier 1)"),
                  "%s", f.rig.diag.text);
    faulty_close(&f);
  }
}
END_TEST

START_TEST(a_lost_doorbell_that_a_later_one_made_good_is_not_named)
{
  static const char schedule[] =
      "{\"faults\": [{\"fault\": \"doorbell-lost\", \"queue\": 0, "
      "\"doorbell\": 0}]}";
  faulty f;
  faulty_open(&f, "sim", schedule, NULL);
  aq_ring *queue = rig_queue(&f.rig, 64);
  const aq_signal done = rig_signal(&f.rig, 2, 0),
                  never = rig_signal(&f.rig, 1, 0);
  const aq_wait_item items[] = {{done, AQ_EQ, 0}, {never, AQ_EQ, 0}};
  aq_packet packet = rig_dispatch(rig_kernel(&f.rig, "k", AQ_US), true, done);
  for (int i = 0; i < 2; i++)
    rig_submit(&f.rig, queue, &packet);
  ck_assert_status(rig_wait(&f.rig, &items[0], 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_OK, &f.rig.diag);
  ck_assert_status(rig_wait(&f.rig, &items[1], 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &f.rig.diag);
  ck_assert_msg(!strstr(f.rig.diag.text, "injected"), "%s", f.rig.diag.text);
  faulty_close(&f);
}
END_TEST

START_TEST(two_wrappers_make_one_copy_slow_by_both_delays)
{
  static const char format[] = "{\"faults\": [{\"fault\": \"copy-slow\", "
                               "\"copy\": 0, \"delay\": \"%s\"}]}";
  char outer[200], inner[200], names[400];
  aq_time took[2];
  snprintf(inner, sizeof inner, format, "3ms");
  const char *file = aqtest_write("inner.json", inner, strlen(inner));
  snprintf(names, sizeof names, "fault,file=%s+sim", file);
  for (int i = 0; i < 2; i++) {
    faulty f;
    char from = 7, to = 0;
    snprintf(outer, sizeof outer, format, i ? "5ms" : "0ps");
    faulty_open(&f, names, outer, NULL);
    const aq_signal done = rig_signal(&f.rig, 1, 0);
    const aq_wait_item item = {done, AQ_EQ, 0};
    ck_assert_status(
        f.ops->copy_async(f.t, 0, &to, &from, 1, NULL, 0, done, &f.rig.diag),
        AQ_OK, &f.rig.diag);
    ck_assert_status(rig_wait(&f.rig, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                     AQ_OK, &f.rig.diag);
    took[i] = f.ops->now(f.t);
    faulty_close(&f);
  }
  ck_assert_time_eq(took[1] - took[0], 5 * AQ_MS);
  ck_assert_int_gt(took[0], 3 * AQ_MS);
}
END_TEST

AQ_TEST_MAIN("transport/fault/fault",
             without_faults_nothing_differs_from_what_is_wrapped,
             packets_that_a_kernel_publishes_are_passed_on,
             a_late_doorbell_comes_at_its_time_in_a_sleep_and_in_a_wait,
             settings_that_are_wrong_are_refused_in_one_line,
             device_faults_need_a_transport_with_device_hooks,
             a_schedule_goes_to_the_wrapper_that_is_there,
             what_the_innermost_transport_is_decides_what_a_stack_is,
             options_end_where_their_caller_says,
             a_barrier_or_whose_dependency_is_missing_does_not_open_by_another,
             a_barrier_value_whose_dependency_is_missing_never_opens,
             a_lost_doorbell_that_a_later_one_made_good_is_not_named,
             two_wrappers_make_one_copy_slow_by_both_delays)
