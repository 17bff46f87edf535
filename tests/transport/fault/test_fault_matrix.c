/* SPDX-License-Identifier: MIT */
/* Every fault in one queue, across queues and with a full ring: each ends as
 * doc/formats/faults.md says. */
#include "transport/fault/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const shape_names[SHAPES] = {"one queue", "cross queue",
                                                "full ring"};

/* A schedule of one fault; %Q and %L in `fault` stand for the queue and the
 * last packet of the shape. */
static void run_with(shape *s, shape_kind kind, const char *fault)
{
  char text[512] = "{\"faults\": [{";
  for (const char *at = fault; *at; at++) {
    size_t used = strlen(text);
    if (strncmp(at, "%Q", 2) == 0 || strncmp(at, "%L", 2) == 0) {
      at++;
      snprintf(text + used, sizeof text - used, "%" PRIu64,
               *at == 'Q' ? shape_queue(kind) : shape_last(kind));
    } else {
      text[used] = *at;
      text[used + 1] = 0;
    }
  }
  strcat(text, "}]}");
  shape_run(s, kind, "sim", text, NULL);
}

typedef struct expectation {
  const char *fault;
  aq_status status[SHAPES];
  const char *words; /* in the error; NULL: none */
} expectation;

static void expect(const expectation *e)
{
  for (shape_kind kind = 0; kind < SHAPES; kind++) {
    static shape s;
    run_with(&s, kind, e->fault);
    const char *said = s.f.rig.diag.text;
    ck_assert_msg(s.status == e->status[kind], "%s, %s: ended with \"%s\": %s",
                  shape_names[kind], e->fault, aq_status_text(s.status), said);
    if (s.status == AQ_OK) {
      ck_assert_uint_eq(s.errors, 0);
      for (uint32_t i = 0; i < s.packets; i++)
        ck_assert_int_eq(rig_load(&s.f.rig, s.signals[i]), 0);
      ck_assert_mem_eq(s.from, s.to, sizeof s.to);
    } else {
      ck_assert_msg(strstr(said, e->words) != NULL, "%s, %s: says \"%s\"",
                    shape_names[kind], e->fault, said);
    }
    shape_close(&s);
  }
}

#define ALL(status)                                                            \
  {                                                                            \
    status, status, status                                                     \
  }

