/* SPDX-License-Identifier: MIT */
/* Rings of copy engines in virtual time: stores, their times and their order,
 * and the causes that stop a ring. Packets are written as words. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/sim.h"
#include "common/rng.h"
#include "gpu/check/core/core.h"

enum {
  WORDS = 1024,
  PACKET = 100 * 1000,   /* copy_packet, ps */
  LATENCY = 5700 * 1000, /* copy_latency and two links: host to host */
  POLL = 7270 * 1000,    /* dependency_poll */
  TEXT = 400,
};

/* mi300x: gfx942, 2 engines for the host and 14 for others, 64 GB/s each. */
typedef struct engine_rig {
  rig r;
  char event[TEXT]; /* the last one */
  aq_system_event last;
  int events;
} engine_rig;

typedef struct copy_ring {
  uint32_t words[WORDS];
  uint64_t read, doorbell;
  uint64_t write; /* the doorbell's next value, bytes */
  aqsim_sdma *ring;
} copy_ring;

static void event_keep(const aq_system_event *event, void *user)
{
  engine_rig *e = user;
  e->last = *event;
  e->events++;
  snprintf(e->event, sizeof e->event, "%s", event->text);
}

static void line_keep(const char *line, void *user)
{
  engine_rig *e = user;
  e->events++;
  snprintf(e->event, sizeof e->event, "%s", line);
}

static void open_rig(engine_rig *e, const aq_order_hooks *hooks)
{
  e->events = 0;
  e->last.address = 0;
  rig_open_with(&e->r, &aqsim_transport_ops,
                &(aq_transport_options){.report = line_keep,
                                        .report_user = e,
                                        .event = event_keep,
                                        .event_user = e,
                                        .order = hooks});
}

static void open_ring(engine_rig *e, copy_ring *ring, uint32_t engine)
{
  memset(ring, 0, sizeof *ring);
  const aqsim_sdma_desc desc = {.engine = engine,
                                .words = ring->words,
                                .size = sizeof ring->words,
                                .read_index = &ring->read,
                                .doorbell = &ring->doorbell};
  ck_assert_status(
      aqsim_sdma_create(aqsim_from(e->r.t), &desc, &ring->ring, &e->r.diag),
      AQ_OK, &e->r.diag);
}

/* Writes a packet; no doorbell rings. */
static void put(copy_ring *ring, const uint32_t *words, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++, ring->write += 4)
    ring->words[ring->write / 4 % WORDS] = words[i];
}

#define PUT(ring, ...)                                                         \
  put(ring, (const uint32_t[]){__VA_ARGS__},                                   \
      sizeof(const uint32_t[]){__VA_ARGS__} / 4)
#define WIDE(at)                                                               \
  (uint32_t)(uintptr_t)(at), (uint32_t)((uint64_t)(uintptr_t)(at) >> 32)

static void put_copy(copy_ring *ring, void *to, const void *from, uint32_t size)
{
  PUT(ring, 1, size - 1, 0, WIDE(from), WIDE(to));
}

static void put_fence(copy_ring *ring, uint32_t *to, uint32_t value)
{
  PUT(ring, 5, WIDE(to), value);
}

static void put_poll(copy_ring *ring, const uint32_t *at, uint32_t function,
                     uint32_t value, uint32_t mask)
{
  PUT(ring, 8 | function << 28 | 1u << 31, WIDE(at), value, mask,
      0xfff << 16 | 4);
}

static void announce(copy_ring *ring)
{
  __atomic_store_n(&ring->doorbell, ring->write, __ATOMIC_RELEASE);
}

static void run(engine_rig *e, copy_ring *ring)
{
  announce(ring);
  rig_run(&e->r);
}

