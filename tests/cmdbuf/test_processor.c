/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/processor.h"

enum { SLOTS = 8 };

/* A ring and kernarg memory of our own. */
typedef struct memory {
  aq_packet packets[SLOTS];
  uint64_t write, read, doorbell;
  aq_ring ring;
  uint32_t headers[SLOTS];
  _Alignas(64) unsigned char kernarg[SLOTS * 64];
  aq_builder *builder;
} memory;

static memory *memory_make(uint32_t block_size)
{
  memory *m = aligned_alloc(64, (sizeof *m + 63) & ~(size_t)63);
  aq_diag diag = AQ_DIAG_INIT;
  memset(m, 0xee, sizeof *m);
  m->ring = (aq_ring){.packets = m->packets, .size = SLOTS};
  ck_assert_status(aq_builder_create(block_size, &m->builder, &diag), AQ_OK,
                   &diag);
  return m;
}

static void memory_free(memory *m)
{
  aq_builder_destroy(m->builder);
  free(m);
}

static aq_packet_span span_of(memory *m, uint64_t first, uint32_t slots)
{
  return (aq_packet_span){.ring = &m->ring,
                          .first = first,
                          .slots = slots,
                          .headers = m->headers,
                          .kernarg = m->kernarg,
                          .kernarg_size = sizeof m->kernarg};
}

static void record(memory *m, uint64_t object, uint32_t kernarg_size)
{
  unsigned char args[128];
  aq_diag diag = AQ_DIAG_INIT;
  memset(args, (int)object, sizeof args);
  aq_dispatch d = {.kernel_object = object,
                   .grid = {1024, 1, 1},
                   .workgroup = {256, 1, 1},
                   .group_size = 7,
                   .private_size = 9,
                   .kernarg = args,
                   .kernarg_size = kernarg_size};
  ck_assert_status(aq_builder_dispatch(m->builder, &d, &diag), AQ_OK, &diag);
}

static aq_program finish(memory *m)
{
  aq_program program;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_builder_end(m->builder, &program, &diag), AQ_OK, &diag);
  return program;
}

START_TEST(packet_bodies_are_bit_for_bit_what_was_recorded)
{
  memory *m = memory_make(0);
  record(m, 0x42, 16);
  aq_program program = finish(m);
  aq_processor walk;
  aq_packet_span span = span_of(m, 5, 1);
  aq_processor_start(&walk, &program, 0);
  ck_assert(aq_processor_fill(&walk, &span));

  aq_packet want;
  memset(&want, 0, sizeof want);
  want.header_setup = 0xeeeeeeee; /* headers are the caller's */
  want.kernel.workgroup_size[0] = 256;
  want.kernel.workgroup_size[1] = want.kernel.workgroup_size[2] = 1;
  want.kernel.grid_size[0] = 1024;
  want.kernel.grid_size[1] = want.kernel.grid_size[2] = 1;
  want.kernel.private_segment_size = 9;
  want.kernel.group_segment_size = 7;
  want.kernel.kernel_object = 0x42;
  want.kernel.kernarg_address = (uint64_t)(uintptr_t)m->kernarg;
  ck_assert_mem_eq(&m->packets[5], &want, sizeof want);
  ck_assert_uint_eq(m->headers[0], AQ_PACKET_KERNEL_DISPATCH | 1u << 16);
  for (int i = 0; i < 16; i++)
    ck_assert_uint_eq(m->kernarg[i], 0x42);
  ck_assert_uint_eq(m->kernarg[16], 0xee);
  ck_assert_uint_eq(span.kernarg_used, 64);
  memory_free(m);
}
END_TEST

START_TEST(a_dispatch_without_arguments_has_no_kernarg_address)
{
  memory *m = memory_make(0);
  record(m, 1, 0);
  aq_program program = finish(m);
  aq_processor walk;
  aq_packet_span span = span_of(m, 0, 1);
  aq_processor_start(&walk, &program, 0);
  ck_assert(aq_processor_fill(&walk, &span));
  ck_assert_uint_eq(m->packets[0].kernel.kernarg_address, 0);
  ck_assert_uint_eq(span.kernarg_used, 0);
  memory_free(m);
}
END_TEST

