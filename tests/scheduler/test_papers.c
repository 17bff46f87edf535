/* SPDX-License-Identifier: MIT */
/* Policies do what their papers say, on a device of four compute units with
 * room for two waves each and without launch costs. */
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/memory_sink.h"
#include "study/loop/run.h"
#include "study/workload/request_log.h"
#include "study/workload/scenario.h"

enum { KEPT_MAX = 64 };

static aq_diag diag = AQ_DIAG_INIT;

#define IDEAL                                                                  \
  "doorbell_to_fetch=0 ns", "packet_fetch=0 ns", "packet_decode=0 ns",         \
      "acquire_agent=0 ns", "acquire_system=0 ns", "dispatch_setup=0 ns",      \
      "workgroup_interval=0 ns", "end_of_pipe=0 ns", "release_agent=0 ns",     \
      "release_system=0 ns", "signal_write=0 ns", "remap_latency=0 ns",        \
      "queue_switch=0 ns", "kernel_reset=0 ns", "wave_state=0 B",              \
      "barrier_process=0 ns", "cus=4", "xccs=1", "simds_per_cu=1",             \
      "waves_per_simd=2"

static const char *const ideal[] = {IDEAL, NULL};
static const char *const one_slot[] = {IDEAL, "pipes=1", "slots_per_pipe=1",
                                       NULL};
static const char *const one_pipe[] = {IDEAL, "pipes=1", "slots_per_pipe=8",
                                       "dispatch_setup=10 us", NULL};
static const char *const two_pipes[] = {IDEAL, "pipes=2", "slots_per_pipe=2",
                                        "packet_decode=10 us", NULL};

/* The results of a run: rows, requests and preemptions, in the order of their
 * ends. */
typedef struct outcome {
  aq_record_sink facts; /* first */
  aq_memory_sink rows;
  aq_request requests[KEPT_MAX];
  aq_preempted preempted[KEPT_MAX];
  size_t request_count, preempted_count;
} outcome;

static aq_status keep(void *to, size_t *had, const void *rows, size_t count,
                      size_t size)
{
  ck_assert_uint_le(*had + count, KEPT_MAX);
  memcpy((char *)to + *had * size, rows, count * size);
  *had += count;
  return AQ_OK;
}

static aq_status keep_requests(aq_record_sink *sink, const aq_request *rows,
                               size_t count, aq_diag *d)
{
  outcome *o = (outcome *)sink;
  (void)d;
  return keep(o->requests, &o->request_count, rows, count, sizeof *rows);
}

static aq_status keep_preempted(aq_record_sink *sink, const aq_preempted *rows,
                                size_t count, aq_diag *d)
{
  outcome *o = (outcome *)sink;
  (void)d;
  return keep(o->preempted, &o->preempted_count, rows, count, sizeof *rows);
}

/* Caller's storage; `over` frees the contents of the outcome. */
static void play_on(const char *const *device, const char *scenario,
                    const char *policy, outcome *o)
{
  aq_workload_source *workload;
  aq_policy_choice *choice;
  aq_request_log *log;
  *o = (outcome){.facts = {.put_requests = keep_requests,
                           .put_preempted = keep_preempted}};
  aq_memory_sink_init(&o->rows);
  ck_assert_status(aq_scenario_load_text(scenario, strlen(scenario), "s.json",
                                         &(aq_scenario_options){0}, &workload,
                                         NULL, &diag),
                   AQ_OK, &diag);
  ck_assert_status(aq_policy_choice_create(policy, &choice, &diag), AQ_OK,
                   &diag);
  ck_assert_status(aq_request_log_create(workload, &o->facts, &log, &diag),
                   AQ_OK, &diag);
  const aq_run_options options = {.transport = &aqsim_transport_ops,
                                  .open = {.device = "mi50", .edits = device},
                                  .policy = choice,
                                  .preemptions = &o->facts};
  ck_assert_status(
      aq_run(&options, aq_request_log_source(log), &o->rows.sink, NULL, &diag),
      AQ_OK, &diag);
  ck_assert_status(aq_request_log_flush(log, &diag), AQ_OK, &diag);
  aq_request_log_destroy(log);
  aq_policy_choice_destroy(choice);
  workload->close(workload);
}

static void play(const char *scenario, const char *policy, outcome *o)
{
  play_on(ideal, scenario, policy, o);
}

