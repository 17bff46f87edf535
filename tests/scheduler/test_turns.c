/* SPDX-License-Identifier: MIT */
/* The order of service: the host halves of policies on a host of this file,
 * whose queues run one command after the other. The order is a text: a letter
 * for each command when it starts, "!x" for a job x that is rejected. */
#include "support/aqtest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/policy_queues.h"
#include "scheduler/registry.h"

enum { JOBS_MAX = 64, QUEUES = 32, CLIENT_QUEUES = 16, PARTS = 128 };

/* Times in us; a deadline of 0 is none. */
typedef struct work {
  char name;
  int at, count, each;
  int client, weight, priority, deadline;
  uint32_t flags, workgroups;
} work;

typedef struct part {
  aq_policy_job *job;
  uint32_t commands;
} part;

typedef struct lane {
  part parts[PARTS];
  uint32_t first, last;
  aq_time until; /* of the part that runs */
} lane;

typedef struct stage {
  aq_policy_host host; /* first */
  const work *works;
  aq_policy_job jobs[JOBS_MAX];
  aq_command commands[JOBS_MAX][8];
  lane lanes[QUEUES];
  uint32_t opened;
  uint64_t drawn;
  aq_time now;
  char text[512];
} stage;

static aq_diag diag = AQ_DIAG_INIT;

static stage *stage_of(aq_policy_host *host)
{
  return (stage *)host;
}

__attribute__((format(printf, 2, 3))) static void note(stage *s,
                                                       const char *fmt, ...)
{
  const size_t used = strlen(s->text);
  va_list args;
  va_start(args, fmt);
  vsnprintf(s->text + used, sizeof s->text - used, fmt, args);
  va_end(args);
}

static aq_time host_now(aq_policy_host *host)
{
  return stage_of(host)->now;
}

static uint64_t host_random(aq_policy_host *host)
{
  return stage_of(host)->drawn++;
}

static uint32_t host_queue_open(aq_policy_host *host,
                                const aq_policy_queue_desc *desc)
{
  ck_assert_uint_eq(desc->size, sizeof *desc);
  ck_assert_uint_lt(stage_of(host)->opened, CLIENT_QUEUES);
  return stage_of(host)->opened++;
}

static uint32_t host_queue_default(aq_policy_host *host,
                                   const aq_policy_job *job)
{
  (void)host;
  return CLIENT_QUEUES + job->client;
}

static void host_queue_view(aq_policy_host *host, uint32_t queue,
                            aq_policy_queue_view *out)
{
  const lane *l = &stage_of(host)->lanes[queue];
  *out = (aq_policy_queue_view){.jobs = l->last - l->first};
  for (uint32_t i = l->first; i < l->last; i++)
    out->commands += l->parts[i].commands;
}

static const work *work_of(const stage *s, const aq_policy_job *job)
{
  return &s->works[job->id];
}

static void lane_start(stage *s, lane *l)
{
  const part *next = &l->parts[l->first];
  if (l->first == l->last)
    return;
  const work *w = work_of(s, next->job);
  l->until = s->now + (aq_time)next->commands * w->each * AQ_US;
  for (uint32_t i = 0; i < next->commands; i++)
    note(s, "%c", w->name);
}

static aq_status host_submit(aq_policy_host *host, aq_policy_job *job,
                             uint32_t queue, uint32_t commands)
{
  stage *s = stage_of(host);
  lane *l = &s->lanes[queue];
  const uint32_t left = job->count - job->submitted;
  commands = commands ? commands : left;
  ck_assert_uint_lt(l->last, PARTS);
  ck_assert_msg(commands > 0 && commands <= left, "%c: %u of %u commands",
                work_of(s, job)->name, commands, left);
  l->parts[l->last++] = (part){job, commands};
  job->submitted += commands;
  if (l->last == l->first + 1)
    lane_start(s, l);
  return AQ_OK;
}

static aq_status host_reject(aq_policy_host *host, aq_policy_job *job)
{
  stage *s = stage_of(host);
  ck_assert_uint_eq(job->submitted, 0);
  note(s, "!%c", work_of(s, job)->name);
  return AQ_OK;
}

static aq_status host_queue_vacate(aq_policy_host *host, uint32_t queue)
{
  (void)host, (void)queue;
  return AQ_OK;
}

