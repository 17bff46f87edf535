/* SPDX-License-Identifier: MIT */
/*
 * The block processor as a kernel makes the packets that the host's makes: its
 * machine code is executed, run for run, and all that it writes is compared
 * with the host's, byte for byte.
 */
#include "support/aqtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/device_walk.h"
#include "cmdbuf/link_image.h"
#include "cmdbuf/random_program.h"
#include "cmdbuf/validate.h"
#include "common/pm4.h"
#include "common/transports.h"

enum {
  RING = 64,
  KERNARG = 8192,
  PLAIN = 8192, /* packets of a program, at most */
  VISITS = 100,
  PATCH = 0x90c0, /* kernel object */
};

/* All that a walk reads and writes, in memory of the device. */
typedef struct board {
  aq_packet packets[RING];
  _Alignas(64) unsigned char kernarg[KERNARG];
  unsigned char buffers[RANDOM_SLOTS + 2][RANDOM_BUFFER];
  uint32_t headers[RING];
  uint64_t write, read, doorbell;
  aq_binding slots[RANDOM_SLOTS];
  aq_device_walk walk;
  aq_device_walk *args; /* the kernel's */
} board;

typedef struct rig {
  aq_transport_stack *stack;
  const aq_executor *executor;
  aq_transport *t;
  aq_transport_info info;
  aq_device_walker walker;
  board *board, *begin, *by_device;
  aq_diag diag;
  uint64_t instructions, packets, runs; /* of the kernel */
} rig;

#define ck_ok(call) ck_assert_status(call, AQ_OK, &r->diag)

/* A device model, with an edit of it or NULL. */
static rig *rig_open(const char *device, const char *edit)
{
  const char *const edits[] = {edit, NULL};
  rig *r = calloc(1, sizeof *r);
  void *memory;
  r->diag = (aq_diag)AQ_DIAG_INIT;
  ck_ok(aq_transport_stack_create("sim", NULL, &r->stack, &r->diag));
  r->executor = aq_transport_stack_executor(r->stack);
  const aq_transport_options open = {
      .size = sizeof open, .device = device, .edits = edit ? edits : NULL};
  ck_ok(aq_transport_stack_open(r->stack, &open, &r->t, &r->diag));
  r->t->ops->info(r->t, &r->info);
  ck_ok(aq_device_walker_open(r->t, 0, &r->walker, &r->diag));
  ck_assert_uint_ne(r->walker.module, 0);
  ck_ok(r->t->ops->mem_alloc(r->t, 0, AQ_MEMORY_HOST, sizeof *r->board, &memory,
                             &r->diag));
  r->board = memory;
  r->begin = malloc(sizeof *r->begin);
  r->by_device = malloc(sizeof *r->by_device);
  return r;
}

static void rig_close(rig *r)
{
  free(r->by_device);
  free(r->begin);
  aq_device_walker_close(r->t, &r->walker);
  r->t->ops->mem_free(r->t, r->board);
  r->t->ops->close(r->t);
  aq_transport_stack_destroy(r->stack);
  free(r);
}

/* ---- a run of the kernel ---- */

static void kernel_run(rig *r)
{
  aq_execution_step step;
  void *execution;
  const aq_kernel_packet packet = r->board->walk.again.kernel;
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = "aq_blocks",
                                  .gfx = r->info.devices[0].gfx,
                                  .cus = r->info.devices[0].cus,
                                  .wave_size = r->info.devices[0].wave_size,
                                  .timestamp_hz = 100000000};
  ck_ok(r->executor->begin(r->executor->user, &desc, &execution, &r->diag));
  aq_execution_state state;
  do {
    state = r->executor->step(execution, 1000000, 0, &step);
    r->instructions += step.instructions;
  } while (state == AQ_EXECUTION_MORE);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s", step.fault.text);
  r->executor->end(execution);
}

/* ---- the plain walk, in one piece ---- */

/* A ring and kernel arguments that any program fits into. */
typedef struct plain {
  aq_packet packets[PLAIN];
  uint32_t headers[PLAIN];
  _Alignas(64) unsigned char kernarg[PLAIN * 256];
  aq_packet_span span;
  aq_walk result;
  uint32_t compared; /* packets */
} plain;

