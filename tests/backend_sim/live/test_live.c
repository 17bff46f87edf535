/* SPDX-License-Identifier: MIT */
/* Live mode: real threads on the simulator. Nothing here asserts how long
 * something took, only that it came. */
#include "backend_sim/rig.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_sim/core.h"
#include "backend_sim/live/device_thread.h"
#include "backend_sim/sim.h"

static void open_live(rig *r, aq_pace pace)
{
  rig_open_with(r, &aqsim_transport_ops,
                &(aq_transport_options){.mode = AQ_MODE_LIVE, .pace = pace});
}

static bool reproducible(rig *r)
{
  aq_transport_info info;
  r->t->ops->info(r->t, &info);
  return info.reproducible;
}

static int64_t *value_of(aq_signal signal)
{
  return &((aq_amd_signal *)(uintptr_t)signal.handle)->value;
}

/* Polls memory, as a client does that knows nothing of the transport. */
static void spin_until_zero(aq_signal signal)
{
  while (__atomic_load_n(value_of(signal), __ATOMIC_ACQUIRE) != 0)
    sched_yield();
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
  ck_assert_int_eq(pthread_create(thread, NULL, run, argument), 0);
}

/* ---- lockstep ---- */

static void work(rig *r)
{
  aq_ring *a = rig_queue(r, 64), *b = rig_queue(r, 64);
  aq_signal done = rig_signal(r, 1, 0), other = rig_signal(r, 8, 0);
  uint64_t object = rig_kernel(r, "k", 7 * AQ_US);
  for (int round = 0; round < 5; round++) {
    r->t->ops->signal_store(r->t, done, 1, AQ_RELEASE);
    for (int i = 0; i < 20; i++) {
      aq_packet kernel = rig_dispatch(object, i % 3 != 0, other);
      rig_submit(r, i & 1 ? a : b, &kernel);
    }
    aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
    barrier.header |= 1 << AQ_HEADER_BARRIER_SHIFT;
    rig_submit(r, a, &barrier);
    aq_wait_item item = {done, AQ_EQ, 0};
    ck_assert_status(rig_wait(r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                     &r->diag);
    ck_assert_status(
        r->t->ops->queue_wait_space(r->t, b, 64, AQ_TIME_MAX, &r->diag), AQ_OK,
        &r->diag);
    rig_sleep(r, r->t->ops->now(r->t) + 30 * AQ_US);
  }
  rig_sleep(r, AQ_TIME_MAX);
}

/* Closes the transport, so that its records are complete and quiet. */
static void end(rig *r)
{
  r->t->ops->close(r->t);
}

START_TEST(one_client_that_waits_through_the_table_gets_the_virtual_timeline)
{
  rig live, virtual;
  open_live(&live, (aq_pace){0});
  rig_open(&virtual, &aqsim_transport_ops, NULL);
  work(&live);
  work(&virtual);
  /* A machine that was busy for long enough ends and reports the lockstep. */
  bool same = reproducible(&live);
  end(&live);
  end(&virtual);
  ck_assert_uint_eq(live.sink.count, virtual.sink.count);
  if (same)
    ck_assert_mem_eq(live.sink.rows, virtual.sink.rows,
                     live.sink.count * sizeof *live.sink.rows);
  aq_memory_sink_fini(&live.sink);
  aq_memory_sink_fini(&virtual.sink);
}
END_TEST

static void *store_zero(void *argument)
{
  rig *r = ((void **)argument)[0];
  aq_signal *signal = ((void **)argument)[1];
  r->t->ops->signal_store(r->t, *signal, 0, AQ_RELEASE);
  return NULL;
}

START_TEST(a_second_thread_ends_the_lockstep)
{
  rig r;
  pthread_t thread;
  open_live(&r, (aq_pace){0});
  aq_signal dep_wait = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, done);
  rig_submit(&r, queue, &barrier);
  ck_assert(reproducible(&r));
  start(&thread, store_zero, (void *[]){&r, &dep_wait});
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  ck_assert_int_eq(r.seen.value, 0);
  pthread_join(thread, NULL);
  ck_assert(!reproducible(&r));
  rig_close(&r);
}
END_TEST

