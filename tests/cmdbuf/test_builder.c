/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <string.h>

#include "cmdbuf/builder.h"

static aq_dispatch tiny(uint64_t object)
{
  return (aq_dispatch){
      .kernel_object = object, .grid = {64, 1, 1}, .workgroup = {64, 1, 1}};
}

static aq_builder *make(uint32_t block_size)
{
  aq_builder *builder;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_builder_create(block_size, &builder, &diag), AQ_OK,
                   &diag);
  return builder;
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
    uint32_t at = block->commands_offset;
    while (at < block->commands_offset + block->commands_size) {
      const aq_op *op = aq_block_at(block, at);
      if (op->code == AQ_OP_DISPATCH && n-- == 0)
        return (const aq_op_dispatch *)op;
      at += op->size * 8u;
    }
  }
  return NULL;
}

START_TEST(a_dispatch_is_recorded_as_the_start_of_its_packet)
{
  aq_builder *builder = make(0);
  const uint64_t args[2] = {1, 2};
  aq_dispatch d = {.kernel_object = 0xabc,
                   .grid = {512, 4, 1},
                   .workgroup = {128, 2, 1},
                   .group_size = 1024,
                   .private_size = 16,
                   .kernarg = args,
                   .kernarg_size = sizeof args};
  add(builder, &d);
  aq_program program = end(builder);
  const aq_op_dispatch *record = dispatch_at(&program, 0);
  ck_assert_int_eq(record->op.size, 8);
  ck_assert_uint_eq(record->image.header, AQ_PACKET_KERNEL_DISPATCH);
  ck_assert_uint_eq(record->image.setup, 2);
  ck_assert_uint_eq(record->image.grid_size[0], 512);
  ck_assert_uint_eq(record->image.workgroup_size[1], 2);
  ck_assert_uint_eq(record->image.group_segment_size, 1024);
  ck_assert_uint_eq(record->image.private_segment_size, 16);
  ck_assert_uint_eq(record->image.kernel_object, 0xabc);
  const aq_block *block = program.blocks[0];
  ck_assert_int_eq(
      memcmp(aq_block_at(block, record->kernarg_offset), args, sizeof args), 0);
  ck_assert_uint_eq(block->rodata_size, sizeof args);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(headers_count_what_their_blocks_need)
{
  aq_builder *builder = make(0);
  unsigned char args[100] = {7};
  aq_dispatch d = tiny(1);
  add(builder, &d);
  d.kernarg = args;
  d.kernarg_size = sizeof args;
  add(builder, &d);
  d.kernarg_size = 8;
  add(builder, &d);
  aq_program program = end(builder);
  const aq_block *block = program.blocks[0];
  ck_assert_uint_eq(program.block_count, 1);
  ck_assert_uint_eq(block->packets, 3);
  ck_assert_uint_eq(block->dispatches, 3);
  ck_assert_uint_eq(block->kernarg_size, 128 + 64);
  ck_assert_uint_eq(block->kernarg_max, 128);
  ck_assert_uint_eq(block->command_count, 4);
  ck_assert_uint_eq(block->commands_size, 3 * 64 + 8);
  ck_assert_uint_eq(block->terminator, AQ_OP_RETURN);
  ck_assert_uint_eq(block->target, AQ_BLOCK_NO_TARGET);
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
  ck_assert_uint_eq(program.blocks[0]->command_count, 3);
  ck_assert_uint_eq(dispatch_at(&program, 0)->image.header,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                     AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM));
  ck_assert_uint_eq(dispatch_at(&program, 1)->image.header,
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
  ck_assert_uint_eq(aq_header_release(dispatch_at(&program, 0)->image.header),
                    AQ_SCOPE_AGENT);
  ck_assert_uint_eq(aq_header_acquire(dispatch_at(&program, 1)->image.header),
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
  ck_assert_uint_eq(aq_header_release(dispatch_at(&program, 1)->image.header),
                    AQ_SCOPE_AGENT);
  ck_assert_uint_eq(aq_header_barrier(dispatch_at(&program, 1)->image.header),
                    0);
  ck_assert_uint_eq(aq_header_barrier(dispatch_at(&program, 2)->image.header),
                    1);
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
    d.kernarg = args;
    d.kernarg_size = i % 41;
    add(builder, &d);
  }
  aq_program program = end(builder);
  ck_assert_uint_eq(program.packets, 1000);
  uint32_t command = 0;
  for (uint32_t b = 0; b < program.block_count; b++) {
    const aq_block *block = program.blocks[b];
    ck_assert_uint_eq(block->ordinal, b);
    ck_assert_uint_le(block->commands_offset + block->commands_size,
                      block->rodata_offset);
    ck_assert_uint_eq(block->rodata_offset + block->rodata_size, block->size);
    uint32_t at = block->commands_offset, count = 0;
    for (; at < block->commands_offset + block->commands_size; count++) {
      const aq_op *op = aq_block_at(block, at);
      ck_assert_uint_eq(op->index, command++);
      at += op->size * 8u;
    }
    ck_assert_uint_eq(count, block->command_count);
  }
  for (unsigned i = 0; i < 1000; i++)
    ck_assert_uint_eq(dispatch_at(&program, i)->image.kernel_object, i);
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

START_TEST(an_empty_program_is_one_block_with_a_return)
{
  aq_builder *builder = make(0);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.block_count, 1);
  ck_assert_uint_eq(program.packets, 0);
  ck_assert_uint_eq(program.blocks[0]->command_count, 1);
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(what_cannot_be_recorded_is_refused_and_changes_nothing)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builder;
  ck_assert_status(aq_builder_create(300, &builder, &diag), AQ_ERR_INVALID,
                   &diag);
  builder = make(AQ_BLOCK_SIZE_MIN);
  unsigned char args[256] = {0};
  aq_dispatch d = tiny(1);
  add(builder, &d);
  d.kernarg = args;
  d.kernarg_size = sizeof args;
  ck_assert_status(aq_builder_dispatch(builder, &d, &diag), AQ_ERR_INVALID,
                   &diag);
  ck_assert_str_eq(diag.text, "dispatch: 256 bytes of arguments, a block of "
                              "256 holds at most 104");
  d.kernarg_size = 104;
  add(builder, &d);
  d.grid[1] = 0;
  ck_assert_status(aq_builder_dispatch(builder, &d, &diag), AQ_ERR_INVALID,
                   &diag);
  aq_program program = end(builder);
  ck_assert_uint_eq(program.packets, 2);
  aq_builder_destroy(builder);
}
END_TEST

AQ_TEST_MAIN("cmdbuf/builder",
             a_dispatch_is_recorded_as_the_start_of_its_packet,
             headers_count_what_their_blocks_need,
             a_barrier_folds_into_the_dispatches_around_it,
             barriers_side_by_side_merge_to_the_wider_scopes,
             a_barrier_folds_across_a_block_split,
             a_trailing_barrier_is_kept_as_a_record,
             blocks_are_self_consistent_however_often_they_split,
             a_reset_builder_reuses_its_blocks,
             an_empty_program_is_one_block_with_a_return,
             what_cannot_be_recorded_is_refused_and_changes_nothing)