START_TEST(a_fence_is_stored_when_the_copy_before_it_has_arrived)
{
  engine_rig e;
  copy_ring ring;
  static char from[64000] = "payload", to[64000]; /* 1 us at 64 GB/s */
  uint32_t fence = 0;
  open_rig(&e, NULL);
  open_ring(&e, &ring, 1);
  memset(to, 0, sizeof to);
  put_copy(&ring, to, from, sizeof from);
  put_fence(&ring, &fence, 49);
  announce(&ring);
  const aq_time end = PACKET + LATENCY + AQ_US;
  rig_sleep(&e.r, end - 1);
  ck_assert_int_eq(to[0], 0);
  ck_assert_uint_eq(ring.read, 0);
  rig_sleep(&e.r, end);
  ck_assert_mem_eq(to, from, sizeof to);
  ck_assert_uint_eq(ring.read, 7 * 4);
  ck_assert_uint_eq(fence, 0);
  rig_sleep(&e.r, end + PACKET);
  ck_assert_uint_eq(fence, 49);
  ck_assert_uint_eq(ring.read, 11 * 4);
  rig_run(&e.r);
  ck_assert_uint_eq(e.r.sink.count, 1);
  const aq_record *row = &e.r.sink.rows[0];
  ck_assert_int_eq(row->kind, AQ_KIND_COPY);
  ck_assert_int_eq(row->engine, 1);
  ck_assert_int_eq(row->bytes, sizeof from);
  ck_assert_time_eq(row->submit, 0);
  ck_assert_time_eq(row->launch, PACKET);
  ck_assert_time_eq(row->start, PACKET + LATENCY);
  ck_assert_time_eq(row->end, end);
  rig_close(&e.r);
}
END_TEST

START_TEST(only_what_the_doorbell_announced_is_executed)
{
  engine_rig e;
  copy_ring ring;
  uint32_t fences[3] = {0};
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  put_fence(&ring, &fences[0], 1);
  const uint64_t one = ring.write;
  put_fence(&ring, &fences[1], 1);
  put_fence(&ring, &fences[2], 1);
  rig_run(&e.r);
  ck_assert_uint_eq(fences[0] + ring.read, 0); /* no doorbell */
  ring.doorbell = one;
  rig_run(&e.r);
  ck_assert_uint_eq(fences[0], 1);
  ck_assert_uint_eq(fences[1], 0);
  ck_assert_uint_eq(ring.read, one);
  ring.doorbell = 2 * one + 12; /* the third lacks its last word */
  rig_run(&e.r);
  ck_assert_uint_eq(fences[1], 1);
  ck_assert_uint_eq(fences[2], 0);
  ck_assert_uint_eq(ring.read, 2 * one);
  run(&e, &ring);
  ck_assert_uint_eq(fences[2], 1);
  ck_assert_uint_eq(ring.read, ring.write);
  ck_assert_int_eq(e.events, 0);
  rig_close(&e.r);
}
END_TEST

/* ---- bytes ---- */

enum { ARENA = 1 << 14, STEPS = 600 };

typedef struct byte_model {
  unsigned char memory[ARENA];
} byte_model;

/* A sub-window in loops over its elements, as its fields say. */
static void rect_step(copy_ring *ring, aq_rng *rng, unsigned char *memory,
                      byte_model *model)
{
  const unsigned element = (unsigned)(aq_rng_bits(rng) % 5);
  const uint32_t unit = 1u << element;
  const uint32_t x = 1 + (uint32_t)(aq_rng_bits(rng) % 6),
                 y = 1 + (uint32_t)(aq_rng_bits(rng) % 5),
                 z = 1 + (uint32_t)(aq_rng_bits(rng) % 3);
  uint32_t at[2], offset[2][3], pitch[2], slice[2];
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 3; i++)
      offset[side][i] = (uint32_t)(aq_rng_bits(rng) % 3);
    pitch[side] = x + offset[side][0] + (uint32_t)(aq_rng_bits(rng) % 4);
    slice[side] =
        pitch[side] * (y + offset[side][1]) + (uint32_t)(aq_rng_bits(rng) % 9);
    at[side] = (uint32_t)(aq_rng_bits(rng) % 512) / 4 * 4;
  }
  at[1] += ARENA / 2; /* one half to the other */
  PUT(ring, 1 | 4 << 8 | element << 29, WIDE(memory + at[0]),
      offset[0][0] | offset[0][1] << 16, offset[0][2] | (pitch[0] - 1) << 13,
      slice[0] - 1, WIDE(memory + at[1]), offset[1][0] | offset[1][1] << 16,
      offset[1][2] | (pitch[1] - 1) << 13, slice[1] - 1,
      (x - 1) | (y - 1) << 16, z - 1);
  for (uint32_t k = 0; k < z; k++)
    for (uint32_t j = 0; j < y; j++)
      for (uint32_t b = 0; b < x * unit; b++) {
        uint32_t where[2];
        for (int s = 0; s < 2; s++)
          where[s] = at[s] +
                     ((offset[s][2] + k) * slice[s] +
                      (offset[s][1] + j) * pitch[s] + offset[s][0]) *
                         unit +
                     b;
        model->memory[where[1]] = model->memory[where[0]];
      }
}

