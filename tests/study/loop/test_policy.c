/* SPDX-License-Identifier: MIT */
/* The run loop's services for policies, and its refusals. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/memory_sink.h"
#include "common/policy_queues.h"
#include "study/loop/run.h"
#include "support/fake_transport.h"
#include "transport/null/null.h"

static aq_diag diag = AQ_DIAG_INIT;

/* ---- a source over an array of jobs ---- */

typedef struct script {
  aq_workload_source source;
  const aq_job *jobs;
  size_t count, next;
  uint64_t ended[64]; /* done, or rejected + 1000, in order */
  size_t ended_count;
} script;

static aq_time script_peek(aq_workload_source *source)
{
  const script *s = (script *)source;
  return s->next < s->count ? s->jobs[s->next].submit : AQ_TIME_MAX;
}

static aq_status script_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *d)
{
  script *s = (script *)source;
  (void)d;
  *got = true;
  *out = s->jobs[s->next++];
  return AQ_OK;
}

static void script_done(aq_workload_source *source, uint64_t job, aq_time time)
{
  script *s = (script *)source;
  (void)time;
  if (s->ended_count < sizeof s->ended / sizeof *s->ended)
    s->ended[s->ended_count] = job;
  s->ended_count++;
}

static void script_rejected(aq_workload_source *source, uint64_t job,
                            aq_time time)
{
  script_done(source, job + 1000, time);
}

static const char *script_name(aq_workload_source *source, int64_t id)
{
  (void)source;
  (void)id;
  return "kernel";
}

static script script_of(const aq_job *jobs, size_t count)
{
  return (script){.source = {.peek = script_peek,
                             .next = script_next,
                             .done = script_done,
                             .rejected = script_rejected,
                             .name = script_name},
                  .jobs = jobs,
                  .count = count};
}

static aq_command commands[4];

static aq_job job_of(uint64_t id, int64_t stream, aq_time submit,
                     uint32_t count)
{
  for (int i = 0; i < 4; i++)
    commands[i] =
        (aq_command){.kind = AQ_KIND_KERNEL,
                     .cost = {.kind = AQ_COST_SPIN, .base = 10 * AQ_US},
                     .grid = {64, 1, 1},
                     .workgroup = {64, 1, 1},
                     .bytes = AQ_NONE,
                     .origin = AQ_NONE};
  return (aq_job){.id = id,
                  .stream = stream,
                  .queue = AQ_NONE,
                  .submit = submit,
                  .host_begin = submit,
                  .host_end = submit,
                  .deadline = AQ_TIME_NONE,
                  .via = AQ_VIA_DIRECT,
                  .correlation = (int64_t)id,
                  .pid = AQ_NONE,
                  .tid = AQ_NONE,
                  .commands = commands,
                  .command_count = count};
}

/* ---- a policy that a test scripts ---- */

enum ask {
  ASK_NOTHING,
  ASK_TWICE,      /* submits each job twice */
  ASK_NO_QUEUE,   /* to a queue that is not there */
  ASK_TOO_MUCH,   /* more commands than there are */
  ASK_KEEP,       /* never submits */
  ASK_IN_ADMIT,   /* submits in admit */
  ASK_PAST,       /* a timer in the past */
  ASK_FAIL,       /* calls fail */
  ASK_REJECT,     /* rejects job 0 after 1 ms */
  ASK_ONLY_FIRST, /* rejects all jobs but job 0 */
  ASK_ONE_BY_ONE, /* command by command, on two queues in turn */
  ASK_DEFER,      /* job 0 until 1 ms, others until the next completion */
  ASK_SPIN,       /* sets timers for ever */
  ASK_VACATE,     /* each queue, once a job is in it */
};

struct aq_policy {
  aq_policy_host *host;
  enum ask ask;
  uint32_t queues[2];
  uint32_t turn;
  uint32_t deferred;
};

static const aq_policy_setting settings[] = {
    {"ask", AQ_SETTING_COUNT, "0", "what to do"}, {0}};

static aq_status asked_open(const aq_policy_open *args, aq_policy **out,
                            aq_diag *d)
{
  (void)d;
  aq_policy *p = calloc(1, sizeof *p);
  p->host = args->host;
  p->ask = (enum ask)args->values[0].count;
  *out = p;
  return AQ_OK;
}

static void asked_close(aq_policy *p)
{
  free(p);
}