START_TEST(a_walk_goes_on_where_its_reservation_ended)
{
  memory *m = memory_make(AQ_BLOCK_SIZE_MIN);
  for (uint64_t i = 0; i < 7; i++)
    record(m, i, 8);
  aq_program program = finish(m);
  ck_assert_uint_gt(program.block_count, 2);
  aq_processor walk;
  aq_processor_start(&walk, &program, 0);
  uint64_t seen = 0;
  for (int part = 0; part < 3; part++) {
    aq_packet_span span = span_of(m, 6, 3);
    bool ended = aq_processor_fill(&walk, &span);
    ck_assert_int_eq(ended, part == 2);
    ck_assert_uint_eq(span.packets, part == 2 ? 1 : 3);
    for (uint32_t i = 0; i < span.packets; i++, seen++) {
      const aq_packet *packet = &m->packets[(6 + i) % SLOTS];
      ck_assert_uint_eq(packet->kernel.kernel_object, seen);
      ck_assert_uint_eq(m->kernarg[64 * i], seen);
    }
  }
  ck_assert_uint_eq(seen, 7);
  memory_free(m);
}
END_TEST

START_TEST(a_walk_stops_where_kernarg_memory_ends)
{
  memory *m = memory_make(0);
  record(m, 1, 65);
  record(m, 2, 65);
  aq_program program = finish(m);
  aq_processor walk;
  aq_packet_span span = span_of(m, 0, 2);
  span.kernarg_size = 192;
  aq_processor_start(&walk, &program, 0);
  ck_assert(!aq_processor_fill(&walk, &span));
  ck_assert_uint_eq(span.packets, 1);
  ck_assert_uint_eq(span.kernarg_used, 128);
  memory_free(m);
}
END_TEST

START_TEST(carried_header_bits_reach_only_the_first_packet)
{
  memory *m = memory_make(0);
  aq_builder_barrier(m->builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  record(m, 1, 0);
  record(m, 2, 0);
  aq_builder_barrier(m->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  aq_program program = finish(m);
  aq_processor walk;
  aq_packet_span span = span_of(m, 0, 2);
  aq_processor_start(
      &walk, &program,
      aq_packet_header((aq_packet_type)0, 1, AQ_SCOPE_AGENT, AQ_SCOPE_NONE));
  ck_assert(aq_processor_fill(&walk, &span));
  ck_assert_uint_eq(m->headers[0] & 0xffff,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE));
  ck_assert_uint_eq(m->headers[1] & 0xffff,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                     AQ_SCOPE_NONE, AQ_SCOPE_AGENT));
  ck_assert_uint_eq(
      walk.carry,
      aq_packet_header((aq_packet_type)0, 1, AQ_SCOPE_AGENT, AQ_SCOPE_NONE));
  memory_free(m);
}
END_TEST

START_TEST(the_documentation_lists_the_opcodes)
{
  static const struct {
    int code, size;
    const char *name, *semantics;
  } opcodes[] = {
#define OP(code, NAME, name, size, semantics) {code, size, #name, semantics},
#include "cmdbuf/opcodes.def"
#undef OP
  };
  static char page[65536];
  char path[4096], line[256];
  snprintf(path, sizeof path, "%s/doc/formats/program.md", getenv("AQ_SRCDIR"));
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
    snprintf(line, sizeof line, "\n| %d | %s | %d | %s |\n", opcodes[i].code,
             opcodes[i].name, opcodes[i].size, opcodes[i].semantics);
    ck_assert_msg(strstr(page, line), "not in %s: %s", path, line);
  }
}
END_TEST

AQ_TEST_MAIN("cmdbuf/processor",
             packet_bodies_are_bit_for_bit_what_was_recorded,
             a_dispatch_without_arguments_has_no_kernarg_address,
             a_walk_goes_on_where_its_reservation_ended,
             a_walk_stops_where_kernarg_memory_ends,
             carried_header_bits_reach_only_the_first_packet,
             the_documentation_lists_the_opcodes)