static void write_step(copy_ring *ring, aq_rng *rng, unsigned char *memory,
                       byte_model *model)
{
  uint32_t data[12];
  const uint32_t count = 1 + (uint32_t)(aq_rng_bits(rng) % 12),
                 at = (uint32_t)(aq_rng_bits(rng) % (ARENA - 64)) / 4 * 4;
  for (uint32_t i = 0; i < count; i++)
    data[i] = (uint32_t)aq_rng_bits(rng);
  PUT(ring, 2, WIDE(memory + at), count - 1);
  put(ring, data, count);
  memcpy(model->memory + at, data, count * sizeof *data);
}

static void fill_step(copy_ring *ring, aq_rng *rng, unsigned char *memory,
                      byte_model *model)
{
  const bool words = aq_rng_bits(rng) % 2;
  const uint32_t size =
                     (1 + (uint32_t)(aq_rng_bits(rng) % 64)) * (words ? 4 : 1),
                 value = (uint32_t)aq_rng_bits(rng),
                 at = (uint32_t)(aq_rng_bits(rng) % (ARENA - 256)) / 4 * 4;
  PUT(ring, 11 | (words ? 2u << 30 : 0), WIDE(memory + at), value, size - 1);
  for (uint32_t i = 0; i < size; i++)
    model->memory[at + i] = (unsigned char)(value >> (words ? i % 4 * 8 : 0));
}

/* Rings wrap many times; packets lie across their ends. */
START_TEST(random_packets_store_what_loops_over_bytes_store)
{
  engine_rig e;
  static copy_ring ring;
  static unsigned char memory[ARENA] __attribute__((aligned(64)));
  static byte_model model;
  aq_rng rng;
  aq_rng_init(&rng, 49, 1);
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  for (int i = 0; i < ARENA; i++)
    memory[i] = model.memory[i] = (unsigned char)aq_rng_bits(&rng);
  for (int i = 0; i < STEPS; i++) {
    const uint32_t size = 1 + (uint32_t)(aq_rng_bits(&rng) % 300),
                   from = (uint32_t)(aq_rng_bits(&rng) % (ARENA / 2 - size)),
                   to = ARENA / 2 +
                        (uint32_t)(aq_rng_bits(&rng) % (ARENA / 2 - size));
    switch (aq_rng_bits(&rng) % 5) {
    case 0:
      put_copy(&ring, memory + to, memory + from, size);
      memcpy(model.memory + to, model.memory + from, size);
      break;
    case 1:
      rect_step(&ring, &rng, memory, &model);
      break;
    case 2:
      write_step(&ring, &rng, memory, &model);
      break;
    case 3:
      fill_step(&ring, &rng, memory, &model);
      break;
    case 4: /* words behind the header of a NOP are none */
      PUT(&ring, 2 << 16, 1, 5);
      break;
    }
    if (aq_rng_bits(&rng) % 3 == 0 || ring.write - ring.read > 3000) {
      run(&e, &ring);
      ck_assert_str_eq(e.events ? e.event : "", "");
      ck_assert_mem_eq(memory, model.memory, ARENA);
      ck_assert_uint_eq(ring.read, ring.write);
    }
  }
  run(&e, &ring);
  ck_assert_mem_eq(memory, model.memory, ARENA);
  ck_assert_uint_gt(ring.write, 3 * sizeof ring.words);
  rig_close(&e.r);
}
END_TEST

/* ---- words ---- */

