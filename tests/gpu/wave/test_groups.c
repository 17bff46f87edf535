/* SPDX-License-Identifier: MIT */
/* Kernels whose work-items work together, against plain loops of the host; and
 * the executor's reports of failing kernels. */
#include "run.h"

#include "kernels.h"

enum { N = 1024, GROUP = 256, EXTRA = 256 };

typedef void loop(const u64 *a, const u64 *b, u64 *out);
#define LOOP(name) static void name(const u64 *a, const u64 *b, u64 *out)
#define EACH(i)    for (u32 i = 0; i < N; i++)
#define GROUPS(g)  for (u32 g = 0; g < N; g += GROUP)

LOOP(g_reduce)
{
  GROUPS(g)
  {
    u64 s[GROUP];
    memcpy(s, a + g, sizeof s);
    for (u32 half = 128; half; half /= 2)
      for (u32 t = 0; t < half; t++)
        s[t] += s[t + half] * 3;
    for (u32 t = 0; t < GROUP; t++)
      out[g + t] = s[0] + b[g + t];
  }
}

LOOP(g_split)
{
  (void)b;
  GROUPS(g) for (u32 t = 0; t < GROUP; t++) out[g + t] = a[g + 255 - t] + 1;
}

LOOP(g_tile)
{
  GROUPS(g) for (u32 t = 0; t < GROUP; t++)
  {
    const u64 *ga = a + g, *gb = b + g;
    const u32 x = t & 15, y = t >> 4, far = 255 - t, near = t & ~3u;
    u64 r = 0;
    for (u32 k = 0; k < 16; k++)
      r = r * 31 + (u32)ga[16 * y + k] * (u64)(u32)gb[16 * k + x];
    r = r * 31 + (ga[far] ^ gb[far]);
    if (t % 3)
      r = r * 31 + (u32)(2 * t < 256 ? ga[2 * t] : gb[2 * t - 256]) +
          (ga[near] ^ gb[near]);
    out[g + t] = r;
  }
}

LOOP(g_narrow)
{
  (void)b;
  GROUPS(g)
  {
    union {
      unsigned char u8[1024];
      signed char i8[1024];
      short i16[512];
      u32 u32[256];
    } s;
    for (u32 t = 0; t < GROUP; t++)
      for (u32 k = 0; k < 4; k++)
        s.u8[(t + 256 * k) ^ 5] = (unsigned char)(a[g + t] >> 8 * k);
    for (u32 t = 0; t < GROUP; t++) {
      u64 r = s.u8[1023 - t] + (u64)(i64)s.i16[(t * 3) & 511] * 5 +
              (u64)(i64)s.i8[(t * 7) & 1023] * 11;
      for (u32 k = 0; k < 4; k++)
        r = r * 31 + s.u32[(t & 63) * 4 + k];
      out[g + t] = r;
    }
  }
}

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y)  ((x) > (y) ? (x) : (y))
enum { TICKETS = GROUP * (GROUP - 1) / 2, PASSED = GROUP * (GROUP + 1) / 2 };

LOOP(g_lds_atomics)
{
  GROUPS(g)
  {
    u32 c[9] = {[3] = ~0u, [5] = ~0u}, chain = 0;
    u64 wide[5] = {[2] = ~0ull};
    double narrow_sum = 0, wide_sum = 0;
    for (u32 i = g; i < g + GROUP; i++) {
      const u32 x = (u32)a[i], y = (u32)b[i];
      c[0] += x;
      c[1] -= y;
      c[2] |= x & y;
      c[3] &= x | y;
      c[4] ^= x;
      c[5] = LEAST(c[5], y);
      c[6] = MOST(c[6], y);
      c[7] = (u32)LEAST((i32)c[7], (i32)x);
      c[8] = (u32)MOST((i32)c[8], (i32)x);
      chain = chain * 3 + 1;
      wide[0] += a[i];
      wide[1] ^= b[i];
      wide[2] = LEAST(wide[2], b[i]);
      wide[3] = (u64)MOST((i64)wide[3], (i64)a[i]);
      wide[4] = wide[4] * 5 + 1;
      narrow_sum += x & 0xff;
      wide_sum += y;
    }
    for (u32 t = 0; t < GROUP; t++)
      out[g + t] = t < 9     ? c[t]
                   : t == 9  ? GROUP
                   : t == 10 ? TICKETS
                   : t == 11 ? chain
                   : t == 12 ? PASSED
                   : t < 18  ? wide[t - 13]
                   : t == 18 ? bits_of_f32((float)narrow_sum)
                   : t == 19 ? bits_of_f64(wide_sum)
                             : t;
  }
}

