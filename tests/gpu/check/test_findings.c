/* SPDX-License-Identifier: MIT */
/* Rows of findings, from facts of which some are not known. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/check/core/core.h"
#include "gpu/check/race/synchronisation.h"
#include "gpu/wave/grid/grid.h"
#include "support/aqtest.h"

typedef struct rows {
  aq_record_sink sink;
  aq_names names;
  aq_finding last;
  int count;
} rows;

static aq_status take_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  rows *r = (rows *)sink;
  (void)diag;
  ck_assert_uint_eq(strlen(text), length);
  *id = aq_names_id(&r->names, text, length);
  return AQ_OK;
}

static const char *text_of(const rows *r, int64_t name)
{
  const char *text = aq_names_text(&r->names, name);
  return text ? text : "";
}

static aq_status take_row(aq_record_sink *sink, const aq_finding *row,
                          size_t count, aq_diag *diag)
{
  rows *r = (rows *)sink;
  (void)diag;
  r->last = row[count - 1];
  r->count += (int)count;
  return AQ_OK;
}

static aq_check *check_open(rows *r, unsigned checks)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_check *check;
  memset(r, 0, sizeof *r);
  r->sink.name = take_name;
  r->sink.put_findings = take_row;
  const aq_check_options options = {.checks = checks, .sink = &r->sink};
  ck_assert_status(aq_check_create(&options, &check, &diag), AQ_OK, &diag);
  return check;
}

static void check_close(aq_check *check, rows *r)
{
  aq_check_destroy(check);
  aq_names_fini(&r->names);
}

START_TEST(a_kernel_whose_name_was_lost_leaves_the_row_whole)
{
  rows r;
  aq_check *check = check_open(&r, AQ_CHECK_INIT);
  const aq_check_origin by = {.kernel = -1, .entry = 64};
  const aq_hb_event act = {.actor = AQ_CHECK_KERNEL, .kernel = -1};
  aq_check_report(check, &(aq_check_what){.check = AQ_CHECK_INIT,
                                          .kind = "uninitialised output",
                                          .lane = -1,
                                          .act = &act,
                                          .other_kernel = -1,
                                          .by = &by,
                                          .message = "a message"});
  ck_assert_int_eq(r.count, 1);
  ck_assert_int_eq(r.last.kernel, AQ_NONE);
  ck_assert_int_eq(r.last.offset, AQ_NONE);
  check_close(check, &r);
}
END_TEST

/* Code from `base` on, each byte of it of one line. */
static void code_load(aq_check *check, uint64_t base, const char *file,
                      uint32_t line)
{
  aq_check_source made = {.base = base, .end = base + 4096};
  const aq_code_line all = {
      .address = base,
      .end = made.end,
      .file = (uint32_t)aq_names_id(&made.lines.files, file, strlen(file)),
      .line = line};
  ck_assert(AQ_ARRAY_PUSH(made.lines.list, made.lines.count,
                          made.lines.capacity, all));
  ck_assert(AQ_ARRAY_PUSH(check->sources, check->source_count,
                          check->source_capacity, made));
}

static uint32_t site_make(aq_check *check, uint64_t pc)
{
  static const aq_isa_row row = {.name = "s_nop"};
  const aq_check_site made = {.pc = pc, .inst = {.row = &row}};
  ck_assert(AQ_ARRAY_PUSH(check->sites, check->site_count, check->site_capacity,
                          made));
  return (uint32_t)check->site_count;
}

START_TEST(an_instruction_keeps_its_line_when_its_code_is_unloaded)
{
  rows r;
  aq_check *check = check_open(&r, AQ_CHECK_INIT);
  code_load(check, 0x10000, "old.hip", 7);
  const aq_check_origin by = {.kernel = aq_names_id(&check->names, "k", 1),
                              .entry = 0x10000,
                              .store = site_make(check, 0x10010)};
  aq_check_code_gone(check, 0x10000);
  code_load(check, 0x10000, "new.hip", 9);
  const uint32_t other = site_make(check, 0x10010);
  aq_check_report(check, &(aq_check_what){.check = AQ_CHECK_INIT,
                                          .kind = "uninitialised output",
                                          .lane = -1,
                                          .other_kernel = -1,
                                          .other_site = other,
                                          .other_text = "another",
                                          .by = &by,
                                          .site = by.store,
                                          .message = "a message"});
  ck_assert_str_eq(text_of(&r, r.last.file), "old.hip");
  ck_assert_int_eq(r.last.line, 7);
  ck_assert_int_eq(r.last.offset, 0x10);
  ck_assert_str_eq(text_of(&r, r.last.other_file), "new.hip");
  ck_assert_int_eq(r.last.other_line, 9);
  check_close(check, &r);
}
END_TEST

