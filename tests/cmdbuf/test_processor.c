/* SPDX-License-Identifier: MIT */
#include "cmdbuf/walk.h"

#include <string.h>

static const aq_builder_options one_shot = {.one_shot = true};
static const aq_builder_options small = {.block_size = AQ_BLOCK_SIZE_MIN,
                                         .one_shot = true};

/* ---- packets ---- */

START_TEST(packet_bodies_are_bit_for_bit_what_was_recorded)
{
  walk_rig *w = walk_open(&one_shot);
  unsigned char args[16];
  memset(args, 0x42, sizeof args);
  aq_dispatch d = walk_dispatch(7);
  d.private_size = 9;
  d.constants = args;
  d.constant_size = sizeof args;
  ck_assert_status(aq_builder_dispatch(w->builder, &d, &w->diag), AQ_OK,
                   &w->diag);
  walk_start(w, 5);
  ck_assert_int_eq(walk_fill(w, 1), AQ_WALK_END);

  aq_packet want;
  memset(&want, 0, sizeof want);
  want.header_setup = 0xeeeeeeee; /* headers are the caller's */
  want.kernel.workgroup_size[0] = 256;
  want.kernel.workgroup_size[1] = want.kernel.workgroup_size[2] = 1;
  want.kernel.grid_size[0] = 1024;
  want.kernel.grid_size[1] = want.kernel.grid_size[2] = 1;
  want.kernel.private_segment_size = 9;
  want.kernel.group_segment_size = 7;
  want.kernel.kernel_object = WALK_OBJECT;
  want.kernel.kernarg_address = (uint64_t)(uintptr_t)w->kernarg;
  ck_assert_mem_eq(&w->packets[5], &want, sizeof want);
  ck_assert_uint_eq(w->headers[0], AQ_PACKET_KERNEL_DISPATCH | 1u << 16);
  ck_assert_mem_eq(w->kernarg, args, sizeof args);
  ck_assert_uint_eq(w->kernarg[16], 0xee);
  ck_assert_uint_eq(w->span.kernarg_used, 64);
  walk_close(w);
}
END_TEST

START_TEST(a_dispatch_without_arguments_has_no_kernarg_address)
{
  walk_rig *w = walk_open(&one_shot);
  walk_add(w, 1);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 1), AQ_WALK_END);
  ck_assert_uint_eq(w->packets[0].kernel.kernarg_address, 0);
  ck_assert_uint_eq(w->span.kernarg_used, 0);
  walk_close(w);
}
END_TEST

START_TEST(a_walk_goes_on_where_its_room_ended)
{
  walk_rig *w = walk_open(&small);
  for (uint32_t i = 1; i <= 7; i++)
    walk_add(w, i);
  walk_start(w, WALK_SLOTS - 2);
  ck_assert_uint_gt(w->program.block_count, 2);
  ck_assert_int_eq(walk_fill(w, 3), AQ_WALK_FULL);
  ck_assert_str_eq(walk_tags(w), "1 2 3");
  ck_assert_int_eq(walk_fill(w, 0), AQ_WALK_FULL);
  ck_assert_int_eq(walk_fill(w, 3), AQ_WALK_FULL);
  ck_assert_str_eq(walk_tags(w), "4 5 6");
  ck_assert_int_eq(walk_fill(w, 3), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), "7");
  walk_close(w);
}
END_TEST

START_TEST(a_walk_stops_where_kernarg_memory_ends)
{
  walk_rig *w = walk_open(&one_shot);
  const unsigned char args[100] = {1};
  for (uint32_t i = 0; i < 3; i++) {
    aq_dispatch d = walk_dispatch(i);
    d.constants = args;
    d.constant_size = sizeof args;
    ck_assert_status(aq_builder_dispatch(w->builder, &d, &w->diag), AQ_OK,
                     &w->diag);
  }
  walk_start(w, 0);
  aq_packet_span span = {.ring = &w->ring,
                         .slots = 3,
                         .headers = w->headers,
                         .kernarg = w->kernarg,
                         .kernarg_size = 2 * 128};
  ck_assert_int_eq(aq_processor_fill(&w->walk, &span), AQ_WALK_FULL);
  ck_assert_uint_eq(span.packets, 2);
  ck_assert_uint_eq(span.kernarg_used, 256);
  span.packets = span.kernarg_used = 0;
  ck_assert_int_eq(aq_processor_fill(&w->walk, &span), AQ_WALK_END);
  ck_assert_uint_eq(span.packets, 1);
  walk_close(w);
}
END_TEST

