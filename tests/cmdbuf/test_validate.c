/* SPDX-License-Identifier: MIT */
/* One malformed program a rule: each changes a sound one in one place. */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/opcodes.h"
#include "cmdbuf/validate.h"

enum { BLOCK = 1024, BLOCKS = 8 };

/* A sound program with every opcode and strategy, and a copy to spoil. */
typedef struct patient {
  aq_builder *builder;
  aq_program program;
  aq_block *copies[BLOCKS];
  uint64_t slot_sizes[2], static_sizes[1];
  aq_diag diag;
} patient;

static void dispatch(patient *p, const aq_ref *refs, uint32_t count,
                     uint32_t constants)
{
  const unsigned char bytes[16] = {1, 2, 3};
  const aq_dispatch d = {.grid = {64, 1, 1},
                         .workgroup = {64, 1, 1},
                         .bindings = refs,
                         .binding_count = count,
                         .constants = bytes,
                         .constant_size = constants};
  ck_assert_status(aq_builder_dispatch(p->builder, &d, &p->diag), AQ_OK,
                   &p->diag);
}

/* Block 0: everything straight, then a call; 1: a condition on 2 or the end; 2:
 * a loop back; 3: the end; 4: the called block. */
static void record(patient *p)
{
  aq_label body, loop, out;
  aq_ref fixed;
  aq_builder *b = p->builder;
  const aq_dispatch bare = {.grid = {64, 1, 1}, .workgroup = {64, 1, 1}};
  aq_builder_buffer(b, NULL, 4096, &fixed, &p->diag);
  aq_builder_label(b, &body, &p->diag);
  aq_builder_label(b, &loop, &p->diag);
  aq_builder_label(b, &out, &p->diag);
  dispatch(p, (aq_ref[]){fixed + 8, fixed}, 2, 4);
  dispatch(p, (aq_ref[]){aq_ref_slot(0, 8), aq_ref_slot(1, 0)}, 2, 4);
  dispatch(p, (aq_ref[]){aq_ref_slot(0, 8), fixed}, 2, 0);
  aq_builder_dispatch_params(b, &bare, aq_ref_slot(0, 16), &p->diag);
  aq_builder_dispatch_args(b, &bare, aq_ref_slot(1, 32), 24, &p->diag);
  aq_builder_fill(b, aq_ref_slot(0, 0), 64, 5, 4, &p->diag);
  aq_builder_copy(b, aq_ref_slot(1, 0), fixed + 64, 64, &p->diag);
  aq_builder_update(b, aq_ref_slot(1, 60), "abcde", 5, &p->diag);
  aq_builder_marker_named(b, AQ_MARKER_BEGIN, 1, "eight ch", &p->diag);
  aq_builder_barrier(b, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  aq_builder_call(b, body, &p->diag);
  aq_builder_place(b, loop, &p->diag);
  aq_builder_branch_if(b, &(aq_test){aq_ref_slot(1, 56), 0, AQ_LT, true}, out,
                       &p->diag);
  dispatch(p, NULL, 0, 0);
  aq_builder_branch(b, loop, &p->diag);
  aq_builder_place(b, out, &p->diag);
  aq_builder_return(b, &p->diag);
  aq_builder_place(b, body, &p->diag);
  dispatch(p, NULL, 0, 0);
  aq_builder_atomic(b,
                    &(aq_command_atomic){.target = aq_ref_slot(0, 48),
                                         .size = 8,
                                         .op = AQ_ATOMIC_ADD,
                                         .operand = 1},
                    &p->diag);
  aq_builder_wait_value(b,
                        &(aq_command_wait){.value = aq_ref_slot(0, 48),
                                           .size = 4,
                                           .condition = AQ_GE,
                                           .against = 1},
                        &p->diag);
  aq_builder_return(b, &p->diag);
}

static patient *patient_make(void)
{
  patient *p = calloc(1, sizeof *p);
  const aq_builder_options options = {.block_size = BLOCK};
  uint32_t kernel;
  ck_assert_status(aq_builder_create(&options, &p->builder, &p->diag), AQ_OK,
                   &p->diag);
  aq_builder_kernel(p->builder, "k", 1, &kernel, &p->diag);
  record(p);
  ck_assert_status(aq_builder_end(p->builder, &p->program, &p->diag), AQ_OK,
                   &p->diag);
  ck_assert_uint_eq(p->program.block_count, 5);
  for (uint32_t i = 0; i < p->program.block_count; i++) {
    p->copies[i] = aligned_alloc(64, BLOCK);
    memcpy(p->copies[i], p->program.blocks[i], BLOCK);
  }
  memcpy(p->slot_sizes, p->program.slot_sizes, sizeof p->slot_sizes);
  memcpy(p->static_sizes, p->program.static_sizes, sizeof p->static_sizes);
  p->program.blocks = (const aq_block *const *)p->copies;
  p->program.slot_sizes = p->slot_sizes;
  p->program.static_sizes = p->static_sizes;
  ck_assert_status(aq_program_validate(&p->program, &p->diag), AQ_OK, &p->diag);
  return p;
}

static void patient_free(patient *p)
{
  for (int i = 0; i < BLOCKS; i++)
    free(p->copies[i]);
  aq_builder_destroy(p->builder);
  free(p);
}

/* The n-th record of a block. */
static void *record_at(patient *p, uint32_t block, uint32_t n)
{
  unsigned char *at = (unsigned char *)p->copies[block] + sizeof(aq_block);
  for (; n > 0; n--)
    at += ((aq_op *)at)->size * 8u;
  return at;
}

enum { PREPUBLISHED, DYNAMIC, TEMPLATE, PARAMS, ARGS, FILL, COPY, UPDATE };
enum { MARKER = 8, BARRIER, CALL };

static void *op(patient *p, uint32_t n)
{
  return record_at(p, 0, n);
}

/* ---- the ways to spoil it ---- */

typedef struct disease {
  void (*spoil)(patient *p);
  const char *says; /* part of the line that refuses it */
} disease;

/* A block's commands by other numbers, all that it says of them. */
static void first_move(aq_block *block, uint32_t by)
{
  unsigned char *at = (unsigned char *)block + block->header_size;
  block->first += by;
  for (uint32_t i = 0; i < block->commands; i++) {
    aq_op *op = (aq_op *)(void *)at;
    op->index += by;
    at += op->size * 8u;
  }
}

#define SPOIL(name, ...)                                                       \
  static void name(patient *p)                                                 \
  {                                                                            \
    __VA_ARGS__;                                                               \
  }

#define D(n)    ((aq_op_dispatch *)op(p, n))
#define TAIL(n) ((uint64_t *)(uintptr_t)aq_op_tail(op(p, n)))

/* Blocks. */
SPOIL(magic, p->copies[1]->magic++)
SPOIL(version, p->copies[1]->version++)
SPOIL(header_size, p->copies[1]->header_size = 72)
SPOIL(ordinal, p->copies[1]->ordinal = 2)
SPOIL(size, p->copies[1]->size = 2 * BLOCK)
SPOIL(odd_commands, p->copies[1]->commands_size -= 4)
SPOIL(no_commands, p->copies[1]->commands_size = 0)
SPOIL(many_commands, p->copies[1]->commands_size = BLOCK)
SPOIL(rodata_high, p->copies[0]->rodata = BLOCK + 16)
SPOIL(rodata_low, p->copies[0]->rodata = 16)
SPOIL(rodata_odd, p->copies[1]->rodata -= 8)
SPOIL(block_zero, p->copies[1]->zero[2] = 1)
SPOIL(first, p->copies[1]->first++)
SPOIL(first_moved, first_move(p->copies[1], 1000))
SPOIL(count_commands, p->copies[0]->commands++)
SPOIL(count_packets, p->copies[0]->packets--)
SPOIL(count_packets_up, p->copies[0]->packets++)
SPOIL(count_kernarg, p->copies[0]->kernarg_size -= 64)
SPOIL(count_max, p->copies[0]->kernarg_max = 128)
SPOIL(count_dispatches, p->copies[0]->dispatches++)
SPOIL(count_markers, p->copies[0]->markers = 0)
SPOIL(says_terminator, p->copies[0]->terminator = AQ_OP_RETURN)
SPOIL(says_target, p->copies[0]->target = 3)
SPOIL(call_back, ((aq_op_call *)op(p, CALL))->target = p->copies[0]->target = 0)
SPOIL(says_next, p->copies[0]->next = 3)

/* Records. */
SPOIL(opcode_0, D(0)->op.code = 0)
SPOIL(opcode_255, D(0)->op.code = 255)
SPOIL(record_0, D(0)->op.size = 0)
SPOIL(record_short, D(0)->op.size = 7)
SPOIL(record_long, D(0)->op.size = 1000)
SPOIL(index_off, D(0)->op.index = 7)
SPOIL(ends_early, ((aq_op *)op(p, BARRIER))->code = AQ_OP_RETURN)
SPOIL(ends_never, ((aq_op *)record_at(p, 3, 0))->code = AQ_OP_BARRIER)
SPOIL(barrier_flags, ((aq_op *)op(p, BARRIER))->flags = 3)
SPOIL(marker_flags, ((aq_op *)op(p, MARKER))->flags = 3)
SPOIL(marker_nameless, ((char *)op(p, MARKER))[16] = 0)
SPOIL(marker_endless, memset((char *)op(p, MARKER) + 16, 'a', 16))
SPOIL(marker_behind, ((char *)op(p, MARKER))[31] = 'a')
SPOIL(branch_if_flags, ((aq_op *)record_at(p, 1, 0))->flags = 8)
SPOIL(fill_flags, ((aq_op *)op(p, FILL))->flags = 1)
SPOIL(call_flags, ((aq_op *)op(p, CALL))->flags = 1)
SPOIL(strategy, D(0)->op.flags = AQ_ARGS_LIMIT)

/* Fields. */
SPOIL(reserved, D(0)->zero1[1] = 1)
SPOIL(header_type, D(0)->header = AQ_PACKET_BARRIER_AND)
SPOIL(header_invalid, ((aq_op_fill *)op(p, FILL))->header = AQ_PACKET_INVALID)
SPOIL(header_scope, D(0)->header |= 3 << AQ_HEADER_ACQUIRE_SHIFT)
SPOIL(header_release, D(0)->header |= 3 << AQ_HEADER_RELEASE_SHIFT)
SPOIL(header_bits, D(0)->header |= 0x8000)
SPOIL(kernel, D(0)->kernel = 1)
SPOIL(target, p->copies[0]->target = ((aq_op_call *)op(p, CALL))->target = 5)
SPOIL(next, p->copies[0]->next = ((aq_op_call *)op(p, CALL))->next = 5)
SPOIL(dimensions_0, D(0)->setup = 0)
SPOIL(dimensions_4, D(0)->setup = 4)
SPOIL(grid, D(0)->grid[2] = 0)
SPOIL(workgroup, D(0)->workgroup[0] = 0)
SPOIL(pattern, ((aq_op_fill *)op(p, FILL))->pattern_size = 3)
SPOIL(pattern_bytes, ((aq_op_fill *)op(p, FILL))->bytes = 62)
SPOIL(no_bytes, ((aq_op_copy *)op(p, COPY))->bytes = 0)
SPOIL(many_bytes, ((aq_op_copy *)op(p, COPY))->bytes = UINT64_MAX)

/* Arguments. */
SPOIL(rodata_of_another, D(PREPUBLISHED)->rodata = 64)
SPOIL(rodata_unaligned, D(PREPUBLISHED)->rodata += 8)
SPOIL(rodata_end, D(PREPUBLISHED)->kernarg_size = 600)
SPOIL(rodata_unused, D(DYNAMIC)->rodata = D(PREPUBLISHED)->rodata)
SPOIL(huge_kernarg, D(PREPUBLISHED)->kernarg_size = UINT32_MAX)
SPOIL(no_arguments, D(0)->kernarg_size = D(0)->bindings = 0)
SPOIL(arguments_of_none, D(0)->op.flags = AQ_ARGS_NONE)
SPOIL(bindings_many, D(PREPUBLISHED)->bindings = 9)
SPOIL(bindings_none, D(PARAMS)->bindings = 1)
SPOIL(dynamic_none, D(DYNAMIC)->bindings = 0)
SPOIL(dynamic_static, TAIL(DYNAMIC)[0] = aq_ref_static(0, 0))
SPOIL(patches_elsewhere, D(DYNAMIC)->patches = 1)
SPOIL(patch_place, ((uint16_t *)(TAIL(TEMPLATE) + 1))[0] = 2)
SPOIL(patch_static, TAIL(TEMPLATE)[0] = aq_ref_static(0, 0))
SPOIL(patch_count, D(TEMPLATE)->patches = 2)
SPOIL(tail_short, D(DYNAMIC)->kernarg_size = 32)
SPOIL(args_have_args, D(ARGS)->op.flags = AQ_ARGS_DIRECT)
SPOIL(args_unaligned, ((aq_op_dispatch_args *)op(p, ARGS))->args += 8)
SPOIL(update_tail, ((aq_op_update *)op(p, UPDATE))->bytes = 9)

/* Places in buffers. */
SPOIL(no_slot, TAIL(DYNAMIC)[0] = aq_ref_slot(2, 0))
SPOIL(no_static, ((aq_op_copy *)op(p, COPY))->source = aq_ref_static(1, 0))
SPOIL(slot_offset, TAIL(DYNAMIC)[0] = aq_ref_slot(0, 65))
SPOIL(slot_size, p->slot_sizes[0] = 63)
SPOIL(static_size, p->static_sizes[0] = 127)
SPOIL(params_end, ((aq_op_dispatch_params *)op(p, PARAMS))->params += 40)
SPOIL(args_end, ((aq_op_dispatch_args *)op(p, ARGS))->kernarg_size = 40)
SPOIL(value_end, ((aq_op_branch_if *)record_at(p, 1, 0))->value += 8)
SPOIL(overflow, ((aq_op_fill *)op(p, FILL))->target = AQ_REF_OFFSET_MAX)

/* Values: block 4 has them behind a dispatch. */
#define A(p) ((aq_op_atomic *)record_at(p, 4, 1))
#define W(p) ((aq_op_wait_value *)record_at(p, 4, 2))
SPOIL(value_flags, A(p)->op.flags |= 32)
SPOIL(atomic_operation, A(p)->op.flags |= 7)
SPOIL(atomic_returns, A(p)->op.flags = AQ_ATOMIC_STORE | AQ_ATOMIC_RESULT)
SPOIL(atomic_result, A(p)->result += 8)
SPOIL(atomic_place, A(p)->target = A(p)->result = aq_ref_slot(0, 44))
SPOIL(atomic_end, A(p)->target = A(p)->result = aq_ref_slot(0, 64))
SPOIL(result_end,
      (A(p)->op.flags |= AQ_ATOMIC_RESULT, A(p)->result = aq_ref_slot(0, 64)))
SPOIL(wait_flags, W(p)->op.flags |= 8)
SPOIL(wait_mask, W(p)->mask = 0)
SPOIL(wait_bits, W(p)->mask = 2)
SPOIL(wait_wide, W(p)->mask = UINT64_MAX)
SPOIL(wait_sign, W(p)->against = 0x80000000)
SPOIL(wait_place, W(p)->value += 2)
SPOIL(wait_end, W(p)->value = aq_ref_slot(0, 64))
SPOIL(wait_passes, W(p)->header &= (uint16_t) ~(1u << AQ_HEADER_BARRIER_SHIFT))

/* Programs. */
SPOIL(no_blocks, p->program.block_count = 0)
SPOIL(sum_packets, p->program.packets++)
SPOIL(sum_kernarg, p->program.kernarg_max = 0)
SPOIL(flags_builtins, p->program.flags &= ~(uint32_t)AQ_PROGRAM_BUILTINS)
SPOIL(flags_rodata, p->program.flags &= ~(uint32_t)AQ_PROGRAM_RODATA)
SPOIL(flags_drains, p->program.flags &= ~(uint32_t)AQ_PROGRAM_DRAINS)
SPOIL(flags_atomics, p->program.flags &= ~(uint32_t)AQ_PROGRAM_ATOMICS)
SPOIL(flags_waits, p->program.flags &= ~(uint32_t)AQ_PROGRAM_WAITS)

static const disease diseases[] = {
    {magic, "block 1: no block magic"},
    {version, "block 1: version 3; 2 expected"},
    {header_size, "a header of 72 bytes"},
    {ordinal, "block 1: ordinal 2"},
    {size, "block 1: 2048 bytes; 1024 expected"},
    {odd_commands, "bytes of records below"},
    {no_commands, "0 bytes of records below"},
    {many_commands, "1024 bytes of records below"},
    {rodata_high, "below a rodata at 0x410"},
    {rodata_low, "below a rodata at 0x10"},
    {rodata_odd, "rodata at 0x3f8; a multiple of 16"},
    {block_zero, "block 1: reserved bytes are not 0"},
    {first, "block 1: its commands from 12; from 11 expected"},
    {first_moved, "block 1: its commands from 1011; from 11 expected"},
    {count_commands, "the header says 12 commands; the records say 11"},
    {count_packets, "the header says 8 packets; the records say 9"},
    {count_packets_up, "the header says 10 packets; the records say 9"},
    {count_kernarg, "bytes of kernel arguments; the records say"},
    {count_max, "bytes of the largest kernel arguments; the records say"},
    {count_dispatches, "the header says 6 dispatches"},
    {count_markers, "the header says 0 markers"},
    {says_terminator, "the header says 4 as terminator; the records say 12"},
    {says_target, "the header says 3 as target; the records say 4"},
    {call_back, "block 0: its call can come back without a return"},
    {says_next, "the header says 3 as next; the records say 1"},
    {opcode_0, "block 0, 0x40 (?): there is no opcode 0"},
    {opcode_255, "there is no opcode 255"},
    {record_0, "0 bytes; at least 64"},
    {record_short, "56 bytes; at least 64"},
    {record_long, "8000 bytes; at least 64"},
    {index_off, "(dispatch): index 7; 0 expected"},
    {ends_early, "(return): ends its block before the last record"},
    {ends_never, "(barrier): the last record of a block has to end it"},
    {barrier_flags, "(barrier): flags 0x3"},
    {marker_flags, "(marker): flags 0x3"},
    {marker_nameless, "(marker): a tail of 16 bytes that is no name"},
    {marker_endless, "(marker): a tail of 16 bytes that is no name"},
    {marker_behind, "(marker): a name with bytes behind its end"},
    {branch_if_flags, "(branch_if): flags 0x8"},
    {fill_flags, "(fill): flags 0x1"},
    {call_flags, "(call): flags 0x1"},
    {strategy, "(dispatch): flags 0x6"},
    {reserved, "zero1 is not 0"},
    {header_type, "header 0x0003; a kernel dispatch expected"},
    {header_invalid, "(fill): header 0x0001"},
    {header_scope, "a kernel dispatch expected"},
    {header_release, "a kernel dispatch expected"},
    {header_bits, "a kernel dispatch expected"},
    {kernel, "kernel 1; there are 1"},
    {target, "target block 5; there are 5"},
    {next, "next block 5; there are 5"},
    {dimensions_0, "0 dimensions"},
    {dimensions_4, "4 dimensions"},
    {grid, "a grid or workgroup of 0"},
    {workgroup, "a grid or workgroup of 0"},
    {pattern, "a pattern of 3 bytes"},
    {pattern_bytes, "a pattern of 4 bytes over 62"},
    {no_bytes, "(copy): 0 bytes"},
    {many_bytes, "(copy): 18446744073709551615 bytes"},
    {rodata_of_another, "not in the rodata from"},
    {rodata_unaligned, "not in the rodata from"},
    {rodata_end, "not in the rodata from"},
    {rodata_unused, "rodata where none is used"},
    {huge_kernarg, "4294967295 bytes of arguments"},
    {no_arguments, "0 bytes of arguments, but "},
    {arguments_of_none, "bytes of arguments, but none"},
    {bindings_many, "9 bindings in 20 bytes of arguments"},
    {bindings_none, "1 bindings where none can be"},
    {dynamic_none, "no bindings, but dynamic ones"},
    {dynamic_static, "argument 0 is static where slots are expected"},
    {patches_elsewhere, "1 patches without a template"},
    {patch_place, "patches argument 2; there are 2 bindings"},
    {patch_static, "argument 0 is static where slots are expected"},
    {patch_count, "a tail of 16 bytes; 24 expected"},
    {tail_short, "a tail of 24 bytes; 32 expected"},
    {args_have_args, "(dispatch_args): has arguments of its own"},
    {args_unaligned, "arguments at offset 40; a multiple of 16"},
    {update_tail, "(update): a tail of 8 bytes; 16 expected"},
    {no_slot, "slot 2; there are 2"},
    {no_static, "static buffer 1; there are 1"},
    {slot_offset, "bytes 65 to +0 of slot 0, which is stated as 64"},
    {slot_size, "bytes 0 to +64 of slot 0, which is stated as 63"},
    {static_size, "of static buffer 0, which is stated as 127"},
    {params_end, "(dispatch_params): bytes 56 to +12 of slot 0"},
    {args_end, "(dispatch_args): bytes 32 to +40 of slot 1"},
    {value_end, "(branch_if): bytes 64 to +8 of slot 1"},
    {overflow, "(fill): bytes 281474976710655 to +64"},
    {value_flags, "(atomic): flags 0x29"},
    {atomic_operation, "(atomic): atomic: operation 7; 0 to 6 expected"},
    {atomic_returns, "(atomic): atomic: a store has no result"},
    {atomic_result, "(atomic): a result without its flag"},
    {atomic_place, "(atomic): atomic: a value at 0x2c; a multiple of its 8"},
    {atomic_end, "(atomic): bytes 64 to +8 of slot 0"},
    {result_end, "(atomic): bytes 64 to +8 of slot 0"},
    {wait_flags, "(wait_value): flags 0xb"},
    {wait_mask, "(wait_value): wait value: mask 0x0 of a value of 4 bytes"},
    {wait_bits, "(wait_value): wait value: 0x1 has bits outside of the mask"},
    {wait_wide, "(wait_value): wait value: mask 0xffffffffffffffff of a value"},
    {wait_sign, "(wait_value): wait value: < or >= 0x80000000; less than"},
    {wait_place, "(wait_value): wait value: a value at 0x32; a multiple of"},
    {wait_end, "(wait_value): bytes 64 to +4 of slot 0"},
    {wait_passes, "(wait_value): no barrier bit"},
    {no_blocks, "program: no blocks"},
    {sum_packets, "program: its sums differ from the sums of its blocks"},
    {sum_kernarg, "program: its sums differ from the sums of its blocks"},
    {flags_builtins, "program: flags 0x1e; at least 0x1f"},
    {flags_rodata, "program: flags 0x1d; at least 0x1f"},
    {flags_drains, "program: flags 0x1b; at least 0x1f"},
    {flags_atomics, "program: flags 0x17; at least 0x1f"},
    {flags_waits, "program: flags 0xf; at least 0x1f"},
};

START_TEST(each_rule_refuses_its_program_and_says_where)
{
  for (size_t i = 0; i < sizeof diseases / sizeof *diseases; i++) {
    patient *p = patient_make();
    diseases[i].spoil(p);
    aq_status status = aq_program_validate(&p->program, &p->diag);
    ck_assert_msg(status == AQ_ERR_INPUT, "accepted, expected: %s",
                  diseases[i].says);
    ck_assert_msg(strstr(p->diag.text, diseases[i].says), "%s; expected: %s",
                  p->diag.text, diseases[i].says);
    patient_free(p);
  }
}
END_TEST

/* ---- flow ---- */

/* Builders make no program that is refused but for its flow, and refuse
 * calls that are too deep themselves. */
static aq_status flow_status(void (*record_flow)(aq_builder *, aq_diag *),
                             aq_diag *diag)
{
  aq_builder *builder;
  aq_program program;
  uint32_t kernel;
  ck_assert_status(aq_builder_create(NULL, &builder, diag), AQ_OK, diag);
  aq_builder_kernel(builder, "k", 1, &kernel, diag);
  record_flow(builder, diag);
  aq_status status = aq_builder_end(builder, &program, diag);
  if (status == AQ_OK)
    status = aq_program_validate(&program, diag);
  aq_builder_destroy(builder);
  return status;
}

static void record_empty_loop(aq_builder *b, aq_diag *diag)
{
  aq_label label;
  aq_builder_label(b, &label, diag);
  aq_builder_place(b, label, diag);
  aq_builder_marker(b, AQ_MARKER_POINT, 0, diag);
  aq_builder_branch(b, label, diag);
}

static void record_empty_pair(aq_builder *b, aq_diag *diag)
{
  aq_label one, two;
  aq_builder_label(b, &one, diag);
  aq_builder_label(b, &two, diag);
  aq_builder_place(b, one, diag);
  aq_builder_call(b, two, diag);
  aq_builder_branch(b, one, diag);
  aq_builder_place(b, two, diag);
  aq_builder_return(b, diag);
}

static void record_condition_loop(aq_builder *b, aq_diag *diag)
{
  aq_label label;
  const aq_test test = {aq_ref_slot(0, 0), 0, AQ_EQ, false};
  aq_builder_label(b, &label, diag);
  aq_builder_place(b, label, diag);
  aq_builder_branch_if(b, &test, label, diag);
}

/* A call that continues at itself: a builder does not record it. */
static void check_call_of_itself(aq_diag *diag)
{
  aq_builder *builder;
  aq_program program;
  aq_label label;
  ck_assert_status(aq_builder_create(NULL, &builder, diag), AQ_OK, diag);
  aq_builder_label(builder, &label, diag);
  aq_builder_call(builder, label, diag);
  aq_builder_return(builder, diag);
  aq_builder_place(builder, label, diag);
  aq_builder_return(builder, diag);
  ck_assert_status(aq_builder_end(builder, &program, diag), AQ_OK, diag);
  aq_block *first = (aq_block *)(uintptr_t)program.blocks[0];
  aq_op_call *call = (aq_op_call *)(first + 1);
  ck_assert_uint_eq(call->op.code, AQ_OP_CALL);
  first->next = call->next = 0;
  ck_assert_status(aq_program_validate(&program, diag), AQ_ERR_INPUT, diag);
  ck_assert_str_eq(diag->text, "block 0: on a cycle that makes no packet");
  aq_builder_destroy(builder);
}

START_TEST(a_program_that_reads_grids_says_that_it_drains)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builder;
  aq_program program;
  uint32_t kernel;
  ck_assert_status(aq_builder_create(NULL, &builder, &diag), AQ_OK, &diag);
  aq_builder_kernel(builder, "k", 1, &kernel, &diag);
  const aq_dispatch d = {.grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  aq_builder_dispatch_params(builder, &d, aq_ref_slot(0, 0), &diag);
  ck_assert_status(aq_builder_end(builder, &program, &diag), AQ_OK, &diag);
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  program.flags &= ~(uint32_t)AQ_PROGRAM_DRAINS;
  ck_assert_status(aq_program_validate(&program, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "program: flags 0x1; at least 0x5 expected");
  aq_builder_destroy(builder);
}
END_TEST

START_TEST(every_cycle_makes_a_packet)
{
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(flow_status(record_empty_loop, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "block 0: on a cycle that makes no packet");
  ck_assert_status(flow_status(record_empty_pair, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_status(flow_status(record_condition_loop, &diag), AQ_OK, &diag);
  check_call_of_itself(&diag);
}
END_TEST

static void record_recursion(aq_builder *b, aq_diag *diag)
{
  aq_label one, two;
  const aq_dispatch d = {.grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  aq_builder_label(b, &one, diag);
  aq_builder_label(b, &two, diag);
  aq_builder_place(b, one, diag);
  aq_builder_dispatch(b, &d, diag);
  aq_builder_call(b, two, diag);
  aq_builder_return(b, diag);
  aq_builder_place(b, two, diag);
  aq_builder_dispatch(b, &d, diag);
  aq_builder_branch(b, one, diag);
}

/* Calls within calls, so many deep. */
static void record_calls(aq_builder *b, aq_diag *diag, int depth)
{
  aq_label labels[AQ_CALL_DEPTH + 2];
  for (int i = 0; i < depth; i++) {
    aq_builder_label(b, &labels[i], diag);
    aq_builder_call(b, labels[i], diag);
    aq_builder_return(b, diag);
    aq_builder_place(b, labels[i], diag);
  }
  aq_builder_return(b, diag);
}

static void record_deepest(aq_builder *b, aq_diag *diag)
{
  record_calls(b, diag, AQ_CALL_DEPTH);
}

static void record_too_deep(aq_builder *b, aq_diag *diag)
{
  record_calls(b, diag, AQ_CALL_DEPTH + 1);
}

START_TEST(calls_end_and_nest_sixteen_deep)
{
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(flow_status(record_recursion, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text,
                   "block 0: its call can come back without a return");
  ck_assert_status(flow_status(record_deepest, &diag), AQ_OK, &diag);
  ck_assert_status(flow_status(record_too_deep, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "block 0: more than 16 calls within calls");
}
END_TEST

/* Seventeen programs, each nested in the next one, are sixteen calls deep. */
START_TEST(programs_nest_no_deeper_than_calls_may)
{
  enum { PROGRAMS = AQ_CALL_DEPTH + 2 };
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builders[PROGRAMS];
  aq_program programs[PROGRAMS];
  const aq_dispatch d = {.grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  uint32_t kernel;
  for (int i = 0; i < PROGRAMS; i++) {
    aq_builder *b;
    ck_assert_status(aq_builder_create(NULL, &b, &diag), AQ_OK, &diag);
    builders[i] = b;
    if (i == 0) {
      aq_builder_kernel(b, "k", 1, &kernel, &diag);
      aq_builder_dispatch(b, &d, &diag);
    } else {
      ck_assert_status(aq_builder_nest(b, &programs[i - 1], NULL, NULL, &diag),
                       AQ_OK, &diag);
    }
    ck_assert_status(aq_builder_end(b, &programs[i], &diag),
                     i <= AQ_CALL_DEPTH ? AQ_OK : AQ_ERR_INPUT, &diag);
  }
  ck_assert_str_eq(diag.text, "block 0: more than 16 calls within calls");
  ck_assert_status(aq_program_validate(&programs[AQ_CALL_DEPTH], &diag), AQ_OK,
                   &diag);
  for (int i = 0; i < PROGRAMS; i++)
    aq_builder_destroy(builders[i]);
}
END_TEST

static void record_long_chain(aq_builder *b, aq_diag *diag)
{
  for (int i = 0; i < 100000; i++) {
    aq_label label;
    aq_builder_label(b, &label, diag);
    aq_builder_marker(b, AQ_MARKER_POINT, 0, diag);
    aq_builder_place(b, label, diag);
  }
}

START_TEST(long_programs_need_no_deep_stack)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builder;
  aq_program program;
  const aq_builder_options options = {.block_size = AQ_BLOCK_SIZE_MIN};
  aq_builder_create(&options, &builder, &diag);
  record_long_chain(builder, &diag);
  ck_assert_status(aq_builder_end(builder, &program, &diag), AQ_OK, &diag);
  ck_assert_uint_gt(program.block_count, 99999);
  ck_assert_status(aq_program_validate(&program, &diag), AQ_OK, &diag);
  aq_builder_destroy(builder);
}
END_TEST

AQ_TEST_MAIN("cmdbuf/validate", each_rule_refuses_its_program_and_says_where,
             a_program_that_reads_grids_says_that_it_drains,
             every_cycle_makes_a_packet, calls_end_and_nest_sixteen_deep,
             programs_nest_no_deeper_than_calls_may,
             long_programs_need_no_deep_stack)