static void asked_start(aq_policy *p)
{
  const aq_policy_queue_desc desc = {.size = sizeof desc};
  for (int i = 0; p->ask == ASK_ONE_BY_ONE && i < 2; i++)
    p->queues[i] = p->host->queue_open(p->host, &desc);
}

static aq_admission asked_admit(aq_policy *p, const aq_policy_job *job,
                                aq_time *again)
{
  if (p->ask == ASK_IN_ADMIT)
    p->host->submit(p->host, (aq_policy_job *)(uintptr_t)job, 0, 0);
  if (p->ask == ASK_REJECT && job->id == 0) {
    *again = AQ_MS;
    return p->deferred++ ? AQ_ADMIT_REJECT : AQ_ADMIT_DEFER;
  }
  if (p->ask == ASK_ONLY_FIRST && job->id > 0)
    return AQ_ADMIT_REJECT;
  if (p->ask == ASK_DEFER && p->deferred++ < 3) {
    if (job->id == 0)
      *again = AQ_MS;
    return AQ_ADMIT_DEFER;
  }
  return AQ_ADMIT_ACCEPT;
}

static void one_submit(aq_policy *p, aq_policy_job *job)
{
  p->host->submit(p->host, job, p->queues[p->turn++ % 2], 1);
}

static void asked_ready(aq_policy *p, aq_policy_job *job)
{
  aq_policy_host *host = p->host;
  if (p->ask == ASK_KEEP)
    return;
  if (p->ask == ASK_SPIN) {
    host->timer_add(host, host->now(host) + 1, 0);
    return;
  }
  if (p->ask == ASK_ONE_BY_ONE) {
    for (uint32_t i = 0; i < job->count; i++)
      one_submit(p, job);
    return;
  }
  const uint32_t queue = host->queue_default(host, job);
  if (p->ask == ASK_NO_QUEUE)
    host->submit(host, job, queue + 77, 0);
  if (p->ask == ASK_TOO_MUCH)
    host->submit(host, job, queue, job->count + 1);
  if (p->ask == ASK_PAST)
    host->timer_add(host, host->now(host) - 1, 0);
  if (p->ask == ASK_FAIL)
    host->fail_run(host, "does not want job %llu", (unsigned long long)job->id);
  host->submit(host, job, queue, 0);
  if (p->ask == ASK_TWICE)
    host->submit(host, job, queue, 0);
  if (p->ask == ASK_VACATE)
    host->queue_vacate(host, queue);
}

static void asked_timer(aq_policy *p, uint64_t cookie)
{
  p->host->timer_add(p->host, p->host->now(p->host) + 1, cookie);
}

static const aq_policy_ops asked_ops = {.abi = AQ_POLICY_ABI,
                                        .size = sizeof(aq_policy_ops),
                                        .name = "asked",
                                        .summary = "for tests",
                                        .settings = settings,
                                        .open = asked_open,
                                        .close = asked_close,
                                        .start = asked_start,
                                        .admit = asked_admit,
                                        .ready = asked_ready,
                                        .timer = asked_timer};

/* ---- running ---- */

static aq_policy_choice *asked(enum ask ask)
{
  char text[32];
  aq_policy_choice *choice;
  snprintf(text, sizeof text, "ask=%d", (int)ask);
  ck_assert_status(aq_policy_choice_of(&asked_ops, text, &choice, &diag), AQ_OK,
                   &diag);
  return choice;
}

static aq_status run_on(const aq_transport_ops *ops, enum ask ask,
                        bool fallback, script *s, aq_record_sink *sink,
                        aq_run_totals *totals)
{
  aq_policy_choice *choice = asked(ask);
  const aq_run_options options = {
      .transport = ops, .policy = choice, .policy_fallback = fallback};
  *totals = (aq_run_totals){0};
  aq_status status = aq_run(&options, &s->source, sink, totals, &diag);
  aq_policy_choice_destroy(choice);
  return status;
}