static void over(outcome *o)
{
  aq_memory_sink_fini(&o->rows);
}

/* The end of the last kernel. */
static aq_time end_of(const char *scenario, const char *policy)
{
  outcome o;
  aq_time end = 0;
  play(scenario, policy, &o);
  for (size_t i = 0; i < o.rows.count; i++)
    end = aq_time_max(end, o.rows.rows[i].end);
  over(&o);
  return end;
}

/* ---- KRISP ---- */

/* Two clients, each with one kernel of four workgroups of one wave. */
#define PAIR(latency)                                                          \
  "{\"version\": 1, \"kernels\": {\"k\": {\"grid\": 256, \"workgroup\": 64,"   \
  "\"cost\": {\"occupancy\": {\"latency\": " latency "}}}},"                   \
  "\"requests\": {\"r\": {\"steps\": [{\"kernel\": \"k\"}]}},"                 \
  "\"clients\": [{\"request\": \"r\", \"open\": {\"at\": [\"0us\"]},"          \
  "\"count\": 2}]}"

START_TEST(a_kernel_gets_no_fewer_compute_units_than_keep_it_fast)
{
  /* Two on a compute unit take twice as long: it needs all four, and the other
   * waits, or shares them. */
  static const char steep[] = PAIR("[\"10us\", \"20us\"]");
  /* They do not: two compute units are enough, and both run side by side. */
  static const char flat[] = PAIR("[\"10us\", \"10us\"]");
  ck_assert_int_eq(end_of(steep, "krisp"), 20 * AQ_US);
  ck_assert_int_eq(end_of(steep, "krisp,overlap=4"), 10 * AQ_US);
  ck_assert_int_eq(end_of(flat, "krisp"), 10 * AQ_US);
}
END_TEST

START_TEST(without_overlap_a_kernel_takes_what_is_free)
{
  /* The first has two of the four compute units that the other asks for. */
  static const char scenario[] =
      "{\"version\": 1, \"kernels\": {"
      "\"two\": {\"grid\": 128, \"workgroup\": 64, \"cost\": {\"occupancy\": "
      "{\"latency\": [\"15us\", \"30us\"]}}},"
      "\"four\": {\"grid\": 256, \"workgroup\": 64, \"cost\": {\"occupancy\": "
      "{\"latency\": [\"10us\", \"20us\"]}}}},"
      "\"requests\": {\"a\": {\"steps\": [{\"kernel\": \"two\"}]},"
      "\"b\": {\"steps\": [{\"kernel\": \"four\"}]}},"
      "\"clients\": [{\"request\": \"a\", \"open\": {\"at\": [\"0us\"]}},"
      "{\"request\": \"b\", \"open\": {\"at\": [\"1us\"]}}]}";
  ck_assert_int_eq(end_of(scenario, "krisp"), 21 * AQ_US);
  ck_assert_int_eq(end_of(scenario, "krisp,overlap=4"), 15 * AQ_US);
}
END_TEST

START_TEST(a_partition_of_a_model_is_sized_once_for_all_its_kernels)
{
  static const char steep[] = PAIR("[\"10us\", \"20us\"]");
  /* Half as fast on two compute units is too slow, but not with this slack. */
  ck_assert_int_eq(end_of(steep, "krisp,per=model"), 10 * AQ_US);
  ck_assert_int_eq(end_of(steep, "krisp,per=model,slack=1"), 20 * AQ_US);
  ck_assert_int_eq(end_of(steep, "krisp,per=equal,shares=2"), 20 * AQ_US);
}
END_TEST

/* ---- XSched ---- */

