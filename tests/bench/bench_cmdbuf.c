/* SPDX-License-Identifier: MIT */
/*
 * Programs: recording, processing and publishing a chain of 512 dispatches with
 * a barrier between them, a dispatch. Floor: publishing as many packets of 64
 * bytes into the same ring one by one: reserve, body, header, doorbell.
 *
 * The ring has no reader. "hot": a ring of 512 packets and as much kernarg
 * memory, so that both stay in the first caches; "4m": 65536 packets, 4 MiB.
 * "pm4": bodies and arguments, and the commands that they become.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "cmdbuf/block_processor.h"
#include "cmdbuf/builder.h"
#include "cmdbuf/pm4.h"

enum { OBJECT = 256 /* of the kernel */ };
enum { CHAIN = 512, HOT = 512, LARGE = 65536, ROUNDS = 15, TIMES = 400 };
enum { BINDINGS = 8, KERNARG = AQ_KERNARG_ALIGN };

typedef struct shape {
  const char *name;
  uint32_t statics, slots, constants; /* constants: of 4 bytes */
} shape;

typedef struct context {
  const shape *shape;
  aq_builder *builder;
  aq_program program;
  aq_link link;
  uint64_t kernel;
  uint64_t *published;
  unsigned char *rodata;
  aq_binding slots[BINDINGS], statics[BINDINGS];
  aq_ref refs[BINDINGS];
  /* The ring that is written. */
  uint32_t size;
  aq_ring ring;
  uint64_t write, read, doorbell;
  unsigned char *kernarg;
  uint32_t headers[CHAIN];
  aq_pm4_code *code;
  uint32_t *words;
} context;

static void check(aq_status status, const aq_diag *diag)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_cmdbuf: %s\n", diag->text);
  exit(1);
}

static void *memory_take(size_t size)
{
  void *memory = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
  if (!memory)
    abort();
  memset(memory, 0, size);
  return memory;
}

/* ---- recording ---- */