START_TEST(what_is_not_legal_ends_the_run)
{
  static const struct {
    enum ask ask;
    const char *words;
  } cases[] = {
      {ASK_TWICE, "policy asked: it submits 0 commands of job 0, of which 0 "
                  "are left"},
      {ASK_NO_QUEUE, "policy asked: there is no queue 77"},
      {ASK_TOO_MUCH, "policy asked: it submits 3 commands of job 0, of which 2 "
                     "are left"},
      {ASK_KEEP, "policy asked: it stalls: 2 jobs waiting, nothing in flight, "
                 "no timer set; the oldest is job 0, ready"},
      {ASK_IN_ADMIT, "policy asked: submit is not legal in admit"},
      {ASK_PAST, "policy asked: it sets a timer to a time that is past"},
      {ASK_FAIL, "policy asked: does not want job 0"},
      {ASK_SPIN, "policy asked: it stalls: 2 jobs waiting, nothing in flight "
                 "during 1000000 timers"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_job jobs[] = {job_of(0, 1, 0, 2), job_of(1, 2, AQ_US, 2)};
    script s = script_of(jobs, 2);
    aq_run_totals totals;
    aq_status status =
        run_on(&aqsim_transport_ops, cases[i].ask, false, &s, NULL, &totals);
    ck_assert_int_eq(status, AQ_ERR_INVALID);
    ck_assert_str_eq(diag.text, cases[i].words);
  }
}
END_TEST

START_TEST(a_fallback_runs_every_job_once_and_says_why)
{
  for (enum ask ask = ASK_TWICE; ask <= ASK_SPIN; ask++) {
    const aq_job jobs[] = {job_of(0, 1, 0, 2), job_of(1, 1, AQ_US, 2),
                           job_of(2, 2, 90 * AQ_US, 1)};
    script s = script_of(jobs, 3);
    aq_run_totals totals;
    if (ask >= ASK_REJECT && ask < ASK_SPIN)
      continue;
    ck_assert_status(run_on(&aqsim_transport_ops, ask, true, &s, NULL, &totals),
                     AQ_OK, &diag);
    ck_assert_uint_eq(s.ended_count, 3);
    ck_assert_uint_eq(totals.packets, 5);
    ck_assert_uint_gt(strlen(totals.fallback.text), 0);
  }
}
END_TEST

START_TEST(jobs_that_depend_on_a_rejected_one_are_rejected_too)
{
  aq_job jobs[] = {job_of(0, 1, AQ_US, 1), job_of(1, 2, AQ_US, 1),
                   job_of(2, 3, 2 * AQ_US, 1), job_of(3, 2, 3 * AQ_US, 1)};
  jobs[1].dependencies[jobs[1].dependency_count++] = 0;
  script s = script_of(jobs, 4);
  aq_run_totals totals;
  ck_assert_status(
      run_on(&aqsim_transport_ops, ASK_REJECT, false, &s, NULL, &totals), AQ_OK,
      &diag);
  ck_assert_uint_eq(totals.rejected, 3);
  ck_assert_uint_eq(totals.packets, 1);
  ck_assert_uint_eq(s.ended_count, 4);
  ck_assert_uint_eq(s.ended[0], 2);
  ck_assert_uint_eq(s.ended[1], 1003);
  ck_assert_uint_eq(s.ended[2], 1001);
  ck_assert_uint_eq(s.ended[3], 1000);
}
END_TEST

/* Job 2 is rejected while job 1, ahead of it in its stream, runs; job 3 comes
 * behind it meanwhile, and has to wait for job 1 all the same. */
START_TEST(a_rejected_job_keeps_the_order_of_its_stream)
{
  aq_job jobs[] = {job_of(0, 1, 0, 1), job_of(1, 2, 0, 4),
                   job_of(2, 2, AQ_US, 1), job_of(3, 2, 1010 * AQ_US, 1)};
  script s = script_of(jobs, 4);
  aq_memory_sink rows;
  aq_run_totals totals;
  jobs[1].submit = 990 * AQ_US;
  jobs[2].submit = 991 * AQ_US;
  jobs[2].dependencies[jobs[2].dependency_count++] = 0;
  aq_memory_sink_init(&rows);
  ck_assert_status(
      run_on(&aqsim_transport_ops, ASK_REJECT, false, &s, &rows.sink, &totals),
      AQ_OK, &diag);
  ck_assert_uint_eq(totals.rejected, 2);
  ck_assert_uint_eq(rows.count, 5);
  ck_assert_int_eq(rows.rows[4].correlation, 3);
  ck_assert_int_ge(rows.rows[4].submit, rows.rows[3].complete);
  aq_memory_sink_fini(&rows);
}
END_TEST

/* ---- as many jobs in one stream as no stack of calls holds ---- */

enum { QUEUED = 400000 };

static aq_time queued_peek(aq_workload_source *source)
{
  const script *s = (script *)source;
  return s->next < QUEUED ? s->jobs->submit : AQ_TIME_MAX;
}

static aq_status queued_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *d)
{
  script *s = (script *)source;
  (void)d;
  *got = true;
  *out = *s->jobs;
  out->id = s->next++;
  out->correlation = (int64_t)out->id;
  return AQ_OK;
}

