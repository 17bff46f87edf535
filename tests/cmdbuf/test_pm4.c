/* SPDX-License-Identifier: MIT */
/*
 * The commands that a program becomes do what its packets say: the simulator's
 * command processor runs them, and each dispatch, fence and store is compared
 * with the packet that it stands for, over random programs on each generation.
 */
#include "support/aqtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/packet/pm4.h"
#include "cmdbuf/block_processor.h"
#include "cmdbuf/pm4.h"
#include "cmdbuf/random_program.h"
#include "cmdbuf/validate.h"
#include "common/allocations.h"
#include "common/transports.h"
#include "gpu/devlib/devlib.h"

enum {
  PART = 64,
  KERNARG = 65536,
  VISITS = 100,
  BUILTIN = 0x9000, /* kernel object of the first builtin */
  STEP = 0x100,     /* to the next */
  BUFFERS = RANDOM_SLOTS + 2,
};

typedef struct memory {
  unsigned char buffers[BUFFERS][RANDOM_BUFFER];
} memory;

typedef struct rig {
  aq_transport_stack *stack;
  aq_transport *t;
  aq_transport_info info;
  uint32_t device;
  memory *m; /* the device's; programs read and write it */
  aq_binding slots[RANDOM_SLOTS];
  aq_packet packets[PART], seen[PART];
  uint32_t headers[PART];
  _Alignas(64) unsigned char kernarg[KERNARG];
  uint32_t words[PART * AQ_PM4_PACKET_SIZE / 4];
  aq_diag diag;
  uint64_t count, dispatches, stored, indirect, fences, waits; /* compared */
} rig;

#define ck_ok(call) ck_assert_status(call, AQ_OK, &r->diag)

static void nothing(const aq_kernel_call *call)
{
  (void)call;
}

static void kernel_add(rig *r, uint64_t object)
{
  aq_kernel_info info;
  const aq_kernel_desc desc = {
      .name = "k", .function = nothing, .object = object};
  ck_ok(r->t->ops->kernel_register(r->t, &desc, &info, &r->diag));
}

static rig *rig_open(const char *device)
{
  rig *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
  memset(r, 0, sizeof *r);
  r->diag = (aq_diag)AQ_DIAG_INIT;
  r->m = calloc(1, sizeof *r->m);
  ck_ok(aq_transport_stack_create("sim", NULL, &r->stack, &r->diag));
  const aq_transport_options open = {.size = sizeof open, .device = device};
  ck_ok(aq_transport_stack_open(r->stack, &open, &r->t, &r->diag));
  r->t->ops->info(r->t, &r->info);
  for (uint64_t i = 0; i < RANDOM_KERNELS; i++)
    kernel_add(r, 0x1000 * (i + 1));
  for (uint64_t i = 0; i < AQ_BUILTIN_COUNT; i++)
    kernel_add(r, BUILTIN + i * STEP);
  for (int i = 0; i < RANDOM_SLOTS; i++)
    r->slots[i] = (aq_binding){r->m->buffers[i], RANDOM_BUFFER};
  return r;
}

static void rig_close(rig *r)
{
  r->t->ops->close(r->t);
  aq_transport_stack_destroy(r->stack);
  free(r->m);
  free(r);
}

/* ---- effects ---- */

/* The effect of a dispatch on memory: builtins by their host functions, others
 * mark the order in which they ran. */
static void effect(rig *r, uint64_t object, uint64_t kernarg,
                   const uint32_t grid[3])
{
  static const aq_devlib_kernel functions[] = {
      [AQ_BUILTIN_FILL] = AQ_DEVLIB_FILL,
      [AQ_BUILTIN_COPY] = AQ_DEVLIB_COPY,
      [AQ_BUILTIN_UPDATE] = AQ_DEVLIB_UPDATE,
      [AQ_BUILTIN_ATOMIC] = AQ_DEVLIB_ATOMIC};
  if (object == BUILTIN + AQ_BUILTIN_WAIT * STEP)
    return;
  if (object >= BUILTIN) {
    char error[AQ_KERNEL_ERROR_SIZE] = "";
    const aq_kernel_call call = {.kernarg = (void *)(uintptr_t)kernarg,
                                 .error = error};
    aq_devlib_entries[functions[(object - BUILTIN) / STEP]].function(&call);
    return;
  }
  const uint64_t at = (object >> 12) * 64 + grid[0] % 64;
  unsigned char *byte = &r->m->buffers[grid[1] % BUFFERS][at];
  *byte = (unsigned char)(*byte * 31 + grid[2] + (kernarg >> 6));
}

static bool is_patch(const aq_packet *packet)
{
  return packet->kernel.kernel_object == BUILTIN + AQ_BUILTIN_PATCH * STEP;
}

/* A barrier, or a vendor packet that waits for a value. */
static bool waits_only(uint32_t header)
{
  return aq_header_type(header) == AQ_PACKET_BARRIER_AND ||
         aq_header_type(header) == AQ_PACKET_VENDOR;
}