START_TEST(a_poll_holds_what_is_behind_it_until_its_condition_holds)
{
  /* Function by number: values around 5 that fulfil it, under a mask. */
  static const struct {
    uint32_t function;
    bool below, equal, above;
  } polls[] = {{0, true, true, true},  {1, true, false, false},
               {2, true, true, false}, {3, false, true, false},
               {4, true, false, true}, {5, false, true, true},
               {6, false, false, true}};
  for (size_t i = 0; i < sizeof polls / sizeof *polls; i++)
    for (uint32_t value = 4; value <= 6; value++) {
      engine_rig e;
      copy_ring ring;
      uint32_t word = 0xabc0 | value, fence = 0;
      const bool holds = value < 5    ? polls[i].below
                         : value == 5 ? polls[i].equal
                                      : polls[i].above;
      open_rig(&e, NULL);
      open_ring(&e, &ring, 0);
      put_poll(&ring, &word, polls[i].function, 5, 15);
      put_fence(&ring, &fence, 1);
      run(&e, &ring);
      ck_assert_msg(fence == holds, "function %u, %u", polls[i].function,
                    value);
      rig_close(&e.r);
    }
}
END_TEST

START_TEST(a_change_of_the_word_ends_a_poll_as_it_ends_a_wait_of_a_copy)
{
  engine_rig e;
  copy_ring ring;
  uint32_t word = 1, fence = 0;
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  put_poll(&ring, &word, 3, 0, UINT32_MAX);
  put_fence(&ring, &fence, 1);
  announce(&ring);
  rig_sleep(&e.r, 20 * AQ_US);
  ck_assert_uint_eq(ring.read, 0);
  word = 0;
  rig_sleep(&e.r, 20 * AQ_US + POLL - 1);
  ck_assert_uint_eq(ring.read, 0);
  rig_sleep(&e.r, 20 * AQ_US + POLL + PACKET);
  ck_assert_uint_eq(fence, 1);
  rig_close(&e.r);
}
END_TEST

/* One ring waits for the fence of another; both engines move bytes. */
START_TEST(rings_order_each_other_by_fence_and_poll)
{
  engine_rig e;
  copy_ring first, second;
  static char a[6400] = "across", b[6400], c[6400];
  uint32_t fence = 0;
  open_rig(&e, NULL);
  open_ring(&e, &first, 0);
  open_ring(&e, &second, 1);
  put_poll(&second, &fence, 3, 7, UINT32_MAX);
  put_copy(&second, c, b, sizeof c);
  announce(&second);
  rig_sleep(&e.r, 10 * AQ_US);
  put_copy(&first, b, a, sizeof b);
  put_fence(&first, &fence, 7);
  run(&e, &first);
  ck_assert_str_eq(c, "across");
  rig_close(&e.r);
}
END_TEST

START_TEST(atomics_timestamps_and_traps_do_what_they_say)
{
  engine_rig e;
  copy_ring ring;
  uint64_t counter = 10, stamps[2] = {0};
  uint32_t narrow = 5;
  static char from[64000], to[64000];
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  PUT(&ring, 13 | 2 << 8, WIDE(&stamps[0]));
  put_copy(&ring, to, from, sizeof to);
  PUT(&ring, 13 | 2 << 8, WIDE(&stamps[1]));
  PUT(&ring, 10 | 47u << 25, WIDE(&counter), 0xffffffff, 0xffffffff, 0, 0, 0);
  PUT(&ring, 10 | 15u << 25, WIDE(&narrow), 0xffffffff, 0, 0, 0, 0);
  PUT(&ring, 6, 3);
  run(&e, &ring);
  ck_assert_uint_eq(counter, 9);
  ck_assert_uint_eq(narrow, 4);
  /* 100 MHz in steps of 40 ns: at 0.1 us, then 0.1 + 6.7 + 0.1 us later. */
  ck_assert_uint_eq(stamps[0], 8);
  ck_assert_uint_eq(stamps[1], 700);
  ck_assert_uint_eq(ring.read, ring.write);
  PUT(&ring, 10 | 40u << 25, WIDE(&counter), 1, 0, 10, 0, 0); /* compares */
  PUT(&ring, 10 | 40u << 25, WIDE(&counter), 2, 0, 9, 0, 0);
  /* Words of 32 bits compare with the low half. */
  PUT(&ring, 10 | 8u << 25, WIDE(&narrow), 6, 1, 4, 1, 0);
  PUT(&ring, 10 | 1u << 25, WIDE(&counter), 2, 0, 9, 0, 0);
  run(&e, &ring);
  ck_assert_uint_eq(counter, 2);
  ck_assert_uint_eq(narrow, 6);
  ck_assert_str_eq(e.event, "copy ring 0 of device 0, engine 0: packet 9 at "
                            "byte 220 (ATOMIC): operation 0x1 is not served");
  ck_assert_uint_eq(e.last.address, 0); /* no event of the system */
  rig_close(&e.r);
}
END_TEST

