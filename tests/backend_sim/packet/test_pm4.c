/* SPDX-License-Identifier: MIT */
/* Conformance 7: PM4 indirect buffers, command by command. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/packet/pm4.h"
#include "backend_sim/sim.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/devlib/devlib.h"
#include "gpu/wave/core/wave.h"

enum {
  ACQUIRE = 46000,
  RELEASE = 300000,
  BARRIER = 8700000, /* barrier_process */
  POLL = 7270000,
  SETUP = 3154000, /* dispatch_setup */
  OP_NOP = 0x10,
  OP_DISPATCH = 0x15,
  OP_WRITE = 0x37,
  OP_WAIT = 0x3c,
  OP_IB = 0x3f,
  OP_COPY = 0x40,
  OP_EVENT = 0x46,
  OP_RELEASE = 0x49,
  OP_ACQUIRE = 0x58,
  OP_SET_SH = 0x76,
  OP_WAIT64 = 0x93,
  TO_MEMORY = 5 << 8,
};

typedef struct pm4_rig {
  rig r;
  aq_ring *queue;
  aq_signal done;
  uint32_t ib[64], count;
  int errors;
  aq_time when; /* of the error */
  uint32_t reason;
  char text[600];
} pm4_rig;

static void on_error(const aq_queue_error *error, void *user)
{
  pm4_rig *p = user;
  p->errors++;
  p->when = p->r.t->ops->now(p->r.t);
  p->reason = error->reason;
  strncpy(p->text, error->text, sizeof p->text - 1);
}

static void pm4_open_with(pm4_rig *p, const aq_transport_options *options)
{
  memset(p, 0, sizeof *p);
  rig_open_with(&p->r, &aqsim_transport_ops, options);
  aq_queue_desc desc = {.size = 64, .error = on_error, .user = p};
  ck_assert_status(
      p->r.t->ops->queue_create(p->r.t, &desc, &p->queue, &p->r.diag), AQ_OK,
      &p->r.diag);
  p->done = rig_signal(&p->r, 1, 0);
}

static void pm4_open(pm4_rig *p)
{
  pm4_open_with(p, &(aq_transport_options){0});
}

static void pm4_close(pm4_rig *p)
{
  rig_close(&p->r);
}

static uint32_t low(const void *address)
{
  return (uint32_t)(uintptr_t)address;
}

static uint32_t high(const void *address)
{
  return (uint32_t)((uintptr_t)address >> 32);
}

static void add(pm4_rig *p, uint32_t op, const uint32_t *words, uint32_t count)
{
  p->ib[p->count++] = 3u << 30 | (count - 1) << 16 | op << 8;
  memcpy(&p->ib[p->count], words, count * sizeof *words);
  p->count += count;
}

#define ADD(p, op, ...)                                                        \
  add(p, op, (const uint32_t[]){__VA_ARGS__},                                  \
      sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static aq_packet pm4_packet(const uint32_t *ib, uint32_t count, aq_signal done)
{
  aq_packet packet = {0};
  packet.pm4_ib = (aq_pm4_ib_packet){
      .header =
          aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE),
      .format = AQ_AMD_FORMAT_PM4_IB,
      .ib_jump = {3u << 30 | 2u << 16 | OP_IB << 8, low(ib), high(ib),
                  count | 1u << 23},
      .remaining = 0xa,
      .completion_signal = done};
  return packet;
}

static void submit(pm4_rig *p)
{
  aq_packet packet = pm4_packet(p->ib, p->count, p->done);
  rig_submit(&p->r, p->queue, &packet);
}

static void run(pm4_rig *p)
{
  submit(p);
  rig_run(&p->r);
}

static aq_time took(pm4_rig *p)
{
  const aq_record *row = rig_record(&p->r, p->queue, 0);
  return row->end - row->start;
}