/* The packets of a part in order, as a queue runs them. */
static void packets_run(rig *r, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    const aq_kernel_packet *packet = &r->packets[i].kernel;
    uint32_t grid[3];
    if (waits_only(r->headers[i]) || is_patch(&r->packets[i]))
      continue;
    memcpy(grid, packet->grid_size, sizeof grid);
    if (i > 0 && is_patch(&r->packets[i - 1])) {
      const aq_patch_args *args =
          (const aq_patch_args *)r->packets[i - 1].kernel.kernarg_address;
      memcpy(grid, args->params, sizeof grid);
    }
    effect(r, packet->kernel_object, packet->kernarg_address, grid);
  }
}

/* ---- one part ---- */

/* Fences that commands made since the last dispatch. */
typedef struct fences {
  bool flush, acquire, release;
} fences;

/* A packet that the device's dispatch is; those before it that commands stored
 * themselves are passed over. */
static uint32_t packet_find(rig *r, uint32_t from, uint32_t count,
                            const aqsim_pm4 *pm4)
{
  while (from < count) {
    const aq_kernel_packet *p = &r->packets[from].kernel;
    const bool dispatched =
        !waits_only(r->headers[from]) && !is_patch(&r->packets[from]);
    if (dispatched && p->kernel_object == pm4->dispatch.kernel_object &&
        p->kernarg_address == pm4->dispatch.kernarg_address)
      return from;
    r->stored += dispatched;
    if (dispatched)
      ck_assert_uint_ge(p->kernel_object, BUILTIN);
    from++;
  }
  ck_abort_msg("a dispatch of %#" PRIx64 " that no packet is",
               pm4->dispatch.kernel_object);
  return count;
}

static void dispatch_compare(rig *r, uint32_t i, const aqsim_pm4 *pm4,
                             fences *f)
{
  const aq_kernel_packet *found = &pm4->dispatch;
  const aq_kernel_packet *expected = &r->packets[i].kernel;
  uint32_t header = r->headers[i];
  uint32_t grid[3];
  memcpy(grid, expected->grid_size, sizeof grid);
  if (i > 0 && is_patch(&r->packets[i - 1])) {
    const aq_patch_args *args =
        (const aq_patch_args *)r->packets[i - 1].kernel.kernarg_address;
    memcpy(grid, args->params, sizeof grid);
    header = args->header_setup;
    r->indirect++;
  }
  const uint32_t lds = pm4->lds_granule;
  ck_assert_mem_eq(found->grid_size, grid, sizeof grid);
  ck_assert_mem_eq(found->workgroup_size, expected->workgroup_size,
                   sizeof found->workgroup_size);
  ck_assert_uint_eq(found->group_segment_size,
                    (expected->group_segment_size + lds - 1) / lds * lds);
  ck_assert_uint_ge(found->private_segment_size,
                    expected->private_segment_size);
  if (aq_header_barrier(header))
    ck_assert(f->flush);
  if (aq_header_acquire(header) != AQ_SCOPE_NONE)
    ck_assert(f->acquire);
  r->fences += f->flush || f->acquire;
  *f = (fences){.release = false};
  r->dispatches++;
  effect(r, found->kernel_object, found->kernarg_address, grid);
}

static void commands_run(rig *r, const aq_pm4_buffer *buffer, uint32_t count)
{
  aq_pm4_ib_packet jump = {.header = 0};
  aqsim_pm4 *pm4 = malloc(sizeof *pm4);
  fences f = {.flush = false};
  uint32_t next = 0;
  aq_pm4_jump(&jump, (uintptr_t)buffer->words, buffer->count);
  ck_assert(aqsim_pm4_begin(pm4, r->info.devices[0].gfx, &jump, NULL));
  for (;;) {
    const aqsim_pm4_result result = aqsim_pm4_run(pm4);
    if (result == AQSIM_PM4_DONE)
      break;
    r->waits += result == AQSIM_PM4_WAIT;
    ck_assert_msg(result != AQSIM_PM4_FAULT, "%s", pm4->text);
    f.flush |= result == AQSIM_PM4_FLUSH || result == AQSIM_PM4_RELEASE;
    f.acquire |= result == AQSIM_PM4_ACQUIRE;
    f.release |= result == AQSIM_PM4_RELEASE;
    if (result != AQSIM_PM4_DISPATCH)
      continue;
    const uint32_t i = packet_find(r, next, count, pm4);
    /* The release of the packet before. */
    if (next > 0 && aq_header_release(r->headers[next - 1]) == AQ_SCOPE_SYSTEM)
      ck_assert(f.release);
    dispatch_compare(r, i, pm4, &f);
    next = i + 1;
  }
  /* A program's last dispatches have ended where its commands do. */
  ck_assert(f.flush);
  for (; next < count; next++) {
    const bool dispatched = !waits_only(r->headers[next]);
    r->stored += dispatched;
    if (dispatched)
      ck_assert_uint_ge(r->packets[next].kernel.kernel_object, BUILTIN);
  }
  free(pm4);
}