static script queued_of(const aq_job *job)
{
  script s = script_of(job, 1);
  s.source.peek = queued_peek;
  s.source.next = queued_next;
  return s;
}

START_TEST(rejected_jobs_are_released_in_order_however_many_there_are)
{
  const aq_job job = job_of(0, 1, 0, 1);
  script s = queued_of(&job);
  aq_run_totals totals;
  ck_assert_status(
      run_on(&aqsim_transport_ops, ASK_ONLY_FIRST, false, &s, NULL, &totals),
      AQ_OK, &diag);
  ck_assert_uint_eq(totals.rejected, QUEUED - 1);
  ck_assert_uint_eq(totals.packets, 1);
  ck_assert_uint_eq(s.ended_count, QUEUED);
}
END_TEST

START_TEST(jobs_behind_a_rejected_one_are_rejected_however_many_there_are)
{
  const aq_job job = job_of(0, 1, 0, 1);
  script s = queued_of(&job);
  aq_run_totals totals;
  ck_assert_status(
      run_on(&aqsim_transport_ops, ASK_REJECT, false, &s, NULL, &totals), AQ_OK,
      &diag);
  ck_assert_uint_eq(totals.rejected, QUEUED);
  ck_assert_uint_eq(s.ended_count, QUEUED);
  for (uint64_t i = 0; i < 64; i++) /* the last one first */
    ck_assert_uint_eq(s.ended[i], 1000 + QUEUED - 1 - i);
}
END_TEST

START_TEST(parts_on_different_queues_run_in_order)
{
  const aq_job jobs[] = {job_of(0, 1, 0, 4), job_of(1, 1, 0, 3)};
  script s = script_of(jobs, 2);
  aq_memory_sink rows;
  aq_run_totals totals;
  aq_memory_sink_init(&rows);
  ck_assert_status(run_on(&aqsim_transport_ops, ASK_ONE_BY_ONE, false, &s,
                          &rows.sink, &totals),
                   AQ_OK, &diag);
  aq_time end = 0;
  uint32_t kernels = 0;
  for (size_t i = 0; i < rows.count; i++) {
    if (rows.rows[i].kind != AQ_KIND_KERNEL)
      continue;
    ck_assert_int_ge(rows.rows[i].start, end);
    end = rows.rows[i].end;
    kernels++;
  }
  ck_assert_uint_eq(kernels, 7);
  ck_assert_uint_eq(s.ended[0], 0);
  ck_assert_uint_eq(s.ended[1], 1);
  aq_memory_sink_fini(&rows);
}
END_TEST

START_TEST(deferred_jobs_are_asked_again)
{
  const aq_job jobs[] = {job_of(0, 1, 0, 1), job_of(1, 2, 1, 1),
                         job_of(2, 3, 2, 1)};
  script s = script_of(jobs, 3);
  aq_memory_sink rows;
  aq_run_totals totals;
  aq_memory_sink_init(&rows);
  ck_assert_status(
      run_on(&aqsim_transport_ops, ASK_DEFER, false, &s, &rows.sink, &totals),
      AQ_OK, &diag);
  ck_assert_uint_eq(s.ended_count, 3);
  ck_assert_uint_eq(s.ended[0], 0);
  ck_assert_int_eq(rows.rows[0].submit, AQ_MS);
  ck_assert_int_ge(rows.rows[1].submit, rows.rows[0].complete);
  aq_memory_sink_fini(&rows);
}
END_TEST