START_TEST(data_is_written_and_copied_before_the_completion)
{
  pm4_rig p;
  uint32_t words[4] = {0};
  uint64_t source = 0x1122334455667788, copy = 0, immediate = 0, clock = 0;
  pm4_open(&p);
  p.ib[p.count++] = 0xffff1000; /* a NOP that is its header alone */
  ADD(&p, OP_NOP, 1, 2, 3);
  ADD(&p, OP_WRITE, TO_MEMORY, low(words), high(words), 7, 8, 9);
  ADD(&p, OP_COPY, 2 | 2 << 8 | 1 << 16, low(&source), high(&source),
      low(&copy), high(&copy));
  ADD(&p, OP_COPY, 5 | TO_MEMORY, 99, 0, low(&immediate), high(&immediate));
  ADD(&p, OP_COPY, 9 | TO_MEMORY | 1 << 16, 0, 0, low(&clock), high(&clock));
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(words[0] + words[1] + words[2] + words[3], 7 + 8 + 9);
  ck_assert_uint_eq(copy, source);
  ck_assert_uint_eq(immediate, 99);
  ck_assert_uint_gt(clock, 0);
  ck_assert_int_eq(rig_load(&p.r, p.done), 0);
  ck_assert_time_eq(took(&p), 0);
  pm4_close(&p);
}
END_TEST

START_TEST(fences_cost_what_the_device_model_says)
{
  pm4_rig p;
  uint64_t fence = 0;
  pm4_open(&p);
  ADD(&p, OP_ACQUIRE, 0, 0, 0, 0, 0, 0);
  ADD(&p, OP_RELEASE, 0, 2u << 29, low(&fence), high(&fence), 5, 6, 0);
  ADD(&p, OP_EVENT, 7 | 4 << 8);
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(fence, 6ull << 32 | 5);
  ck_assert_time_eq(took(&p), ACQUIRE + RELEASE);
  pm4_close(&p);
}
END_TEST

/* Both widths, at a signal's value and at plain memory. */
START_TEST(a_wait_sees_memory_that_a_kernel_or_a_host_changes)
{
  for (int wide = 0; wide < 2; wide++) {
    pm4_rig p;
    pm4_open(&p);
    aq_signal signal = rig_signal(&p.r, 2, 0);
    const int64_t *value =
        &((const aq_amd_signal *)(uintptr_t)signal.handle)->value;
    uint32_t mine = 0;
    ADD(&p, OP_WAIT, 3 | 1 << 4, low(&mine), high(&mine), 4, 0xc, 10);
    if (wide)
      ADD(&p, OP_WAIT64, 1 | 1 << 4, low(value), high(value), 1, 0, ~0u, ~0u,
          10);
    else
      ADD(&p, OP_WAIT, 1 | 1 << 4, low(value), high(value), 1, ~0u, 10);
    submit(&p);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    __atomic_store_n(&mine, 0xf5, __ATOMIC_RELEASE);
    rig_sleep(&p.r, 50 * AQ_US);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    /* Two kernels decrement the signal to 0. */
    aq_ring *other = rig_queue(&p.r, 64);
    aq_packet kernel = rig_dispatch(rig_kernel(&p.r, "k", AQ_US), true, signal);
    rig_submit(&p.r, other, &kernel);
    rig_submit(&p.r, other, &kernel);
    rig_run(&p.r);
    ck_assert_int_eq(rig_load(&p.r, p.done), 0);
    ck_assert_time_eq(rig_record(&p.r, p.queue, 0)->end,
                      rig_record(&p.r, other, 1)->complete + POLL);
    pm4_close(&p);
  }
}
END_TEST