/* ---- engines ---- */

/* 64 kB take 1 us, in each direction of the host's link. */
START_TEST(both_directions_overlap_and_rings_of_one_engine_take_turns)
{
  enum { SIZE = 64000, ONE_LINK = 5000 * 1000 };
  static char to[SIZE], from[SIZE];
  for (int same = 0; same < 2; same++) {
    engine_rig e;
    copy_ring up, down;
    void *device;
    open_rig(&e, NULL);
    ck_assert_status(e.r.t->ops->mem_alloc(e.r.t, 0, AQ_MEMORY_DEVICE, 2 * SIZE,
                                           &device, &e.r.diag),
                     AQ_OK, &e.r.diag);
    open_ring(&e, &up, 0);
    open_ring(&e, &down, same ? 0 : 1);
    for (int i = 0; i < 2; i++) {
      put_copy(&up, device, from, SIZE);
      put_copy(&down, to, (char *)device + SIZE, SIZE);
    }
    announce(&up);
    run(&e, &down);
    ck_assert_uint_eq(e.r.sink.count, 4);
    const aq_record *rows = e.r.sink.rows;
    if (same) { /* by packet: each ring waits for the other */
      ck_assert_time_eq(rows[1].end, PACKET + 2 * (ONE_LINK + AQ_US));
    } else {
      ck_assert_time_eq(rows[0].end, PACKET + ONE_LINK + AQ_US);
      ck_assert_time_eq(rows[0].end, rows[1].end);
      ck_assert_int_ne(rows[0].engine, rows[1].engine);
      /* The second was read ahead: no latency, only its packet. */
      ck_assert_time_eq(rows[2].end, rows[0].end + PACKET + AQ_US);
    }
    for (int i = 1; i < 4; i++)
      ck_assert_int_ge(rows[i].end, rows[i - 1].end);
    rig_close(&e.r);
  }
}
END_TEST

START_TEST(the_same_rings_give_the_same_records)
{
  aq_time ends[2][24];
  static char memory[2][32000];
  for (int n = 0; n < 2; n++) {
    engine_rig e;
    copy_ring rings[3];
    aq_rng rng;
    aq_rng_init(&rng, 7, 1);
    open_rig(&e, NULL);
    for (uint32_t i = 0; i < 3; i++)
      open_ring(&e, &rings[i], i % 2);
    for (int i = 0; i < 24; i++)
      put_copy(&rings[i % 3], memory[0], memory[1],
               1 + (uint32_t)(aq_rng_bits(&rng) % 32000));
    for (int i = 0; i < 3; i++)
      announce(&rings[i]);
    rig_run(&e.r);
    ck_assert_uint_eq(e.r.sink.count, 24);
    for (int i = 0; i < 24; i++)
      ends[n][i] = e.r.sink.rows[i].end;
    rig_close(&e.r);
  }
  ck_assert_mem_eq(ends[0], ends[1], sizeof ends[0]);
}
END_TEST

START_TEST(a_ring_rests_between_two_packets_and_goes_on)
{
  engine_rig e;
  copy_ring ring;
  uint32_t fences[2] = {0};
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  aqsim_sdma_suspend(ring.ring, true);
  put_fence(&ring, &fences[0], 1);
  run(&e, &ring);
  ck_assert_uint_eq(fences[0], 0);
  aqsim_sdma_suspend(ring.ring, false); /* the engine begins to read */
  aqsim_sdma_suspend(ring.ring, true);
  rig_run(&e.r);
  ck_assert_uint_eq(fences[0], 0);
  put_fence(&ring, &fences[1], 1);
  announce(&ring);
  aqsim_sdma_suspend(ring.ring, false);
  rig_run(&e.r);
  ck_assert_uint_eq(fences[0] + fences[1], 2);
  rig_close(&e.r);
}
END_TEST

