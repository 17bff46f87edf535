/* SPDX-License-Identifier: MIT */
/*
 * Command buffers as PM4 leave the bytes that packets leave, where the device
 * executes code: on each generation of processors, in waves of 32 and of 64.
 */
#include "queue/ground.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "gpu/devlib/devlib.h"

enum {
  BYTES = 40000,
  AT = 4 * BYTES,
  INDIRECT = 3 * BYTES, /* where a grid from memory fills */
  FILLED = 8192,        /* bytes */
  GRID = 3 * BYTES + 20000,
};

static const char *const devices[] = {"mi25",     "mi50",     "mi100",
                                      "mi210",    "mi300x",   "mi350x",
                                      "rx6900xt", "rx7900xtx"};

/* The code of the device library, in place of its host functions. */
static aq_builtins builtins_load(ground *g)
{
  static const char *const names[AQ_BUILTIN_COUNT] = {
      "aq_fill", "aq_copy", "aq_update", "aq_patch", "aq_atomic", "aq_wait"};
  aq_builtins builtins = {.wait = AQ_VALUE_PM4};
  aq_kernel_info info;
  const void *image;
  size_t size;
  ck_assert_ok(
      g, aq_devlib_image(g->info.devices[0].gfx, &image, &size, &g->diag));
  ck_assert_ok(
      g, g->ops->module_load(g->t, 0, image, size, &builtins.module, &g->diag));
  for (int i = 0; i < AQ_BUILTIN_COUNT; i++) {
    ck_assert_ok(g, g->ops->kernel_lookup(g->t, builtins.module, names[i],
                                          &info, &g->diag));
    ck_assert(info.code);
    builtins.objects[i] = info.object;
  }
  return builtins;
}