__attribute__((format(printf, 2, 3))) static void
host_fail_run(aq_policy_host *host, const char *fmt, ...)
{
  char text[200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  note(stage_of(host), "(%s)", text);
}

static void job_make(stage *s, uint32_t i)
{
  const work *w = &s->works[i];
  const uint32_t items = 64 * (w->workgroups ? w->workgroups : 1);
  for (int c = 0; c < w->count; c++)
    s->commands[i][c] = (aq_command){.kind = AQ_KIND_KERNEL,
                                     .name = w->name - 'a',
                                     .grid = {items, 1, 1},
                                     .workgroup = {64, 1, 1}};
  s->jobs[i] = (aq_policy_job){.id = i,
                               .client = (uint32_t)w->client,
                               .stream = w->client,
                               .arrival = w->at * AQ_US,
                               .deadline = w->deadline ? w->deadline * AQ_US
                                                       : AQ_TIME_NONE,
                               .priority = w->priority,
                               .weight = w->weight ? (uint32_t)w->weight : 1,
                               .hint = (aq_time)w->count * w->each * AQ_US,
                               .flags = w->flags,
                               .count = (uint32_t)w->count,
                               .commands = s->commands[i]};
}

static void arrive(stage *s, const aq_policy_ops *ops, aq_policy *policy,
                   uint32_t i)
{
  aq_time again = AQ_TIME_MAX;
  job_make(s, i);
  if (ops->admit &&
      ops->admit(policy, &s->jobs[i], &again) != AQ_ADMIT_ACCEPT) {
    note(s, "!%c", s->works[i].name);
    return;
  }
  ops->ready(policy, &s->jobs[i]);
}

static void complete(stage *s, const aq_policy_ops *ops, aq_policy *policy,
                     uint32_t queue)
{
  lane *l = &s->lanes[queue];
  const part ended = l->parts[l->first++];
  lane_start(s, l);
  ended.job->completed += ended.commands;
  if (ops->part_done)
    ops->part_done(policy, ended.job, queue, ended.commands);
  if (ended.job->completed == ended.job->count && ops->done)
    ops->done(policy, ended.job);
}

/* Until all is done; works come in the order of their arrival. */
static void play_all(stage *s, const aq_policy_ops *ops, aq_policy *policy,
                     uint32_t count)
{
  for (uint32_t next = 0;;) {
    uint32_t queue = QUEUES;
    for (uint32_t q = 0; q < QUEUES; q++)
      if (s->lanes[q].first < s->lanes[q].last &&
          (queue == QUEUES || s->lanes[q].until < s->lanes[queue].until))
        queue = q;
    const aq_time at = next < count ? s->works[next].at * AQ_US : AQ_TIME_MAX;
    if (queue == QUEUES && next == count)
      return;
    if (queue == QUEUES || at <= s->lanes[queue].until) {
      s->now = aq_time_max(s->now, at);
      arrive(s, ops, policy, next++);
    } else {
      s->now = s->lanes[queue].until;
      complete(s, ops, policy, queue);
    }
  }
}

/* The order; valid until the next call. */
static const char *order_of(const char *name, const work *works, size_t count)
{
  static stage s;
  aq_policy_choice *choice;
  aq_policy *policy;
  s = (stage){.host = {.abi = AQ_POLICY_ABI,
                       .size = sizeof s.host,
                       .device_count = 1,
                       .now = host_now,
                       .random = host_random,
                       .queue_open = host_queue_open,
                       .queue_default = host_queue_default,
                       .queue_view = host_queue_view,
                       .submit = host_submit,
                       .reject = host_reject,
                       .fail_run = host_fail_run,
                       .queue_vacate = host_queue_vacate},
              .works = works};
  ck_assert_uint_le(count, JOBS_MAX);
  ck_assert_status(aq_policy_choice_create(name, &choice, &diag), AQ_OK, &diag);
  const aq_policy_ops *ops = aq_policy_choice_ops(choice);
  const aq_policy_open args = {.size = sizeof args,
                               .host = &s.host,
                               .values = aq_policy_choice_values(choice)};
  ck_assert_status(ops->open(&args, &policy, &diag), AQ_OK, &diag);
  if (ops->start)
    ops->start(policy);
  if (!s.text[0])
    play_all(&s, ops, policy, (uint32_t)count);
  ops->close(policy);
  aq_policy_choice_destroy(choice);
  return s.text;
}

#define ORDER(name, expected, ...)                                             \
  do {                                                                         \
    static const work works[] = {__VA_ARGS__};                                 \
    ck_assert_str_eq(order_of(name, works, sizeof works / sizeof *works),      \
                     expected);                                                \
  } while (0)

#define JOB(name, at, count, each, ...)                                        \
  {                                                                            \
    name, at, count, each, __VA_ARGS__                                         \
  }

/* ---- the server that most of them share ---- */

START_TEST(a_capacity_counts_jobs_in_service_and_waiting)
{
  ORDER("fifo,capacity=2", "a!cbd", JOB('a', 0, 1, 10), JOB('b', 1, 1, 10),
        JOB('c', 2, 1, 10), JOB('d', 12, 1, 10));
}
END_TEST

START_TEST(a_job_that_is_dropped_leaves_its_place)
{
  ORDER("edf,drop=1,capacity=2", "a!bcd", JOB('a', 0, 1, 10, .deadline = 100),
        JOB('b', 1, 1, 10, .deadline = 5), JOB('c', 20, 1, 10, .deadline = 100),
        JOB('d', 21, 1, 10, .deadline = 100));
}
END_TEST

/* ---- deadlines ---- */

START_TEST(a_job_without_a_deadline_comes_last)
{
  ORDER("edf", "adcb", JOB('a', 0, 1, 10, .deadline = 9), JOB('b', 1, 1, 10),
        JOB('c', 2, 1, 10, .deadline = 90), JOB('d', 3, 1, 10, .deadline = 50));
}
END_TEST

START_TEST(a_job_that_has_begun_is_not_dropped)
{
  ORDER("edf,turn=1,drop=1", "aaa", JOB('a', 0, 3, 10, .deadline = 15));
}
END_TEST

START_TEST(the_least_work_left_counts_what_has_run)
{
  ORDER("srpt", "aaab", JOB('a', 0, 3, 10), JOB('b', 1, 1, 25));
  ORDER("sjf", "acb", JOB('a', 0, 1, 10), JOB('b', 1, 1, 30),
        JOB('c', 2, 1, 20));
  /* At 10 us: 60 - 20 of a against 45 - 10 of b; at 20 us 60 - 20 again. */
  ORDER("llf", "abaa", JOB('a', 0, 3, 10, .deadline = 60),
        JOB('b', 1, 1, 10, .deadline = 45));
}
END_TEST

/* ---- shares ---- */

START_TEST(fair_queueing_goes_on_from_the_tag_in_service)
{
  /* Tags of a: 12, 24, 36, 48; of b, of weight 2: 18, 24, 30, 36. */
  ORDER("wfq", "ababbaba", JOB('a', 0, 1, 12, .weight = 1),
        JOB('b', 1, 1, 12, .client = 1, .weight = 2), JOB('a', 1, 1, 12),
        JOB('b', 1, 1, 12, .client = 1, .weight = 2), JOB('a', 1, 1, 12),
        JOB('b', 1, 1, 12, .client = 1, .weight = 2), JOB('a', 1, 1, 12),
        JOB('b', 1, 1, 12, .client = 1, .weight = 2));
}
END_TEST

START_TEST(a_lottery_draws_clients_by_weight)
{
  /* The draws are 0, 1, 2, …; of 4 tickets the first is a's. */
  ORDER("lottery,turn=1", "abbbab", JOB('a', 0, 2, 10, .weight = 1),
        JOB('b', 0, 4, 10, .client = 1, .weight = 3));
  ORDER("lottery", "aabbbb", JOB('a', 0, 2, 10, .weight = 1),
        JOB('b', 0, 4, 10, .client = 1, .weight = 3));
}
END_TEST

START_TEST(stride_charges_the_time_that_turns_took)
{
  /* Passes behind each turn, of a: 10, 20, …; of b: 15, 30, … */
  ORDER("stride,turn=1", "ababaaba", JOB('a', 0, 5, 10),
        JOB('b', 0, 3, 15, .client = 1));
  ORDER("stride,turn=1", "abbabb", JOB('a', 0, 2, 10),
        JOB('b', 0, 4, 10, .client = 1, .weight = 2));
  ORDER("stride", "aabbb", JOB('a', 0, 2, 10), JOB('b', 0, 3, 1, .client = 1));
}
END_TEST

START_TEST(a_client_that_paused_has_no_claim_to_the_time)
{
  /* b comes at 40 us: from there on both have turns alike. */
  ORDER("stride,turn=1", "aaaababaa", JOB('a', 0, 7, 10),
        JOB('b', 35, 2, 10, .client = 1));
}
END_TEST

START_TEST(deficits_grow_by_weight_and_end_with_the_work)
{
  ORDER("drr,quantum=10us", "abbabb", JOB('a', 0, 1, 10),
        JOB('b', 0, 1, 10, .client = 1, .weight = 2), JOB('a', 0, 1, 10),
        JOB('b', 0, 1, 10, .client = 1, .weight = 2),
        JOB('b', 0, 1, 10, .client = 1, .weight = 2),
        JOB('b', 0, 1, 10, .client = 1, .weight = 2));
  /* a keeps the rest of its quanta: 4 us, then 2 us. */
  ORDER("drr,quantum=10us", "abaabaab", JOB('a', 0, 1, 6),
        JOB('b', 0, 1, 10, .client = 1), JOB('a', 0, 1, 6), JOB('a', 0, 1, 6),
        JOB('a', 0, 1, 6), JOB('a', 0, 1, 6), JOB('b', 0, 1, 10, .client = 1),
        JOB('b', 0, 1, 10, .client = 1));
  /* b's job of 25 us waits for the third quantum. */
  ORDER("drr,quantum=10us", "aaaba", JOB('a', 0, 1, 10),
        JOB('b', 0, 1, 25, .client = 1), JOB('a', 0, 1, 10), JOB('a', 0, 1, 10),
        JOB('a', 0, 1, 10));
  /* a's rest of its quantum is gone when its next jobs come. */
  ORDER("drr,quantum=10us", "ababa", JOB('a', 0, 1, 1),
        JOB('b', 0, 1, 10, .client = 1), JOB('a', 2, 1, 10),
        JOB('b', 2, 1, 10, .client = 1), JOB('a', 2, 1, 5));
}
END_TEST

/* ---- levels ---- */

START_TEST(a_job_goes_down_a_level_after_each_turn)
{
  /* Turns of 1, 2, 4 commands on levels 0, 1, 2. */
  ORDER("mlfq,levels=3,turn=1,boost=0ns", "abaacaaa", JOB('a', 0, 6, 10),
        JOB('b', 5, 1, 10), JOB('c', 35, 1, 10));
  /* On the lowest of two levels turns stay as long. */
  ORDER("mlfq,levels=2,turn=1,boost=0ns", "abaabbaab", JOB('a', 0, 5, 10),
        JOB('b', 5, 4, 10));
}
END_TEST

START_TEST(a_boost_lifts_all_jobs_to_the_highest_level)
{
  /* Without a boost a's second turn would be of 2, its third of 4. */
  ORDER("mlfq,levels=3,turn=1,boost=10us", "abababab", JOB('a', 0, 4, 10),
        JOB('b', 5, 4, 10));
}
END_TEST

START_TEST(round_robin_gives_turns_of_some_commands)
{
  ORDER("rr,turn=2", "aabbabb", JOB('a', 0, 3, 10), JOB('b', 5, 4, 10));
  ORDER("rr,slots=2", "abcabc", JOB('a', 0, 2, 10), JOB('b', 1, 2, 10),
        JOB('c', 2, 2, 10));
}
END_TEST

/* ---- urgent and best effort ---- */

START_TEST(best_effort_runs_beside_urgent_work_that_strains_something_else)
{
  /* b strains what u strains, and waits for its end; c does not. */
  ORDER("orion", "uacb",
        JOB('u', 0, 1, 100, .priority = 1, .flags = AQ_JOB_COMPUTE),
        JOB('a', 1, 1, 10, .client = 1, .flags = AQ_JOB_MEMORY),
        JOB('b', 2, 1, 10, .client = 2, .flags = AQ_JOB_COMPUTE),
        JOB('c', 50, 1, 10, .client = 3, .flags = AQ_JOB_MEMORY));
  ORDER(
      "orion,workgroups=4", "uba",
      JOB('u', 0, 1, 100, .priority = 1, .flags = AQ_JOB_COMPUTE),
      JOB('a', 1, 1, 10, .client = 1, .flags = AQ_JOB_MEMORY, .workgroups = 8),
      JOB('b', 2, 1, 10, .client = 2, .flags = AQ_JOB_MEMORY, .workgroups = 4));
}
END_TEST

START_TEST(best_effort_in_flight_fills_its_budget_and_no_more)
{
  ORDER("orion,budget=20us", "acb", JOB('a', 0, 1, 15, .client = 1),
        JOB('b', 1, 1, 15, .client = 2), JOB('c', 2, 1, 5, .client = 3));
}
END_TEST

START_TEST(the_less_urgent_launch_no_more_while_others_are_present)
{
  /* Two of a are in flight when u comes; the last waits for u and v. */
  ORDER("xsched,threshold=2,batch=1", "aauauva", JOB('a', 0, 4, 10),
        JOB('u', 15, 2, 50, .client = 1, .priority = 1),
        JOB('v', 90, 1, 50, .client = 2, .priority = 1));
  ORDER("xsched,threshold=4,batch=2", "aabaaa", JOB('a', 0, 5, 10),
        JOB('b', 5, 1, 10, .client = 1));
  ORDER("xsched,threshold=0", "(threshold=0, batch=0; expected 1 or more)",
        {0});
}
END_TEST

START_TEST(laxity_counts_the_work_that_is_still_to_do)
{
  /* A workgroup of a takes 10 us: the last waits for two on two slots. */
  ORDER("lax,slots=2", "aaaa", JOB('a', 0, 1, 10, .deadline = 100),
        JOB('a', 20, 1, 10, .deadline = 100),
        JOB('a', 21, 1, 10, .deadline = 100),
        JOB('a', 22, 1, 10, .deadline = 47));
  ORDER("lax", "aa", JOB('a', 0, 1, 10, .deadline = 100),
        JOB('a', 20, 1, 10, .deadline = 35));
  ORDER("lax", "aa!a", JOB('a', 0, 1, 10, .deadline = 100),
        JOB('a', 20, 1, 10, .deadline = 35),
        JOB('a', 21, 1, 10, .deadline = 40));
}
END_TEST

START_TEST(of_jobs_that_are_late_the_least_work_comes_first)
{
  ORDER("lax", "bcxcb", JOB('b', 0, 1, 10, .deadline = 1000),
        JOB('c', 1, 1, 5, .deadline = 1000),
        JOB('x', 20, 1, 100, .deadline = 1000),
        JOB('b', 21, 1, 10, .deadline = 60),
        JOB('c', 22, 1, 5, .deadline = 60));
}
END_TEST

/* ---- settings ---- */

START_TEST(each_side_has_a_cost_and_a_latency)
{
  aq_policy_choice *choice;
  ck_assert_status(
      aq_policy_choice_create(
          "fifo,host_cost=1us,host_latency=2us,firmware_cost=3us,"
          "firmware_latency=4us,hardware_cost=5us,hardware_latency=6us,slots=7",
          &choice, &diag),
      AQ_OK, &diag);
  const aq_policy_timing *timing = aq_policy_choice_timing(choice);
  for (int side = 0; side < AQ_SIDE_COUNT; side++) {
    ck_assert_int_eq(timing[side].cost, (1 + 2 * side) * AQ_US);
    ck_assert_int_eq(timing[side].latency, (2 + 2 * side) * AQ_US);
  }
  ck_assert_int_eq(aq_policy_choice_values(choice)[0].count, 7);
  aq_policy_choice_destroy(choice);
}
END_TEST

START_TEST(a_setting_that_is_no_value_is_refused_with_what_is_expected)
{
  static const char *const cases[][2] = {
      {"fifo,slots=2x", "policy fifo: slots=2x; expected a whole number"},
      {"fifo,slots=-2", "policy fifo: slots=-2; expected a whole number"},
      {"mlfq,levels=4294967298",
       "policy mlfq: levels=4294967298; expected a whole number of 0 to "
       "4294967295"},
      {"drr,quantum=10", "policy drr: quantum=10; expected a time"},
      {"krisp,slack=1e", "policy krisp: slack=1e; expected a number"},
      {"fifo,slots", "policy fifo: 'slots'; expected KEY=VALUE"},
      {"fifo,slot=1", "policy fifo has no setting 'slot'; expected slots, "},
      {",slots=1", "a policy without a name"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_policy_choice *choice;
    ck_assert_status(aq_policy_choice_create(cases[i][0], &choice, &diag),
                     AQ_ERR_INVALID, &diag);
    ck_assert_msg(strstr(diag.text, cases[i][1]), "%s", diag.text);
  }
}
END_TEST

AQ_TEST_MAIN("scheduler/turns", a_capacity_counts_jobs_in_service_and_waiting,
             a_job_that_is_dropped_leaves_its_place,
             a_job_without_a_deadline_comes_last,
             a_job_that_has_begun_is_not_dropped,
             the_least_work_left_counts_what_has_run,
             fair_queueing_goes_on_from_the_tag_in_service,
             a_lottery_draws_clients_by_weight,
             stride_charges_the_time_that_turns_took,
             a_client_that_paused_has_no_claim_to_the_time,
             deficits_grow_by_weight_and_end_with_the_work,
             a_job_goes_down_a_level_after_each_turn,
             a_boost_lifts_all_jobs_to_the_highest_level,
             round_robin_gives_turns_of_some_commands,
             best_effort_runs_beside_urgent_work_that_strains_something_else,
             best_effort_in_flight_fills_its_budget_and_no_more,
             the_less_urgent_launch_no_more_while_others_are_present,
             laxity_counts_the_work_that_is_still_to_do,
             of_jobs_that_are_late_the_least_work_comes_first,
             each_side_has_a_cost_and_a_latency,
             a_setting_that_is_no_value_is_refused_with_what_is_expected)