/* ---- raw memory ---- */

/* Conformance 33: write index, header, doorbell and signal by raw stores. */
START_TEST(a_client_that_only_touches_memory_is_served)
{
  rig r;
  open_live(&r, (aq_pace){0});
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal dep_wait = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  uint64_t object = rig_kernel(&r, "k", AQ_US);
  for (int i = 0; i < 200; i++) {
    __atomic_store_n(value_of(done), 1, __ATOMIC_RELAXED);
    __atomic_store_n(value_of(dep_wait), 1, __ATOMIC_RELEASE);
    aq_packet packets[2] = {
        rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, rig_none),
        rig_dispatch(object, true, done)};
    uint64_t id = 0;
    for (int j = 0; j < 2; j++) {
      id = __atomic_fetch_add(queue->write_index, 1, __ATOMIC_ACQ_REL);
      while (id - aq_ring_read_index(queue) >= queue->size)
        sched_yield();
      aq_packet *slot = aq_ring_slot(queue, id);
      memcpy(&slot->qword[1], &packets[j].qword[1], 56);
      slot->kernel.workgroup_size[0] = slot->kernel.workgroup_size[1] =
          packets[j].kernel.workgroup_size[0];
      aq_packet_publish(slot, packets[j].header, packets[j].setup);
    }
    __atomic_store_n(queue->doorbell, id, __ATOMIC_RELEASE);
    __atomic_store_n(value_of(dep_wait), 0, __ATOMIC_RELEASE);
    spin_until_zero(done);
  }
  ck_assert(!reproducible(&r));
  rig_close(&r);
}
END_TEST

/* ---- many threads ---- */

enum { PRODUCERS = 4 };

typedef struct crowd {
  rig *r;
  aq_ring *queue;
  uint64_t object;
  aq_signal done;
  long each;
  uint64_t ran; /* on the device thread */
} crowd;

static void count_run(const aq_kernel_call *call)
{
  crowd *c = call->user;
  c->ran++;
}

static void *produce(void *argument)
{
  crowd *c = argument;
  aq_packet packet = rig_dispatch(c->object, false, c->done);
  aq_diag diag = AQ_DIAG_INIT;
  for (long i = 0; i < c->each; i++) {
    uint64_t id;
    while (!aq_ring_try_reserve(c->queue, 1, &id)) {
      aq_status status = c->r->t->ops->queue_wait_space(c->r->t, c->queue, 1,
                                                        AQ_TIME_MAX, &diag);
      if (status != AQ_OK) {
        fprintf(stderr, "# %s\n", diag.text);
        abort();
      }
    }
    aq_packet *slot = aq_ring_slot(c->queue, id);
    memcpy((char *)slot + 4, (const char *)&packet + 4, 60);
    aq_packet_publish(slot, packet.header, packet.setup);
    if (i % 3 == 0 || i == c->each - 1)
      c->r->t->ops->queue_doorbell(c->r->t, c->queue, id);
  }
  return NULL;
}

/* The soak program runs the same with more of them. */
#ifndef LIVE_PACKETS
#define LIVE_PACKETS 20000
#endif

/* Conformance 27, 31, 32, 35, 47. */
START_TEST(four_producers_share_a_queue_and_each_packet_runs_once)
{
  rig r;
  open_live(&r, (aq_pace){0});
  crowd c = {
      .r = &r, .queue = rig_queue(&r, 256), .each = LIVE_PACKETS / PRODUCERS};
  c.done = rig_signal(&r, PRODUCERS * c.each, 0);
  c.object = rig_kernel_with(
      &r, &(aq_kernel_desc){.name = "k", .function = count_run, .user = &c});
  pthread_t threads[PRODUCERS];
  for (int i = 0; i < PRODUCERS; i++)
    start(&threads[i], produce, &c);
  aq_wait_item item = {c.done, AQ_LT, 1};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(threads[i], NULL);
  ck_assert_int_eq(rig_load(&r, c.done), 0);
  rig_run(&r);
  end(&r);
  ck_assert_uint_eq(c.ran, (uint64_t)(PRODUCERS * c.each));
  ck_assert_uint_eq(r.sink.count, c.ran);
  aq_memory_sink_fini(&r.sink);
}
END_TEST