static void record(context *c)
{
  static const uint32_t constants[4] = {1, 2, 3, 4};
  aq_diag diag = AQ_DIAG_INIT;
  const aq_dispatch dispatch = {.grid = {65536, 1, 1},
                                .workgroup = {256, 1, 1},
                                .bindings = c->refs,
                                .binding_count =
                                    c->shape->statics + c->shape->slots,
                                .constants = constants,
                                .constant_size = c->shape->constants * 4};
  aq_builder_reset(c->builder);
  for (int i = 0; i < CHAIN; i++) {
    if (aq_builder_dispatch(c->builder, &dispatch, &diag) != AQ_OK)
      check(diag.status, &diag);
    aq_builder_barrier(c->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  check(aq_builder_end(c->builder, &c->program, &diag), &diag);
}

static double recording(void *user)
{
  context *c = user;
  double begin = aqbench_now();
  for (int i = 0; i < TIMES; i++)
    record(c);
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

/* ---- the ring ---- */

static void ring_open(context *c, uint32_t size)
{
  c->size = size;
  c->write = c->read = c->doorbell = 0;
  c->ring = (aq_ring){.packets = memory_take(size * sizeof(aq_packet)),
                      .size = size,
                      .write_index = &c->write,
                      .read_index = &c->read,
                      .doorbell = &c->doorbell};
  c->kernarg = memory_take((size_t)size * KERNARG);
}

static void ring_close(context *c)
{
  free(c->kernarg);
  free(c->ring.packets);
}

/* The same packet again and again, as fast as it goes. */
static double bare_publish(void *user)
{
  context *c = user;
  aq_packet packet = {.kernel = {.workgroup_size = {256, 1, 1},
                                 .grid_size = {65536, 1, 1},
                                 .kernel_object = 64,
                                 .kernarg_address = 128}};
  const uint16_t header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                           AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  uint64_t id = 0;
  double begin = aqbench_now();
  for (int i = 0; i < TIMES * CHAIN; i++) {
    if (!aq_ring_try_reserve(&c->ring, 1, &id)) {
      c->read = c->write; /* as if a reader had read them all */
      aq_ring_try_reserve(&c->ring, 1, &id);
    }
    aq_packet *slot = aq_ring_slot(&c->ring, id);
    memcpy((char *)slot + 4, (const char *)&packet + 4, sizeof *slot - 4);
    aq_packet_publish(slot, header, 1);
    __atomic_store_n(&c->doorbell, id, __ATOMIC_RELEASE);
  }
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

static void span_fill(context *c, aq_packet_span *span, uint64_t first)
{
  aq_processor walk;
  *span = (aq_packet_span){.ring = &c->ring,
                           .first = first,
                           .slots = CHAIN,
                           .headers = c->headers,
                           .kernarg =
                               c->kernarg + (first & (c->size - 1)) * KERNARG,
                           .kernarg_size = CHAIN * KERNARG};
  aq_processor_start(&walk, &c->link, c->slots, 0, 0);
  if (aq_processor_fill(&walk, span) != AQ_WALK_END || span->packets != CHAIN)
    abort();
}

/* Bodies and arguments. */
static double processing(void *user)
{
  context *c = user;
  aq_packet_span span;
  double begin = aqbench_now();
  for (uint64_t i = 0; i < TIMES; i++)
    span_fill(c, &span, i * CHAIN);
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

/* Into memory, and from there into commands. */
static double commanding(void *user)
{
  context *c = user;
  aq_packet_span span;
  aq_packet seen;
  double begin = aqbench_now();
  for (uint64_t i = 0; i < TIMES; i++) {
    aq_pm4_buffer buffer = {.code = c->code, .words = c->words};
    span_fill(c, &span, 0);
    for (uint32_t k = 0; k < CHAIN; k++)
      aq_pm4_put(&buffer, &c->ring.packets[k], c->headers[k], k, &seen);
    aq_pm4_end(&buffer);
  }
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

/* All of it: reserved, filled, published, rung. */
static double submitting(void *user)
{
  context *c = user;
  aq_packet_span span;
  uint64_t first = 0;
  double begin = aqbench_now();
  for (uint64_t i = 0; i < TIMES; i++) {
    c->read = c->write;
    aq_ring_try_reserve_single(&c->ring, CHAIN, &first);
    span_fill(c, &span, first);
    aq_packet_span_publish(&span);
    __atomic_store_n(&c->doorbell, first + CHAIN - 1, __ATOMIC_RELEASE);
  }
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

/* Headers and doorbell of what lies there. */
static double committing(void *user)
{
  context *c = user;
  aq_packet_span span;
  span_fill(c, &span, 0);
  double begin = aqbench_now();
  for (uint64_t i = 0; i < TIMES; i++) {
    aq_packet_span_publish(&span);
    __atomic_store_n(&c->doorbell, i, __ATOMIC_RELEASE);
  }
  return (aqbench_now() - begin) * 1e9 / TIMES / CHAIN;
}

/* ---- shapes ---- */

static const shape shapes[] = {
    {"2_slots", 0, 2, 0},
    {"2_static", 2, 0, 0},
    {"4_slots_2_constants", 0, 4, 2},
    {"8_static_4_constants", 8, 0, 4},
    {"mixed_4_4", 4, 4, 0},
};

/* A link without a transport: published rodata. */
static void link_make(context *c)
{
  const aq_program *program = &c->program;
  c->published = calloc(program->block_count, sizeof *c->published);
  c->rodata = memory_take((size_t)program->block_count * program->block_size);
  for (uint32_t i = 0; i < program->block_count; i++)
    c->published[i] =
        (uint64_t)(uintptr_t)c->rodata + (uint64_t)i * program->block_size;
  c->link = (aq_link){.program = program,
                      .kernels = program->kernel_objects,
                      .statics = c->statics,
                      .published = c->published};
}

static void context_open(context *c, const shape *what)
{
  static char buffer[4096];
  aq_diag diag = AQ_DIAG_INIT;
  *c = (context){.shape = what};
  uint32_t ordinal, count = 0;
  check(aq_builder_create(NULL, &c->builder, &diag), &diag);
  check(aq_builder_kernel(c->builder, "k", OBJECT, &ordinal, &diag), &diag);
  for (uint32_t i = 0; i < what->statics; i++) {
    check(aq_builder_buffer(c->builder, buffer, sizeof buffer, &c->refs[count],
                            &diag),
          &diag);
    count++;
  }
  for (uint32_t i = 0; i < what->slots; i++)
    c->refs[count++] = aq_ref_slot(i, 64 * i);
  for (uint32_t i = 0; i < BINDINGS; i++)
    c->slots[i] = c->statics[i] = (aq_binding){buffer, sizeof buffer};
  record(c);
  link_make(c);
}

static void context_close(context *c)
{
  free(c->rodata);
  free(c->published);
  aq_builder_destroy(c->builder);
}

static void bench(const char *what, const shape *s, const char *ring,
                  aqbench_measure *subject, context *c)
{
  char name[128];
  snprintf(name, sizeof name, "cmdbuf_%s_%s%s", what, s->name, ring);
  aqbench_compare(name, "ns", ROUNDS, bare_publish, subject, c);
}

/* The memory of a recorded dispatch: its block, and the link's rodata. */
static void memory_tell(const context *c)
{
  uint64_t bytes = 0, rodata = 0;
  for (uint32_t i = 0; i < c->program.block_count; i++) {
    const aq_block *block = c->program.blocks[i];
    bytes += block->commands_size;
    bytes -= block->terminator == AQ_OP_BRANCH ? sizeof(aq_op_branch)
                                               : sizeof(aq_op_return);
    rodata += block->size - block->rodata;
  }
  printf("{\"bench\":\"cmdbuf_memory_%s\",\"value\":%.6g,\"unit\":\"B\","
         "\"floor\":null,\"ratio\":null}\n",
         c->shape->name, (double)(bytes + 2 * rodata) / CHAIN);
}

static void shape_bench(const shape *s, aq_transport *t)
{
  aq_diag diag = AQ_DIAG_INIT;
  context c;
  context_open(&c, s);
  check(aq_pm4_code_make(&c.link, t, 0, &c.code, &diag), &diag);
  c.words = memory_take((size_t)CHAIN * AQ_PM4_PACKET_SIZE);
  memory_tell(&c);
  ring_open(&c, HOT);
  bench("record", s, "", recording, &c);
  bench("process", s, "", processing, &c);
  bench("pm4", s, "", commanding, &c);
  bench("commit", s, "", committing, &c);
  bench("submit", s, "", submitting, &c);
  ring_close(&c);
  ring_open(&c, LARGE);
  bench("submit", s, "_4m", submitting, &c);
  ring_close(&c);
  free(c.words);
  aq_pm4_code_release(c.code);
  context_close(&c);
}

int main(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_kernel_info kernel;
  aq_transport *t;
  check(aqsim_transport_ops.open(
            &(aq_transport_options){.size = sizeof(aq_transport_options)}, &t,
            &diag),
        &diag);
  check(
      t->ops->kernel_register(
          t, &(aq_kernel_desc){.name = "k", .object = OBJECT}, &kernel, &diag),
      &diag);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    shape_bench(&shapes[i], t);
  t->ops->close(t);
  return 0;
}