START_TEST(a_carried_barrier_widens_the_next_packet)
{
  walk_rig *w = walk_open(&one_shot);
  aq_builder_barrier(w->builder, AQ_SCOPE_AGENT, AQ_SCOPE_NONE);
  walk_add(w, 1);
  walk_add(w, 2);
  aq_builder_barrier(w->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  walk_start(w, 0);
  aq_processor_start(
      &w->walk, w->link, w->slots,
      aq_packet_header((aq_packet_type)0, 1, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE),
      0);
  ck_assert_int_eq(walk_fill(w, 8), AQ_WALK_END);
  ck_assert_uint_eq((uint16_t)w->headers[0],
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE));
  ck_assert_uint_eq((uint16_t)w->headers[1], AQ_PACKET_KERNEL_DISPATCH);
  ck_assert_uint_eq(
      w->walk.carry,
      aq_packet_header((aq_packet_type)0, 1, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE));
  walk_close(w);
}
END_TEST

/* ---- arguments ---- */

/* The arguments that a dispatch of these bindings gets. */
static void args_of(bool once, const uint32_t *statics, uint32_t count,
                    aq_strategy strategy)
{
  walk_rig *w = walk_open(once ? &one_shot : NULL);
  aq_ref refs[8];
  uint64_t want[9];
  const uint32_t constants[2] = {0x11111111, 0x22222222};
  for (uint32_t i = 0; i < count; i++) {
    refs[i] = aq_ref_slot(i % 4, 8 * i);
    if (statics[i])
      aq_builder_buffer(w->builder, w->buffers[i % 4], WALK_BUFFER, &refs[i],
                        &w->diag);
    if (statics[i])
      refs[i] += 8 * i;
    want[i] = (uint64_t)(uintptr_t)w->buffers[i % 4] + 8 * i;
  }
  memcpy(&want[count], constants, sizeof constants);
  aq_dispatch d = walk_dispatch(1);
  d.bindings = refs;
  d.binding_count = count;
  d.constants = constants;
  d.constant_size = sizeof constants;
  for (int i = 0; i < 2; i++)
    ck_assert_status(aq_builder_dispatch(w->builder, &d, &w->diag), AQ_OK,
                     &w->diag);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 2), AQ_WALK_END);
  const aq_op *op = aq_block_at(w->program.blocks[0], sizeof(aq_block));
  ck_assert_int_eq(op->flags, strategy);
  for (int i = 0; i < 2; i++) {
    const uint64_t address = w->packets[i].kernel.kernarg_address;
    ck_assert_uint_eq(address % AQ_RODATA_ALIGN, 0);
    ck_assert_mem_eq((const void *)(uintptr_t)address, want,
                     8 * count + sizeof constants);
  }
  ck_assert_uint_eq(w->span.kernarg_used, w->program.blocks[0]->kernarg_size);
  walk_close(w);
}

START_TEST(every_strategy_gives_the_same_arguments)
{
  const uint32_t none[8] = {0}, all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const uint32_t some[8] = {1, 0, 0, 1, 0, 1, 1, 0};
  args_of(false, all, 5, AQ_ARGS_PREPUBLISHED);
  args_of(false, none, 5, AQ_ARGS_DYNAMIC);
  args_of(false, some, 8, AQ_ARGS_TEMPLATE);
  args_of(true, some, 8, AQ_ARGS_GENERAL);
  args_of(true, none, 1, AQ_ARGS_DYNAMIC);
  args_of(true, none, 0, AQ_ARGS_DIRECT);
  args_of(false, none, 0, AQ_ARGS_PREPUBLISHED);
}
END_TEST

START_TEST(indirect_arguments_are_the_buffer_itself)
{
  walk_rig *w = walk_open(&one_shot);
  const aq_dispatch d = walk_dispatch(3);
  ck_assert_status(aq_builder_dispatch_args(w->builder, &d, aq_ref_slot(2, 32),
                                            40, &w->diag),
                   AQ_OK, &w->diag);
  ck_assert_status(
      aq_builder_dispatch_args(w->builder, &d, aq_ref_slot(2, 8), 40, &w->diag),
      AQ_ERR_INVALID, &w->diag);
  walk_start(w, 0);
  ck_assert_uint_eq(w->program.slot_sizes[2], 72);
  ck_assert_int_eq(walk_fill(w, 1), AQ_WALK_END);
  ck_assert_uint_eq(w->packets[0].kernel.kernarg_address,
                    (uintptr_t)w->buffers[2] + 32);
  walk_close(w);
}
END_TEST