static void *churn(void *argument)
{
  rig *r = argument;
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < 60; i++) {
    aq_ring *queue;
    aq_signal done;
    aq_kernel_info kernel;
    void *memory;
    aq_status status = r->t->ops->queue_create(
        r->t, &(aq_queue_desc){.size = 64}, &queue, &diag);
    status |= r->t->ops->signal_create(r->t, &(aq_signal_desc){.value = 1},
                                       &done, &diag);
    status |= r->t->ops->kernel_register(r->t, &(aq_kernel_desc){.name = "k"},
                                         &kernel, &diag);
    status |= r->t->ops->mem_alloc(r->t, 0, AQ_MEMORY_HOST, 64, &memory, &diag);
    if (status != AQ_OK)
      abort();
    aq_packet packet = rig_dispatch(kernel.object, true, done);
    rig_submit(r, queue, &packet);
    aq_wait_item item = {done, AQ_EQ, 0};
    aq_wait_request request = {.items = &item,
                               .count = 1,
                               .hint = i & 1 ? AQ_WAIT_ACTIVE : AQ_WAIT_BLOCKED,
                               .deadline = AQ_TIME_MAX};
    if (i % 3 && r->t->ops->wait(r->t, &request, NULL, &diag) != AQ_OK)
      abort();
    r->t->ops->mem_free(r->t, memory);
    r->t->ops->queue_destroy(r->t, queue);
    if (i % 3)
      r->t->ops->signal_destroy(r->t, done);
  }
  return NULL;
}

/* Conformance 23. */
START_TEST(queues_and_signals_are_made_and_destroyed_by_many_threads)
{
  rig r;
  pthread_t threads[PRODUCERS];
  open_live(&r, (aq_pace){0});
  for (int i = 0; i < PRODUCERS; i++)
    start(&threads[i], churn, &r);
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(threads[i], NULL);
  rig_close(&r);
}
END_TEST

/* Each thread passes a counter on to the next by updates of every kind. */
typedef struct relay {
  rig *r;
  aq_signal *signals;
  int mine;
} relay;

static void *run_relay(void *argument)
{
  relay *p = argument;
  aq_transport *t = p->r->t;
  aq_diag diag = AQ_DIAG_INIT;
  aq_signal in = p->signals[p->mine];
  aq_signal out = p->signals[(p->mine + 1) % PRODUCERS];
  for (int64_t i = 1; i <= 50; i++) {
    aq_wait_item item = {in, AQ_GE, i};
    aq_wait_request request = {
        .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
    if (t->ops->wait(t, &request, NULL, &diag) != AQ_OK)
      abort();
    if (p->mine == PRODUCERS - 1 && i == 50)
      break;
    if (i % 2)
      t->ops->signal_update(t, out, AQ_UPDATE_ADD, 1, 0, AQ_ACQ_REL);
    else
      t->ops->signal_update(t, out, AQ_UPDATE_CAS,
                            i + (p->mine == PRODUCERS - 1),
                            i - 1 + (p->mine == PRODUCERS - 1), AQ_ACQ_REL);
  }
  return NULL;
}

START_TEST(threads_that_sleep_are_woken_by_signals_of_others)
{
  rig r;
  pthread_t threads[PRODUCERS];
  aq_signal signals[PRODUCERS];
  relay relays[PRODUCERS];
  open_live(&r, (aq_pace){0});
  for (int i = 0; i < PRODUCERS; i++) {
    signals[i] = rig_signal(&r, i == 0, 0);
    relays[i] = (relay){&r, signals, i};
  }
  for (int i = 0; i < PRODUCERS; i++)
    start(&threads[i], run_relay, &relays[i]);
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < PRODUCERS; i++)
    ck_assert_int_eq(rig_load(&r, signals[i]), 50);
  rig_close(&r);
}
END_TEST