LOOP(g_global_atomics)
{
  GROUPS(g)
  {
    u64 *m = out + g;
    double narrow_sum = 0, wide_sum = 0;
    for (u32 i = g; i < g + GROUP; i++) {
      m[0] = (u32)LEAST((i32)m[0], (i32)a[i]);
      m[1] = (u32)MOST((i32)m[1], (i32)a[i]);
      m[2] = MOST((u32)m[2], (u32)a[i]);
      narrow_sum += a[i] & 0xff;
      wide_sum += (u32)b[i];
      m[5] = MOST(m[5], a[i]);
      m[6] = (u64)LEAST((i64)m[6], (i64)b[i]);
      m[7] ^= a[i];
      m[8] |= b[i];
      m[11] = m[11] * 5 + 1;
    }
    m[3] = bits_of_f32((float)narrow_sum);
    m[4] = bits_of_f64(wide_sum);
    m[9] = GROUP;
    m[10] = TICKETS;
    m[13] = PASSED;
  }
}

/* Of the target: lanes of a wave, and how many of them change places. */
static u32 wave_lanes, crossed_lanes;

LOOP(g_shuffle)
{
  (void)b;
  EACH(i)
  {
    const u64 *x = a + (i & ~63u);
    const u32 l = i & 63, first = l - l % crossed_lanes;
    u64 r = (u32)x[first + (l * 7 + 3) % crossed_lanes], pushed = 0;
    for (u32 k = 0; k < crossed_lanes; k++)
      if ((k * 5 + 1) % crossed_lanes == l % crossed_lanes)
        pushed = (u32)x[first + k];
    r = r * 31 + pushed;
    r = r * 31 + (u32)x[l ^ 1];
    r = r * 31 + (u32)x[l ^ 16];
    r = r * 31 + (u32)x[(l & 32) | (l & 24) | 7];
    r = r * 31 + (u32)x[l ^ 3];
    r = r * 31 + (u32)x[(l & 32) | ((l + 5) & 31)];
    out[i] = r;
  }
}

/* The value of a lane of the wave, or what stands for one outside. */
static u32 lane_or(const u64 *x, bool inside, u32 lane, u64 other)
{
  return inside ? (u32)x[lane] : (u32)other;
}

LOOP(g_dpp)
{
  EACH(i)
  {
    const u64 *x = a + (i & ~63u), y = b[i];
    const u32 l = i & 63, row = l & ~15u, in = l & 15, bank = in / 4;
    u64 r = (u32)x[l ^ 3];
    r = r * 31 + lane_or(x, in + 3 < 16, l + 3, y);
    r = r * 31 + lane_or(x, in >= 5, l - 5, y);
    r = r * 31 + lane_or(x, in >= 5, l - 5, 0);
    r = r * 31 + (u32)x[row + ((in + 12) & 15)];
    r = r * 31 + lane_or(x, row == 0 || row == 32, row + 15 - in, y);
    r = r * 31 + lane_or(x, bank == 1 || bank == 2, l ^ 7, y);
    r = r * 31 + (u32)(lane_or(x, in >= 1, l - 1, 0) + (u32)y);
    out[i] = r;
  }
}

LOOP(g_dpp_waves)
{
  EACH(i)
  {
    const u64 *x = a + (i & ~63u), y = b[i];
    const u32 l = i & 63, row = l & ~15u;
    u64 r = lane_or(x, row == 16 || row == 48, row - 1, y);
    r = r * 31 + lane_or(x, l >= 32, 31, y);
    r = r * 31 + lane_or(x, l > 0, l - 1, y);
    r = r * 31 + (u32)x[(l + 1) & 63];
    out[i] = r;
  }
}