/* ---- indirect grids and transfers ---- */

static void record_params(walk_rig *w)
{
  const aq_dispatch d = walk_dispatch(3);
  walk_add(w, 1);
  aq_builder_barrier(w->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_AGENT);
  ck_assert_status(
      aq_builder_dispatch_params(w->builder, &d, aq_ref_slot(1, 4), &w->diag),
      AQ_OK, &w->diag);
  walk_add(w, 4);
  walk_start(w, 0);
}

START_TEST(an_indirect_grid_is_patched_by_the_packet_before)
{
  walk_rig *w = walk_open(&one_shot);
  record_params(w);
  ck_assert_uint_ne(w->link->builtins.objects[AQ_BUILTIN_PATCH], 0);
  ck_assert_int_eq(walk_fill(w, 2), AQ_WALK_FULL);
  ck_assert_str_eq(walk_tags(w), "1");
  ck_assert_int_eq(walk_fill(w, 4), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), "0 3 4");
  const aq_patch_args *args = (const aq_patch_args *)w->kernarg;
  ck_assert_uint_eq(w->packets[1].kernel.kernel_object,
                    w->link->builtins.objects[AQ_BUILTIN_PATCH]);
  ck_assert_uint_eq(w->packets[1].kernel.kernarg_address, (uintptr_t)args);
  ck_assert_uint_eq((uint16_t)w->headers[0],
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE));
  ck_assert_ptr_eq(args->params, w->buffers[1] + 4);
  ck_assert_ptr_eq(args->packet, &w->packets[2]);
  ck_assert_uint_eq(args->header_setup,
                    (uint32_t)aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                               AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE) |
                        1u << 16);
  /* Publishing leaves the patched one to its patch. */
  for (int i = 1; i < 4; i++)
    w->packets[i].header_setup = AQ_PACKET_INVALID;
  aq_packet_span_publish(&w->span);
  ck_assert_uint_eq(w->packets[1].header, (uint16_t)w->headers[0]);
  ck_assert_uint_eq(w->packets[2].header, AQ_PACKET_INVALID);
  ck_assert_uint_eq(w->packets[3].header, AQ_PACKET_KERNEL_DISPATCH);
  walk_close(w);
}
END_TEST

START_TEST(without_a_patch_kernel_the_host_reads_the_grid_when_drained)
{
  walk_rig *w = walk_open(&one_shot);
  record_params(w);
  w->link->builtins.objects[AQ_BUILTIN_PATCH] = 0;
  ck_assert_int_eq(walk_fill(w, 8), AQ_WALK_DRAIN);
  ck_assert_str_eq(walk_tags(w), "1 d");
  const uint32_t grid[3] = {64, 5, 6};
  memcpy(w->buffers[1] + 4, grid, sizeof grid);
  ck_assert_int_eq(walk_fill(w, 8), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), "3 4");
  ck_assert_mem_eq(w->packets[2].kernel.grid_size, grid, sizeof grid);
  walk_close(w);
}
END_TEST

/* The packets before may have written the grid. */
START_TEST(the_reader_of_a_grid_acquires_at_least_from_the_agent)
{
  walk_rig *w = walk_open(&one_shot);
  const aq_dispatch d = walk_dispatch(3);
  aq_builder_dispatch_params(w->builder, &d, aq_ref_slot(1, 4), &w->diag);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 4), AQ_WALK_END);
  ck_assert_uint_eq(aq_header_acquire(w->headers[0]), AQ_SCOPE_AGENT);
  walk_close(w);
}
END_TEST

START_TEST(each_grid_and_each_condition_is_read_behind_a_drain_of_its_own)
{
  walk_rig *w = walk_open(&one_shot);
  const aq_dispatch d = walk_dispatch(3);
  const aq_test test = {aq_ref_slot(0, 0), 1, AQ_EQ, false};
  aq_label there;
  aq_builder_label(w->builder, &there, &w->diag);
  for (int i = 0; i < 2; i++)
    aq_builder_dispatch_params(w->builder, &d, aq_ref_slot(1, 4), &w->diag);
  for (int i = 0; i < 2; i++)
    aq_builder_branch_if(w->builder, &test, there, &w->diag);
  aq_builder_place(w->builder, there, &w->diag);
  walk_start(w, 0);
  w->link->builtins.objects[AQ_BUILTIN_PATCH] = 0;
  static const char *const parts[] = {"d", "3 d", "3 d", "d", ""};
  for (int i = 0; i < 5; i++) {
    ck_assert_int_eq(walk_fill(w, 8), i < 4 ? AQ_WALK_DRAIN : AQ_WALK_END);
    ck_assert_str_eq(walk_tags(w), parts[i]);
  }
  walk_close(w);
}
END_TEST