/* Finds a policy that counts jobs without sending them. */
START_TEST(every_command_of_a_policy_is_a_packet_behind_a_doorbell)
{
  static const struct {
    enum ask ask;
    uint64_t doorbells;
  } cases[] = {{ASK_NOTHING, 2}, {ASK_ONE_BY_ONE, 5}};
  for (int i = 0; i < 2; i++) {
    fake_state *fake = fake_reset();
    const aq_job jobs[] = {job_of(0, 1, 0, 3), job_of(1, 1, 0, 2)};
    script s = script_of(jobs, 2);
    aq_run_totals totals;
    ck_assert_status(
        run_on(&fake_transport, cases[i].ask, false, &s, NULL, &totals), AQ_OK,
        &diag);
    ck_assert_uint_eq(totals.doorbells, cases[i].doorbells);
    ck_assert_uint_eq(fake->doorbells, cases[i].doorbells);
    ck_assert_uint_eq(fake->consumed, totals.packets);
    uint32_t kernels = 0;
    for (uint32_t k = 0; k < fake->consumed; k++)
      kernels +=
          (fake->log[k].packet.header & 0xff) == AQ_PACKET_KERNEL_DISPATCH;
    ck_assert_uint_eq(kernels, 5);
  }
}
END_TEST

START_TEST(the_same_policy_runs_on_every_transport)
{
  const aq_transport_ops *const transports[] = {&aqsim_transport_ops,
                                                &aqsim_null_transport_ops};
  for (int i = 0; i < 2; i++) {
    const aq_job jobs[] = {job_of(0, 1, 0, 4), job_of(1, 2, 1, 4),
                           job_of(2, 1, 2, 4)};
    script s = script_of(jobs, 3);
    aq_policy_choice *choice;
    aq_run_totals totals;
    ck_assert_status(aq_policy_choice_create("rr,slots=2", &choice, &diag),
                     AQ_OK, &diag);
    const aq_run_options options = {.transport = transports[i],
                                    .policy = choice};
    ck_assert_status(aq_run(&options, &s.source, NULL, &totals, &diag), AQ_OK,
                     &diag);
    aq_policy_choice_destroy(choice);
    ck_assert_uint_eq(s.ended_count, 3);
    ck_assert_uint_eq(totals.doorbells, 12);
  }
}
END_TEST

START_TEST(what_a_transport_cannot_is_refused_at_the_start)
{
  aq_policy_ops ops = asked_ops;
  const aq_job jobs[] = {job_of(0, 1, 0, 1)};
  script s = script_of(jobs, 1);
  for (int i = 0; i < 2; i++) {
    aq_policy_choice *choice;
    ops.caps = i == 0 ? AQ_CAP_CU_MASK : 0;
    ops.needs = i == 0 ? 0 : AQ_NEED_PICK;
    ck_assert_status(aq_policy_choice_of(&ops, "", &choice, &diag), AQ_OK,
                     &diag);
    const aq_run_options options = {.transport = &aqsim_null_transport_ops,
                                    .policy = choice};
    aq_run_totals totals;
    ck_assert_int_eq(aq_run(&options, &s.source, NULL, &totals, &diag),
                     AQ_ERR_UNSUPPORTED);
    ck_assert_str_eq(diag.text,
                     i == 0 ? "policy asked needs CU masks, which transport "
                              "null does not offer"
                            : "policy asked decides inside the device, which "
                              "transport null does not offer");
    aq_policy_choice_destroy(choice);
  }
  ck_assert_uint_eq(s.next, 0);
}
END_TEST

START_TEST(a_policy_of_deadlines_refuses_work_that_has_none)
{
  const aq_job jobs[] = {job_of(0, 1, 0, 1)};
  for (int i = 0; i < 2; i++) {
    script s = script_of(jobs, 1);
    s.source.no_deadlines = i == 0;
    aq_policy_choice *choice;
    ck_assert_status(aq_policy_choice_create("edf,slots=2", &choice, &diag),
                     AQ_OK, &diag);
    const aq_run_options options = {.transport = &aqsim_null_transport_ops,
                                    .policy = choice};
    aq_run_totals totals;
    aq_status status = aq_run(&options, &s.source, NULL, &totals, &diag);
    if (i == 0) {
      ck_assert_int_eq(status, AQ_ERR_UNSUPPORTED);
      ck_assert_str_eq(diag.text, "policy edf,slots=2: it needs deadlines, and "
                                  "no job has one");
      ck_assert_uint_eq(s.next, 0);
    } else {
      ck_assert_int_eq(status, AQ_OK);
    }
    aq_policy_choice_destroy(choice);
  }
}
END_TEST

/* ---- preemptions ---- */

typedef struct kept {
  aq_record_sink sink; /* first */
  aq_preempted rows[4];
  size_t count;
} kept;

