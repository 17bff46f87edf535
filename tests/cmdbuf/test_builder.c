/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <pthread.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/builtins.h"
#include "cmdbuf/validate.h"

/* A dispatch that its group size identifies. */
static aq_dispatch tiny(uint32_t tag)
{
  return (aq_dispatch){
      .grid = {64, 1, 1}, .workgroup = {64, 1, 1}, .group_size = tag};
}

static aq_builder *make_with(uint32_t block_size, bool one_shot)
{
  const aq_builder_options options = {block_size, one_shot};
  aq_builder *builder;
  uint32_t kernel;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_builder_create(&options, &builder, &diag), AQ_OK, &diag);
  ck_assert_status(aq_builder_kernel(builder, "k", 0xabc, &kernel, &diag),
                   AQ_OK, &diag);
  return builder;
}

static aq_builder *make(uint32_t block_size)
{
  return make_with(block_size, true);
}

static void add(aq_builder *builder, const aq_dispatch *dispatch)
{
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_builder_dispatch(builder, dispatch, &diag), AQ_OK, &diag);
}

static aq_program end(aq_builder *builder)
{
  aq_program program;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_builder_end(builder, &program, &diag), AQ_OK, &diag);
  return program;
}

/* The n-th dispatch of a program, walking blocks by hand. */
static const aq_op_dispatch *dispatch_at(const aq_program *program, unsigned n)
{
  for (uint32_t b = 0; b < program->block_count; b++) {
    const aq_block *block = program->blocks[b];
    uint32_t at = block->header_size;
    while (at < block->header_size + block->commands_size) {
      const aq_op *op = aq_block_at(block, at);
      if (op->code == AQ_OP_DISPATCH && n-- == 0)
        return (const aq_op_dispatch *)op;
      at += op->size * 8u;
    }
  }
  return NULL;
}