START_TEST(transfers_are_packets_of_builtin_kernels)
{
  walk_rig *w = walk_open(&one_shot);
  aq_builder_fill(w->builder, aq_ref_slot(0, 8), 4000, 0xabcd, 2, &w->diag);
  aq_builder_copy(w->builder, aq_ref_slot(1, 0), aq_ref_slot(2, 16), 100,
                  &w->diag);
  aq_builder_update(w->builder, aq_ref_slot(3, 1), "hello", 5, &w->diag);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 3), AQ_WALK_END);
  ck_assert_uint_eq(w->span.packets, 3);
  ck_assert_uint_eq(w->span.kernarg_used, 192);
  const uint32_t grids[3] = {250, 7, 1};
  for (int i = 0; i < 3; i++) {
    const aq_kernel_packet *packet = &w->packets[i].kernel;
    ck_assert_uint_eq(packet->kernel_object, w->link->builtins.objects[i]);
    ck_assert_uint_eq(packet->grid_size[0], grids[i]);
    ck_assert_uint_eq(packet->workgroup_size[0], AQ_BUILTIN_WORKGROUP);
    ck_assert_uint_eq(packet->kernarg_address,
                      (uintptr_t)w->kernarg + 64 * (unsigned)i);
  }
  const aq_fill_args *fill = (const aq_fill_args *)w->kernarg;
  ck_assert_ptr_eq(fill->target, w->buffers[0] + 8);
  ck_assert_uint_eq(fill->bytes, 4000);
  ck_assert_uint_eq(fill->pattern, 0xabcd);
  ck_assert_uint_eq(fill->pattern_size, 2);
  const aq_copy_args *copy = (const aq_copy_args *)(w->kernarg + 64);
  ck_assert_ptr_eq(copy->source, w->buffers[2] + 16);
  ck_assert_uint_eq(copy->bytes, 100);
  const aq_update_args *update = (const aq_update_args *)(w->kernarg + 128);
  ck_assert_ptr_eq(update->target, w->buffers[3] + 1);
  ck_assert_mem_eq(update + 1, "hello", 5);
  walk_close(w);
}
END_TEST

/* ---- flow ---- */

START_TEST(a_call_goes_on_behind_itself_when_it_returns)
{
  walk_rig *w = walk_open(&one_shot);
  aq_label outer, inner;
  aq_builder_label(w->builder, &outer, &w->diag);
  aq_builder_label(w->builder, &inner, &w->diag);
  walk_add(w, 1);
  aq_builder_call(w->builder, outer, &w->diag);
  walk_add(w, 2);
  aq_builder_call(w->builder, inner, &w->diag);
  walk_add(w, 3);
  aq_builder_return(w->builder, &w->diag);
  aq_builder_place(w->builder, outer, &w->diag);
  walk_add(w, 10);
  aq_builder_call(w->builder, inner, &w->diag);
  walk_add(w, 11);
  aq_builder_return(w->builder, &w->diag);
  aq_builder_place(w->builder, inner, &w->diag);
  walk_add(w, 20);
  aq_builder_return(w->builder, &w->diag);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 20), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), "1 10 20 11 2 20 3");
  walk_close(w);
}
END_TEST

START_TEST(a_nested_program_runs_where_it_is_called)
{
  walk_rig *inner = walk_open(&one_shot), *w = walk_open(&one_shot);
  aq_label entry;
  walk_add(inner, 7);
  aq_builder_barrier(inner->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  walk_start(inner, 0);
  walk_add(w, 1);
  ck_assert_status(
      aq_builder_nest(w->builder, &inner->program, NULL, &entry, &w->diag),
      AQ_OK, &w->diag);
  walk_add(w, 2);
  aq_builder_call(w->builder, entry, &w->diag);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 20), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), "1 7 2 7");
  /* Pending barriers inside reach out. */
  ck_assert_uint_eq(aq_header_barrier(w->headers[2]), 1);
  ck_assert_uint_eq(aq_header_acquire(w->headers[2]), AQ_SCOPE_AGENT);
  ck_assert_uint_eq(aq_header_release(w->headers[1]), AQ_SCOPE_SYSTEM);
  walk_close(inner);
  walk_close(w);
}
END_TEST