START_TEST(a_write_releases_a_barrier_and_a_host_wait)
{
  pm4_rig p;
  pm4_open(&p);
  aq_signal dep_wait = rig_signal(&p.r, 1, 0), after = rig_signal(&p.r, 1, 0);
  int64_t *value = &((aq_amd_signal *)(uintptr_t)dep_wait.handle)->value;
  aq_ring *other = rig_queue(&p.r, 64);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, after);
  rig_submit(&p.r, other, &barrier);
  ADD(&p, OP_WRITE, TO_MEMORY, low(value), high(value), 0, 0);
  submit(&p);
  aq_wait_item items[2] = {{dep_wait, AQ_EQ, 0}, {after, AQ_EQ, 0}};
  ck_assert_status(rig_wait(&p.r, items, 2, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &p.r.diag);
  pm4_close(&p);
}
END_TEST

static void count_call(const aq_kernel_call *call)
{
  *(uint32_t *)call->user += *(uint32_t *)call->kernarg *
                             call->packet->grid_size[0] *
                             call->packet->workgroup_size[1];
}

START_TEST(a_dispatch_runs_the_kernel_that_the_registers_name)
{
  pm4_rig p;
  uint32_t calls = 0, argument = 10, fence = 0;
  pm4_open(&p);
  uint64_t object = rig_kernel_with(
      &p.r, &(aq_kernel_desc){.name = "k",
                              .function = count_call,
                              .user = &calls,
                              .cost = {AQ_COST_FIXED, 5 * AQ_US, 0}});
  ck_assert_uint_eq(object & 0xff, 0);
  ADD(&p, OP_SET_SH, 512 + 7, 8, 2, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  ADD(&p, OP_SET_SH, 512 + 64, low(&argument), high(&argument));
  ADD(&p, OP_DISPATCH, 3, 1, 1, 1);
  ADD(&p, OP_RELEASE, 0, 1u << 29, low(&fence), high(&fence), 77, 0);
  run(&p);
  ck_assert_msg(p.errors == 0, "%s", p.text);
  ck_assert_uint_eq(calls, 10 * 24 * 2);
  ck_assert_uint_eq(fence, 77);
  ck_assert_time_eq(took(&p), SETUP + 5 * AQ_US + RELEASE);
  pm4_close(&p);
}
END_TEST

/* ---- generations ---- */

/* Runs the commands up to a dispatch, without a queue. */
static const aqsim_pm4 *dispatched(const pm4_rig *p, const char *gfx)
{
  static aqsim_pm4 pm4;
  const aq_packet packet = pm4_packet(p->ib, p->count, (aq_signal){0});
  ck_assert(aqsim_pm4_begin(&pm4, gfx, &packet.pm4_ib, NULL));
  ck_assert_msg(aqsim_pm4_run(&pm4) == AQSIM_PM4_DISPATCH, "%s", pm4.text);
  return &pm4;
}

START_TEST(each_generation_has_its_registers)
{
  static const struct {
    const char *gfx;
    uint32_t rsrc3, lds;
    bool wave32;
  } expected[] = {{"gfx90a", 45, 512, false},
                  {"gfx950", 45, 1280, false},
                  {"gfx1030", 40, 512, true},
                  {"gfx1201", 40, 512, true}};
  const uint32_t grid[3] = {640, 2, 1};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    pm4_rig p = {.count = 0};
    ADD(&p, OP_SET_SH, 512 + 7, 64, 1, 1);
    ADD(&p, OP_SET_SH, 512 + 19, 3u << 15);
    ADD(&p, OP_SET_SH, 512 + 40, 1040);
    ADD(&p, OP_SET_SH, 512 + 45, 1045);
    ADD(&p, 0x16, low(grid), high(grid), 1 | 1 << 5 | 1 << 15);
    const aqsim_pm4 *pm4 = dispatched(&p, expected[i].gfx);
    ck_assert_uint_eq(pm4->registers.rsrc3, 1000 + expected[i].rsrc3);
    ck_assert_uint_eq(pm4->dispatch.group_segment_size, 3 * expected[i].lds);
    ck_assert_int_eq(pm4->wave32, expected[i].wave32);
    ck_assert_mem_eq(pm4->dispatch.grid_size, grid, sizeof grid);
    ck_assert_uint_eq(pm4->dispatch.workgroup_size[0], 64);
  }
}
END_TEST