LOOP(g_dpp_rows)
{
  (void)b;
  EACH(i)
  {
    const u64 *x = a + (i & ~15u), *other = a + ((i & ~15u) ^ 16);
    const u32 in = i & 15;
    u64 r = (u32)x[9];
    r = r * 31 + (u32)x[in ^ 5];
    r = r * 31 + (u32)x[15 - in];
    r = r * 31 + (u32)other[in < 8 ? 5 : 2 * (in - 8)];
    r = r * 31 + (u32)x[(in & 8) + ((in + 3) & 7)];
    out[i] = r;
  }
}

LOOP(g_scan)
{
  u32 sum = 0;
  (void)b;
  EACH(i)
  {
    sum = (i % wave_lanes ? sum : 0) + (u32)a[i];
    out[i] = sum;
  }
}

LOOP(g_ballot)
{
  EACH(i)
  {
    const u32 l = i % wave_lanes, wave = i - l;
    u64 votes = 0, even_seconds = 0, r;
    u32 first = 64;
    for (u32 k = 0; k < wave_lanes; k++) {
      votes |= (a[wave + k] & 1) << k;
      even_seconds += !(a[wave + k] & 1) && b[wave + k] & 2;
      if (first == 64 && a[wave + k] & 1)
        first = k;
    }
    r = votes ^ (u64)__builtin_popcountll(votes & ((UINT64_C(1) << l) - 1))
                    << 17;
    r += (u32)b[wave + 37 % wave_lanes];
    out[i] =
        a[i] & 1 ? r + (u32)b[wave + first] * 3ull : r ^ even_seconds << 40;
  }
}

LOOP(g_waterfall)
{
  (void)b;
  EACH(i)
  {
    u32 seen = 0, rounds = 0;
    for (u32 k = i - i % wave_lanes; !(seen >> (a[i] & 7) & 1); k++)
      if (!(seen >> (a[k] & 7) & 1)) {
        seen |= 1u << (a[k] & 7);
        rounds += 1 + (u32)(a[k] & 7);
      }
    out[i] = rounds;
  }
}

LOOP(g_flat)
{
  GROUPS(g) for (u32 t = 0; t < GROUP; t++)
  {
    const u32 i = g + t, u = 255 - t;
    const u64 before = t % 3 == 0 ? a[i] : t % 3 == 1 ? b[i] : 5;
    out[i] = (before + t) * 7 + b[i] + (t % 3 == 1 ? t : 0) + a[g + u] +
             (u % 3 == 0 ? u : 0);
  }
}

LOOP(g_buffer)
{
  GROUPS(g) for (u32 t = 0; t < GROUP; t++)
  {
    out[g + t] = (t < 128 ? (u32)a[t] : 0) +
                 (t < 128 ? 3ull * (u32)(t & 1 ? b : a)[64 + t / 2] : 0);
  }
  for (u32 t = 0; t < 128; t++)
    out[N + t] = (u32)a[t] | b[t] << 32;
}

LOOP(g_grid)
{
  for (u32 z = 0; z < 5; z++)
    for (u32 y = 0; y < 7; y++)
      for (u32 x = 0; x < 13; x++)
        out[x + 13 * (y + 7 * z)] = (x * 100 + y * 10 + z) * 3 + a[x] + b[y];
}

LOOP(g_clock)
{
  (void)a, (void)b;
  EACH(i) out[i] = 1;
}

LOOP(g_delay)
{
  (void)a, (void)b;
  EACH(i) out[i] = 1;
}

LOOP(g_long)
{
  (void)b;
  EACH(i)
  {
    u32 x = (u32)a[i];
    for (u32 k = 0; k < 20000; k++)
      x = x * 1664525 + 1013904223 + k;
    out[i] = x;
  }
}

