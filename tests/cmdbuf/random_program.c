/* SPDX-License-Identifier: MIT */
#include "cmdbuf/random_program.h"

#include <stdio.h>
#include <string.h>

#include "support/aqtest.h"

enum { LABELS = 5, BINDINGS = 6, CONSTANTS = 64, UPDATE = 100 };

typedef struct recorder {
  aq_builder *builder;
  uint64_t state;
  aq_ref statics[2];
  aq_label labels[LABELS];
  bool used[LABELS], placed[LABELS];
  aq_dispatch last;
  aq_diag diag;
} recorder;

#define ck_ok(call) ck_assert_status(call, AQ_OK, &r->diag)

uint64_t random_below(uint64_t *state, uint64_t limit)
{
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (*state >> 33) % limit;
}

static uint32_t below(recorder *r, uint32_t limit)
{
  return (uint32_t)random_below(&r->state, limit);
}

static aq_ref place(recorder *r, bool statics, uint64_t align, uint64_t size)
{
  const uint64_t at =
      random_below(&r->state, (RANDOM_BUFFER - size) / align + 1) * align;
  return statics && below(r, 3) == 0 ? r->statics[below(r, 2)] + at
                                     : aq_ref_slot(below(r, RANDOM_SLOTS), at);
}

static aq_dispatch dispatch_make(recorder *r, aq_ref *bindings,
                                 unsigned char *constants)
{
  const uint32_t kind = below(r, 4); /* none, slots, mixed, statics */
  aq_dispatch d = {.kernel = below(r, RANDOM_KERNELS),
                   .workgroup = {1, 1, 1},
                   .group_size = below(r, 65536),
                   .private_size = below(r, 256),
                   .bindings = bindings,
                   .binding_count = kind == 0 ? 0 : 1 + below(r, BINDINGS),
                   .constants = constants};
  for (int i = 0; i < 3; i++) {
    d.grid[i] = 1 + below(r, 100000);
    d.workgroup[i] = (uint16_t)(1 + below(r, 8));
  }
  /* Shapes that repeat, whole or in part. */
  if (below(r, 2))
    memcpy(d.workgroup, r->last.workgroup, sizeof d.workgroup);
  if (below(r, 2))
    d.group_size = r->last.group_size;
  if (below(r, 2))
    d.private_size = r->last.private_size;
  r->last = d;
  for (uint32_t i = 0; i < d.binding_count; i++)
    bindings[i] = kind == 3 ? r->statics[below(r, 2)] + below(r, 100)
                            : place(r, kind == 2, 1, 1);
  d.constant_size = below(r, CONSTANTS + 1) & ~3u;
  for (uint32_t i = 0; i < d.constant_size; i++)
    constants[i] = (unsigned char)below(r, 256);
  return d;
}

static void dispatch_add(recorder *r)
{
  aq_ref bindings[BINDINGS];
  unsigned char constants[CONSTANTS];
  aq_dispatch d = dispatch_make(r, bindings, constants);
  switch (below(r, 6)) {
  case 0:
    ck_ok(aq_builder_dispatch_params(r->builder, &d, place(r, true, 4, 12),
                                     &r->diag));
    break;
  case 1:
    d.binding_count = d.constant_size = 0;
    ck_ok(aq_builder_dispatch_args(r->builder, &d, place(r, true, 16, 256),
                                   16 + below(r, 240), &r->diag));
    break;
  default:
    ck_ok(aq_builder_dispatch(r->builder, &d, &r->diag));
  }
}

static void transfer_add(recorder *r)
{
  unsigned char bytes[UPDATE];
  const uint32_t size = 1u << below(r, 4), count = 1 + below(r, 64);
  switch (below(r, 3)) {
  case 0:
    ck_ok(aq_builder_fill(r->builder, place(r, true, 8, size * count),
                          size * count, r->state, size, &r->diag));
    break;
  case 1:
    ck_ok(aq_builder_copy(r->builder, place(r, true, 1, count),
                          place(r, true, 1, count), count, &r->diag));
    break;
  default:
    for (uint32_t i = 0; i < UPDATE; i++)
      bytes[i] = (unsigned char)below(r, 256);
    ck_ok(aq_builder_update(r->builder, place(r, true, 4, UPDATE), bytes,
                            1 + below(r, UPDATE), &r->diag));
  }
}