/* Where a condition leads, with the value and against what. */
static void check_condition(aq_condition condition, bool wide, int64_t value,
                            int64_t against, bool holds)
{
  walk_rig *w = walk_open(&one_shot);
  aq_label there;
  const aq_test test = {aq_ref_slot(0, 12), against, condition, wide};
  aq_builder_label(w->builder, &there, &w->diag);
  walk_add(w, 1);
  aq_builder_branch_if(w->builder, &test, there, &w->diag);
  walk_add(w, 2);
  aq_builder_place(w->builder, there, &w->diag);
  walk_add(w, 3);
  walk_start(w, 0);
  ck_assert_int_eq(walk_fill(w, 9), AQ_WALK_DRAIN);
  ck_assert_str_eq(walk_tags(w), "1 d");
  /* Only now: the earlier value does not count. */
  memcpy(w->buffers[0] + 12, &value, sizeof value);
  ck_assert_int_eq(walk_fill(w, 9), AQ_WALK_END);
  ck_assert_str_eq(walk_tags(w), holds ? "3" : "2 3");
  walk_close(w);
}

START_TEST(conditions_are_decided_when_drained)
{
  check_condition(AQ_EQ, false, 5, 5, true);
  check_condition(AQ_EQ, false, 5, 6, false);
  check_condition(AQ_NE, false, 5, 6, true);
  check_condition(AQ_LT, false, -1, 0, true);
  check_condition(AQ_LT, false, INT64_C(0x7ffffffff), 0, true);
  check_condition(AQ_LT, true, INT64_C(0x7ffffffff), 0, false);
  check_condition(AQ_GE, true, INT64_MIN, 0, false);
  check_condition(AQ_GE, true, INT64_C(1) << 40, INT64_C(1) << 40, true);
}
END_TEST

START_TEST(a_runaway_loop_ends_when_its_visits_are_used_up)
{
  walk_rig *w = walk_open(&one_shot);
  aq_label loop;
  aq_builder_label(w->builder, &loop, &w->diag);
  aq_builder_place(w->builder, loop, &w->diag);
  walk_add(w, 1);
  aq_builder_branch(w->builder, loop, &w->diag);
  walk_start(w, 0);
  aq_processor_start(&w->walk, w->link, w->slots, 0, 10);
  ck_assert_int_eq(walk_fill(w, 6), AQ_WALK_FULL);
  ck_assert_int_eq(walk_fill(w, 20), AQ_WALK_BUDGET);
  ck_assert_str_eq(walk_tags(w), "1 1 1 1 1");
  ck_assert_int_eq(walk_fill(w, 20), AQ_WALK_BUDGET);
  walk_close(w);
}
END_TEST

START_TEST(a_recording_that_calls_itself_ends_at_the_deepest_call)
{
  walk_rig *w = walk_open(&one_shot);
  aq_label self;
  aq_builder_label(w->builder, &self, &w->diag);
  aq_builder_place(w->builder, self, &w->diag);
  walk_add(w, 1);
  aq_builder_call(w->builder, self, &w->diag);
  aq_builder_return(w->builder, &w->diag);
  walk_start_recorded(w, 0);
  ck_assert_int_eq(walk_fill(w, AQ_CALL_DEPTH + 9), AQ_WALK_DEPTH);
  ck_assert_int_eq(w->walk.depth, AQ_CALL_DEPTH);
  ck_assert_int_eq(walk_fill(w, 20), AQ_WALK_DEPTH);
  walk_close(w);
}
END_TEST

START_TEST(the_demand_reaches_as_far_as_the_flow_is_known)
{
  walk_rig *w = walk_open(&small);
  aq_label label;
  uint64_t packets, kernarg;
  aq_builder_label(w->builder, &label, &w->diag);
  for (uint32_t i = 0; i < 7; i++)
    walk_add(w, i);
  aq_builder_call(w->builder, label, &w->diag);
  walk_add(w, 1);
  aq_builder_return(w->builder, &w->diag);
  aq_builder_place(w->builder, label, &w->diag);
  walk_add(w, 1);
  walk_start(w, 0);
  aq_processor_demand(&w->walk, 1000, &packets, &kernarg);
  ck_assert_uint_eq(packets, 7);
  walk_fill(w, 3);
  aq_processor_demand(&w->walk, 1000, &packets, &kernarg);
  ck_assert_uint_eq(packets, 4);
  aq_processor_demand(&w->walk, 1, &packets, &kernarg);
  ck_assert_uint_eq(packets, 1);
  walk_close(w);
}
END_TEST