/* ---- machine code ---- */

typedef struct code_rig {
  pm4_rig p;
  aq_wave_machine *machine;
  const aq_kernel_descriptor *descriptor; /* of the kernel, in memory */
} code_rig;

/* A kernel of a code object for gfx942. */
static void code_open(code_rig *c, const void *bytes, size_t size,
                      const char *kernel)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_kernel_info info;
  uint64_t module;
  memset(c, 0, sizeof *c);
  ck_assert_status(aq_wave_machine_create(&c->machine, &diag), AQ_OK, &diag);
  const aq_transport_options options = {
      .executor = aq_wave_machine_executor(c->machine)};
  pm4_open_with(&c->p, &options);
  aq_transport *t = c->p.r.t;
  ck_assert_status(t->ops->module_load(t, 0, bytes, size, &module, &diag),
                   AQ_OK, &diag);
  ck_assert_status(t->ops->kernel_lookup(t, module, kernel, &info, &diag),
                   AQ_OK, &diag);
  c->descriptor = (const void *)(uintptr_t)info.object;
}

static void code_close(code_rig *c)
{
  pm4_close(&c->p);
  aq_wave_machine_destroy(c->machine);
}

static void *code_memory(code_rig *c, size_t size)
{
  void *memory;
  aq_transport *t = c->p.r.t;
  ck_assert_status(
      t->ops->mem_alloc(t, 0, AQ_MEMORY_HOST, size, &memory, &c->p.r.diag),
      AQ_OK, &c->p.r.diag);
  memset(memory, 0, size);
  return memory;
}

/* A driver's commands for an AQL packet: the address of the code, the registers
 * of the descriptor, and user data by LLVM's initial kernel execution state. */
static void code_dispatch(code_rig *c, const uint32_t *user, uint32_t groups,
                          uint32_t group)
{
  const aq_kernel_descriptor *d = c->descriptor;
  const uint64_t entry = (uintptr_t)d + (uint64_t)d->entry_offset;
  ck_assert_uint_eq(entry & 0xff, 0);
  ADD(&c->p, OP_SET_SH, 512 + 7, group, 1, 1);
  ADD(&c->p, OP_SET_SH, 512 + 12, (uint32_t)(entry >> 8),
      (uint32_t)(entry >> 40));
  ADD(&c->p, OP_SET_SH, 512 + 18, d->rsrc1, d->rsrc2);
  ADD(&c->p, OP_SET_SH, 512 + 45, d->rsrc3);
  ADD(&c->p, OP_SET_SH, 512 + 64, user[0], user[1], user[2], user[3], user[4],
      user[5], user[6], user[7]);
  ADD(&c->p, OP_DISPATCH, groups, 1, 1, 1);
}

/* G2: the registers name the code, not the descriptor. */
START_TEST(a_dispatch_executes_the_code_that_the_registers_point_to)
{
  const aq_devlib_object *object;
  code_rig c;
  enum { BYTES = 4096 };
  ck_assert_int_eq(aq_devlib_find("gfx942", &object, NULL), AQ_OK);
  code_open(&c, object->bytes, object->size, "aq_copy");
  unsigned char *to = code_memory(&c, BYTES), *from = code_memory(&c, BYTES);
  aq_copy_args *args = code_memory(&c, sizeof *args);
  *args = (aq_copy_args){to, from, BYTES};
  for (int i = 0; i < BYTES; i++)
    from[i] = (unsigned char)(i * 7);
  /* The kernel asks for the address of its arguments, first of all. */
  ck_assert_uint_eq(c.descriptor->properties & 0xf, 8);
  const uint32_t user[8] = {low(args), high(args)};
  code_dispatch(&c, user, 1, AQ_DEVLIB_WORKGROUP);
  run(&c.p);
  ck_assert_msg(c.p.errors == 0, "%s", c.p.text);
  ck_assert_int_eq(rig_load(&c.p.r, c.p.done), 0);
  ck_assert_mem_eq(to, from, BYTES);
  code_close(&c);
}
END_TEST