START_TEST(a_ring_goes_with_its_copy_and_its_poll_and_others_go_on)
{
  engine_rig e;
  copy_ring rings[4];
  static char a[64000], b[64000], c[64000] = "kept", d[64000];
  uint32_t word = 1;
  open_rig(&e, NULL);
  for (int i = 0; i < 4; i++)
    open_ring(&e, &rings[i], 0);
  for (int i = 0; i < 2; i++) /* one moves, one is in line */
    put_copy(&rings[i], a, b, sizeof a);
  put_poll(&rings[2], &word, 3, 0, UINT32_MAX);
  put_copy(&rings[3], d, c, sizeof c);
  for (int i = 0; i < 4; i++)
    announce(&rings[i]);
  rig_sleep(&e.r, LATENCY + 500 * AQ_NS);
  for (int i = 1; i >= 0; i--)
    aqsim_sdma_destroy(rings[i].ring);
  aqsim_sdma_destroy(rings[2].ring);
  rig_run(&e.r);
  ck_assert_str_eq(d, "kept");
  ck_assert_uint_eq(e.r.sink.count, 1);
  ck_assert_uint_eq(rings[0].read, 0);
  rig_close(&e.r);
}
END_TEST

/* ---- failures ---- */

static void stopped(engine_rig *e, copy_ring *ring, const char *text)
{
  uint32_t fence = 0;
  put_fence(ring, &fence, 1);
  run(e, ring);
  ck_assert_int_eq(e->events, 1);
  ck_assert_str_eq(e->event, text);
  ck_assert_uint_eq(fence, 0); /* nothing behind it is executed */
  rig_close(&e->r);
}

START_TEST(a_bad_packet_stops_its_ring_by_ring_byte_and_opcode)
{
  engine_rig e;
  copy_ring ring, other;
  uint32_t fence = 0;
  open_rig(&e, NULL);
  open_ring(&e, &other, 1);
  open_ring(&e, &ring, 1);
  put_fence(&other, &fence, 1);
  announce(&other);
  PUT(&ring, 0);
  PUT(&ring, 4); /* an indirect buffer */
  stopped(&e, &ring,
          "copy ring 1 of device 0, engine 1: packet 1 at byte 4 (INDIRECT): "
          "opcode 4, sub-opcode 0 is not one that engines of gfx9 execute "
          "here");
  ck_assert_uint_eq(fence, 1);
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  PUT(&ring, 0x3fff << 16);
  stopped(&e, &ring,
          "copy ring 0 of device 0, engine 0: packet 0 at byte 0 (NOP): 16384 "
          "words; the ring has 1024");
}
END_TEST

START_TEST(memory_that_is_not_there_is_a_memory_fault_with_its_address)
{
  static char here[8192];
  char *gone = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char text[TEXT];
  ck_assert_int_eq(munmap(gone + 4096, 4096), 0);
  for (int way = 0; way < 4; way++) {
    static const char *const names[] = {"COPY_LINEAR", "COPY_LINEAR", "FENCE",
                                        "CONST_FILL"};
    engine_rig e;
    copy_ring ring;
    open_rig(&e, NULL);
    open_ring(&e, &ring, 0);
    if (way == 0)
      put_copy(&ring, here, gone, 8192);
    else if (way == 1) /* of a page that may be read */
      put_copy(&ring, gone, here, 4096);
    else if (way == 2)
      put_fence(&ring, (uint32_t *)(void *)(gone + 4096), 1);
    else
      PUT(&ring, 11, WIDE(gone + 4096), 0, 99);
    const uint64_t at = (uintptr_t)gone + (way == 1 ? 0 : 4096);
    snprintf(text, sizeof text,
             "copy ring 0 of device 0, engine 0: packet 0 at byte 0 (%s): "
             "memory fault, %s %#llx",
             names[way], way == 0 ? "read of" : "write to",
             (unsigned long long)at);
    stopped(&e, &ring, text);
    ck_assert_int_eq(e.last.kind, AQ_EVENT_MEMORY_FAULT);
    ck_assert_uint_eq(e.last.address, at);
  }
  munmap(gone, 4096);
}
END_TEST