static bool is_own(const rig *r, const aq_packet *packet)
{
  return packet->kernel.kernel_object == r->walker.kernel.object;
}

/* Clears the part that the last walk used. */
static void plain_clear(plain *p)
{
  memset(p->packets, 0, p->span.packets * sizeof *p->packets);
  memset(p->headers, 0, p->span.packets * sizeof *p->headers);
  memset(p->kernarg, 0, p->span.kernarg_used);
  p->compared = 0;
}

static void plain_walk(const rig *r, const aq_link *link, plain *p)
{
  static uint64_t indices[3];
  static aq_ring ring;
  aq_processor walk;
  plain_clear(p);
  ring = (aq_ring){p->packets, PLAIN, 0, &indices[0], &indices[1], &indices[2]};
  p->span = (aq_packet_span){.ring = &ring,
                             .slots = PLAIN,
                             .headers = p->headers,
                             .kernarg = p->kernarg,
                             .kernarg_size = sizeof p->kernarg,
                             .drain = &r->board->walk.again};
  aq_processor_start(&walk, link, r->board->slots, 0, VISITS);
  do
    p->result = aq_processor_fill(&walk, &p->span);
  while (p->result == AQ_WALK_DRAIN);
  ck_assert_int_ne(p->result, AQ_WALK_FULL);
}

/* Bytes of the arguments that packet `i` alone has. */
static size_t args_size(const plain *p, uint32_t i)
{
  const uintptr_t begin = p->packets[i].kernel.kernarg_address;
  uintptr_t end = (uintptr_t)p->kernarg + p->span.kernarg_used;
  uint32_t hidden = 0; /* lines of waits that use none */
  bool found = false;
  for (uint32_t next = i + 1; next < p->span.packets; next++) {
    const aq_packet *packet = &p->packets[next];
    const bool vendor = aq_header_type(p->headers[next]) == AQ_PACKET_VENDOR;
    const bool jumps = p->headers[next] >> 16 == AQ_AMD_FORMAT_PM4_IB;
    const uintptr_t at =
        vendor && jumps ? (uintptr_t)(packet->pm4_ib.ib_jump[1] |
                                      (uint64_t)packet->pm4_ib.ib_jump[2] << 32)
                        : packet->kernel.kernarg_address;
    hidden += !found && vendor && !jumps;
    found |= at > begin && at <= end;
    if (at > begin && at < end)
      end = at;
  }
  return end - begin - hidden * AQ_KERNARG_ALIGN;
}

static void args_compare(const plain *p, uint32_t i, const aq_packet *device)
{
  const void *expected = (void *)p->packets[i].kernel.kernarg_address;
  const void *found = (void *)device->kernel.kernarg_address;
  aq_patch_args a, b;
  if (device->kernel.kernel_object != PATCH) {
    ck_assert_mem_eq(found, expected, args_size(p, i));
    return;
  }
  memcpy(&a, expected, sizeof a);
  memcpy(&b, found, sizeof b);
  ck_assert_ptr_eq(a.params, b.params);
  ck_assert_uint_eq(a.header_setup, b.header_setup);
  ck_assert_ptr_eq(a.packet, &p->packets[i + 1]);
}

/* The same commands, at another place. */
static void jump_compare(aq_pm4_ib_packet *expected,
                         const aq_pm4_ib_packet *device)
{
  const aq_pm4_ib_packet *both[] = {expected, device};
  const void *words[2];
  for (int i = 0; i < 2; i++)
    words[i] = (void *)(uintptr_t)(both[i]->ib_jump[1] |
                                   (uint64_t)both[i]->ib_jump[2] << 32);
  ck_assert_mem_eq(words[1], words[0],
                   (expected->ib_jump[3] & (AQ_PM4_IB_WORDS - 1)) *
                       sizeof(uint32_t));
  memcpy(expected->ib_jump, device->ib_jump, sizeof expected->ib_jump);
}