START_TEST(a_dispatch_is_recorded_as_its_packet_will_be)
{
  aq_builder *builder = make(0);
  const uint64_t args[2] = {1, 2};
  aq_dispatch d = {.grid = {512, 4, 1},
                   .workgroup = {128, 2, 1},
                   .group_size = 1024,
                   .private_size = 16,
                   .constants = args,
                   .constant_size = sizeof args};
  add(builder, &d);
  aq_program program = end(builder);
  const aq_op_dispatch *record = dispatch_at(&program, 0);
  ck_assert_int_eq(record->op.size, 10);
  ck_assert_uint_eq(record->op.flags, AQ_ARGS_DIRECT);
  ck_assert_uint_eq(record->header, AQ_PACKET_KERNEL_DISPATCH);
  ck_assert_uint_eq(record->setup, 2);
  ck_assert_uint_eq(record->grid[0], 512);
  ck_assert_uint_eq(record->workgroup[1], 2);
  ck_assert_uint_eq(record->group_size, 1024);
  ck_assert_uint_eq(record->private_size, 16);
  ck_assert_uint_eq(record->kernel, 0);
  ck_assert_uint_eq(program.kernel_objects[0], 0xabc);
  ck_assert_mem_eq(record + 1, args, sizeof args);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_dispatch_has_as_many_dimensions_as_grid_or_workgroup)
{
  static const struct {
    uint32_t grid[3];
    uint16_t workgroup[3];
    unsigned dimensions;
  } cases[] = {{{64, 1, 1}, {64, 1, 1}, 1},
               {{64, 2, 1}, {64, 1, 1}, 2},
               {{64, 1, 1}, {32, 2, 1}, 2},
               {{64, 1, 2}, {64, 1, 1}, 3},
               {{64, 1, 1}, {16, 2, 2}, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_builder *builder = make(0);
    aq_dispatch d = tiny(1);
    memcpy(d.grid, cases[i].grid, sizeof d.grid);
    memcpy(d.workgroup, cases[i].workgroup, sizeof d.workgroup);
    add(builder, &d);
    aq_program program = end(builder);
    ck_assert_uint_eq(dispatch_at(&program, 0)->setup, cases[i].dimensions);
    aq_builder_destroy(builder);
  }
}
END_TEST

START_TEST(headers_count_what_their_blocks_need)
{
  aq_builder *builder = make(0);
  unsigned char args[100] = {7};
  aq_dispatch d = tiny(1);
  add(builder, &d);
  d.constants = args;
  d.constant_size = sizeof args;
  add(builder, &d);
  d.constant_size = 8;
  add(builder, &d);
  aq_program program = end(builder);
  const aq_block *block = program.blocks[0];
  ck_assert_uint_eq(program.block_count, 1);
  ck_assert_uint_eq(block->packets, 3);
  ck_assert_uint_eq(block->dispatches, 3);
  ck_assert_uint_eq(block->kernarg_size, 128 + 64);
  ck_assert_uint_eq(block->kernarg_max, 128);
  ck_assert_uint_eq(block->commands, 4);
  ck_assert_uint_eq(block->commands_size, 3 * 64 + 104 + 8 + 8);
  ck_assert_uint_eq(block->terminator, AQ_OP_RETURN);
  ck_assert_uint_eq(block->target, AQ_BLOCK_NONE);
  ck_assert_uint_eq(block->next, AQ_BLOCK_NONE);
  ck_assert_uint_eq(program.packets, 3);
  ck_assert_uint_eq(program.kernarg_size, 192);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_barrier_folds_into_the_dispatches_around_it)
{
  aq_builder *builder = make(0);
  aq_dispatch d = tiny(1);
  add(builder, &d);
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_SYSTEM);
  add(builder, &d);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.packets, 2);
  ck_assert_uint_eq(program.blocks[0]->commands, 3);
  ck_assert_uint_eq(dispatch_at(&program, 0)->header,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                     AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM));
  ck_assert_uint_eq(dispatch_at(&program, 1)->header,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_AGENT, AQ_SCOPE_NONE));
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(barriers_side_by_side_merge_to_the_wider_scopes)
{
  aq_builder *builder = make(0);
  aq_dispatch d = tiny(1);
  add(builder, &d);
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  aq_builder_barrier(builder, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  add(builder, &d);
  aq_program program = end(builder);
  ck_assert_uint_eq(aq_header_release(dispatch_at(&program, 0)->header),
                    AQ_SCOPE_AGENT);
  ck_assert_uint_eq(aq_header_acquire(dispatch_at(&program, 1)->header),
                    AQ_SCOPE_SYSTEM);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_barrier_folds_across_a_block_split)
{
  aq_builder *builder = make(AQ_BLOCK_SIZE_MIN);
  aq_dispatch d = tiny(1);
  add(builder, &d); /* a block of 256 holds two */
  add(builder, &d);
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  add(builder, &d);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.block_count, 2);
  ck_assert_uint_eq(program.blocks[0]->terminator, AQ_OP_BRANCH);
  ck_assert_uint_eq(program.blocks[0]->target, 1);
  ck_assert_uint_eq(program.blocks[0]->dispatches, 2);
  ck_assert_uint_eq(aq_header_release(dispatch_at(&program, 1)->header),
                    AQ_SCOPE_AGENT);
  ck_assert_uint_eq(aq_header_barrier(dispatch_at(&program, 1)->header), 0);
  ck_assert_uint_eq(aq_header_barrier(dispatch_at(&program, 2)->header), 1);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_trailing_barrier_is_kept_as_a_record)
{
  aq_builder *builder = make(0);
  aq_dispatch d = tiny(1);
  add(builder, &d);
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  aq_program program = end(builder);
  const aq_op *op = aq_block_at(program.blocks[0], 64 + 64);
  ck_assert_uint_eq(op->code, AQ_OP_BARRIER);
  ck_assert_uint_eq(op->flags, AQ_SCOPE_AGENT);
  ck_assert_uint_eq(program.packets, 1);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(blocks_are_self_consistent_however_often_they_split)
{
  aq_builder *builder = make(512);
  unsigned char args[40];
  for (unsigned i = 0; i < 1000; i++) {
    memset(args, (int)i, sizeof args);
    aq_dispatch d = tiny(i);
    d.constants = args;
    d.constant_size = i % 41;
    add(builder, &d);
  }
  aq_program program = end(builder);
  ck_assert_uint_eq(program.packets, 1000);
  uint32_t command = 0;
  for (uint32_t b = 0; b < program.block_count; b++) {
    const aq_block *block = program.blocks[b];
    ck_assert_uint_eq(block->ordinal, b);
    ck_assert_uint_le(block->header_size + block->commands_size, block->rodata);
    uint32_t at = block->header_size, count = 0;
    for (; at < block->header_size + block->commands_size; count++) {
      const aq_op *op = aq_block_at(block, at);
      ck_assert_uint_eq(op->index, command++);
      at += op->size * 8u;
    }
    ck_assert_uint_eq(count, block->commands);
  }
  for (unsigned i = 0; i < 1000; i++)
    ck_assert_uint_eq(dispatch_at(&program, i)->group_size, i);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_reset_builder_reuses_its_blocks)
{
  aq_builder *builder = make(AQ_BLOCK_SIZE_MIN);
  aq_dispatch d = tiny(1);
  for (int i = 0; i < 10; i++)
    add(builder, &d);
  aq_program first = end(builder);
  const aq_block *last = first.blocks[first.block_count - 1];
  aq_builder_reset(builder);
  for (int i = 0; i < 10; i++)
    add(builder, &d);
  aq_program second = end(builder);
  ck_assert_uint_eq(second.block_count, first.block_count);
  ck_assert_ptr_eq(second.blocks[second.block_count - 1], last);
  ck_assert_uint_eq(second.packets, 10);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(nothing_of_a_recording_is_left_after_a_reset)
{
  aq_builder *builder = make(0), *fresh = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  unsigned char bytes[100];
  aq_label label;
  aq_dispatch d = tiny(1);
  memset(bytes, 0xff, sizeof bytes);
  aq_builder_label(builder, &label, &diag);
  for (int i = 0; i < 10; i++)
    ck_assert_status(aq_builder_update(builder, aq_ref_slot(0, 0), bytes,
                                       sizeof bytes, &diag),
                     AQ_OK, &diag);
  end(builder);
  aq_builder_reset(builder);
  ck_assert_status(aq_builder_place(builder, label, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_str_eq(diag.text, "label 0; there are 0");
  aq_program programs[2];
  aq_builder *const both[2] = {builder, fresh};
  d.constants = bytes;
  d.constant_size = 3;
  for (int i = 0; i < 2; i++) {
    add(both[i], &d);
    programs[i] = end(both[i]);
  }
  ck_assert_uint_eq(programs[0].flags, programs[1].flags);
  ck_assert_mem_eq(programs[0].blocks[0], programs[1].blocks[0],
                   programs[0].block_size);
  aq_builder_destroy(builder);
  aq_builder_destroy(fresh);
}
END_TEST

/* The first record of a one-shot program in memory that held other bytes. */
START_TEST(bytes_behind_the_end_of_an_update_are_zero)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  unsigned char bytes[100];
  memset(bytes, 0xff, sizeof bytes);
  for (int round = 0; round < 2; round++) {
    ck_assert_status(aq_builder_update(builder, aq_ref_slot(0, 0), bytes,
                                       round ? 3 : 100, &diag),
                     AQ_OK, &diag);
    aq_program program = end(builder);
    ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
    ck_assert_uint_eq(
        program.kernarg_size,
        aq_kernarg_round(sizeof(aq_update_args) + (round ? 3 : 100)));
    const unsigned char *tail = (const unsigned char *)aq_block_at(
                                    program.blocks[0], sizeof(aq_block)) +
                                sizeof(aq_op_update);
    if (round)
      ck_assert_mem_eq(tail, "\xff\xff\xff\0\0\0\0", 8);
    aq_builder_reset(builder);
  }
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(arguments_in_a_buffer_have_the_size_that_was_given)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_dispatch d = tiny(1);
  ck_assert_status(
      aq_builder_dispatch_args(builder, &d, aq_ref_slot(0, 32), 12, &diag),
      AQ_OK, &diag);
  aq_program program = end(builder);
  const aq_op_dispatch *record =
      aq_block_at(program.blocks[0], sizeof(aq_block));
  ck_assert_uint_eq(record->kernarg_size, 12);
  ck_assert_uint_eq(program.slot_sizes[0], 44);
  ck_assert_uint_eq(program.kernarg_size, 0);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(an_empty_program_is_one_block_with_a_return)
{
  aq_builder *builder = make(0);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.block_count, 1);
  ck_assert_uint_eq(program.packets, 0);
  ck_assert_uint_eq(program.blocks[0]->commands, 1);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(what_cannot_be_recorded_is_refused_and_changes_nothing)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builder;
  ck_assert_status(aq_builder_create(&(aq_builder_options){.block_size = 300},
                                     &builder, &diag),
                   AQ_ERR_INVALID, &diag);
  builder = make(AQ_BLOCK_SIZE_MIN);
  unsigned char args[256] = {0};
  aq_dispatch d = tiny(1);
  add(builder, &d);
  d.constants = args;
  d.constant_size = sizeof args;
  ck_assert_status(aq_builder_dispatch(builder, &d, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_str_eq(diag.text, "dispatch: 256 bytes of arguments, a block of "
                              "256 holds at most 80");
  d.constant_size = 80;
  add(builder, &d);
  d.grid[1] = 0;
  ck_assert_status(aq_builder_dispatch(builder, &d, &diag), AQ_ERR_INVALID,
                   &diag);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.packets, 2);
  aq_builder_destroy(builder);
}
END_TEST

/* ---- arguments ---- */

/* The strategy of a dispatch with so many bindings and bytes of constants. */
static aq_strategy strategy_of(bool one_shot, uint32_t statics, uint32_t slots,
                               uint32_t constants)
{
  aq_builder *builder = make_with(0, one_shot);
  aq_diag diag = AQ_DIAG_INIT;
  aq_ref refs[8];
  unsigned char bytes[64] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < slots; i++)
    refs[count++] = aq_ref_slot(i, 8 * i);
  for (uint32_t i = 0; i < statics; i++)
    ck_assert_status(
        aq_builder_buffer(builder, bytes, 64, &refs[count++], &diag), AQ_OK,
        &diag);
  aq_dispatch d = tiny(1);
  d.bindings = refs;
  d.binding_count = count;
  d.constants = bytes;
  d.constant_size = constants;
  add(builder, &d);
  aq_program program = end(builder);
  aq_strategy strategy = (aq_strategy)dispatch_at(&program, 0)->op.flags;
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  ck_assert_int_eq(program.blocks[0]->kernarg_size,
                   strategy == AQ_ARGS_NONE || strategy == AQ_ARGS_PREPUBLISHED
                       ? 0
                       : aq_kernarg_round(8 * count + constants));
  aq_builder_destroy(builder);
  return strategy;
}

START_TEST(the_strategy_follows_from_bindings_and_reuse)
{
  ck_assert_int_eq(strategy_of(false, 0, 0, 0), AQ_ARGS_NONE);
  ck_assert_int_eq(strategy_of(false, 2, 0, 4), AQ_ARGS_PREPUBLISHED);
  ck_assert_int_eq(strategy_of(false, 0, 0, 7), AQ_ARGS_PREPUBLISHED);
  ck_assert_int_eq(strategy_of(false, 0, 3, 12), AQ_ARGS_DYNAMIC);
  ck_assert_int_eq(strategy_of(false, 2, 3, 0), AQ_ARGS_TEMPLATE);
  ck_assert_int_eq(strategy_of(true, 0, 0, 0), AQ_ARGS_NONE);
  ck_assert_int_eq(strategy_of(true, 2, 0, 4), AQ_ARGS_GENERAL);
  ck_assert_int_eq(strategy_of(true, 0, 3, 0), AQ_ARGS_DYNAMIC);
  ck_assert_int_eq(strategy_of(true, 1, 1, 0), AQ_ARGS_GENERAL);
  ck_assert_int_eq(strategy_of(true, 0, 0, 7), AQ_ARGS_DIRECT);
}
END_TEST

/* Bytes of block and published memory that one more dispatch takes. */
static double bytes_a_dispatch(uint32_t statics, uint32_t slots,
                               uint32_t constants)
{
  enum { COUNT = 512 };
  aq_builder *builder = make_with(0, false);
  aq_diag diag = AQ_DIAG_INIT;
  aq_ref refs[8];
  const uint32_t words[8] = {0};
  for (uint32_t i = 0; i < slots; i++)
    refs[i] = aq_ref_slot(i, 0);
  for (uint32_t i = 0; i < statics; i++)
    ck_assert_status(
        aq_builder_buffer(builder, NULL, 64, &refs[slots + i], &diag), AQ_OK,
        &diag);
  aq_dispatch d = tiny(1);
  d.bindings = refs;
  d.binding_count = statics + slots;
  d.constants = words;
  d.constant_size = constants * 4;
  for (int i = 0; i < COUNT; i++)
    add(builder, &d);
  aq_program program = end(builder);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < program.block_count; i++) {
    const aq_block *block = program.blocks[i];
    const uint64_t rodata = block->size - block->rodata;
    bytes += block->commands_size + 2 * rodata;
    bytes -= block->terminator == AQ_OP_BRANCH ? sizeof(aq_op_branch)
                                               : sizeof(aq_op_return);
  }
  aq_builder_destroy(builder);
  return (double)bytes / COUNT;
}

START_TEST(a_recorded_dispatch_is_small)
{
  ck_assert_double_le(bytes_a_dispatch(2, 0, 0), 96);
  ck_assert_double_le(bytes_a_dispatch(0, 4, 2), 160);
}
END_TEST

START_TEST(buffers_are_stated_as_large_as_they_are_touched)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  aq_ref fixed;
  aq_program program;
  ck_assert_status(aq_builder_buffer(builder, NULL, 1 << 20, &fixed, &diag),
                   AQ_OK, &diag);
  ck_assert_status(
      aq_builder_fill(builder, aq_ref_slot(3, 100), 50, 0, 1, &diag), AQ_OK,
      &diag);
  ck_assert_status(
      aq_builder_copy(builder, fixed + 1000, aq_ref_slot(1, 0), 24, &diag),
      AQ_OK, &diag);
  ck_assert_status(
      aq_builder_update(builder, aq_ref_slot(3, 0), "abc", 3, &diag), AQ_OK,
      &diag);
  program = end(builder);
  ck_assert_uint_eq(program.slot_count, 4);
  ck_assert_uint_eq(program.slot_sizes[0], 0);
  ck_assert_uint_eq(program.slot_sizes[1], 24);
  ck_assert_uint_eq(program.slot_sizes[3], 150);
  ck_assert_uint_eq(program.static_sizes[0], 1024);
  ck_assert_uint_eq(program.flags, AQ_PROGRAM_BUILTINS);
  /* Forgotten by a reset. */
  aq_builder_reset(builder);
  program = end(builder);
  ck_assert_uint_eq(program.slot_count, 0);
  ck_assert_uint_eq(program.static_sizes[0], 0);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(bad_transfers_are_refused)
{
  aq_builder *builder = make(AQ_BLOCK_SIZE_MIN);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_ref at = aq_ref_slot(0, 0);
  unsigned char bytes[256] = {0};
  ck_assert_status(aq_builder_fill(builder, at, 8, 0, 3, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_status(aq_builder_fill(builder, at, 6, 0, 4, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_status(aq_builder_copy(builder, at, at, 0, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_status(aq_builder_update(builder, at, bytes, sizeof bytes, &diag),
                   AQ_ERR_INVALID, &diag);
  ck_assert_status(aq_builder_fill(builder, aq_ref_slot(0, AQ_REF_OFFSET_MAX),
                                   8, 0, 1, &diag),
                   AQ_ERR_INVALID, &diag);
  ck_assert_status(aq_builder_copy(builder, at, aq_ref_static(0, 0), 8, &diag),
                   AQ_ERR_INVALID, &diag);
  ck_assert_str_eq(diag.text, "static buffer 0; there are 0");
  aq_program program = end(builder);
  ck_assert_uint_eq(program.commands, 1);
  aq_builder_destroy(builder);
}
END_TEST

/* ---- flow ---- */

START_TEST(labels_become_blocks)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  aq_label loop, out;
  aq_dispatch d = tiny(1);
  aq_builder_label(builder, &loop, &diag);
  aq_builder_label(builder, &out, &diag);
  add(builder, &d);
  ck_assert_status(aq_builder_place(builder, loop, &diag), AQ_OK, &diag);
  add(builder, &d);
  ck_assert_status(aq_builder_branch_if(builder,
                                        &(aq_test){.value = aq_ref_slot(0, 4),
                                                   .against = -1,
                                                   .condition = AQ_GE},
                                        out, &diag),
                   AQ_OK, &diag);
  ck_assert_status(aq_builder_branch(builder, loop, &diag), AQ_OK, &diag);
  ck_assert_status(aq_builder_place(builder, out, &diag), AQ_OK, &diag);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.block_count, 4);
  ck_assert_uint_eq(program.blocks[0]->target, 1);
  ck_assert_uint_eq(program.blocks[1]->terminator, AQ_OP_BRANCH_IF);
  ck_assert_uint_eq(program.blocks[1]->target, 3);
  ck_assert_uint_eq(program.blocks[1]->next, 2);
  ck_assert_uint_eq(program.blocks[1]->packets, 2);
  ck_assert_uint_eq(program.blocks[2]->target, 1);
  ck_assert_uint_eq(program.slot_sizes[0], 8);
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(where_the_flow_joins_packets_release_to_the_system)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  aq_label label;
  aq_dispatch d = tiny(1);
  aq_builder_label(builder, &label, &diag);
  add(builder, &d);
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_NONE);
  ck_assert_status(aq_builder_place(builder, label, &diag), AQ_OK, &diag);
  add(builder, &d);
  aq_program program = end(builder);
  /* The barrier stays as a record: the next packet is not known there. */
  ck_assert_uint_eq(program.blocks[0]->commands, 3);
  ck_assert_uint_eq(aq_header_release(dispatch_at(&program, 0)->header),
                    AQ_SCOPE_SYSTEM);
  ck_assert_uint_eq(dispatch_at(&program, 1)->header,
                    AQ_PACKET_KERNEL_DISPATCH);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(labels_are_placed_once_and_before_the_end)
{
  aq_builder *builder = make(0);
  aq_diag diag = AQ_DIAG_INIT;
  aq_label label;
  aq_program program;
  aq_builder_label(builder, &label, &diag);
  ck_assert_status(aq_builder_branch(builder, label + 1, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_status(aq_builder_call(builder, label, &diag), AQ_OK, &diag);
  ck_assert_status(aq_builder_end(builder, &program, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_str_eq(diag.text, "label 0 is used, but not placed");
  aq_builder_reset(builder);
  aq_builder_label(builder, &label, &diag);
  ck_assert_status(aq_builder_place(builder, label, &diag), AQ_OK, &diag);
  ck_assert_status(aq_builder_place(builder, label, &diag), AQ_ERR_INVALID,
                   &diag);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(a_nested_program_is_called_with_its_ordinals_mapped)
{
  aq_builder *inner = make_with(AQ_BLOCK_SIZE_MIN, false);
  aq_builder *outer = make_with(AQ_BLOCK_SIZE_MIN, false);
  aq_diag diag = AQ_DIAG_INIT;
  aq_ref refs[2] = {aq_ref_slot(0, 16)};
  uint32_t other;
  aq_label entry;
  aq_builder_kernel(inner, "other", 7, &other, &diag);
  aq_builder_buffer(inner, &diag, 64, &refs[1], &diag);
  aq_dispatch d = tiny(5);
  d.kernel = other;
  d.bindings = refs;
  d.binding_count = 2;
  for (int i = 0; i < 3; i++)
    add(inner, &d);
  aq_program nested = end(inner);
  ck_assert_uint_gt(nested.block_count, 1);

  aq_ref mine;
  d = tiny(1);
  aq_builder_buffer(outer, outer, 64, &mine, &diag);
  add(outer, &d);
  const uint32_t slots[] = {9};
  ck_assert_status(aq_builder_nest(outer, &nested, slots, &entry, &diag), AQ_OK,
                   &diag);
  aq_builder_destroy(inner);
  add(outer, &d);
  ck_assert_status(aq_builder_call(outer, entry, &diag), AQ_OK, &diag);
  aq_program program = end(outer);
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(program.kernel_count, 2);
  ck_assert_str_eq(program.kernel_names[1], "other");
  ck_assert_uint_eq(program.slot_sizes[9], 16);
  ck_assert_uint_eq(program.statics[1].size, 64);
  const aq_op_dispatch *copy = dispatch_at(&program, 1);
  ck_assert_uint_eq(copy->kernel, 1);
  ck_assert_uint_eq(*(const aq_ref *)(copy + 1), aq_ref_slot(9, 16));
  ck_assert_uint_eq(program.packets, 5);
  aq_builder_destroy(outer);
}
END_TEST

/* A kernel is its name and its object; static buffers keep the bytes that are
 * touched. */
START_TEST(kernels_and_buffers_of_a_nested_program_are_its_own)
{
  aq_builder *inner = make_with(AQ_BLOCK_SIZE_MIN, false);
  aq_builder *outer = make_with(AQ_BLOCK_SIZE_MIN, false);
  aq_diag diag = AQ_DIAG_INIT;
  aq_ref ref, mine;
  uint32_t twin;
  aq_builder_kernel(inner, "k", 0xdef, &twin, &diag);
  aq_builder_buffer(inner, &diag, 64, &ref, &diag);
  aq_builder_buffer(outer, outer, 64, &mine, &diag);
  aq_dispatch d = tiny(5);
  d.kernel = twin;
  d.bindings = &ref;
  d.binding_count = 1;
  add(inner, &d);
  ck_assert_status(aq_builder_fill(inner, ref, 48, 0, 1, &diag), AQ_OK, &diag);
  aq_program nested = end(inner);
  ck_assert_status(aq_builder_nest(outer, &nested, NULL, NULL, &diag), AQ_OK,
                   &diag);
  aq_builder_destroy(inner);
  aq_program program = end(outer);
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(program.kernel_count, 2);
  ck_assert_uint_eq(program.kernel_objects[0], 0xabc);
  ck_assert_uint_eq(program.kernel_objects[1], 0xdef);
  ck_assert_uint_eq(program.static_sizes[1], 48);
  const aq_op_dispatch *copy = dispatch_at(&program, 0);
  ck_assert_uint_eq(copy->kernel, 1);
  ck_assert_uint_eq(
      *(const aq_ref *)aq_block_at(program.blocks[1], copy->rodata),
      aq_ref_static(1, 0));
  aq_builder_destroy(outer);
}
END_TEST

START_TEST(a_program_nests_only_in_blocks_of_its_size)
{
  aq_builder *inner = make(256), *outer = make(512);
  aq_diag diag = AQ_DIAG_INIT;
  aq_program nested = end(inner);
  ck_assert_status(aq_builder_nest(outer, &nested, NULL, NULL, &diag),
                   AQ_ERR_INVALID, &diag);
  aq_builder_destroy(inner);
  aq_builder_destroy(outer);
}
END_TEST

/* ---- threads ---- */

typedef struct recording {
  pthread_t thread;
  uint32_t seed;
  aq_builder *builder;
  aq_program program;
} recording;

static void *record_many(void *user)
{
  recording *r = user;
  for (int round = 0; round < 20; round++) {
    aq_builder_reset(r->builder);
    for (uint32_t i = 0; i < 200; i++) {
      aq_dispatch d = tiny(r->seed + i);
      const aq_ref refs[2] = {aq_ref_slot(i % 7, i), aq_ref_slot(1, 0)};
      d.bindings = refs;
      d.binding_count = 2;
      if (aq_builder_dispatch(r->builder, &d, NULL) != AQ_OK)
        return NULL;
    }
    if (aq_builder_end(r->builder, &r->program, NULL) != AQ_OK)
      return NULL;
  }
  return r;
}

START_TEST(threads_record_into_builders_of_their_own)
{
  recording rs[4];
  for (uint32_t i = 0; i < 4; i++) {
    rs[i] = (recording){.seed = 1000 * i, .builder = make_with(1024, i % 2)};
    ck_assert_int_eq(pthread_create(&rs[i].thread, NULL, record_many, &rs[i]),
                     0);
  }
  for (uint32_t i = 0; i < 4; i++) {
    void *result;
    pthread_join(rs[i].thread, &result);
    ck_assert_ptr_nonnull(result);
    ck_assert_uint_eq(rs[i].program.packets, 200);
    ck_assert_uint_eq(dispatch_at(&rs[i].program, 199)->group_size,
                      rs[i].seed + 199);
    aq_builder_destroy(rs[i].builder);
  }
}
END_TEST

AQ_TEST_MAIN("cmdbuf/builder", a_dispatch_is_recorded_as_its_packet_will_be,
             a_dispatch_has_as_many_dimensions_as_grid_or_workgroup,
             headers_count_what_their_blocks_need,
             a_barrier_folds_into_the_dispatches_around_it,
             barriers_side_by_side_merge_to_the_wider_scopes,
             a_barrier_folds_across_a_block_split,
             a_trailing_barrier_is_kept_as_a_record,
             blocks_are_self_consistent_however_often_they_split,
             a_reset_builder_reuses_its_blocks,
             nothing_of_a_recording_is_left_after_a_reset,
             bytes_behind_the_end_of_an_update_are_zero,
             arguments_in_a_buffer_have_the_size_that_was_given,
             an_empty_program_is_one_block_with_a_return,
             what_cannot_be_recorded_is_refused_and_changes_nothing,
             the_strategy_follows_from_bindings_and_reuse,
             a_recorded_dispatch_is_small,
             buffers_are_stated_as_large_as_they_are_touched,
             bad_transfers_are_refused, labels_become_blocks,
             where_the_flow_joins_packets_release_to_the_system,
             labels_are_placed_once_and_before_the_end,
             a_nested_program_is_called_with_its_ordinals_mapped,
             kernels_and_buffers_of_a_nested_program_are_its_own,
             a_program_nests_only_in_blocks_of_its_size,
             threads_record_into_builders_of_their_own)
