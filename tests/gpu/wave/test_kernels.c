/* SPDX-License-Identifier: MIT */
/* The same kernels, compiled for gfx9 and RDNA and executed here, and compiled
 * for the host: the same bytes. */
#include "run.h"

#include "kernels.c"
#include "kernels_forms.c"

/* WORDS: what kernels share, behind the elements. */
enum { ITEMS = 3000, GROUP = 256, WORDS = 16 };

typedef void aq_host_kernel(const u64 *a, const u64 *b, u64 *out, u32 n);

typedef struct oracle {
  const char *name;
  aq_host_kernel *host;
} oracle;

#define K(name)                                                                \
  {                                                                            \
#name, name                                                                \
  }
static const oracle kernels[] = {
    K(k_add_f32),     K(k_fma_f32),     K(k_divide_f32), K(k_sqrt_f32),
    K(k_mul_add_f64), K(k_divide_f64),  K(k_sqrt_f64),   K(k_round),
    K(k_compare_f32), K(k_compare_f64), K(k_convert),    K(k_integers),
    K(k_integers_64), K(k_divide),      K(k_divide_64),  K(k_loop),
    K(k_switch),      K(k_bytes),       K(k_gather),     K(k_atomics),
    K(k_rows),        {NULL, NULL}};
static const oracle kernels_forms[] = {K(k_f16),
                                       K(k_f16_packed),
                                       K(k_mixed),
                                       K(k_f16_convert),
                                       K(k_bytes_arithmetic),
                                       K(k_shorts_arithmetic),
                                       K(k_pack_bytes),
                                       K(k_private),
                                       K(k_recursion),
                                       K(k_indirect),
                                       K(k_jump_table),
                                       K(k_float_to_integer),
                                       K(k_integer_to_float),
                                       K(k_f64_to_f32),
                                       K(k_f64),
                                       K(k_min_max),
                                       K(k_divide_64_signed),
                                       K(k_scale),
                                       K(k_flat_private),
                                       K(k_private_odd),
                                       K(k_bit_fields),
                                       {NULL, NULL}};
#undef K

static void kernels_compare(const aq_code_image *image, const oracle *oracles,
                            const char *gfx, int level, unsigned host_level)
{
  static u64 a[ITEMS], b[ITEMS], out[ITEMS + WORDS], expected[ITEMS + WORDS];
  const uint16_t group[3] = {GROUP, 1, 1};
  const uint32_t grid[3] = {(ITEMS + GROUP - 1) / GROUP * GROUP, 1, 1};
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_rng rng;
  ck_assert_status(aq_wave_machine_create_at(host_level, &machine, &diag),
                   AQ_OK, &diag);
  seen_open(machine);
  aq_rng_init(&rng, 7, 0);
  for (unsigned i = 0; i < ITEMS; i++) {
    a[i] = number_make(&rng);
    b[i] = number_make(&rng);
  }
  for (const oracle *k = oracles; k->name; k++) {
    /* Flat addresses of its private memory are refused by name. */
    if (strcmp(gfx, "gfx1250") == 0 && strcmp(k->name, "k_flat_private") == 0)
      continue;
    const struct {
      const u64 *a, *b;
      u64 *out;
      u32 n;
    } kernarg = {a, b, out, ITEMS};
    aq_execution_step step;
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
    const aq_execution_state state =
        execute(aq_wave_machine_executor(machine), image, gfx, k->name, group,
                grid, &kernarg, &step);
    ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s -O%d: state %d, %s",
                  k->name, gfx, level, state, step.fault.text);
    for (unsigned i = 0; i < ITEMS; i++) {
      work_item_of_host = i;
      k->host(a, b, expected, ITEMS);
    }
    for (unsigned i = 0; i < ITEMS + WORDS; i++)
      ck_assert_msg(out[i] == expected[i],
                    "%s of %s -O%d at %s, item %u: a 0x%llx, b 0x%llx: 0x%llx, "
                    "on the host 0x%llx",
                    k->name, gfx, level, aq_wave_level_name(host_level), i,
                    a[i % ITEMS], b[i % ITEMS], out[i], expected[i]);
  }
  seen_close(machine);
  aq_wave_machine_destroy(machine);
}

/* Of each table of instructions one, of RDNA with both lengths of waves; the
 * first SLICE of them in make check. */
static const char *const tables[] = {
    "gfx942",  "gfx1030", "gfx1250", "gfx1100/64", "gfx900",
    "gfx906",  "gfx908",  "gfx90a",  "gfx1030/64", "gfx1010",
    "gfx1100", "gfx1200", "gfx1150", "gfx950",     "gfx1200/64"};
/* The other processors of RDNA, and the generic targets. */
static const char *const others[] = {
    "gfx10-1-generic", "gfx1031",       "gfx1032",         "gfx1033", "gfx1034",
    "gfx1035",         "gfx1036",       "gfx10-3-generic", "gfx1101", "gfx1102",
    "gfx1103",         "gfx11-generic", "gfx1150/64",      "gfx1151", "gfx1152",
    "gfx1153",         "gfx1201",       "gfx12-generic"};
enum {
  SLICE = 2,
  TABLES = sizeof tables / sizeof *tables,
  OTHERS = sizeof others / sizeof *others
};

static void each_of(const char *source, const oracle *oracles,
                    const char *const *targets, int count)
{
  for (int i = 0; i < count; i++) {
    const int level = i % 2 ? 1 : 3;
    aq_code_image image = image_of(source, targets[i], level);
    for (unsigned k = 0; k < aq_wave_level_count(); k++)
      kernels_compare(&image, oracles, targets[i], level, k);
    aq_code_image_unload(&image);
  }
}

static void each_target(const char *source, const oracle *oracles)
{
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  each_of(source, oracles, tables, aqtest_is_long() ? TABLES : SLICE);
  /* Compiled code knows tables of instructions only. */
  if (getenv("AQ_ORACLES") && !getenv("AQ_NATIVE"))
    each_of(source, oracles, others, OTHERS);
}

START_TEST(kernels_compute_what_the_host_computes)
{
  each_target("gpu/wave/kernels.c", kernels);
}
END_TEST

START_TEST(narrow_types_calls_and_private_memory_too)
{
  each_target("gpu/wave/kernels_forms.c", kernels_forms);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/kernels", kernels_compute_what_the_host_computes,
             narrow_types_calls_and_private_memory_too)