static void part_compare(rig *r, const aq_pm4_code *code, uint32_t count,
                         uint64_t seed)
{
  static memory before, expected;
  aq_pm4_buffer buffer = {.code = code, .words = r->words};
  for (uint32_t i = 0; i < count; i++)
    aq_pm4_put(&buffer, &r->packets[i], r->headers[i], i, &r->seen[i]);
  aq_pm4_end(&buffer);
  before = *r->m;
  packets_run(r, count);
  expected = *r->m;
  *r->m = before;
  commands_run(r, &buffer, count);
  ck_assert_msg(memcmp(r->m, &expected, sizeof expected) == 0,
                "program %" PRIu64 ": other bytes by commands", seed);
  r->count += count;
}

static void walk_compare(rig *r, const aq_link *link, uint64_t seed)
{
  static const aq_packet drain = {
      .barrier = {.header = AQ_PACKET_BARRIER_AND |
                            1 << AQ_HEADER_BARRIER_SHIFT |
                            AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT}};
  uint64_t indices[3] = {0};
  aq_ring ring = {r->packets, PART, 0, &indices[0], &indices[1], &indices[2]};
  aq_pm4_code *code;
  aq_processor walk;
  aq_walk result;
  ck_ok(aq_pm4_code_make(link, r->t, 0, &code, &r->diag));
  aq_processor_start(&walk, link, r->slots, 0, VISITS);
  do {
    aq_packet_span span = {.ring = &ring,
                           .slots = PART,
                           .headers = r->headers,
                           .kernarg = r->kernarg,
                           .kernarg_size = sizeof r->kernarg,
                           .drain = &drain};
    memset(r->packets, 0, sizeof r->packets);
    result = aq_processor_fill(&walk, &span);
    part_compare(r, code, span.packets, seed);
  } while (result == AQ_WALK_DRAIN || result == AQ_WALK_FULL);
  aq_pm4_code_release(code);
}

static void program_compare(rig *r, uint64_t seed)
{
  const aq_binding statics[2] = {
      {r->m->buffers[RANDOM_SLOTS], RANDOM_BUFFER},
      {r->m->buffers[RANDOM_SLOTS + 1], RANDOM_BUFFER}};
  static const aq_value_way ways[] = {AQ_VALUE_PACKET, AQ_VALUE_PM4,
                                      AQ_VALUE_KERNEL};
  const aq_builtins builtins = {
      .objects = {BUILTIN, BUILTIN + STEP, BUILTIN + 2 * STEP,
                  seed % 3 ? BUILTIN + 3 * STEP : 0, BUILTIN + 4 * STEP,
                  BUILTIN + 5 * STEP},
      .wait = ways[seed / 3 % 3]};
  aq_program program;
  aq_link *link;
  uint64_t state = seed;
  aq_builder *builder = random_program(seed, statics, &program);
  if (aq_program_validate(&program, NULL) == AQ_OK) {
    for (int i = 0; i < BUFFERS; i++)
      for (int j = 0; j < RANDOM_BUFFER; j++)
        r->m->buffers[i][j] = random_below(&state, 3)
                                  ? 0
                                  : (unsigned char)random_below(&state, 3);
    const aq_link_options options = {.transport = r->t, .builtins = &builtins};
    ck_ok(aq_link_create(&program, &options, &link, &r->diag));
    walk_compare(r, link, seed);
    aq_link_destroy(link);
  }
  aq_builder_destroy(builder);
}

/* AQ_PM4_PROGRAMS: their number, 300 by default. */
START_TEST(commands_do_what_packets_say_on_each_generation)
{
  static const char *const devices[] = {"mi210", "mi350x", "rx6900xt",
                                        "rx7900xtx"};
  const char *text = getenv("AQ_PM4_PROGRAMS");
  const uint64_t count = text ? strtoull(text, NULL, 0) : 300;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    rig *r = rig_open(devices[i]);
    for (uint64_t seed = 0; seed < count; seed++)
      program_compare(r, seed);
    printf("# %s: %" PRIu64 " programs, %" PRIu64 " packets: %" PRIu64
           " dispatches, %" PRIu64 " of them of indirect grids, %" PRIu64
           " stored, %" PRIu64 " behind fences, %" PRIu64 " waits\n",
           r->info.devices[0].gfx, count, r->count, r->dispatches, r->indirect,
           r->stored, r->fences, r->waits);
    ck_assert_uint_gt(r->dispatches, 0);
    ck_assert_uint_gt(r->indirect, 0);
    ck_assert_uint_gt(r->stored, 0);
    ck_assert_uint_gt(r->waits, 0);
    rig_close(r);
  }
}
END_TEST

AQ_TEST_MAIN("cmdbuf/pm4", commands_do_what_packets_say_on_each_generation)