START_TEST(the_demand_for_arguments_falls_as_they_are_written)
{
  walk_rig *w = walk_open(&small);
  uint64_t packets, kernarg, all;
  for (uint32_t i = 0; i < 7; i++) {
    aq_dispatch d = walk_dispatch(i);
    d.bindings = &(aq_ref){aq_ref_slot(0, 0)};
    d.binding_count = 1;
    aq_builder_dispatch(w->builder, &d, &w->diag);
  }
  walk_start(w, 0);
  ck_assert_uint_gt(w->program.block_count, 1);
  aq_processor_demand(&w->walk, 1000, &packets, &all);
  ck_assert_uint_eq(packets, 7);
  ck_assert_uint_eq(all, w->program.kernarg_size);
  for (uint32_t i = 1; i <= 7; i++) {
    walk_fill(w, 1);
    aq_processor_demand(&w->walk, 1000, &packets, &kernarg);
    ck_assert_uint_eq(packets, 7 - i);
    ck_assert_uint_eq(kernarg, all / 7 * (7 - i));
  }
  walk_close(w);
}
END_TEST

/* ---- hooks ---- */

enum { LOG = 8 };

typedef struct log_memory {
  aq_signal signals[LOG];
  aq_walk_entry entries[LOG];
  aq_walk_marker markers[LOG];
  aq_walk_log log;
} log_memory;

static void log_init(log_memory *m, uint32_t capacity)
{
  memset(m, 0, sizeof *m);
  for (int i = 0; i < LOG; i++)
    m->signals[i].handle = 0x100 + (unsigned)i;
  m->log = (aq_walk_log){.signals = m->signals,
                         .entries = m->entries,
                         .capacity = capacity,
                         .markers = m->markers,
                         .marker_capacity = capacity};
}

static aq_walk hooked_fill(walk_rig *w, log_memory *m,
                           aq_walk (*fill)(aq_processor *, aq_packet_span *))
{
  w->span = (aq_packet_span){.ring = &w->ring,
                             .first = w->span.first + w->span.packets,
                             .slots = 20,
                             .headers = w->headers,
                             .kernarg = w->kernarg,
                             .kernarg_size = sizeof w->kernarg,
                             .drain = &w->drain,
                             .log = &m->log};
  return fill(&w->walk, &w->span);
}

static void record_hooked(walk_rig *w)
{
  walk_add(w, 1);
  aq_builder_marker(w->builder, AQ_MARKER_BEGIN, 77, &w->diag);
  walk_add(w, 2);
  aq_builder_fill(w->builder, aq_ref_slot(0, 0), 16, 0, 1, &w->diag);
  aq_builder_marker(w->builder, AQ_MARKER_END, 77, &w->diag);
  const aq_dispatch d = walk_dispatch(3);
  aq_builder_dispatch_params(w->builder, &d, aq_ref_slot(1, 0), &w->diag);
  walk_start(w, 10);
}

START_TEST(stats_give_each_dispatch_a_signal_and_count)
{
  walk_rig *w = walk_open(&one_shot);
  log_memory m;
  log_init(&m, LOG);
  record_hooked(w);
  ck_assert_int_eq(hooked_fill(w, &m, aq_processor_fill_stats), AQ_WALK_END);
  ck_assert_uint_eq(w->span.packets, 5);
  ck_assert_uint_eq(m.log.used, 4);
  const uint64_t packets[4] = {10, 11, 12, 14};
  const uint32_t commands[4] = {0, 2, 3, 5};
  for (uint32_t i = 0; i < 4; i++) {
    ck_assert_uint_eq(m.entries[i].packet, packets[i]);
    ck_assert_uint_eq(m.entries[i].command, commands[i]);
    ck_assert_uint_eq(
        aq_ring_slot(&w->ring, packets[i])->kernel.completion_signal.handle,
        m.signals[i].handle);
  }
  ck_assert_uint_eq(w->packets[13].kernel.completion_signal.handle, 0);
  ck_assert_uint_eq(m.log.dispatches, 3);
  ck_assert_uint_eq(m.log.transfers, 1);
  ck_assert_uint_eq(m.log.marker_used, 2);
  ck_assert_uint_eq(m.markers[0].packet, 11);
  ck_assert_uint_eq(m.markers[0].value, 77);
  ck_assert_int_eq(m.markers[1].kind, AQ_MARKER_END);
  walk_close(w);
}
END_TEST