START_TEST(doorbells_off_words_back_or_beyond_the_ring_stop_it)
{
  static const struct {
    uint64_t rung;
    const char *text;
  } bad[] = {{10, "doorbell 10; expected a multiple of 4 from 8 to 4104"},
             {4, "doorbell 4; expected a multiple of 4 from 8 to 4104"},
             {4108, "doorbell 4108; expected a multiple of 4 from 8 to 4104"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    engine_rig e;
    copy_ring ring;
    char text[TEXT];
    open_rig(&e, NULL);
    open_ring(&e, &ring, 0);
    PUT(&ring, 0, 0);
    run(&e, &ring);
    ck_assert_uint_eq(ring.read, 8);
    ring.doorbell = bad[i].rung;
    rig_run(&e.r);
    snprintf(text, sizeof text,
             "copy ring 0 of device 0, engine 0: packet 2 at byte 8 (none): %s",
             bad[i].text);
    ck_assert_str_eq(e.event, text);
    rig_close(&e.r);
  }
}
END_TEST

START_TEST(rings_that_cannot_be_are_refused_by_name)
{
  engine_rig e;
  copy_ring ring = {.read = 0};
  aqsim_sdma *out;
  open_rig(&e, NULL);
  aqsim_sdma_desc desc = {.words = ring.words,
                          .size = sizeof ring.words,
                          .read_index = &ring.read,
                          .doorbell = &ring.doorbell};
  static const uint64_t sizes[] = {0, 64, 128, 255, 384, 4095};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    desc.size = sizes[i];
    ck_assert_status(
        aqsim_sdma_create(aqsim_from(e.r.t), &desc, &out, &e.r.diag),
        AQ_ERR_INVALID, &e.r.diag);
  }
  desc.size = 4096;
  ring.read = 10;
  ck_assert_status(aqsim_sdma_create(aqsim_from(e.r.t), &desc, &out, &e.r.diag),
                   AQ_ERR_INVALID, &e.r.diag);
  ck_assert_str_eq(
      e.r.diag.text,
      "copy ring whose read index is 10; expected a multiple of 4");
  ring.read = 0;
  desc.engine = 16;
  ck_assert_status(aqsim_sdma_create(aqsim_from(e.r.t), &desc, &out, &e.r.diag),
                   AQ_ERR_UNSUPPORTED, &e.r.diag);
  ck_assert_str_eq(e.r.diag.text,
                   "copy engine 16 of device 0: model mi300x has 16");
  rig_close(&e.r);
}
END_TEST

static void state_keep(const char *line, void *user)
{
  char *text = user;
  if (strstr(line, "copy ring"))
    snprintf(text, TEXT, "%s", line);
}