/* A fill by a grid that lies in memory. */
static void indirect_add(ground *g, aq_builder *builder,
                         const aq_builtins *builtins, unsigned char *memory)
{
  const uint32_t grid[3] = {FILLED / AQ_BUILTIN_BYTES, 1, 1};
  const aq_fill_args args = {.target = memory + INDIRECT,
                             .bytes = FILLED,
                             .pattern = 0xabcd,
                             .pattern_size = 2};
  uint32_t kernel;
  ck_assert_ok(g, aq_builder_kernel(builder, "aq_fill",
                                    builtins->objects[AQ_BUILTIN_FILL], &kernel,
                                    &g->diag));
  ck_assert_ok(g, aq_builder_update(builder, aq_ref_slot(0, GRID), grid,
                                    sizeof grid, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_ok(g, aq_builder_dispatch_params(
                      builder,
                      &(aq_dispatch){.kernel = kernel,
                                     .grid = {1, 1, 1},
                                     .workgroup = {AQ_BUILTIN_WORKGROUP, 1, 1},
                                     .constants = &args,
                                     .constant_size = sizeof args},
                      aq_ref_slot(0, GRID), &g->diag));
}

/* A fill, a copy of it, an update in its middle and short stores of the command
 * processor, each behind the other. */
static aq_link *transfers_link(ground *g, aq_builder *builder,
                               const aq_builtins *builtins,
                               unsigned char *memory)
{
  unsigned char bytes[1000];
  aq_program program;
  aq_link *link;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 7);
  ck_assert_ok(g, aq_builder_fill(builder, aq_ref_slot(0, 0), BYTES, 0x51525354,
                                  4, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  ck_assert_ok(g, aq_builder_copy(builder, aq_ref_slot(0, BYTES),
                                  aq_ref_slot(0, 0), BYTES, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  ck_assert_ok(g, aq_builder_update(builder, aq_ref_slot(0, BYTES + 4321),
                                    bytes, sizeof bytes, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  ck_assert_ok(
      g, aq_builder_update(builder, aq_ref_slot(0, 8), bytes, 24, &g->diag));
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  ck_assert_ok(g, aq_builder_copy(builder, aq_ref_slot(0, 2 * BYTES),
                                  aq_ref_slot(0, 0), 64, &g->diag));
  ck_assert_ok(g, aq_builder_fill(builder, aq_ref_slot(0, 2 * BYTES + 64), 16,
                                  0x0102030405060708, 8, &g->diag));
  if (builtins)
    indirect_add(g, builder, builtins, memory);
  ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
  ck_assert_ok(g, aq_link_create(&program,
                                 &(aq_link_options){.transport = g->t,
                                                    .builtins = builtins},
                                 &link, &g->diag));
  return link;
}

static void transfers_run(const char *device, uint32_t flags,
                          unsigned char *bytes)
{
  const ground_kind kind = {device, "sim", AQ_MODE_VIRTUAL, AQ_EDGE_CHOOSE,
                            device};
  aq_builder *builder;
  void *memory;
  ground g;
  ground_open(&g, &kind, NULL, NULL);
  ck_assert(g.info.caps & AQ_CAP_EXECUTES);
  ck_assert_ok(&g, aq_builder_create(NULL, &builder, &g.diag));
  ck_assert_ok(&g,
               g.ops->mem_alloc(g.t, 0, AQ_MEMORY_HOST, AT, &memory, &g.diag));
  const aq_builtins builtins = builtins_load(&g);
  aq_link *link = transfers_link(&g, builder, &builtins, memory);
  memset(memory, 0xee, AT);
  const aq_binding binding = {memory, AT};
  aq_queue *queue = ground_queue(&g, NULL);
  ck_assert_ok(&g, aq_queue_execute(queue, NULL,
                                    &(aq_execution){link, &binding, 1, flags},
                                    &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  if (flags)
    ck_assert_uint_eq(stats.packets, 1);
  memcpy(bytes, memory, AT);
  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  g.ops->module_unload(g.t, builtins.module);
  g.ops->mem_free(g.t, memory);
  ground_close(&g);
}

START_TEST(commands_leave_the_bytes_that_packets_leave)
{
  static unsigned char packets[AT], commands[AT];
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    transfers_run(devices[i], 0, packets);
    transfers_run(devices[i], AQ_EXECUTE_PM4, commands);
    ck_assert_msg(memcmp(packets, commands, AT) == 0, "%s", devices[i]);
    ck_assert_uint_eq(commands[BYTES - 1], 0x51);
    ck_assert_uint_eq(commands[INDIRECT + FILLED - 1], 0xab);
    ck_assert_uint_eq(commands[2 * BYTES + 64], 8);
  }
}
END_TEST

static void refused(const char *transport, uint32_t flags, aq_status status,
                    const char *words)
{
  const ground_kind kind = {transport, transport, AQ_MODE_VIRTUAL,
                            AQ_EDGE_CHOOSE, NULL};
  aq_builder *builder;
  uint64_t cell[32];
  ground g;
  ground_open(&g, &kind, NULL, NULL);
  ck_assert_ok(&g, aq_builder_create(NULL, &builder, &g.diag));
  aq_link *link = transfers_link(&g, builder, NULL, NULL);
  const aq_binding binding = {cell, AT};
  aq_queue *queue = ground_queue(&g, NULL);
  ck_assert_int_eq(aq_queue_execute(queue, NULL,
                                    &(aq_execution){link, &binding, 1, flags},
                                    &g.diag),
                   status);
  ck_assert_msg(strstr(g.diag.text, words) != NULL, "%s", g.diag.text);
  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  ground_close(&g);
}

START_TEST(what_takes_no_commands_refuses_them)
{
  refused("null", AQ_EXECUTE_PM4, AQ_ERR_UNSUPPORTED, "takes no PM4 commands");
  refused("sim", AQ_EXECUTE_PM4 | AQ_EXECUTE_ON_DEVICE, AQ_ERR_INVALID,
          "expected one of");
}
END_TEST

AQ_TEST_MAIN("queue/pm4", commands_leave_the_bytes_that_packets_leave,
             what_takes_no_commands_refuses_them)