static const char asked_source[] =
    "typedef __attribute__((address_space(1))) unsigned *memory;\n"
    "typedef __attribute__((address_space(4))) const unsigned short *packet;\n"
    "__attribute__((amdgpu_kernel)) void asked(memory out, unsigned add)\n"
    "{\n"
    "  packet p = (packet)__builtin_amdgcn_dispatch_ptr();\n"
    "  unsigned i = __builtin_amdgcn_workgroup_id_x() * p[2] +\n"
    "               __builtin_amdgcn_workitem_id_x();\n"
    "  out[i] = i * 3 + add;\n"
    "}\n";

static bool asked_compile(unsigned char *bytes, size_t most, size_t *size)
{
  static const char *const clangs[] = {"clang-22", "clang-19"};
  char source[512], object[512], command[1400];
  snprintf(source, sizeof source, "%s/asked.c", aqtest_tmpdir());
  snprintf(object, sizeof object, "%s/asked.co", aqtest_tmpdir());
  FILE *file = fopen(source, "w");
  ck_assert_ptr_nonnull(file);
  fputs(asked_source, file);
  fclose(file);
  for (size_t i = 0; i < sizeof clangs / sizeof *clangs; i++) {
    snprintf(command, sizeof command,
             "%s -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -O2 -x c %s "
             "-o %s 2> /dev/null",
             clangs[i], source, object);
    if (system(command) != 0) /* NOLINT: paths of ours */
      continue;
    file = fopen(object, "rb");
    ck_assert_ptr_nonnull(file);
    *size = fread(bytes, 1, most, file);
    fclose(file);
    return true;
  }
  return false;
}

/* The arguments stand behind the address of the packet, which this kernel asks
 * for as well. */
START_TEST(a_dispatch_has_its_user_data_where_the_descriptor_wants_them)
{
  static unsigned char bytes[1 << 16];
  enum { GROUPS = 3, GROUP = 96 };
  size_t size;
  code_rig c;
  if (!asked_compile(bytes, sizeof bytes, &size)) {
    aqtest_skip("no clang with lld");
    return;
  }
  code_open(&c, bytes, size, "asked");
  ck_assert_uint_eq(c.descriptor->properties & 0xf, 8 | 2);
  uint32_t *out = code_memory(&c, GROUPS * GROUP * sizeof *out);
  struct {
    uint32_t *out;
    uint32_t add;
  } *args = code_memory(&c, 256);
  aq_kernel_packet *packet = code_memory(&c, sizeof *packet);
  args->out = out;
  args->add = 1000;
  packet->workgroup_size[0] = GROUP;
  const uint32_t user[8] = {low(packet), high(packet), low(args), high(args)};
  code_dispatch(&c, user, GROUPS, GROUP);
  run(&c.p);
  ck_assert_msg(c.p.errors == 0, "%s", c.p.text);
  for (uint32_t i = 0; i < GROUPS * GROUP; i++)
    ck_assert_uint_eq(out[i], i * 3 + 1000);
  code_close(&c);
}
END_TEST