/* One packet that the device put is the plain walk's next one. */
static void packet_compare(const rig *r, plain *p, uint64_t id)
{
  const board *b = r->board;
  const aq_packet *device = &b->packets[id % RING];
  while (p->compared < p->span.packets && is_own(r, &p->packets[p->compared]))
    p->compared++;
  ck_assert_uint_lt(p->compared, p->span.packets);
  const uint32_t i = p->compared++;
  const uintptr_t args = p->packets[i].kernel.kernarg_address;
  aq_packet expected = p->packets[i];
  if (p->headers[i] != AQ_PACKET_INVALID)
    expected.header_setup = p->headers[i];
  else
    expected.header_setup = device->header_setup;
  if (args >= (uintptr_t)p->kernarg &&
      args < (uintptr_t)p->kernarg + sizeof p->kernarg) {
    args_compare(p, i, device);
    expected.kernel.kernarg_address = device->kernel.kernarg_address;
  }
  if (expected.header_setup >> 16 == AQ_AMD_FORMAT_PM4_IB &&
      aq_header_type(expected.header_setup) == AQ_PACKET_VENDOR)
    jump_compare(&expected.pm4_ib, &device->pm4_ib);
  ck_assert_mem_eq(device, &expected, sizeof expected);
}

/* ---- one program ---- */

static void board_fill(rig *r, uint64_t seed, const aq_link_image *image)
{
  board *b = r->board;
  uint64_t state = seed;
  memset(b, 0, sizeof *b);
  for (int i = 0; i < RANDOM_SLOTS + 2; i++)
    for (int j = 0; j < RANDOM_BUFFER; j++) {
      const uint64_t drawn = random_below(&state, 9); /* most bytes are 0 */
      b->buffers[i][j] = drawn < 6 ? 0 : (unsigned char)(drawn - 6);
    }
  for (int i = 0; i < RANDOM_SLOTS; i++)
    b->slots[i] = (aq_binding){b->buffers[i], RANDOM_BUFFER};
  b->write = b->read = random_below(&state, 3 * RING);
  for (int i = 0; i < RING; i++)
    b->packets[i].header_setup = AQ_PACKET_INVALID;
  b->walk = (aq_device_walk){.ring = {.packets = b->packets,
                                      .size = RING,
                                      .write_index = &b->write,
                                      .read_index = &b->read,
                                      .doorbell = &b->doorbell},
                             .headers = b->headers,
                             .kernarg = b->kernarg,
                             .kernarg_size = KERNARG,
                             .completion = {seed % 2 ? 0x7000 : 0},
                             .done = {0x7040}};
  aq_processor_start(&b->walk.walk, image->link, b->slots, 0, VISITS);
  aq_device_walk_prepare(&b->walk, &r->walker, &b->args);
}

/* Slots of packets that have run are free again. */
static void ring_consume(board *b)
{
  while (b->read < b->write)
    b->packets[b->read++ % RING].header_setup = AQ_PACKET_INVALID;
  memset(b->kernarg, 0, sizeof b->kernarg);
}

static bool runs_again(const rig *r)
{
  return is_own(r, &r->board->packets[(r->board->write - 1) % RING]);
}

/* The kernel's and the host's run from one state, to the same bytes. */
static void run_compare(rig *r, uint64_t seed)
{
  board *b = r->board;
  *r->begin = *b;
  kernel_run(r);
  *r->by_device = *b;
  *b = *r->begin;
  aq_device_walk_step(&b->walk);
  if (memcmp(b, r->by_device, sizeof *b) == 0)
    return;
  const unsigned char *host = (void *)b, *device = (void *)r->by_device;
  size_t at = 0;
  while (host[at] == device[at])
    at++;
  ck_abort_msg("program %" PRIu64 ", run %" PRIu64
               ": byte %zu is %02x by the device, %02x by the host",
               seed, b->walk.runs, at, device[at], host[at]);
}

static void packets_compare(const rig *r, plain *p, uint64_t from)
{
  const board *b = r->board;
  const bool ends = !runs_again(r);
  uint64_t end = b->write;
  if (ends)
    end -= 1u + (b->walk.completion.handle != 0);
  for (; from < end; from++)
    if (!is_own(r, &b->packets[from % RING]))
      packet_compare(r, p, from);
  if (ends) {
    while (p->compared < p->span.packets && is_own(r, &p->packets[p->compared]))
      p->compared++;
    ck_assert_uint_eq(p->compared, p->span.packets);
    ck_assert_int_eq(b->walk.result, p->result);
  }
}

