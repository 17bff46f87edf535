/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/print.h"

/* ---- the printer ---- */

static void line_take(const char *line, void *user)
{
  char *text = user;
  strcat(strcat(text, line), "\n");
}

static void record(aq_builder *b, aq_diag *diag)
{
  uint32_t kernel;
  aq_ref fixed;
  aq_label loop;
  const unsigned char constants[4] = {1, 2, 3, 0xff};
  aq_builder_kernel(b, "scale", 1, &kernel, diag);
  aq_builder_buffer(b, NULL, 4096, &fixed, diag);
  aq_builder_label(b, &loop, diag);
  const aq_ref refs[2] = {aq_ref_slot(1, 64), fixed + 16};
  aq_dispatch d = {.grid = {512, 4, 1},
                   .workgroup = {64, 1, 1},
                   .group_size = 128,
                   .bindings = refs,
                   .binding_count = 2,
                   .constants = constants,
                   .constant_size = 4};
  aq_builder_marker_named(b, AQ_MARKER_BEGIN, 7, "first half", diag);
  aq_builder_dispatch(b, &d, diag);
  aq_builder_barrier(b, AQ_SCOPE_AGENT, AQ_SCOPE_SYSTEM);
  d.binding_count = 1;
  d.constant_size = 0;
  aq_builder_dispatch_params(b, &d, fixed, diag);
  aq_builder_place(b, loop, diag);
  aq_builder_fill(b, fixed, 64, 0xab, 1, diag);
  aq_builder_copy(b, fixed, aq_ref_slot(0, 0), 32, diag);
  aq_builder_update(b, fixed, "hi", 2, diag);
  aq_builder_barrier(b, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  aq_builder_branch_if(b, &(aq_test){aq_ref_slot(0, 8), -3, AQ_GE, true}, loop,
                       diag);
  aq_builder_call(b, loop, diag);
}

static const char printed[] =
    "program: 11 commands in 4 blocks of 512 bytes, 7 packets, 384 bytes of "
    "kernel arguments\n"
    "kernel 0: scale\n"
    "slot 0: at least 32 bytes\n"
    "slot 1: at least 64 bytes\n"
    "static 0: at least 64 bytes\n"
    "block 0: 4 commands, 3 packets, 192 bytes of kernel arguments, 32 of "
    "rodata\n"
    "  0 0x0040 marker begin value=7 name=\"first half\"\n"
    "  1 0x0060 dispatch none/system setup=2 workgroup=64,1,1 grid=512,4,1 "
    "group_size=128 kernel=scale kernarg_size=20 rodata=0x1e0 bindings=2 "
    "patches=1 args=template slot1+0x40,static0+0x10 constants=010203ff\n"
    "  2 0x00b0 dispatch_params barrier agent/system setup=2 workgroup=64,1,1 "
    "grid=512,4,1 group_size=128 kernel=scale kernarg_size=8 bindings=1 "
    "params=static0+0x0 args=dynamic slot1+0x40\n"
    "  3 0x0100 branch target=1\n"
    "block 1: 5 commands, 4 packets, 192 bytes of kernel arguments, 0 of "
    "rodata\n"
    "  4 0x0040 fill none/none pattern_size=1 target=static0+0x0 bytes=64 "
    "pattern=0xab\n"
    "  5 0x0068 copy none/none target=static0+0x0 source=slot0+0x0 bytes=32\n"
    "  6 0x0090 update none/system bytes=2 target=static0+0x0 data=6869\n"
    "  7 0x00b0 barrier acquire=system\n"
    "  8 0x00b8 branch_if >= 64 bits target=1 next=2 value=slot0+0x8 "
    "against=-3\n"
    "block 2: 1 commands, 0 packets, 0 bytes of kernel arguments, 0 of rodata\n"
    "  9 0x0040 call target=1 next=3\n"
    "block 3: 1 commands, 0 packets, 0 bytes of kernel arguments, 0 of rodata\n"
    "  10 0x0040 return\n";

START_TEST(a_program_is_printed_a_record_a_line)
{
  aq_builder *b;
  aq_program program;
  aq_diag diag = AQ_DIAG_INIT;
  char text[16384] = "";
  const aq_builder_options options = {.block_size = 512};
  ck_assert_status(aq_builder_create(&options, &b, &diag), AQ_OK, &diag);
  record(b, &diag);
  ck_assert_status(aq_builder_end(b, &program, &diag), AQ_OK, &diag);
  aq_program_print(&program, line_take, text);
  ck_assert_str_eq(text, printed);
  aq_builder_destroy(b);
}
END_TEST

START_TEST(a_line_without_room_ends_in_dots)
{
  aq_builder *b;
  aq_program program;
  aq_diag diag = AQ_DIAG_INIT;
  char text[32];
  ck_assert_status(aq_builder_create(NULL, &b, &diag), AQ_OK, &diag);
  record(b, &diag);
  ck_assert_status(aq_builder_end(b, &program, &diag), AQ_OK, &diag);
  const aq_op *op = aq_block_at(program.blocks[0], sizeof(aq_block) + 32);
  ck_assert_uint_eq(
      aq_record_print(&program, program.blocks[0], op, text, sizeof text), 31);
  ck_assert_str_eq(text + 28, "...");
  aq_builder_destroy(b);
}
END_TEST

START_TEST(of_a_long_update_the_first_64_bytes_are_printed)
{
  const char begin[] = " data=";
  for (uint32_t size = 64; size <= 65; size++) {
    aq_builder *b;
    aq_program program;
    aq_diag diag = AQ_DIAG_INIT;
    char text[1024];
    unsigned char bytes[65];
    memset(bytes, 0xab, sizeof bytes);
    ck_assert_status(aq_builder_create(NULL, &b, &diag), AQ_OK, &diag);
    aq_builder_update(b, aq_ref_slot(0, 0), bytes, size, &diag);
    ck_assert_status(aq_builder_end(b, &program, &diag), AQ_OK, &diag);
    aq_record_print(&program, program.blocks[0],
                    aq_block_at(program.blocks[0], sizeof(aq_block)), text,
                    sizeof text);
    const char *data = strstr(text, begin) + strlen(begin);
    ck_assert_uint_eq(strspn(data, "ab"), 128);
    ck_assert_str_eq(data + 128, size > 64 ? "..." : "");
    aq_builder_destroy(b);
  }
}
END_TEST

/* ---- the page ---- */

static char *page(void)
{
  static char text[65536];
  FILE *file = fopen(aqtest_source("../doc/tables/program-records.md"), "rb");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static void expect_row(const char *text, const char *row)
{
  ck_assert_msg(strstr(text, row) != NULL, "expected%s", row);
}

START_TEST(the_page_on_programs_lists_every_opcode_and_field)
{
  const char *text = page();
  for (int code = 1; code < AQ_OP_LIMIT; code++) {
    const aq_op_info *info = &aq_op_infos[code];
    char row[512];
    snprintf(row, sizeof row, "\n| %d | `%s` | %u | %u | %s |\n", code,
             info->name, info->size, info->packets, info->semantics);
    expect_row(text, row);
    snprintf(row, sizeof row, "\n### %s\n", info->name);
    const char *part = info->fields()->name ? strstr(text, row) : text;
    ck_assert_msg(part != NULL, "expected%s", row);
    for (const aq_op_field *f = info->fields(); f->name; f++) {
      snprintf(row, sizeof row, "\n| %u | %u | `%s` | %s |\n", f->offset,
               (unsigned)f->size * f->count, f->name, f->meaning);
      expect_row(part, row);
    }
  }
}
END_TEST

AQ_TEST_MAIN("cmdbuf/print", a_program_is_printed_a_record_a_line,
             a_line_without_room_ends_in_dots,
             of_a_long_update_the_first_64_bytes_are_printed,
             the_page_on_programs_lists_every_opcode_and_field)