START_TEST(a_descriptor_in_place_of_code_is_refused)
{
  const aq_devlib_object *object;
  code_rig c;
  ck_assert_int_eq(aq_devlib_find("gfx942", &object, NULL), AQ_OK);
  aq_diag diag = AQ_DIAG_INIT;
  code_open(&c, object->bytes, object->size, "aq_copy");
  /* Descriptors lie at multiples of 64: this one is registered where PM4 can
   * name it. */
  aq_kernel_info info;
  const uint64_t at = 0x12345600;
  ck_assert_status(
      c.p.r.t->ops->kernel_register(
          c.p.r.t,
          &(aq_kernel_desc){
              .name = "other", .object = at, .code = true, .entry = at + 4096},
          &info, &diag),
      AQ_OK, &diag);
  ADD(&c.p, OP_SET_SH, 512 + 7, 1, 1, 1);
  ADD(&c.p, OP_SET_SH, 512 + 12, (uint32_t)(at >> 8), (uint32_t)(at >> 40));
  ADD(&c.p, OP_DISPATCH, 1, 1, 1, 1);
  run(&c.p);
  ck_assert_int_eq(c.p.errors, 1);
  ck_assert_msg(strstr(c.p.text,
                       "0x12345600 is the descriptor of kernel other; "
                       "expected its code at 0x12346600"),
                "%s", c.p.text);
  code_close(&c);
}
END_TEST

