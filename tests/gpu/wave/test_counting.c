/* SPDX-License-Identifier: MIT */
/* Counted work against the known work of the kernels of work_counters.c. */
#include "run.h"

#include <inttypes.h>

#include "gpu/wave/profile/access_pattern.h"
#include "gpu/wave/profile/caches.h"
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

/* Dispatches whose time the machine asked for, and workgroups of the last. */
typedef struct asked {
  int64_t dispatches, counted;
  aq_time more;
} asked;

/* 5 us and `more`, and 10 ns for each access to memory of a workgroup beyond a
 * copy's. */
static aq_time fixed_time(const aq_counted *row, void *user)
{
  asked *seen = user;
  seen->dispatches++;
  seen->counted = row->counted;
  return 5 * AQ_US + seen->more + (row->vmem / row->counted - 8) * 10 * AQ_NS;
}

typedef struct arguments {
  const u64 *a, *b;
  u64 *out;
  u32 n;
} arguments;

static u64 *numbers, *results;

typedef struct counter {
  aq_wave_machine *machine;
  aq_code_image image;
  asked seen;
} counter;

static void counter_open(counter *c, aq_wave_counting_options options,
                         bool compiled)
{
  aq_diag diag = AQ_DIAG_INIT;
  *c = (counter){.image = image_of("gpu/wave/counting.c", gfx, 2)};
  options.xccs = 4;
  options.time = fixed_time;
  options.user = &c->seen;
  ck_assert_status(aq_wave_machine_create(&c->machine, &diag), AQ_OK, &diag);
  if (compiled)
    ck_assert_status(aq_wave_machine_compile(
                         c->machine, &(aq_jit_options){.always = true}, &diag),
                     AQ_OK, &diag);
  ck_assert_status(aq_wave_machine_count(c->machine, &options, &diag), AQ_OK,
                   &diag);
}

/* Executes a kernel; how long it takes. */
static aq_time counter_run(counter *c, const char *name, u32 n, u32 items,
                           bool concurrent)
{
  aq_execution_step step;
  const arguments args = {numbers, numbers, results, n};
  memset(results, 0, N * sizeof *results);
  ck_assert_int_eq(execute_on(aq_wave_machine_executor(c->machine), &c->image,
                              gfx, name, (uint16_t[]){GROUP, 1, 1},
                              (uint32_t[]){items, 1, 1}, &args, concurrent,
                              &step),
                   AQ_EXECUTION_DONE);
  return step.elapsed;
}

/* The rows; the last is in `own`. */
static void counter_close(counter *c, counted_sink *own)
{
  aq_diag diag = AQ_DIAG_INIT;
  *own =
      (counted_sink){.sink = {.name = take_name, .put_counted = take_counted}};
  ck_assert_status(aq_wave_machine_counted_put(c->machine, &own->sink, &diag),
                   AQ_OK, &diag);
  aq_wave_machine_destroy(c->machine);
  aq_code_image_unload(&c->image);
}