/* Walks alone: no queue runs them, so a wait may wait for any value. */
static void value_add(recorder *r)
{
  const uint32_t size = below(r, 2) ? 4 : 8;
  const aq_atomic_op op = (aq_atomic_op)below(r, AQ_ATOMIC_OP_COUNT);
  const aq_command_atomic atomic = {.target = place(r, true, 8, 8),
                                    .size = size,
                                    .op = op,
                                    .operand = r->state,
                                    .expected = r->state >> 7,
                                    .result = place(r, true, 8, 8),
                                    .returns =
                                        op != AQ_ATOMIC_STORE && below(r, 2)};
  const uint64_t mask = below(r, 2) ? 0 : 0x7fff;
  const aq_command_wait wait = {.value = place(r, true, 8, 8),
                                .size = size,
                                .condition = (aq_condition)below(r, 4),
                                .against = below(r, 0x7fff),
                                .mask = mask};
  if (below(r, 2))
    ck_ok(aq_builder_atomic(r->builder, &atomic, &r->diag));
  else
    ck_ok(aq_builder_wait_value(r->builder, &wait, &r->diag));
}

static aq_label label_use(recorder *r)
{
  const uint32_t i = below(r, LABELS);
  if (!r->used[i])
    ck_ok(aq_builder_label(r->builder, &r->labels[i], &r->diag));
  r->used[i] = true;
  return r->labels[i];
}

static void label_place(recorder *r, uint32_t i)
{
  if (r->placed[i])
    return;
  if (!r->used[i])
    ck_ok(aq_builder_label(r->builder, &r->labels[i], &r->diag));
  r->used[i] = r->placed[i] = true;
  ck_ok(aq_builder_place(r->builder, r->labels[i], &r->diag));
}

static void flow_add(recorder *r)
{
  aq_test test;
  switch (below(r, 6)) {
  case 0:
    ck_ok(aq_builder_branch(r->builder, label_use(r), &r->diag));
    break;
  case 1:
    ck_ok(aq_builder_call(r->builder, label_use(r), &r->diag));
    break;
  case 2:
    ck_ok(aq_builder_return(r->builder, &r->diag));
    break;
  default:
    test = (aq_test){.wide = below(r, 2),
                     .against = (int64_t)below(r, 3) - 1,
                     .condition = (aq_condition)below(r, 4)};
    test.value = place(r, true, 8, 8);
    ck_ok(aq_builder_branch_if(r->builder, &test, label_use(r), &r->diag));
  }
}

static void command_add(recorder *r)
{
  const uint32_t kind = below(r, 22);
  if (kind >= 20)
    value_add(r);
  else if (kind < 9)
    dispatch_add(r);
  else if (kind < 12)
    transfer_add(r);
  else if (kind < 15)
    aq_builder_barrier(r->builder, (aq_fence_scope)below(r, 3),
                       (aq_fence_scope)below(r, 3));
  else if (kind < 16)
    ck_ok(aq_builder_marker(r->builder, (aq_marker_kind)below(r, 3), r->state,
                            &r->diag));
  else if (kind < 18)
    label_place(r, below(r, LABELS));
  else
    flow_add(r);
}

aq_builder *random_program(uint64_t seed, const aq_binding statics[2],
                           aq_program *out)
{
  recorder whole = {.state = seed * 2654435761u + 1,
                    .last = {.workgroup = {1, 1, 1}},
                    .diag = AQ_DIAG_INIT};
  recorder *r = &whole;
  const aq_builder_options options = {.block_size = 512u << below(r, 4),
                                      .one_shot = below(r, 4) == 0};
  ck_ok(aq_builder_create(&options, &r->builder, &r->diag));
  for (uint32_t i = 0; i < RANDOM_KERNELS; i++) {
    uint32_t ordinal;
    char name[16];
    snprintf(name, sizeof name, "k%u", i);
    ck_ok(aq_builder_kernel(r->builder, name, 0x1000 * (i + 1), &ordinal,
                            &r->diag));
  }
  for (int i = 0; i < 2; i++)
    ck_ok(aq_builder_buffer(r->builder, statics[i].address, statics[i].size,
                            &r->statics[i], &r->diag));
  for (uint32_t count = 1 + below(r, 60); count > 0; count--)
    command_add(r);
  for (uint32_t i = 0; i < LABELS; i++)
    if (r->used[i])
      label_place(r, i);
  ck_ok(aq_builder_end(r->builder, out, &r->diag));
  return r->builder;
}