static void walks_compare(rig *r, uint64_t seed, const aq_link *link)
{
  static plain p;
  plain_walk(r, link, &p);
  bool again = true;
  while (again) {
    const uint64_t from = r->board->write;
    run_compare(r, seed);
    packets_compare(r, &p, from);
    r->runs++;
    again = runs_again(r);
    ring_consume(r->board);
  }
  r->packets += r->board->walk.packets;
}

/* False: it is none that a queue takes. */
static bool program_compare(rig *r, uint64_t seed)
{
  const aq_binding statics[2] = {
      {r->board->buffers[RANDOM_SLOTS], RANDOM_BUFFER},
      {r->board->buffers[RANDOM_SLOTS + 1], RANDOM_BUFFER}};
  static const aq_value_way ways[] = {AQ_VALUE_PACKET, AQ_VALUE_PM4,
                                      AQ_VALUE_KERNEL};
  const aq_builtins builtins = {
      .objects = {0x9000, 0x9040, 0x9080, seed % 3 ? PATCH : 0, 0x9100, 0x9140},
      .wait = ways[seed / 3 % 3]};
  aq_program program;
  aq_link *link;
  aq_link_image image;
  aq_builder *builder = random_program(seed, statics, &program);
  const bool valid = aq_program_validate(&program, NULL) == AQ_OK &&
                     program.packets > 0 && program.kernarg_max <= KERNARG;
  if (!valid) { /* a loop without a packet, a recursion, nothing at all */
    aq_builder_destroy(builder);
    return false;
  }
  const aq_link_options options = {.transport = r->t, .builtins = &builtins};
  ck_ok(aq_link_create(&program, &options, &link, &r->diag));
  ck_ok(aq_link_image_make(link, r->t, 0, &image, &r->diag));
  board_fill(r, seed, &image);
  walks_compare(r, seed, link);
  aq_link_image_free(r->t, &image);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  return true;
}

/* AQ_WALK_PROGRAMS: their number, 300 by default. */
static void programs_compare(const char *device, const char *edit)
{
  const char *text = getenv("AQ_WALK_PROGRAMS");
  const uint64_t count = text ? strtoull(text, NULL, 0) : 300;
  rig *r = rig_open(device, edit);
  uint64_t compared = 0;
  for (uint64_t seed = 0; compared < count; seed++)
    compared += program_compare(r, seed);
  printf("# %s: %" PRIu64 " programs, %" PRIu64 " packets, %" PRIu64
         " runs of the kernel, %.1f wave-instructions a packet\n",
         r->info.devices[0].gfx, count, r->packets, r->runs,
         (double)r->instructions / (double)r->packets);
  fflush(stdout);
  rig_close(r);
}

#define T(gfx, device, edit)                                                   \
  START_TEST(the_kernel_of_##gfx##_makes_the_packets_of_the_host)              \
  {                                                                            \
    programs_compare(device, edit);                                            \
  }                                                                            \
  END_TEST
T(gfx900, "mi25", NULL)
T(gfx906, "mi50", NULL)
T(gfx908, "mi100", NULL)
T(gfx90a, "mi210", NULL)
T(gfx942, "mi300x", NULL)
T(gfx950, "mi350x", NULL)
T(gfx1010, "rx6900xt", "gfx=gfx1010")
T(gfx1030, "rx6900xt", NULL)
T(gfx1100, "rx7900xtx", NULL)
T(gfx1151, "gfx1151", NULL)
T(gfx1201, "rx9070xt", NULL)

AQ_TEST_MAIN("cmdbuf/device_walk",
             the_kernel_of_gfx900_makes_the_packets_of_the_host,
             the_kernel_of_gfx906_makes_the_packets_of_the_host,
             the_kernel_of_gfx908_makes_the_packets_of_the_host,
             the_kernel_of_gfx90a_makes_the_packets_of_the_host,
             the_kernel_of_gfx942_makes_the_packets_of_the_host,
             the_kernel_of_gfx950_makes_the_packets_of_the_host,
             the_kernel_of_gfx1010_makes_the_packets_of_the_host,
             the_kernel_of_gfx1030_makes_the_packets_of_the_host,
             the_kernel_of_gfx1100_makes_the_packets_of_the_host,
             the_kernel_of_gfx1151_makes_the_packets_of_the_host,
             the_kernel_of_gfx1201_makes_the_packets_of_the_host)