START_TEST(doorbell_faults_end_late_or_named)
{
  static const expectation rows[] = {
      {"\"fault\": \"doorbell-lost\", \"queue\": %Q, \"doorbell\": 2",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"doorbell-lost\", \"queue\": %Q, \"doorbell\": %L",
       ALL(AQ_ERR_DEADLOCK), "injected: doorbell-lost (queue "},
      {"\"fault\": \"doorbell-late\", \"queue\": %Q, \"doorbell\": 2, "
       "\"delay\": \"50us\"",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"doorbell-late\", \"queue\": %Q, \"doorbell\": %L, "
       "\"delay\": \"50us\"",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"doorbell-duplicated\", \"queue\": %Q, \"doorbell\": 2, "
       "\"delay\": \"0ps\"",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"doorbell-duplicated\", \"queue\": %Q, \"doorbell\": 2, "
       "\"delay\": \"7us\"",
       ALL(AQ_OK), NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect(&rows[i]);
}
END_TEST

START_TEST(header_faults_end_late_or_named)
{
  static const expectation rows[] = {
      {"\"fault\": \"header-late\", \"queue\": %Q, \"packet\": 2, "
       "\"delay\": \"50us\"",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"header-late\", \"queue\": %Q, \"packet\": %L, "
       "\"delay\": \"50us\"",
       ALL(AQ_OK), NULL},
      {"\"fault\": \"header-corrupted\", \"queue\": %Q, \"packet\": 2, "
       "\"type\": 1",
       ALL(AQ_ERR_DEADLOCK), "packet 2 is reserved but not published"},
      {"\"fault\": \"header-corrupted\", \"queue\": %Q, \"packet\": %L, "
       "\"type\": 1",
       ALL(AQ_ERR_DEADLOCK), "injected: header-corrupted (queue "},
      {"\"fault\": \"header-corrupted\", \"queue\": %Q, \"packet\": 2",
       {AQ_ERR_DEADLOCK, AQ_ERR_DEADLOCK, AQ_ERR_QUEUE},
       "stopped at packet 2"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect(&rows[i]);
}
END_TEST

START_TEST(a_dependency_that_never_comes_is_named)
{
  static const expectation row = {
      "\"fault\": \"dependency-missing\", \"queue\": %Q, \"barrier\": 0",
      ALL(AQ_ERR_DEADLOCK), "(barrier-AND) waits for signal"};
  expect(&row);
}
END_TEST

START_TEST(a_late_header_is_fetched_late)
{
  for (shape_kind kind = 0; kind < SHAPES; kind++) {
    static shape s;
    run_with(&s, kind,
             "\"fault\": \"header-late\", \"queue\": %Q, \"packet\": 2, "
             "\"delay\": \"50us\"");
    aq_ring *queue = s.queues[shape_queue(kind)];
    const aq_record *row = rig_record(&s.f.rig, queue, 2);
    ck_assert_int_ge(row->fetch, 50 * AQ_US);
    ck_assert_int_lt(rig_record(&s.f.rig, queue, 1)->fetch, 50 * AQ_US);
    shape_close(&s);
  }
}
END_TEST

/* The callback comes once, with the packet of the client. */
START_TEST(queue_errors_are_delivered_once)
{
  static const char *const faults[] = {
      "\"fault\": \"queue-error\", \"queue\": %Q, \"packet\": 2, "
      "\"reason\": 64",
      "\"fault\": \"header-corrupted\", \"queue\": %Q, \"packet\": 2, "
      "\"type\": 200"};
  for (int i = 0; i < 2; i++)
    for (shape_kind kind = 0; kind < SHAPES; kind++) {
      static shape s;
      run_with(&s, kind, faults[i]);
      ck_assert_int_eq(s.status, kind == SHAPE_FULL_RING ? AQ_ERR_QUEUE
                                                         : AQ_ERR_DEADLOCK);
      ck_assert_ptr_nonnull(strstr(s.f.rig.diag.text, "; injected: "));
      ck_assert_uint_eq(s.errors, 1);
      ck_assert_uint_eq(s.error.packet_id, 2);
      ck_assert_uint_eq(s.error.queue, s.queues[shape_queue(kind)]->id);
      ck_assert_uint_eq(s.error.reason, i == 0 ? 64 : 32);
      ck_assert_uint_eq(aq_header_type(s.error_packet.header),
                        i == 0 ? AQ_PACKET_KERNEL_DISPATCH : 200);
      shape_close(&s);
    }
}
END_TEST

/* ---- faults inside the device: how many places there are is counted ---- */

typedef struct counts {
  uint64_t interrupts, copies, allocations;
} counts;

static bool count_interrupt(void *user, aq_signal signal)
{
  (void)signal;
  ((counts *)user)->interrupts++;
  return true;
}

static aq_time count_copy(void *user, size_t size)
{
  (void)size;
  ((counts *)user)->copies++;
  return 0;
}

static bool count_allocation(void *user)
{
  ((counts *)user)->allocations++;
  return true;
}

/* Of the shape without faults. */
static counts count_places(shape_kind kind)
{
  counts c = {0, 0, 0};
  const aq_device_hooks hooks = {sizeof hooks, &c, count_interrupt, count_copy,
                                 count_allocation};
  static shape s;
  shape_run(&s, kind, "fault+sim", NULL, &hooks);
  ck_assert_status(s.status, AQ_OK, &s.f.rig.diag);
  shape_close(&s);
  return c;
}

START_TEST(a_lost_interrupt_is_made_good_by_the_next_one)
{
  for (shape_kind kind = 0; kind < SHAPES; kind++) {
    uint64_t interrupts = count_places(kind).interrupts;
    ck_assert_uint_gt(interrupts, 4);
    for (uint64_t at = 0; at < interrupts; at++) {
      static shape s;
      char fault[80];
      snprintf(fault, sizeof fault,
               "\"fault\": \"interrupt-lost\", \"interrupt\": %" PRIu64, at);
      run_with(&s, kind, fault);
      if (at + 1 < interrupts) {
        ck_assert_status(s.status, AQ_OK, &s.f.rig.diag);
      } else {
        ck_assert_int_eq(s.status, AQ_ERR_DEADLOCK);
        ck_assert_ptr_nonnull(strstr(s.f.rig.diag.text,
                                     "its interrupt was lost; injected: "
                                     "interrupt-lost (interrupt "));
      }
      /* The device did everything. */
      for (uint32_t i = 0; i < s.packets; i++)
        ck_assert_int_eq(rig_load(&s.f.rig, s.signals[i]), 0);
      shape_close(&s);
    }
  }
}
END_TEST

START_TEST(a_slow_copy_takes_its_delay_longer)
{
  for (shape_kind kind = 0; kind < SHAPES; kind++) {
    ck_assert_uint_eq(count_places(kind).copies, 1);
    aq_time took[2];
    for (int slow = 0; slow < 2; slow++) {
      static shape s;
      run_with(&s, kind,
               slow ? "\"fault\": \"copy-slow\", \"copy\": 0, "
                      "\"delay\": \"3ms\""
                    : "\"fault\": \"copy-slow\", \"copy\": 9, "
                      "\"delay\": \"3ms\"");
      ck_assert_status(s.status, AQ_OK, &s.f.rig.diag);
      const aq_record *row = &s.f.rig.sink.rows[s.f.rig.sink.count - 1];
      ck_assert_int_eq(row->kind, AQ_KIND_COPY);
      took[slow] = row->end - row->start;
      shape_close(&s);
    }
    ck_assert_time_eq(took[1], took[0] + 3 * AQ_MS);
  }
}
END_TEST

START_TEST(out_of_memory_is_told_at_every_allocation)
{
  for (shape_kind kind = 0; kind < SHAPES; kind++) {
    uint64_t allocations = count_places(kind).allocations;
    ck_assert_uint_gt(allocations, 8);
    for (uint64_t at = 0; at < allocations; at++) {
      static shape s;
      char fault[80];
      snprintf(fault, sizeof fault,
               "\"fault\": \"out-of-memory\", \"allocation\": %" PRIu64, at);
      run_with(&s, kind, fault);
      ck_assert_int_eq(s.status, AQ_ERR_NO_MEMORY);
      ck_assert_ptr_nonnull(strstr(s.f.rig.diag.text, "out of memory for "));
      shape_close(&s);
    }
  }
}
END_TEST

AQ_TEST_MAIN("transport/fault/fault_matrix", doorbell_faults_end_late_or_named,
             header_faults_end_late_or_named,
             a_dependency_that_never_comes_is_named,
             a_late_header_is_fetched_late, queue_errors_are_delivered_once,
             a_lost_interrupt_is_made_good_by_the_next_one,
             a_slow_copy_takes_its_delay_longer,
             out_of_memory_is_told_at_every_allocation)