/* Executes a kernel and returns its counted work. */
static aq_counted count_on(const char *name, u32 n, bool sampled, aq_time *took)
{
  counter c;
  counted_sink own;
  counter_open(&c, (aq_wave_counting_options){.sampled = sampled}, false);
  const aq_time elapsed = counter_run(&c, name, n, N, true);
  counter_close(&c, &own);
  ck_assert_uint_eq(own.count, 1);
  ck_assert_int_eq(c.seen.counted, own.row.counted);
  if (took)
    *took = elapsed;
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

/* Distinct words of a bank that a group of lanes accesses, at most. */
static unsigned group_cycles(const aq_wave_access_info *t, unsigned first,
                             unsigned lanes, bool second)
{
  unsigned most = 0;
  for (uint32_t bank = 0; bank < 32; bank++) {
    uint32_t seen[64 * 4];
    unsigned count = 0;
    for (unsigned l = first; l < first + lanes; l++)
      for (uint32_t k = 0; k < (t->bytes + 3) / 4; k++) {
        const uint32_t at =
            second ? aq_wave_access_info_second(t, (int)l) : (uint32_t)t->at[l];
        const uint32_t word = at / 4 + k;
        unsigned n = 0;
        while (n < count && seen[n] != word)
          n++;
        if (n == count && word % 32 == bank && t->shared >> l & 1)
          seen[count++] = word;
      }
    most = count > most ? count : most;
  }
  return most;
}

static unsigned slow_cycles(const aq_wave_access_info *t)
{
  static const unsigned lanes_of[] = {0, 32, 16, 8, 8};
  const unsigned lanes = lanes_of[(t->bytes + 3) / 4];
  unsigned cycles = 0;
  for (unsigned first = 0; first < 64; first += lanes) {
    cycles += group_cycles(t, first, lanes, false);
    if (t->second)
      cycles += group_cycles(t, first, lanes, true);
  }
  return cycles;
}

START_TEST(cycles_of_banks_are_the_most_words_of_one)
{
  static const unsigned bytes[] = {1, 2, 4, 8, 12, 16};
  static const uint32_t steps[] = {0, 1, 2, 3, 4, 8, 12, 16, 20, 64, 128, 132};
  uint32_t row[64], state = 1;
  for (unsigned i = 0; i < 20000; i++) {
    aq_wave_access_info t = {.bytes = bytes[i % 6]};
    const uint32_t step = steps[i / 6 % 12];
    state = state * 1664525 + 1013904223;
    const uint64_t mixed = state * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t base = state >> 24, apart = (state >> 8 & 0xff) * t.bytes;
    t.shared = i % 3 == 0   ? UINT64_MAX
               : i % 3 == 1 ? UINT64_MAX >> (mixed >> 58)
                            : mixed;
    t.second = i & 64 ? t.shared : 0;
    t.apart = apart;
    for (uint32_t l = 0; l < 64; l++)
      row[l] = i & 128 ? (base + l * step) & 255 : base + l * step;
    aq_wave_access_info_best()(&t, row, NULL, 0, t.shared);
    ck_assert_uint_eq(aq_wave_bank_cycles(&t), slow_cycles(&t));
  }
}
END_TEST

typedef struct lane_places {
  uint32_t low[64], high[64];
  uint64_t base, exec;
  bool has_low, has_high;
} lane_places;

static void touch_expected(const lane_places *p, aq_wave_access_info *t)
{
  const uint64_t all = t->shared ? UINT32_MAX : UINT64_MAX;
  t->least = UINT64_MAX;
  t->most = t->low = 0;
  t->row = (p->exec & (p->exec + 1)) == 0;
  for (uint64_t l = 0; l < 64; l++) {
    const uint64_t low = p->has_low ? p->low[l] : 0,
                   high = p->has_high ? p->high[l] : 0,
                   at = (p->base + low + (high << 32)) & all;
    t->at[l] = at;
    if (!(p->exec >> l & 1))
      continue;
    t->least = at < t->least ? at : t->least;
    t->most = at > t->most ? at : t->most;
    t->low |= (uint32_t)at;
    t->row = t->row && at == t->at[0] + l * t->bytes;
  }
}

static void touches_compare(const aq_wave_access_info *t,
                            const aq_wave_access_info *is, uint64_t exec)
{
  ck_assert_uint_eq(t->least, is->least);
  ck_assert_uint_eq(t->most, is->most);
  ck_assert_uint_eq(t->low, is->low);
  ck_assert_int_eq(t->row, is->row);
  for (int l = 0; l < 64; l++)
    if (exec >> l & 1)
      ck_assert_uint_eq(t->at[l], is->at[l]);
}

static uint64_t drawn(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + 1;
  return *state ^ *state >> 29;
}

static lane_places places_draw(uint64_t *state, unsigned bytes)
{
  static const uint32_t starts[] = {0, 64, 0x7ffffff0, 0xffffff80, 0xfffffffc};
  static const uint64_t bases[] = {0, 16, UINT64_C(0x7f1200000000),
                                   (uint64_t)-8, UINT64_C(0xffffffc0)};
  const uint64_t kind = drawn(state), start = starts[drawn(state) % 5];
  lane_places p = {.base = bases[drawn(state) % 5],
                   .exec = kind & 1   ? UINT64_MAX
                           : kind & 2 ? UINT64_MAX >> (kind >> 58)
                           : kind & 4 ? drawn(state) & drawn(state)
                                      : 0,
                   .has_low = kind & 0x38,
                   .has_high = kind & 0x40};
  for (uint32_t l = 0; l < 64; l++) {
    p.low[l] = (uint32_t)(kind & 0x80 ? drawn(state) : start + l * bytes);
    p.high[l] = kind & 0x100 ? 0x7f00 + (uint32_t)(drawn(state) & 1) : 0x7f00;
  }
  return p;
}

START_TEST(addresses_of_lanes_are_those_of_each_lane_at_all_levels)
{
  static const unsigned bytes[] = {1, 2, 4, 8, 12, 16};
  aq_wave_access_info_lanes *const levels[] = {
    aq_wave_access_info_base,
#if defined(__x86_64__)
    aq_wave_access_info_v3,
    aq_wave_access_info_v4,
#endif
  };
  uint64_t state = 1;
  unsigned rows = 0;
  for (unsigned i = 0; i < 30000; i++) {
    const lane_places p = places_draw(&state, bytes[i % 6]);
    aq_wave_access_info expected = {.bytes = bytes[i % 6],
                                    .shared = p.has_high ? 0 : i & 64};
    for (unsigned level = 0; level < aq_wave_level_count(); level++) {
      aq_wave_access_info t = expected;
      levels[level](&t, p.has_low ? p.low : NULL, p.has_high ? p.high : NULL,
                    p.base, p.exec);
      if (level == 0)
        touch_expected(&p, &expected);
      touches_compare(&t, &expected, p.exec);
    }
    rows += expected.row;
  }
  ck_assert_uint_gt(rows, 3000);
  ck_assert_uint_lt(rows, 27000);
}
END_TEST

START_TEST(a_cache_has_the_lines_of_each_set_that_were_used_last)
{
  enum { RECENT = 4096 };
  static aq_wave_cache cache = {.sets = 1};
  uint64_t state = 1, order[AQ_WAVE_WAYS] = {0};
  unsigned hits = 0;
  for (unsigned i = 0; i < RECENT; i++) {
    const uint64_t line = drawn(&state) % 6;
    unsigned at = 0;
    while (at < AQ_WAVE_WAYS - 1 && order[at] != line + 1)
      at++;
    const bool there = order[at] == line + 1;
    memmove(order + 1, order, at * sizeof *order);
    order[0] = line + 1;
    ck_assert_int_eq(aq_wave_cache_touch(&cache, line), there);
    hits += there;
  }
  ck_assert_uint_gt(hits, RECENT / 4);
  ck_assert_uint_lt(hits, RECENT);
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

/* Workgroups are counted by their numbers, whoever executes them. */
START_TEST(counts_depend_neither_on_threads_nor_on_compiling)
{
  static const char *const names[] = {"c_copy", "c_stride", "c_banks",
                                      "c_chain"};
  if (!begin())
    return;
  for (unsigned i = 0; i < 4 * 4; i++) {
    counter c;
    counted_sink alone, own;
    counter_open(&c, (aq_wave_counting_options){0}, false);
    const aq_time took = counter_run(&c, names[i / 4], 40, N, false);
    counter_close(&c, &alone);
    counter_open(&c, (aq_wave_counting_options){0}, i & 1);
    ck_assert_int_eq(counter_run(&c, names[i / 4], 40, N, i & 2), took);
    counter_close(&c, &own);
#define F(field, unit, text)                                                   \
  ck_assert_msg(own.row.field == alone.row.field,                              \
                "%s, case %u: %s is %" PRId64 ", alone %" PRId64,              \
                names[i / 4], i % 4, #field, own.row.field, alone.row.field);
#include "common/counted.def"
#undef F
  }
  end();
}
END_TEST

START_TEST(dispatches_take_the_time_of_counted_ones_that_agreed)
{
  counter c;
  counted_sink own;
  if (!begin())
    return;
  counter_open(&c, (aq_wave_counting_options){.repeats = true}, false);
  const aq_time few = counter_run(&c, "c_chain", 10, N, true);
  for (unsigned i = 1; i < 30; i++)
    ck_assert_int_eq(counter_run(&c, "c_chain", 10, N, true), few);
  /* 1, 2, 4, 7, 10, 14, 19 and 25. */
  ck_assert_int_eq(c.seen.dispatches, 8);
  /* Other arguments are other work, until many were alike. */
  const aq_time many = counter_run(&c, "c_chain", 30, N, true);
  ck_assert_int_eq(c.seen.dispatches, 9);
  ck_assert_int_gt(many, few);
  for (u32 n = 1; n < 40; n++)
    counter_run(&c, "c_copy", n, N, true);
  ck_assert_int_gt(c.seen.dispatches, 9 + 8);
  ck_assert_int_lt(c.seen.dispatches, 9 + 20);
  const int64_t counted = c.seen.dispatches - 9;
  counter_close(&c, &own);
  ck_assert_uint_eq(own.count, 3);
  ck_assert_int_eq(own.row.dispatches, 39);
  ck_assert_int_eq(own.row.repeated, 39 - counted);
  end();
}
END_TEST

/* What its arguments are is not known then. */
START_TEST(a_kernel_of_no_stated_size_of_arguments_is_counted_each_time)
{
  counter c;
  counted_sink own;
  if (!begin())
    return;
  counter_open(&c, (aq_wave_counting_options){.repeats = true}, false);
  aq_kernel_descriptor *d = (void *)(uintptr_t)aq_code_image_object(
      &c.image, kernel_find(&c.image, "c_copy"));
  d->kernarg_size = 0;
  for (u32 i = 0; i < 12; i++)
    counter_run(&c, "c_copy", 0, N, true);
  ck_assert_int_eq(c.seen.dispatches, 12);
  counter_close(&c, &own);
  ck_assert_int_eq(own.row.repeated, 0);
  end();
}
END_TEST

/* From the third dispatch on its data make it take longer. */
START_TEST(dispatches_that_disagree_are_counted_until_two_agree)
{
  static const struct {
    int64_t asked;
    bool late; /* takes the new time */
  } expected[] = {{1, false}, {2, false}, {2, false}, {3, true},
                  {4, true},  {4, true},  {4, true}};
  counter c;
  counted_sink own;
  if (!begin())
    return;
  counter_open(&c, (aq_wave_counting_options){.repeats = true}, false);
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    c.seen.more = i < 2 ? 0 : AQ_US;
    const aq_time took = counter_run(&c, "c_copy", 1, N, true);
    ck_assert_int_eq(c.seen.dispatches, expected[i].asked);
    ck_assert_int_eq(took, 5 * AQ_US + (expected[i].late ? AQ_US : 0));
  }
  counter_close(&c, &own);
  ck_assert_int_eq(own.row.dispatches, 7);
  ck_assert_int_eq(own.row.repeated, 3);
  end();
}
END_TEST

/* 2^19 instructions of a workgroup are counted, and stand for the rest. */
START_TEST(a_long_workgroup_is_cut)
{
  counter c;
  counted_sink own;
  const u32 rounds = 200000;
  if (!begin())
    return;
  counter_open(&c, (aq_wave_counting_options){0}, true);
  counter_run(&c, "c_chain", rounds, 2 * GROUP, true);
  counter_close(&c, &own);
  ck_assert_int_eq(own.row.counted, 2);
  ck_assert_int_eq(own.row.cut, 2);
  const double loads = (double)own.row.vmem / (2. * 4 * rounds);
  ck_assert_double_gt(loads, 0.99);
  ck_assert_double_lt(loads, 1.01);
  end();
}
END_TEST

START_TEST(a_profiled_machine_counts_the_same)
{
  counter c;
  counted_sink own;
  aq_diag diag = AQ_DIAG_INIT;
  if (!begin())
    return;
  const aq_counted plain = count_on("c_banks", 0, false, NULL);
  counter_open(&c, (aq_wave_counting_options){0}, true);
  ck_assert_status(aq_wave_machine_profile(c.machine, &diag), AQ_OK, &diag);
  counter_run(&c, "c_banks", 0, N, true);
  counter_close(&c, &own);
  ck_assert_mem_eq(&own.row, &plain, sizeof plain);
  end();
}
END_TEST

AQ_TEST_MAIN("gpu/wave/counting", a_copy_reads_and_writes_each_line_once,
             strided_lanes_take_a_line_and_a_cycle_each,
             conflicts_of_banks_are_counted,
             cycles_of_banks_are_the_most_words_of_one,
             addresses_of_lanes_are_those_of_each_lane_at_all_levels,
             a_cache_has_the_lines_of_each_set_that_were_used_last,
             a_chain_waits_for_each_of_its_loads,
             a_sampled_grid_executes_only_what_it_counts,
             counts_depend_neither_on_threads_nor_on_compiling,
             dispatches_take_the_time_of_counted_ones_that_agreed,
             a_kernel_of_no_stated_size_of_arguments_is_counted_each_time,
             dispatches_that_disagree_are_counted_until_two_agree,
             a_long_workgroup_is_cut, a_profiled_machine_counts_the_same)