START_TEST(times_take_signals_and_markers_that_are_wanted)
{
  for (int wanted = 0; wanted < 2; wanted++) {
    walk_rig *w = walk_open(&one_shot);
    log_memory m;
    log_init(&m, LOG);
    if (!wanted)
      m.log.markers = NULL;
    record_hooked(w);
    ck_assert_int_eq(hooked_fill(w, &m, aq_processor_fill_times), AQ_WALK_END);
    ck_assert_uint_eq(m.log.used, 4);
    ck_assert_uint_eq(m.log.marker_used, wanted ? 2 : 0);
    ck_assert_uint_eq(m.markers[0].entry, wanted ? 1 : 0);
    ck_assert_uint_eq(m.markers[1].entry, wanted ? 3 : 0);
    ck_assert_uint_eq(m.log.dispatches, 0);
    walk_close(w);
  }
}
END_TEST

START_TEST(a_full_log_stops_the_walk_until_it_is_emptied)
{
  walk_rig *w = walk_open(&one_shot);
  log_memory m;
  log_init(&m, 1);
  record_hooked(w);
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(hooked_fill(w, &m, aq_processor_fill_stats),
                     i < 3 ? AQ_WALK_FULL : AQ_WALK_END);
    ck_assert_uint_eq(m.log.used, 1);
    m.log.used = m.log.marker_used = 0;
  }
  walk_close(w);
}
END_TEST

START_TEST(hooks_change_nothing_but_completion_signals)
{
  walk_rig *w = walk_open(&one_shot);
  aq_packet plain[WALK_SLOTS];
  uint32_t headers[WALK_SLOTS];
  log_memory m;
  log_init(&m, LOG);
  record_hooked(w);
  walk_fill(w, 20);
  const uint32_t count = w->span.packets;
  memcpy(plain, w->packets, sizeof plain);
  memcpy(headers, w->headers, sizeof headers);
  walk_start(w, 10);
  hooked_fill(w, &m, aq_processor_fill_stats);
  ck_assert_uint_eq(w->span.packets, count);
  ck_assert_mem_eq(w->headers, headers, count * sizeof *headers);
  for (uint32_t i = 0; i < count; i++) {
    aq_packet *packet = aq_ring_slot(&w->ring, 10 + i);
    packet->kernel.completion_signal.handle = 0;
    if (packet->kernel.kernel_object != WALK_OBJECT) /* linked anew */
      packet->kernel.kernel_object = plain[10 + i].kernel.kernel_object;
    ck_assert_mem_eq(packet, &plain[10 + i], sizeof *packet);
  }
  walk_close(w);
}
END_TEST

/* ---- links ---- */

START_TEST(a_link_refuses_buffers_that_are_too_small)
{
  walk_rig *w = walk_open(NULL);
  aq_builder_fill(w->builder, aq_ref_slot(1, 100), 4, 0, 1, &w->diag);
  walk_start(w, 0);
  ck_assert_status(aq_link_check_slots(w->link, w->slots, 1, &w->diag),
                   AQ_ERR_INVALID, &w->diag);
  ck_assert_str_eq(w->diag.text,
                   "1 buffers are bound; the program has 2 slots");
  w->slots[1].size = 103;
  ck_assert_status(aq_link_check_slots(w->link, w->slots, 2, &w->diag),
                   AQ_ERR_INVALID, &w->diag);
  ck_assert_str_eq(w->diag.text,
                   "slot 1 has 103 bytes; the program touches 104");
  walk_close(w);
}
END_TEST

/* The fake transport, with counts of the calls of a link. */
static uint64_t published_bytes, unregistered;
static const void *published_at;

static void publish_count(aq_transport *t, const void *address, size_t size)
{
  (void)t;
  published_at = address;
  published_bytes += size;
}

static void unregister_count(aq_transport *t, uint64_t object)
{
  (void)t, (void)object;
  unregistered++;
}