/* ---- waits ---- */

/* Conformance 73. */
START_TEST(a_wait_that_nobody_ends_times_out_with_the_value)
{
  rig r;
  open_live(&r, (aq_pace){0});
  aq_signal a = rig_signal(&r, 0, 0), b = rig_signal(&r, 5, 0);
  aq_wait_item items[2] = {{a, AQ_EQ, 0}, {b, AQ_EQ, 0}};
  ck_assert_status(rig_wait(&r, items, 2, AQ_WAIT_ANY, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  for (int i = 0; i < 2; i++) { /* in lockstep, and after */
    ck_assert_status(
        rig_wait(&r, items, 2, AQ_WAIT_ALL, r.t->ops->now(r.t) + 3 * AQ_MS),
        AQ_ERR_TIMEOUT, &r.diag);
    ck_assert_uint_eq(r.seen.index, 1);
    ck_assert_int_eq(r.seen.value, 5);
  }
  ck_assert(!reproducible(&r));
  rig_close(&r);
}
END_TEST

START_TEST(a_long_wait_that_times_out_guesses_what_holds_it_up)
{
  rig r;
  open_live(&r, (aq_pace){0});
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal never = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, rig_none);
  rig_submit(&r, queue, &packet);
  packet = rig_barrier(AQ_PACKET_BARRIER_AND, NULL, 0, done);
  for (int i = 1; i < 64; i++)
    rig_submit(&r, queue, &packet);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(
      rig_wait(&r, &item, 1, AQ_WAIT_ALL, r.t->ops->now(r.t) + 20 * AQ_MS),
      AQ_ERR_TIMEOUT, &r.diag);
  ck_assert_str_eq(r.diag.text,
                   "wait for signal 1 (user 0, value 1): the deadline passed; "
                   "it seems that queue 0: packet 1 completes it, but it is "
                   "behind packet 0 (barrier-AND), which waits for signal 0 "
                   "(user 0, value 1)");
  ck_assert_status(r.t->ops->queue_wait_space(
                       r.t, queue, 1, r.t->ops->now(r.t) + 20 * AQ_MS, &r.diag),
                   AQ_ERR_TIMEOUT, &r.diag);
  ck_assert_msg(strstr(r.diag.text, "seems that queue 0: packet 0 "
                                    "(barrier-AND) waits for signal 0"),
                "%s", r.diag.text);
  rig_close(&r);
}
END_TEST

static void on_error(const aq_queue_error *error, void *user)
{
  __atomic_fetch_add((int *)user, 1 + (int)error->packet_id, __ATOMIC_RELEASE);
}

/* Conformance 67. */
START_TEST(a_queue_error_ends_waits_for_room)
{
  rig r;
  int told = 0;
  aq_ring *queue;
  open_live(&r, (aq_pace){0});
  aq_queue_desc desc = {.size = 64, .error = on_error, .user = &told};
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag), AQ_OK,
                   &r.diag);
  aq_signal never = rig_signal(&r, 1, 0);
  aq_wait_item item = {never, AQ_EQ, 0};
  ck_assert_status(
      rig_wait(&r, &item, 1, AQ_WAIT_ALL, r.t->ops->now(r.t) + AQ_US),
      AQ_ERR_TIMEOUT, &r.diag); /* the device thread drives now */
  aq_packet packet = rig_dispatch(0, true, rig_none);
  for (int i = 0; i < 64; i++)
    rig_submit(&r, queue, &packet);
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 1, AQ_TIME_MAX, &r.diag),
      AQ_ERR_QUEUE, &r.diag);
  /* The callback runs on the handlers' thread, soon after the wait ends. */
  for (int i = 0; i < 5000 && !__atomic_load_n(&told, __ATOMIC_ACQUIRE); i++)
    usleep(1000);
  ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_ACQUIRE), 1);
  rig_close(&r);
}
END_TEST