START_TEST(who_waits_for_ever_is_named_with_the_word)
{
  engine_rig e;
  copy_ring ring;
  uint32_t word = 1;
  char seen[TEXT] = "", expected[TEXT];
  open_rig(&e, NULL);
  open_ring(&e, &ring, 0);
  aq_signal never = rig_signal(&e.r, 1, 0);
  put_poll(&ring, &word, 3, 0, UINT32_MAX);
  announce(&ring);
  aq_wait_item item = {never, AQ_EQ, 0};
  ck_assert_status(rig_wait(&e.r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &e.r.diag);
  snprintf(expected, sizeof expected,
           "copy ring 0 of device 0, engine 0: packet 0 at byte 0 of 24 "
           "announced: POLL_REGMEM of %p: function 3, mask 0xffffffff, "
           "reference 0",
           (void *)&word);
  ck_assert_ptr_nonnull(strstr(e.r.diag.text, expected));
  e.r.t->ops->inspect(e.r.t, state_keep, seen);
  ck_assert_str_eq(seen, expected);
  rig_close(&e.r);
}
END_TEST

/* The bytes that a packet stores. */
static const struct {
  uint32_t size;
  bool writes; /* not by an atomic */
} stores[] = {{16, true}, {12, true}, {4, true}, {8, true}, {8, false}};

static void put_store(copy_ring *ring, size_t i, void *to)
{
  switch (i) {
  case 0: /* CONST_FILL */
    PUT(ring, 11, WIDE(to), 7, 16 - 1);
    return;
  case 1: /* WRITE_LINEAR of three words */
    PUT(ring, 2, WIDE(to), 3 - 1, 1, 2, 3);
    return;
  case 2:
    put_fence(ring, to, 5);
    return;
  case 3: /* TIMESTAMP_GET_GLOBAL */
    PUT(ring, 13 | 2u << 8, WIDE(to));
    return;
  default: /* ATOMIC, 64 bits, add */
    PUT(ring, 10 | 47u << 25, WIDE(to), 1, 0, 0, 0, 0);
  }
}

static const aq_order_hooks *checker;
static const char *packet_seen;

static void packet_keep(void *user, uint64_t copy, const aq_copy_desc *desc,
                        const char *packet)
{
  packet_seen = packet;
  checker->copy_submit(user, copy, desc, packet);
}

START_TEST(a_checker_sees_each_store_of_a_ring)
{
  static const char *const names[] = {NULL, "WRITE_LINEAR", "FENCE",
                                      "TIMESTAMP_GLOBAL", NULL};
  static _Alignas(64) char memory[64];
  const uint64_t at = (uintptr_t)memory;
  for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
    engine_rig e;
    copy_ring ring;
    aq_check *check;
    uint64_t where = 0;
    aq_diag diag = AQ_DIAG_INIT;
    const aq_check_options options = {.checks = AQ_CHECK_INIT | AQ_CHECK_RACE};
    ck_assert_status(aq_check_create(&options, &check, &diag), AQ_OK, &diag);
    checker = aq_check_hooks(check);
    aq_order_hooks hooks = *checker;
    hooks.copy_submit = packet_keep;
    packet_seen = NULL;
    open_rig(&e, &hooks);
    open_ring(&e, &ring, 0);
    aq_uninit_shadow_set(&check->unwritten, at, sizeof memory, true);
    put_store(&ring, i, memory + 16);
    run(&e, &ring);
    ck_assert_uint_eq(ring.read, ring.write);
    ck_assert(aq_uninit_shadow_any(&check->unwritten, at, 16, &where));
    ck_assert_int_eq(aq_uninit_shadow_any(&check->unwritten, at + 16,
                                          stores[i].size, &where),
                     !stores[i].writes);
    ck_assert(aq_uninit_shadow_any(&check->unwritten, at + 16 + stores[i].size,
                                   8, &where));
    ck_assert_int_eq(e.events, 0);
    ck_assert_pstr_eq(packet_seen, names[i]);
    rig_close(&e.r);
    aq_check_destroy(check);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/sdma/sdma_ring", a_checker_sees_each_store_of_a_ring,
             a_fence_is_stored_when_the_copy_before_it_has_arrived,
             only_what_the_doorbell_announced_is_executed,
             random_packets_store_what_loops_over_bytes_store,
             a_poll_holds_what_is_behind_it_until_its_condition_holds,
             a_change_of_the_word_ends_a_poll_as_it_ends_a_wait_of_a_copy,
             rings_order_each_other_by_fence_and_poll,
             atomics_timestamps_and_traps_do_what_they_say,
             both_directions_overlap_and_rings_of_one_engine_take_turns,
             the_same_rings_give_the_same_records,
             a_ring_rests_between_two_packets_and_goes_on,
             a_ring_goes_with_its_copy_and_its_poll_and_others_go_on,
             a_bad_packet_stops_its_ring_by_ring_byte_and_opcode,
             memory_that_is_not_there_is_a_memory_fault_with_its_address,
             doorbells_off_words_back_or_beyond_the_ring_stop_it,
             rings_that_cannot_be_are_refused_by_name,
             who_waits_for_ever_is_named_with_the_word)