START_TEST(dispatches_that_share_the_device_follow_one_another)
{
  pm4_rig p;
  pm4_open(&p);
  uint64_t object = rig_kernel_with(
      &p.r, &(aq_kernel_desc){
                .name = "k",
                .cost = {.kind = AQ_COST_WORKGROUP, .base = 50 * AQ_US}});
  ADD(&p, OP_SET_SH, 512 + 7, 1, 1, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  for (int i = 0; i < 3; i++)
    ADD(&p, OP_DISPATCH, 1, 1, 1, 1);
  run(&p);
  ck_assert_time_eq(took(&p), 3 * (SETUP + 50 * AQ_US));
  pm4_close(&p);
}
END_TEST

START_TEST(dispatches_without_a_function_overlap_until_a_flush)
{
  pm4_rig p;
  pm4_open(&p);
  uint64_t object = rig_kernel(&p.r, "k", 50 * AQ_US);
  ADD(&p, OP_SET_SH, 512 + 7, 1, 1, 1);
  ADD(&p, OP_SET_SH, 512 + 12, (uint32_t)(object >> 8),
      (uint32_t)(object >> 40));
  for (int i = 0; i < 3; i++)
    ADD(&p, OP_DISPATCH, 1, 1, 1, 1);
  run(&p);
  ck_assert_time_eq(took(&p), 3 * SETUP + 50 * AQ_US);
  pm4_close(&p);
}
END_TEST

START_TEST(buffers_call_and_chain_others)
{
  pm4_rig p;
  uint32_t out[3] = {0};
  pm4_open(&p);
  uint32_t called[] = {3u << 30 | 3 << 16 | OP_WRITE << 8, TO_MEMORY,
                       low(&out[0]), high(&out[0]), 1};
  uint32_t chained[] = {3u << 30 | 3 << 16 | OP_WRITE << 8, TO_MEMORY,
                        low(&out[2]), high(&out[2]), 3};
  ADD(&p, OP_IB, low(called), high(called), 5);
  ADD(&p, OP_WRITE, TO_MEMORY, low(&out[1]), high(&out[1]), 2);
  ADD(&p, OP_IB, low(chained), high(chained), 5 | 1 << 20);
  ADD(&p, OP_WRITE, TO_MEMORY, low(&out[1]), high(&out[1]), 99);
  run(&p);
  ck_assert_int_eq(p.errors, 0);
  ck_assert_uint_eq(out[0] * 100 + out[1] * 10 + out[2], 123);
  pm4_close(&p);
}
END_TEST

static void write_command(pm4_rig *p, uint32_t *words, const char **expected,
                          int which)
{
  switch (which) {
  case 0:
    ADD(p, 0x28, 0, 0);
    *expected = "unknown opcode 0x28";
    break;
  case 1:
    p->ib[p->count++] = 3u << 30 | 20 << 16 | OP_WRITE << 8;
    *expected = "PM4 WRITE_DATA: wrong number of words: 0x15";
    break;
  case 2:
    ADD(p, OP_WRITE, TO_MEMORY, low(words) + 1, high(words), 1);
    *expected = "misaligned destination";
    break;
  case 3:
    ADD(p, OP_COPY, 1 | TO_MEMORY, low(words) + 2, high(words), low(words),
        high(words));
    *expected = "COPY_DATA: misaligned";
    break;
  case 4:
    ADD(p, OP_WRITE, 0, low(words), high(words), 1);
    *expected = "destination is not memory";
    break;
  case 5:
    ADD(p, OP_WAIT, 3, low(words), high(words), 0, 0, 0);
    *expected = "waits for a register";
    break;
  case 6:
    ADD(p, OP_SET_SH, 600, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
        34, 35, 36, 37, 38, 39, 40, 41);
    *expected = "no compute register";
    break;
  case 7:
    ADD(p, OP_DISPATCH, 1, 1, 1, 1);
    *expected = "is not a kernel";
    break;
  case 8:
    ADD(p, OP_IB, low(p->ib), high(p->ib), 4);
    *expected = "nested deeper";
    break;
  case 9:
    ADD(p, OP_IB, low(p->ib), high(p->ib), 4 | 1 << 20);
    *expected = "never ends";
    break;
  case 10:
    p->ib[p->count++] = 0x80000000;
    *expected = "not of type 3";
    break;
  default:
    ADD(p, OP_RELEASE, 0, 7u << 29, low(words), high(words), 0, 0);
    *expected = "data is not served";
  }
}

/* Conformance 7, 44: the error names the command, after the release fence. */
START_TEST(anything_else_is_a_queue_error_that_names_it)
{
  for (int which = 0; which < 12; which++) {
    pm4_rig p;
    uint32_t words[4] = {0};
    const char *expected = NULL;
    pm4_open(&p);
    write_command(&p, words, &expected, which);
    aq_packet packet = pm4_packet(p.ib, p.count, p.done);
    packet.header |= AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT;
    rig_submit(&p.r, p.queue, &packet);
    rig_run(&p.r);
    ck_assert_msg(p.errors == 1, "case %d", which);
    ck_assert_msg(strstr(p.text, expected), "case %d: %s", which, p.text);
    ck_assert_int_eq(rig_load(&p.r, p.done), 1);
    const aq_record *row = rig_record(&p.r, p.queue, 0);
    ck_assert_int_eq(row->flags, AQ_FLAG_ERROR);
    ck_assert_time_eq(p.when, row->launch + BARRIER + RELEASE);
    pm4_close(&p);
  }
}
END_TEST

START_TEST(a_packet_must_jump_to_a_buffer)
{
  pm4_rig p;
  pm4_open(&p);
  aq_packet packet = pm4_packet(p.ib, 0, p.done);
  packet.pm4_ib.ib_jump[0] = 3u << 30 | 2u << 16 | OP_NOP << 8;
  rig_submit(&p.r, p.queue, &packet);
  rig_run(&p.r);
  ck_assert_uint_eq(p.reason, AQSIM_FAULT_VENDOR_FORMAT);
  ck_assert_ptr_nonnull(strstr(p.text, "not an INDIRECT_BUFFER"));
  pm4_close(&p);
}
END_TEST

AQ_TEST_MAIN("backend_sim/packet/pm4",
             data_is_written_and_copied_before_the_completion,
             fences_cost_what_the_device_model_says,
             a_wait_sees_memory_that_a_kernel_or_a_host_changes,
             a_write_releases_a_barrier_and_a_host_wait,
             a_dispatch_runs_the_kernel_that_the_registers_name,
             each_generation_has_its_registers,
             a_dispatch_executes_the_code_that_the_registers_point_to,
             a_dispatch_has_its_user_data_where_the_descriptor_wants_them,
             a_descriptor_in_place_of_code_is_refused,
             dispatches_that_share_the_device_follow_one_another,
             dispatches_without_a_function_overlap_until_a_flush,
             buffers_call_and_chain_others,
             anything_else_is_a_queue_error_that_names_it,
             a_packet_must_jump_to_a_buffer)