START_TEST(sleeps_end_at_completions_at_idleness_and_at_their_time)
{
  rig r;
  open_live(&r, (aq_pace){0});
  aq_signal never = rig_signal(&r, 1, 0);
  aq_signal done = rig_signal(&r, 3, AQ_SIGNAL_DRAIN);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t object = rig_kernel(&r, "k", AQ_US);
  aq_wait_item item = {never, AQ_EQ, 0};
  ck_assert_status(
      rig_wait(&r, &item, 1, AQ_WAIT_ALL, r.t->ops->now(r.t) + AQ_US),
      AQ_ERR_TIMEOUT, &r.diag); /* the device thread drives now */
  aq_packet packet = rig_dispatch(object, true, done);
  for (int i = 0; i < 3; i++)
    rig_submit(&r, queue, &packet);
  uint32_t drained = 0;
  while (drained < 3) {
    aq_completion completion;
    ck_assert_status(r.t->ops->sleep_until(r.t, AQ_TIME_MAX, true, &r.diag),
                     AQ_OK, &r.diag);
    drained += r.t->ops->drain(r.t, &completion, 1);
  }
  rig_sleep(&r, AQ_TIME_MAX);
  aq_time until = r.t->ops->now(r.t) + 77 * AQ_US;
  rig_sleep(&r, until);
  ck_assert_int_ge(r.t->ops->now(r.t), until);
  rig_close(&r);
}
END_TEST

/* ---- turns ---- */

/* Threads of which one always wants the lock. */
typedef struct busy {
  rig *r;
  bool over;      /* atomic */
  unsigned calls; /* atomic */
} busy;

static void *stay_busy(void *user)
{
  busy *b = user;
  aq_transport *t = b->r->t;
  while (!__atomic_load_n(&b->over, __ATOMIC_ACQUIRE)) {
    t->ops->copy_engines_idle(t, 0);
    __atomic_fetch_add(&b->calls, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

START_TEST(hosts_that_never_rest_leave_the_device_its_turns)
{
  /* Thousands of calls; without turns for the device, no end of them. */
  enum { BUSY = 8, PACKETS = 20, CALLS = 10000000 };
  rig r;
  pthread_t threads[BUSY];
  open_live(&r, (aq_pace){0});
  busy b = {.r = &r};
  aq_ring *queue = rig_queue(&r, 64);
  const aq_signal done = rig_signal(&r, PACKETS, 0);
  const aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  for (int i = 0; i < BUSY; i++)
    start(&threads[i], stay_busy, &b);
  while (__atomic_load_n(&b.calls, __ATOMIC_RELAXED) < 100)
    sched_yield();
  for (int i = 0; i < PACKETS; i++)
    rig_submit(&r, queue, &packet);
  while (__atomic_load_n(value_of(done), __ATOMIC_ACQUIRE) != 0 &&
         __atomic_load_n(&b.calls, __ATOMIC_RELAXED) < CALLS)
    sched_yield();
  __atomic_store_n(&b.over, true, __ATOMIC_RELEASE);
  for (int i = 0; i < BUSY; i++)
    pthread_join(threads[i], NULL);
  ck_assert_uint_lt(b.calls, CALLS);
  rig_close(&r);
}
END_TEST

/* ---- pace ---- */

START_TEST(a_pace_ties_virtual_time_to_wall_time)
{
  rig r;
  open_live(&r, (aq_pace){1000, 1}); /* a thousand times as fast */
  ck_assert(!reproducible(&r));
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_S), true, done);
  rig_submit(&r, queue, &packet);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  ck_assert_int_ge(r.t->ops->now(r.t), AQ_S);
  end(&r);
  ck_assert_int_le(r.sink.rows[0].complete, 100 * AQ_S);
  aq_memory_sink_fini(&r.sink);
}
END_TEST

START_TEST(what_live_mode_cannot_be_is_refused)
{
  static const aq_transport_options wrong[] = {
      {.size = sizeof(aq_transport_options), .pace = {1, 1}},
      {.size = sizeof(aq_transport_options),
       .mode = AQ_MODE_LIVE,
       .pace = {0, 1}},
      {.size = sizeof(aq_transport_options), .mode = (aq_time_mode)5},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    aq_transport *t;
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(aqsim_transport_ops.open(&wrong[i], &t, &diag),
                     AQ_ERR_INVALID, &diag);
  }
}
END_TEST

static void wait_inside(const aq_kernel_call *call)
{
  rig *r = call->user;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = r->t->ops->sleep_until(r->t, AQ_TIME_MAX, false, &diag);
  if (status != AQ_ERR_INVALID)
    abort();
}

START_TEST(a_host_function_may_not_move_time)
{
  rig r;
  open_live(&r, (aq_pace){0});
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 2, 0);
  uint64_t object = rig_kernel_with(
      &r, &(aq_kernel_desc){.name = "k", .function = wait_inside, .user = &r});
  aq_packet packet = rig_dispatch(object, true, done);
  rig_submit(&r, queue, &packet);
  aq_wait_item item = {done, AQ_EQ, 1};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  rig_submit(&r, queue, &packet);
  spin_until_zero(done);
  rig_close(&r);
}
END_TEST