START_TEST(origins_of_any_memory_take_a_fixed_room)
{
  enum { LINES = 1 << 21 };
  const uint64_t first = UINT64_C(0x7f0000000000);
  rows r;
  aq_check *check = check_open(&r, AQ_CHECK_INIT);
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  for (uint64_t i = 0; i < LINES; i++)
    aq_check_origin_keep(check, first + i * AQ_CHECK_ORIGIN,
                         &(aq_check_origin){.store = (uint32_t)i + 1});
  const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  ck_assert_uint_lt(after - before, 8 << 20);
  const aq_check_origin *last =
      aq_check_origin_find(check, first + (LINES - 1) * AQ_CHECK_ORIGIN + 5);
  ck_assert_ptr_nonnull(last);
  ck_assert_uint_eq(last->store, LINES);
  ck_assert_ptr_null(aq_check_origin_find(check, first));
  check_close(check, &r);
}
END_TEST

START_TEST(workgroups_that_are_not_kept_are_counted_in_a_note)
{
  enum { GROUPS = (1 << 18) + 5 };
  rows r;
  aq_check *check = check_open(&r, AQ_CHECK_RACE);
  aq_wave_grid *wave_grid = calloc(1, sizeof *wave_grid);
  aq_check_grid grid = {.check = check, .grid = wave_grid};
  aq_wave_group under_way = {.grid = wave_grid};
  wave_grid->waves = 1;
  for (uint64_t i = 0; i < GROUPS; i++) {
    aq_check_group group = {.grid = &grid, .number = i};
    ck_assert(aq_check_race_group_begin(&group, &under_way));
    group.order->marked = true;
    group.order->waves[0].open = i % 2;
    aq_check_race_group_end(&group);
    aq_check_race_group_fini(&group);
  }
  aq_check_race_grid_end(&grid);
  aq_check_end(check);
  ck_assert_int_eq(r.count, 1);
  ck_assert_int_eq(r.last.possible, AQ_FINDING_NOTE);
  ck_assert_str_eq(text_of(&r, r.last.kind), "order not tracked");
  ck_assert_ptr_nonnull(
      strstr(text_of(&r, r.last.message), "5 ended workgroups"));
  check_close(check, &r);
  free(wave_grid);
}
END_TEST

START_TEST(copies_that_read_the_same_bytes_do_not_race)
{
  static char from[256], to[3][256];
  rows r;
  aq_check *check = check_open(&r, AQ_CHECK_RACE);
  const aq_order_hooks *hooks = aq_check_hooks(check);
  for (uint64_t i = 0; i < 3; i++) {
    const aq_copy_desc desc = {.from = from, .to = to[i], .size = sizeof from};
    hooks->copy_submit(hooks->user, i, &desc, NULL);
    hooks->copy_ready(hooks->user, i);
    hooks->copy_move(hooks->user, i);
  }
  ck_assert_int_eq(r.count, 0);
  check_close(check, &r);
}
END_TEST

START_TEST(a_packet_that_stores_into_freed_memory_is_named)
{
  static char memory[64];
  static const struct {
    const char *packet, *kind, *message;
  } rows_of[] = {
      {"FENCE", "store after free", "packet FENCE writes 4 bytes at "},
      {NULL, "copy after free", "a copy writes 4 bytes at "}};
  void *stack[AQ_CHECK_STACK] = {NULL};
  const aq_copy_desc desc = {.to = memory + 16, .size = 4};
  for (uint64_t i = 0; i < 2; i++) {
    rows r;
    aq_check *check = check_open(&r, AQ_CHECK_API);
    const aq_order_hooks *hooks = aq_check_hooks(check);
    aq_check_allocated(check, &(aq_check_block){.base = (uintptr_t)memory,
                                                .size = sizeof memory});
    ck_assert(aq_check_freed(check, (uintptr_t)memory, stack));
    hooks->copy_submit(hooks->user, i, &desc, rows_of[i].packet);
    ck_assert_int_eq(r.count, 1);
    ck_assert_str_eq(text_of(&r, r.last.kind), rows_of[i].kind);
    ck_assert_ptr_eq(strstr(text_of(&r, r.last.message), rows_of[i].message),
                     text_of(&r, r.last.message));
    check_close(check, &r);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/check/findings",
             a_kernel_whose_name_was_lost_leaves_the_row_whole,
             an_instruction_keeps_its_line_when_its_code_is_unloaded,
             origins_of_any_memory_take_a_fixed_room,
             workgroups_that_are_not_kept_are_counted_in_a_note,
             copies_that_read_the_same_bytes_do_not_race,
             a_packet_that_stores_into_freed_memory_is_named)