START_TEST(a_link_publishes_its_arguments_and_gives_back_what_it_registered)
{
  walk_rig *w = walk_open(NULL);
  const aq_transport_ops *plain = w->transport->ops;
  aq_transport_ops counting = *plain;
  aq_builtins builtins;
  aq_link *link;
  aq_dispatch d = walk_dispatch(1);
  d.constants = "12345678";
  d.constant_size = 8;
  aq_builder_dispatch(w->builder, &d, &w->diag);
  aq_builder_fill(w->builder, aq_ref_slot(0, 0), 16, 0, 1, &w->diag);
  walk_start(w, 0);
  counting.mem_publish = publish_count;
  counting.kernel_unregister = unregister_count;
  w->transport->ops = &counting;
  published_bytes = unregistered = 0;
  for (int own = 1; own >= 0; own--) {
    aq_link_options options = {.transport = w->transport};
    if (!own)
      options.builtins = &builtins;
    ck_assert_status(aq_link_create(&w->program, &options, &link, &w->diag),
                     AQ_OK, &w->diag);
    builtins = link->builtins;
    ck_assert_uint_eq(published_bytes, own ? 16 : 32);
    ck_assert_mem_eq(published_at, "12345678", 8);
    aq_link_destroy(link);
    /* No host function waits. */
    ck_assert_uint_eq(unregistered, AQ_BUILTIN_COUNT - 1);
  }
  w->transport->ops = plain;
  walk_close(w);
}
END_TEST

START_TEST(a_program_that_fills_needs_all_kernels_of_transfers)
{
  walk_rig *w = walk_open(&one_shot);
  aq_link direct;
  aq_builder_fill(w->builder, aq_ref_slot(0, 0), 16, 0, 1, &w->diag);
  walk_start(w, 0);
  for (int i = 0; i < AQ_BUILTIN_COUNT; i++) {
    aq_builtins builtins = w->link->builtins;
    builtins.objects[i] = 0;
    /* The host reads indirect grids where no kernel does. */
    ck_assert_status(aq_link_init(&direct, &w->program, &builtins, &w->diag),
                     i < AQ_BUILTIN_PATCH ? AQ_ERR_UNSUPPORTED : AQ_OK,
                     &w->diag);
  }
  walk_close(w);
}
END_TEST

START_TEST(a_reusable_program_is_not_submitted_without_a_link)
{
  walk_rig *w = walk_open(NULL);
  aq_dispatch d = walk_dispatch(1);
  d.constants = "12345678";
  d.constant_size = 8;
  aq_link direct;
  aq_builder_dispatch(w->builder, &d, &w->diag);
  walk_start(w, 0);
  ck_assert_status(aq_link_init(&direct, &w->program, NULL, &w->diag),
                   AQ_ERR_INVALID, &w->diag);
  walk_close(w);
}
END_TEST

AQ_TEST_MAIN("cmdbuf/processor",
             packet_bodies_are_bit_for_bit_what_was_recorded,
             a_dispatch_without_arguments_has_no_kernarg_address,
             a_walk_goes_on_where_its_room_ended,
             a_walk_stops_where_kernarg_memory_ends,
             a_carried_barrier_widens_the_next_packet,
             every_strategy_gives_the_same_arguments,
             indirect_arguments_are_the_buffer_itself,
             an_indirect_grid_is_patched_by_the_packet_before,
             without_a_patch_kernel_the_host_reads_the_grid_when_drained,
             the_reader_of_a_grid_acquires_at_least_from_the_agent,
             each_grid_and_each_condition_is_read_behind_a_drain_of_its_own,
             transfers_are_packets_of_builtin_kernels,
             a_call_goes_on_behind_itself_when_it_returns,
             a_nested_program_runs_where_it_is_called,
             conditions_are_decided_when_drained,
             a_runaway_loop_ends_when_its_visits_are_used_up,
             a_recording_that_calls_itself_ends_at_the_deepest_call,
             the_demand_reaches_as_far_as_the_flow_is_known,
             the_demand_for_arguments_falls_as_they_are_written,
             stats_give_each_dispatch_a_signal_and_count,
             times_take_signals_and_markers_that_are_wanted,
             a_full_log_stops_the_walk_until_it_is_emptied,
             hooks_change_nothing_but_completion_signals,
             a_link_refuses_buffers_that_are_too_small,
             a_link_publishes_its_arguments_and_gives_back_what_it_registered,
             a_program_that_fills_needs_all_kernels_of_transfers,
             a_reusable_program_is_not_submitted_without_a_link)