/* ---- the end ---- */

typedef struct late {
  aqsim_live *live;
  bool runs; /* atomic */
} late;

/* Fails when the device has to stop. */
static void fail_late(const aq_kernel_call *call)
{
  late *l = call->user;
  __atomic_store_n(&l->runs, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&l->live->stop, __ATOMIC_ACQUIRE))
    sched_yield();
  snprintf(call->error, AQ_KERNEL_ERROR_SIZE, "too late");
}

static unsigned threads_count(void)
{
  unsigned count = 0;
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (struct dirent *task; (task = readdir(tasks));)
    count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

/* A host function that outlasts its queue. */
typedef struct lingering {
  bool runs, queue_is_gone; /* atomic */
  uint32_t grid;            /* atomic: read from its packet at the end */
} lingering;

static void linger(const aq_kernel_call *call)
{
  lingering *l = call->user;
  __atomic_store_n(&l->runs, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&l->queue_is_gone, __ATOMIC_ACQUIRE))
    sched_yield();
  __atomic_store_n(&l->grid, call->packet->grid_size[0], __ATOMIC_RELEASE);
}

/* It waits for whoever destroys the queue, which is why that gives up. */
START_TEST(a_queue_stays_in_memory_as_long_as_its_host_function_runs)
{
  rig r;
  open_live(&r, (aq_pace){0});
  lingering l = {0};
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  uint64_t object = rig_kernel_with(
      &r, &(aq_kernel_desc){.name = "k", .function = linger, .user = &l});
  aq_packet packet = rig_dispatch(object, true, (aq_signal){0});
  packet.kernel.grid_size[0] = 77;
  aqsim_live_lock(aqsim_from(r.t)->live);
  aqsim_live_end_lockstep(aqsim_from(r.t)->live);
  aqsim_live_unlock(aqsim_from(r.t)->live);
  rig_submit(&r, queue, &packet);
  while (!__atomic_load_n(&l.runs, __ATOMIC_ACQUIRE))
    sched_yield();
  r.t->ops->queue_destroy(r.t, queue);
  aq_ring *other = rig_queue(&r, 64);
  ck_assert_ptr_ne(other, queue);
  __atomic_store_n(&l.queue_is_gone, true, __ATOMIC_RELEASE);
  packet = rig_dispatch(rig_kernel(&r, "short", AQ_US), true, done);
  rig_submit(&r, other, &packet);
  spin_until_zero(done);
  ck_assert_uint_eq(__atomic_load_n(&l.grid, __ATOMIC_ACQUIRE), 77);
  rig_close(&r);
}
END_TEST