static const struct {
  const char *name;
  loop *host;
  uint16_t group[3]; /* 0: as most of them */
  uint32_t grid[3];
  char only; /* '9': gfx9; 'r': RDNA; '2': gfx12; 0: all */
} kernels[] = {
#define ONLY(where, function)                                                  \
  {                                                                            \
    .name = #function, .host = function, .only = where                         \
  }
#define K(function) ONLY(0, function)
    K(g_reduce),
    K(g_tile),
    K(g_narrow),
    K(g_lds_atomics),
    K(g_global_atomics),
    K(g_shuffle),
    K(g_dpp),
    ONLY('9', g_dpp_waves),
    ONLY('r', g_dpp_rows),
    ONLY('2', g_split),
    K(g_scan),
    K(g_ballot),
    K(g_flat),
    K(g_waterfall),
    K(g_buffer),
    K(g_clock),
    K(g_delay),
    K(g_long),
    {"g_grid", g_grid, {8, 4, 2}, {13, 7, 5}, 0},
#undef K
#undef ONLY
};

static const uint16_t usual_group[3] = {GROUP, 1, 1};
static const uint32_t usual_grid[3] = {N, 1, 1};

typedef struct arguments {
  const u64 *a, *b;
  u64 *out;
  u32 n;
} arguments;

static bool is_for(char only, const char *gfx)
{
  switch (only) {
  case '9':
    return !gfx_is_rdna(gfx);
  case 'r':
    return gfx_is_rdna(gfx);
  case '2':
    return strncmp(gfx, "gfx12", 5) == 0;
  default:
    return true;
  }
}

/* Of gfx1250, buffers, flat addresses of private memory and the shader's clock
 * are refused by name. */
static bool is_refused(const char *gfx, const char *kernel)
{
  return strcmp(gfx, "gfx1250") == 0 &&
         (strcmp(kernel, "g_flat") == 0 || strcmp(kernel, "g_buffer") == 0 ||
          strcmp(kernel, "g_clock") == 0);
}

static void kernels_compare(const aq_code_image *image, const char *gfx,
                            int level, unsigned host_level)
{
  static u64 a[N], b[N], out[N + EXTRA], expected[N + EXTRA];
  const arguments kernarg = {a, b, out, N};
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_rng rng;
  ck_assert_status(aq_wave_machine_create_at(host_level, &machine, &diag),
                   AQ_OK, &diag);
  seen_open(machine);
  aq_rng_init(&rng, 11, 0);
  for (unsigned i = 0; i < N; i++) {
    a[i] = number_make(&rng);
    b[i] = number_make(&rng);
  }
  wave_lanes = (u32)gfx_lanes(gfx);
  /* In waves of 64 lanes, RDNA 1 to 3 keep the halves apart. */
  crossed_lanes =
      gfx_is_rdna(gfx) && strncmp(gfx, "gfx12", 5) != 0 ? 32 : wave_lanes;
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    const bool usual = !kernels[k].group[0];
    if (!is_for(kernels[k].only, gfx) || is_refused(gfx, kernels[k].name))
      continue;
    aq_execution_step step;
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
    const aq_execution_state state =
        execute(aq_wave_machine_executor(machine), image, gfx, kernels[k].name,
                usual ? usual_group : kernels[k].group,
                usual ? usual_grid : kernels[k].grid, &kernarg, &step);
    ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s -O%d: state %d, %s",
                  kernels[k].name, gfx, level, state, step.fault.text);
    /* Waves of g_clock saw 5000 cycles of 2 GHz pass, waves of g_delay half a
     * second; others look at no clock. */
    const aq_time least = strcmp(kernels[k].name, "g_clock") == 0 ? 2500 * AQ_NS
                          : strcmp(kernels[k].name, "g_delay") == 0 ? AQ_S / 2
                                                                    : 0;
    const aq_time more = least == AQ_S / 2 ? AQ_S / 120
                         : least > 0       ? 1000 * AQ_NS
                                           : 1;
    ck_assert_msg(step.elapsed >= least && step.elapsed < least + more,
                  "%s of %s -O%d takes %lld ps", kernels[k].name, gfx, level,
                  (long long)step.elapsed);
    kernels[k].host(a, b, expected);
    for (unsigned i = 0; i < N + EXTRA; i++)
      ck_assert_msg(out[i] == expected[i],
                    "%s of %s -O%d at %s, item %u: 0x%llx, on the host 0x%llx",
                    kernels[k].name, gfx, level, aq_wave_level_name(host_level),
                    i, out[i], expected[i]);
  }
  seen_close(machine);
  aq_wave_machine_destroy(machine);
}

