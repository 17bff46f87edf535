/* SPDX-License-Identifier: MIT */
/* Counted work against the known work of the kernels of counting.c. */
#include "run.h"

#include "kernels.h"

enum { GROUP = 256, GROUPS = 512, N = GROUP * GROUPS, LINES = 16 };

static const char gfx[] = "gfx90a";

typedef struct counted_sink {
  aq_record_sink sink;
  aq_counted row;
  size_t count;
} counted_sink;

static aq_status take_name(aq_record_sink *sink, const char *text, size_t size,
                           int64_t *id, aq_diag *diag)
{
  (void)sink, (void)text, (void)diag;
  *id = (int64_t)size;
  return AQ_OK;
}

static aq_status take_counted(aq_record_sink *sink, const aq_counted *rows,
                              size_t count, aq_diag *diag)
{
  counted_sink *own = (counted_sink *)sink;
  (void)diag;
  own->row = rows[count - 1];
  own->count += count;
  return AQ_OK;
}

static aq_time fixed_time(const aq_counted *row, void *user)
{
  *(int64_t *)user = row->counted;
  return 5 * AQ_US;
}

typedef struct arguments {
  const u64 *a, *b;
  u64 *out;
  u32 n;
} arguments;

static u64 *numbers, *results;

/* Executes a kernel and returns its counted work. */
static aq_counted count_on(const char *name, u32 n, bool sampled, aq_time *took)
{
  aq_wave_machine *machine;
  aq_execution_step step;
  aq_diag diag = AQ_DIAG_INIT;
  counted_sink own = {.sink = {.name = take_name, .put_counted = take_counted}};
  int64_t seen = 0;
  const aq_wave_counting_options options = {
      .xccs = 4, .sampled = sampled, .time = fixed_time, .user = &seen};
  const arguments args = {numbers, numbers, results, n};
  aq_code_image image = image_of("wave/counting.c", gfx, 2);
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  ck_assert_status(aq_wave_machine_count(machine, &options, &diag), AQ_OK,
                   &diag);
  memset(results, 0, N * sizeof *results);
  ck_assert_int_eq(execute_on(aq_wave_machine_executor(machine), &image, gfx,
                              name, (uint16_t[]){GROUP, 1, 1},
                              (uint32_t[]){N, 1, 1}, &args, true, &step),
                   AQ_EXECUTION_DONE);
  ck_assert_status(aq_wave_machine_counted_put(machine, &own.sink, &diag),
                   AQ_OK, &diag);
  aq_wave_machine_destroy(machine);
  aq_code_image_unload(&image);
  ck_assert_uint_eq(own.count, 1);
  ck_assert_int_eq(seen, own.row.counted);
  if (took)
    *took = step.elapsed;
  return own.row;
}

static bool begin(void)
{
  if (!compiler_is_here()) {
    aqtest_skip("clang-22 and ld.lld-22 are not installed");
    return false;
  }
  numbers = aligned_alloc(4096, LINES * N * sizeof *numbers);
  results = aligned_alloc(4096, N * sizeof *results);
  for (u32 i = 0; i < LINES * N; i++)
    numbers[i] = (i * 7919 + 13) % N;
  return true;
}

static void end(void)
{
  free(numbers);
  free(results);
}

START_TEST(a_copy_reads_and_writes_each_line_once)
{
  if (!begin())
    return;
  aq_time took;
  const aq_counted c = count_on("c_copy", 0, false, &took);
  ck_assert_int_eq(c.groups, GROUPS);
  ck_assert_int_eq(c.executed, GROUPS);
  ck_assert_int_eq(c.counted, 3 * 64); /* windows */
  ck_assert_int_eq(c.waves, 4);
  ck_assert_int_eq(c.vmem, 2 * c.waves * c.counted);
  ck_assert_int_eq(c.bytes, 2 * 8 * GROUP * c.counted);
  ck_assert_int_eq(c.far_reads, c.counted * GROUP / LINES);
  ck_assert_int_eq(c.far_writes, c.counted * GROUP / LINES);
  ck_assert_int_eq(c.l1, c.bytes / 64);
  ck_assert_int_eq(c.lanes, 64 * c.vector);
  ck_assert_int_eq(c.bank_cycles, 0);
  ck_assert_int_eq(c.error, 0);
  ck_assert_int_eq(took, 5 * AQ_US);
  for (u32 i = 0; i < N; i++)
    ck_assert_uint_eq(results[i], numbers[i]);
  end();
}
END_TEST

START_TEST(strided_lanes_take_a_line_and_a_cycle_each)
{
  if (!begin())
    return;
  const aq_counted c = count_on("c_stride", 0, false, NULL);
  ck_assert_int_eq(c.far_reads, c.counted * GROUP);
  ck_assert_int_eq(c.l1, c.counted * (GROUP + 8 * GROUP / 64));
  ck_assert_int_eq(c.l2, c.counted * (2 * GROUP + 8 * GROUP / 64));
  end();
}
END_TEST

START_TEST(conflicts_of_banks_are_counted)
{
  if (!begin())
    return;
  const aq_counted c = count_on("c_banks", 0, false, NULL);
  ck_assert_int_eq(c.shared, 2 * c.waves * c.counted);
  ck_assert_int_eq(c.bank_cycles, 2 * 64 * c.waves * c.counted);
  end();
}
END_TEST

START_TEST(a_chain_waits_for_each_of_its_loads)
{
  if (!begin())
    return;
  const aq_counted few = count_on("c_chain", 10, false, NULL);
  const aq_counted many = count_on("c_chain", 30, false, NULL);
  const int64_t waits = many.waits_l1 + many.waits_l2 + many.waits_far -
                        few.waits_l1 - few.waits_l2 - few.waits_far;
  /* 20 latencies a wave, less the time of the loop itself. */
  const int64_t expected = 20 * 1000 * many.waves * many.counted;
  ck_assert_int_le(waits, expected);
  ck_assert_int_gt(waits, expected * 8 / 10);
  end();
}
END_TEST

START_TEST(a_sampled_grid_executes_only_what_it_counts)
{
  if (!begin())
    return;
  const aq_counted all = count_on("c_copy", 0, false, NULL);
  const aq_counted c = count_on("c_copy", 0, true, NULL);
  u32 written = 0;
  ck_assert_int_eq(c.executed, c.counted);
  ck_assert_int_eq(c.counted, all.counted);
  ck_assert_int_eq(c.issued, all.issued);
  ck_assert_int_eq(c.far_reads, all.far_reads);
  for (u32 i = 0; i < N; i++)
    written += results[i] != 0 && results[i] == numbers[i];
  ck_assert_uint_ge(written, (u32)c.counted * GROUP - 1);
  ck_assert_uint_le(written, (u32)c.counted * GROUP);
  end();
}
END_TEST

START_TEST(a_profiled_machine_does_not_count)
{
  aq_wave_machine *machine;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_wave_counting_options options = {.xccs = 1};
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  ck_assert_status(aq_wave_machine_profile(machine, &diag), AQ_OK, &diag);
  ck_assert_int_eq(aq_wave_machine_count(machine, &options, &diag),
                   AQ_ERR_INVALID);
  ck_assert_ptr_nonnull(strstr(diag.text, "expected no profile"));
  aq_wave_machine_destroy(machine);
}
END_TEST

AQ_TEST_MAIN("wave/counting", a_copy_reads_and_writes_each_line_once,
             strided_lanes_take_a_line_and_a_cycle_each,
             conflicts_of_banks_are_counted,
             a_chain_waits_for_each_of_its_loads,
             a_sampled_grid_executes_only_what_it_counts,
             a_profiled_machine_does_not_count)