START_TEST(a_preemption_waits_for_what_each_level_cannot_take_back)
{
  /* Kernels of 10 us; after 105 us a queue that is more urgent has something
   * until 300 us. */
  static const char scenario[] =
      "{\"version\": 1, \"kernels\": {"
      "\"k\": {\"grid\": 64, \"workgroup\": 64, \"cost\": {\"workgroup\": "
      "\"10us\"}}, \"hold\": {\"cost\": \"195us\"}},"
      "\"requests\": {"
      "\"low\": {\"steps\": [{\"graph\": [{\"kernel\": \"k\", \"repeat\": "
      "40}]}]}, \"high\": {\"steps\": [{\"kernel\": \"hold\"}]}},"
      "\"clients\": ["
      "{\"request\": \"low\", \"open\": {\"at\": [\"0us\"]}, \"priority\": "
      "\"low\", \"idempotent\": true},"
      "{\"request\": \"high\", \"open\": {\"at\": [\"105us\"]}, \"priority\": "
      "\"high\"}]}";
  static const struct {
    const char *policy;
    aq_preempted_mode mode;
    aq_time least, most;
  } levels[] = {
      /* Batches of 4: that of 80 us has two left, the next is there. */
      {"xsched,threshold=8,batch=4", AQ_PREEMPTED_VACATE, 54, 56},
      {"xsched,threshold=8,batch=1", AQ_PREEMPTED_VACATE, 74, 76},
      {"xsched2,threshold=8", AQ_PREEMPTED_SUSPEND, 4, 6},
      {"xsched3,threshold=8", AQ_PREEMPTED_SWITCH, 0, 1},
  };
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    outcome o;
    play(scenario, levels[i].policy, &o);
    ck_assert_uint_eq(o.preempted_count, 1);
    const aq_preempted *row = &o.preempted[0];
    ck_assert_int_eq(row->mode, levels[i].mode);
    ck_assert_int_eq(row->client, 0);
    ck_assert_int_eq(row->asked, 105 * AQ_US);
    ck_assert_int_ge(row->freed - row->asked, levels[i].least * AQ_US);
    ck_assert_int_le(row->freed - row->asked, levels[i].most * AQ_US);
    over(&o);
  }
}
END_TEST

/* ---- LAX ---- */

/* Jobs of two kernels of 10 us each; names of clients are their deadlines. */
#define LAX(clients)                                                           \
  "{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"10us\"}},"               \
  "\"requests\": {\"r\": {\"steps\": [{\"graph\": [{\"kernel\": \"k\","        \
  "\"repeat\": 2}]}]}}, \"clients\": [" clients "]}"
#define ASK(at, deadline)                                                      \
  "{\"request\": \"r\", \"open\": {\"at\": [\"" at "\"]}, \"deadline\": "      \
  "\"" deadline "\"}"

static const aq_request *request_of(const outcome *o, int64_t client)
{
  for (size_t i = 0; i < o->request_count; i++)
    if (o->requests[i].client == client)
      return &o->requests[i];
  ck_abort_msg("no request of client %d", (int)client);
}

START_TEST(lax_admits_what_the_rates_seen_so_far_let_in)
{
  /* The first is let in, for nothing is known; it takes 20 us. Then there is
   * room for 35 us after arrival, but not for 25 us behind that one. */
  outcome o;
  play(LAX(ASK("0us", "1us") "," ASK("30us", "35us") "," ASK("31us", "25us")),
       "lax", &o);
  ck_assert_int_eq(request_of(&o, 0)->rejected, 0);
  ck_assert_int_eq(request_of(&o, 1)->complete, 50 * AQ_US);
  ck_assert_int_eq(request_of(&o, 2)->rejected, 1);
  over(&o);
}
END_TEST

START_TEST(lax_serves_those_that_cannot_make_it_after_those_that_can)
{
  /* At 10 us the first, late already, has a command left; the second can still
   * make it and has more laxity than the first, which EDF would serve. */
  static const char scenario[] = LAX(ASK("0us", "5us") "," ASK("5us", "60us"));
  outcome o;
  play(scenario, "lax", &o);
  ck_assert_int_eq(request_of(&o, 1)->complete, 30 * AQ_US);
  ck_assert_int_eq(request_of(&o, 0)->complete, 40 * AQ_US);
  over(&o);
}
END_TEST

START_TEST(lax_learns_the_rate_of_each_kernel_of_a_job)
{
  /* From the first, k takes 10 us and n 30: 15 us are enough for one k. */
  static const char scenario[] =
      "{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"10us\"},"
      "\"n\": {\"cost\": \"30us\"}}, \"requests\": {"
      "\"r\": {\"steps\": [{\"graph\": [\"k\", \"n\"]}]},"
      "\"s\": {\"steps\": [{\"kernel\": \"k\"}]},"
      "\"t\": {\"steps\": [{\"kernel\": \"n\"}]}}, \"clients\": ["
      "{\"request\": \"r\", \"open\": {\"at\": [\"0us\"]}, \"deadline\": "
      "\"1ms\"},"
      "{\"request\": \"s\", \"open\": {\"at\": [\"42us\"]}, \"deadline\": "
      "\"15us\"},"
      "{\"request\": \"t\", \"open\": {\"at\": [\"60us\"]}, \"deadline\": "
      "\"25us\"}]}";
  outcome o;
  play(scenario, "lax", &o);
  ck_assert_int_eq(request_of(&o, 1)->complete, 52 * AQ_US);
  ck_assert_int_eq(request_of(&o, 2)->rejected, 1);
  over(&o);
}
END_TEST