START_TEST(groups_compute_what_loops_compute)
{
  static const char *const targets[] = {
      "gfx942",  "gfx1100", "gfx1250",    "gfx1030/64", "gfx900",
      "gfx90a",  "gfx908",  "gfx906",     "gfx1010",    "gfx950",
      "gfx1030", "gfx1150", "gfx1100/64", "gfx1200",    "gfx1200/64"};
  enum { SLICE = 2, TARGETS = sizeof targets / sizeof *targets };
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  for (int i = 0; i < (aqtest_is_long() ? TARGETS : SLICE); i++) {
    const int level = i % 2 ? 3 : 1;
    aq_code_image image = image_of("gpu/wave/groups.c", targets[i], level);
    for (unsigned k = 0; k < aq_wave_level_count(); k++)
      kernels_compare(&image, targets[i], level, k);
    aq_code_image_unload(&image);
  }
}
END_TEST

/* A machine, and the kernels of workgroups.c. */
typedef struct loaded {
  aq_wave_machine *machine;
  const aq_executor *executor;
  aq_code_image image;
} loaded;

/* False: no compiler is here, the test is skipped. */
static bool loaded_open(loaded *out, const char *gfx, unsigned host_level)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return false;
  }
  out->image = image_of("gpu/wave/groups.c", gfx, 3);
  ck_assert_status(aq_wave_machine_create_at(host_level, &out->machine, &diag),
                   AQ_OK, &diag);
  seen_open(out->machine);
  out->executor = aq_wave_machine_executor(out->machine);
  return true;
}

static void loaded_close(loaded *l)
{
  seen_close(l->machine);
  aq_wave_machine_destroy(l->machine);
  aq_code_image_unload(&l->image);
}

static unsigned level_of_host(void)
{
  return aq_wave_level_count() - 1;
}

/* The fault of a kernel whose a[42] is `value`; false: the test is skipped. */
static bool fault_of(const char *gfx, const char *name, u64 value,
                     aq_execution_fault *out)
{
  static u64 a[N], results[N + EXTRA];
  const arguments kernarg = {a, a, results, N};
  aq_execution_step step;
  loaded l;
  if (!loaded_open(&l, gfx, level_of_host()))
    return false;
  a[0] = a[42] = value;
  const aq_execution_state state =
      execute(l.executor, &l.image, gfx, name, usual_group, usual_grid,
              &kernarg, &step);
  ck_assert_msg(state == AQ_EXECUTION_FAULT, "%s of %s: state %d", name, gfx,
                state);
  loaded_close(&l);
  *out = step.fault;
  return true;
}

/* Executes a kernel of workgroups.c on several threads; out[0] to out[items]
 * begin as zeros. */
static void on_threads(const loaded *l, const char *name, const u64 *a,
                       u64 *out, uint32_t items)
{
  const arguments kernarg = {a, a, out, items};
  const uint32_t grid[3] = {items, 1, 1};
  aq_execution_step step;
  memset(out, 0, sizeof *out * (items + 1));
  const aq_execution_state state =
      execute_on(l->executor, &l->image, "gfx90a", name, usual_group, grid,
                 &kernarg, true, &step);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "state %d, %s", state,
                step.fault.text);
}

/* Threads start workgroups in order, and each of them continues: a chain of
 * more workgroups than fit at once ends. */