static aq_status keep(aq_record_sink *sink, const aq_preempted *rows,
                      size_t count, aq_diag *d)
{
  kept *k = (kept *)sink;
  (void)d;
  for (size_t i = 0; i < count; i++)
    k->rows[k->count++] = rows[i];
  return AQ_OK;
}

START_TEST(a_queue_is_vacated_when_all_of_it_has_completed)
{
  /* The second job of stream 1 comes while the queue is being vacated. */
  aq_job jobs[] = {job_of(0, 1, 0, 2), job_of(1, 2, 0, 1), job_of(2, 2, 0, 1)};
  jobs[1].client = 7;
  jobs[1].entry = 5;
  script s = script_of(jobs, 3);
  kept k = {.sink = {.put_preempted = keep}};
  aq_policy_choice *choice = asked(ASK_VACATE);
  const aq_run_options options = {.transport = &aqsim_transport_ops,
                                  .policy = choice,
                                  .preemptions = &k.sink};
  aq_run_totals totals = {0};
  ck_assert_status(aq_run(&options, &s.source, NULL, &totals, &diag), AQ_OK,
                   &diag);
  aq_policy_choice_destroy(choice);
  ck_assert_uint_eq(k.count, 3);
  for (size_t i = 0; i < k.count; i++) {
    ck_assert_int_eq(k.rows[i].mode, AQ_PREEMPTED_VACATE);
    ck_assert_int_ge(k.rows[i].freed - k.rows[i].asked, 10 * AQ_US);
  }
  ck_assert_int_eq(k.rows[0].client, 7);
  ck_assert_int_eq(k.rows[0].entry, 5);
  ck_assert_int_eq(k.rows[0].asked, 0);
  ck_assert_int_eq(k.rows[1].asked, 0);
  ck_assert_int_ge(k.rows[1].freed, 20 * AQ_US);
  ck_assert_int_eq(k.rows[2].asked, k.rows[0].freed);
}
END_TEST

static void line_keep(const char *line, void *user)
{
  strcat(strcat(user, line), "\n");
}

START_TEST(the_decision_log_tells_hooks_and_actions)
{
  const aq_job jobs[] = {job_of(0, 1, 7, 2)};
  script s = script_of(jobs, 1);
  aq_policy_choice *choice;
  static char log[4096];
  log[0] = 0;
  ck_assert_status(aq_policy_choice_create("fifo", &choice, &diag), AQ_OK,
                   &diag);
  const aq_run_options options = {.transport = &aqsim_null_transport_ops,
                                  .policy = choice,
                                  .decision = line_keep,
                                  .decision_user = log};
  aq_run_totals totals;
  ck_assert_status(aq_run(&options, &s.source, NULL, &totals, &diag), AQ_OK,
                   &diag);
  aq_policy_choice_destroy(choice);
  ck_assert_str_eq(
      log,
      "{\"t\":7,\"hook\":\"admit\",\"job\":0,\"answer\":\"accept\"}\n"
      "{\"t\":7,\"hook\":\"ready\",\"job\":0}\n"
      "{\"t\":7,\"act\":\"open\",\"queue\":0,\"device\":0}\n"
      "{\"t\":7,\"act\":\"submit\",\"job\":0,\"queue\":0,\"commands\":2}\n"
      "{\"t\":7,\"hook\":\"done\",\"job\":0,\"queue\":0,\"commands\":2}\n");
}
END_TEST

AQ_TEST_MAIN("study/loop/policy", what_is_not_legal_ends_the_run,
             a_fallback_runs_every_job_once_and_says_why,
             jobs_that_depend_on_a_rejected_one_are_rejected_too,
             a_rejected_job_keeps_the_order_of_its_stream,
             rejected_jobs_are_released_in_order_however_many_there_are,
             jobs_behind_a_rejected_one_are_rejected_however_many_there_are,
             parts_on_different_queues_run_in_order,
             deferred_jobs_are_asked_again,
             every_command_of_a_policy_is_a_packet_behind_a_doorbell,
             the_same_policy_runs_on_every_transport,
             what_a_transport_cannot_is_refused_at_the_start,
             a_policy_of_deadlines_refuses_work_that_has_none,
             a_queue_is_vacated_when_all_of_it_has_completed,
             the_decision_log_tells_hooks_and_actions)