/* ---- REEF ---- */

/* A best-effort kernel from 0 us on, an urgent one of 4 workgroups of 50 us
 * from 10 us on; 8 workgroups fill the device. */
#define REEF(items, time)                                                      \
  "{\"version\": 1, \"kernels\": {"                                            \
  "\"be\": {\"grid\": " items ", \"workgroup\": 64, \"cost\": "                \
  "{\"workgroup\": \"" time "\"}},"                                            \
  "\"rt\": {\"grid\": 256, \"workgroup\": 64, \"cost\": {\"workgroup\": "      \
  "\"50us\"}}}, \"requests\": {"                                               \
  "\"b\": {\"steps\": [{\"kernel\": \"be\"}]},"                                \
  "\"u\": {\"steps\": [{\"kernel\": \"rt\"}]}}, \"clients\": ["                \
  "{\"request\": \"b\", \"open\": {\"at\": [\"0us\"]}, \"idempotent\": true,"  \
  "\"priority\": \"low\"},"                                                    \
  "{\"request\": \"u\", \"open\": {\"at\": [\"10us\"]}, \"priority\": "        \
  "\"high\"}]}"

/* When the best-effort kernel ends; the urgent one is not delayed by it. */
static aq_time best_effort_end(const char *scenario, const char *policy)
{
  outcome o;
  play(scenario, policy, &o);
  ck_assert_int_eq(request_of(&o, 1)->complete, 60 * AQ_US);
  ck_assert_uint_eq(o.preempted_count, 1);
  ck_assert_int_eq(o.preempted[0].mode, AQ_PREEMPTED_RESET);
  const aq_time end = request_of(&o, 0)->complete;
  over(&o);
  return end;
}

START_TEST(best_effort_is_reset_and_pads_what_ends_before_the_urgent_kernel)
{
  /* Anew at 10 us, in the room that the urgent kernel leaves. */
  ck_assert_int_eq(best_effort_end(REEF("256", "20us"), "reef"), 30 * AQ_US);
  ck_assert_int_eq(best_effort_end(REEF("256", "50us"), "reef"), 60 * AQ_US);
  /* It would end later: behind the urgent kernel. */
  ck_assert_int_eq(best_effort_end(REEF("256", "51us"), "reef"), 111 * AQ_US);
  ck_assert_int_eq(best_effort_end(REEF("256", "20us"), "reef,padding=0"),
                   80 * AQ_US);
}
END_TEST

/* ---- AMD ---- */

#define REPEAT(count, items)                                                   \
  "{\"version\": 1, \"kernels\": {\"k\": {\"grid\": " items                    \
  ", \"workgroup\": "                                                          \
  "64, \"cost\": {\"workgroup\": \"10us\"}}, \"long\": {\"grid\": 64, "        \
  "\"workgroup\": 64, \"cost\": {\"workgroup\": \"100us\"}}}, \"requests\": {" \
  "\"r\": {\"steps\": [{\"graph\": [{\"kernel\": \"k\", \"repeat\": " count    \
  "}]}]}, \"l\": {\"steps\": [{\"kernel\": \"long\"}]}}, \"clients\": ["
#define CLIENT(request, at, more)                                              \
  "{\"request\": \"" request "\", \"open\": {\"at\": [\"" at "\"]}" more "}"

static void check_ends(const char *const *device, const char *scenario,
                       const char *policy, const int *ends, int count)
{
  outcome o;
  play_on(device, scenario, policy, &o);
  for (int i = 0; i < count; i++)
    ck_assert_int_eq(request_of(&o, i)->complete, ends[i] * AQ_US);
  over(&o);
}

START_TEST(a_slot_goes_to_the_queue_that_waits_longest)
{
  /* The third has its turns too, though the first two never end one. */
  static const char scenario[] = REPEAT("1", "64")
      CLIENT("l", "0us", "") "," CLIENT("l", "10us", "") "," CLIENT("l", "20us",
                                                                    "") "]}";
  check_ends(one_slot, scenario, "amd,quantum=30us",
             (const int[]){280, 290, 300}, 3);
}
END_TEST