START_TEST(workgroups_run_on_several_threads)
{
  enum { ITEMS = 1 << 15, ROUNDS = 5 };
  static u64 a[N], out[ITEMS + 1];
  loaded l;
  if (!loaded_open(&l, "gfx90a", level_of_host()))
    return;
  for (unsigned i = 0; i < N; i++)
    a[i] = i * 77ull;
  for (int round = 0; round < ROUNDS; round++) {
    on_threads(&l, "g_chain", a, out, ITEMS);
    ck_assert_uint_eq(out[0], ITEMS / GROUP);
    for (unsigned i = 0; i < ITEMS; i++) {
      u64 x = a[i & 1023] + i;
      for (u32 k = 0; k < 32; k++)
        x = x * 6364136223846793005ull + k;
      ck_assert_uint_eq(out[i + 1], x);
    }
  }
  loaded_close(&l);
}
END_TEST

/* A GPU reads and writes aligned 64 bits at once, which decoupled look-back
 * relies on: a flag and a sum are one number. */
START_TEST(threads_see_numbers_of_two_words_whole)
{
  enum { ITEMS = 1 << 13 };
  static u64 out[ITEMS + 1];
  loaded l;
  for (unsigned k = 0; k < aq_wave_level_count(); k++) {
    if (!loaded_open(&l, "gfx90a", k))
      return;
    on_threads(&l, "g_whole", out, out, ITEMS);
    ck_assert_msg(out[0] == 0, "level %u: %llu numbers were torn", k,
                  (unsigned long long)out[0]);
    loaded_close(&l);
  }
}
END_TEST

static u64 constant_of(const loaded *l)
{
  static u64 out[N + EXTRA];
  const arguments kernarg = {out, out, out, N};
  aq_execution_step step;
  memset(out, 0, sizeof out);
  const aq_execution_state state =
      execute(l->executor, &l->image, "gfx90a", "g_constant", usual_group,
              usual_grid, &kernarg, &step);
  ck_assert_int_eq(state, AQ_EXECUTION_DONE);
  return out[N - 1];
}

START_TEST(code_that_is_overwritten_is_decoded_again)
{
  static const uint32_t before = 0x5a5a1234, after = 0x12345a5a;
  loaded l;
  if (!loaded_open(&l, "gfx90a", level_of_host()))
    return;
  ck_assert_uint_eq(constant_of(&l), before);
  unsigned changed = 0;
  for (size_t at = 0; at + 4 <= l.image.span; at += 4)
    if (memcmp(l.image.base + at, &before, 4) == 0) {
      memcpy(l.image.base + at, &after, 4);
      changed++;
    }
  ck_assert_uint_gt(changed, 0);
  ck_assert_uint_eq(constant_of(&l), after);
  loaded_close(&l);
}
END_TEST

#define ck_assert_has(text, part)                                              \
  ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text)

START_TEST(faults_name_what_went_wrong)
{
  static const char *const targets[] = {"gfx900", "gfx942"};
  aq_execution_fault fault;
  for (int i = 0; i < 2; i++) {
    if (!fault_of(targets[i], "g_trap", 77, &fault))
      return;
    ck_assert_int_eq(fault.kind, AQ_EXECUTION_FAULT_TRAP);
    ck_assert_has(fault.text, "kernel g_trap+0x");
    ck_assert_has(fault.text, "s_trap 2");
    fault_of(targets[i], "g_wild", 0, &fault);
    ck_assert_int_eq(fault.kind, AQ_EXECUTION_FAULT_MEMORY);
    ck_assert_uint_eq(fault.address, 0x500000000000 + 5 * 8);
    ck_assert_has(fault.text, "kernel g_wild+0x");
    ck_assert_has(fault.text, "lane 5 writes 0x500000000028");
    fault_of(targets[i], "g_outside", 4000, &fault);
    ck_assert_int_eq(fault.kind, AQ_EXECUTION_FAULT_APERTURE);
    ck_assert_has(fault.text, "lane 9: LDS address 32000 of 2048 bytes");
  }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/groups", groups_compute_what_loops_compute,
             workgroups_run_on_several_threads,
             threads_see_numbers_of_two_words_whole,
             code_that_is_overwritten_is_decoded_again,
             faults_name_what_went_wrong)