START_TEST(an_error_of_a_device_that_closes_starts_no_thread)
{
  rig r;
  int told = 0;
  aq_ring *queue;
  const unsigned before = threads_count();
  open_live(&r, (aq_pace){0});
  aq_queue_desc desc = {.size = 64, .error = on_error, .user = &told};
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag), AQ_OK,
                   &r.diag);
  late l = {aqsim_from(r.t)->live, false};
  const aq_packet packet =
      rig_dispatch(rig_kernel_with(&r, &(aq_kernel_desc){.name = "k",
                                                         .function = fail_late,
                                                         .user = &l}),
                   true, rig_none);
  rig_submit(&r, queue, &packet);
  while (!__atomic_load_n(&l.runs, __ATOMIC_ACQUIRE))
    sched_yield();
  rig_close(&r);
  ck_assert_uint_eq(threads_count(), before);
  ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_ACQUIRE), 0);
}
END_TEST

/* ---- wake-ups of the device ---- */

/* A kernel's function that returns when it may. */
typedef struct held {
  bool runs, may_end; /* atomic */
} held;

static void hold(const aq_kernel_call *call)
{
  held *h = call->user;
  __atomic_store_n(&h->runs, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&h->may_end, __ATOMIC_ACQUIRE))
    sched_yield();
}

/* The device thread is in a kernel's function, without the lock, so that a test
 * may say for it that it sleeps. A wake-up clears the word. */
START_TEST(a_signal_that_nothing_watches_wakes_no_device)
{
  rig r;
  held h = {false, false};
  open_live(&r, (aq_pace){0});
  aqsim_live *live = aqsim_from(r.t)->live;
  const aq_signal done = rig_signal(&r, 1, 0);
  const aq_packet packet = rig_dispatch(
      rig_kernel_with(
          &r, &(aq_kernel_desc){.name = "k", .function = hold, .user = &h}),
      true, done);
  rig_submit(&r, rig_queue(&r, 64), &packet);
  while (!__atomic_load_n(&h.runs, __ATOMIC_ACQUIRE))
    sched_yield();
  __atomic_store_n(&live->asleep, 1, __ATOMIC_SEQ_CST);
  const aq_signal signal = rig_signal(&r, 1, 0);
  ck_assert_uint_eq(__atomic_load_n(&live->asleep, __ATOMIC_SEQ_CST), 1);
  r.t->ops->signal_destroy(r.t, signal);
  ck_assert_uint_eq(__atomic_load_n(&live->asleep, __ATOMIC_SEQ_CST), 1);
  const aq_signal changed = rig_signal(&r, 1, 0);
  r.t->ops->signal_store(r.t, changed, 0, AQ_RELEASE);
  ck_assert_uint_eq(__atomic_load_n(&live->asleep, __ATOMIC_SEQ_CST), 0);
  __atomic_store_n(&h.may_end, true, __ATOMIC_RELEASE);
  spin_until_zero(done);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/live/live",
             one_client_that_waits_through_the_table_gets_the_virtual_timeline,
             a_second_thread_ends_the_lockstep,
             a_client_that_only_touches_memory_is_served,
             four_producers_share_a_queue_and_each_packet_runs_once,
             queues_and_signals_are_made_and_destroyed_by_many_threads,
             threads_that_sleep_are_woken_by_signals_of_others,
             a_wait_that_nobody_ends_times_out_with_the_value,
             a_long_wait_that_times_out_guesses_what_holds_it_up,
             a_queue_error_ends_waits_for_room,
             sleeps_end_at_completions_at_idleness_and_at_their_time,
             hosts_that_never_rest_leave_the_device_its_turns,
             a_pace_ties_virtual_time_to_wall_time,
             what_live_mode_cannot_be_is_refused,
             a_host_function_may_not_move_time,
             a_queue_stays_in_memory_as_long_as_its_host_function_runs,
             an_error_of_a_device_that_closes_starts_no_thread,
             a_signal_that_nothing_watches_wakes_no_device)