START_TEST(queues_of_one_priority_change_when_a_quantum_ends)
{
  static const char scenario[] =
      REPEAT("1", "64") CLIENT("l", "0us", "") "," CLIENT("l", "10us", "") "]}";
  check_ends(one_slot, scenario, "amd,quantum=30us", (const int[]){190, 200},
             2);
  check_ends(one_slot, scenario, "amd", (const int[]){100, 200}, 2);
}
END_TEST

START_TEST(a_pipe_launches_of_its_queues_in_turn)
{
  /* A launch keeps the pipe for 10 us, as long as a kernel runs. */
  static const char scenario[] = REPEAT("3", "64")
      CLIENT("r", "0us", "") "," CLIENT("r", "1us", "") "," CLIENT("r", "2us",
                                                                   "") "]}";
  check_ends(one_pipe, scenario, "amd", (const int[]){80, 90, 100}, 3);
}
END_TEST

START_TEST(a_queue_gets_a_slot_of_the_pipe_that_has_the_fewest)
{
  /* Both decode at once. */
  static const char scenario[] =
      REPEAT("1", "64") CLIENT("r", "0us", "") "," CLIENT("r", "0us", "") "]}";
  check_ends(two_pipes, scenario, "amd", (const int[]){20, 20}, 2);
}
END_TEST

/* ---- preemption ---- */

START_TEST(a_kernel_that_is_reset_has_all_of_its_work_left)
{
  /* The first, of 100 us, is reset at 10 us; at 15 us 95 us are less. */
  static const char scenario[] =
      "{\"version\": 1, \"kernels\": {"
      "\"a\": {\"grid\": 64, \"workgroup\": 64, \"cost\": "
      "{\"workgroup\": "
      "\"100us\"}}, \"b\": {\"grid\": 64, \"workgroup\": 64, \"cost\": "
      "{\"workgroup\": \"5us\"}}, \"c\": {\"grid\": 64, \"workgroup\": "
      "64, "
      "\"cost\": {\"workgroup\": \"95us\"}}}, \"requests\": {"
      "\"a\": {\"steps\": [{\"kernel\": \"a\"}]},"
      "\"b\": {\"steps\": [{\"kernel\": \"b\"}]},"
      "\"c\": {\"steps\": [{\"kernel\": \"c\"}]}}, \"clients\": "
      "[" CLIENT("a", "0us", ", \"idempotent\": true, \"hint\": \"100us\"") "," CLIENT(
          "b", "10us",
          ", \"idempotent\": true, \"hint\": \"5us\"") "," CLIENT("c",
                                                                  "12u"
                                                                  "s",
                                                                  ", "
                                                                  "\"id"
                                                                  "empo"
                                                                  "tent"
                                                                  "\": "
                                                                  "true"
                                                                  ", "
                                                                  "\"hi"
                                                                  "nt\""
                                                                  ": "
                                                                  "\"95"
                                                                  "us"
                                                                  "\"") "]}";
  check_ends(ideal, scenario, "preemptive,order=srpt,mode=reset",
             (const int[]){210, 15, 110}, 3);
  check_ends(ideal, scenario, "preemptive,order=srpt",
             (const int[]){105, 15, 200}, 3);
}
END_TEST

AQ_TEST_MAIN("scheduler/papers",
             a_kernel_gets_no_fewer_compute_units_than_keep_it_fast,
             without_overlap_a_kernel_takes_what_is_free,
             a_partition_of_a_model_is_sized_once_for_all_its_kernels,
             a_preemption_waits_for_what_each_level_cannot_take_back,
             lax_admits_what_the_rates_seen_so_far_let_in,
             lax_serves_those_that_cannot_make_it_after_those_that_can,
             lax_learns_the_rate_of_each_kernel_of_a_job,
             best_effort_is_reset_and_pads_what_ends_before_the_urgent_kernel,
             a_slot_goes_to_the_queue_that_waits_longest,
             queues_of_one_priority_change_when_a_quantum_ends,
             a_pipe_launches_of_its_queues_in_turn,
             a_queue_gets_a_slot_of_the_pipe_that_has_the_fewest,
             a_kernel_that_is_reset_has_all_of_its_work_left)
