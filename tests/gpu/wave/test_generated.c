/* SPDX-License-Identifier: MIT */
/* Random kernels of integers, floats, doubles and halves with branches, loops,
 * shuffles, LDS and atomics: the same source for gfx9 and for the host gives
 * the same bits. Five of them in make check, ten in check-long, a thousand with
 * AQ_ORACLES=all. */
#include <dlfcn.h>
#include <stdarg.h>

#include "run.h"

enum { GROUPS = 3, ITEMS = 256 * GROUPS, UNIT = 25 /* kernels */ };
enum { NAMES = 4 /* variables of a type */, DEPTH = 3 };

typedef enum type { U32, I32, U64, F32, F64, F16, TYPES } type;

static const char *const type_names[TYPES] = {"u32",   "i32",    "u64",
                                              "float", "double", "f16"};
static const char letters[] = "uilfdh";

typedef struct generator {
  aq_rng rng;
  FILE *file;
  unsigned masks; /* of the kernel */
} generator;

static unsigned below(generator *g, unsigned n)
{
  return (unsigned)(aq_rng_bits(&g->rng) >> 33) % n;
}

/* ---- expressions ---- */

static void variable(generator *g, type of)
{
  fprintf(g->file, "V(%c%u)", letters[of], below(g, NAMES));
}

static void emit(generator *g, const char *text, const type *operands)
{
  for (; *text; text++) {
    if (*text == '$')
      variable(g, *operands++);
    else if (*text == '#')
      fprintf(g->file, "%u", below(g, 31) + 1);
    else
      fputc(*text, g->file);
  }
}

typedef struct expression {
  type of, operands[3];
  const char *text;
} expression;

/* $ is a variable, # a number from 1 to 31. */
static const expression expressions[] = {
    {U32, {U32, U32}, "$ + $"},
    {U32, {U32, U32}, "$ - $"},
    {U32, {U32, U32}, "$ * $"},
    {U32, {U32, U32, U32}, "($ & $) | $"},
    {U32, {U32, U32, U32}, "($ ^ $) + $"},
    {U32, {U32}, "$ << #"},
    {U32, {U32, U32}, "$ >> ($ & 31)"},
    {U32, {U32, U32}, "$ / ($ | 1)"},
    {U32, {U32, U32}, "$ % ($ | 1)"},
    {U32, {U32}, "(u32)__builtin_popcount($)"},
    {U32, {U32}, "(u32)__builtin_clz($ | 1)"},
    {U32, {U32}, "(u32)__builtin_ctz($ | 0x80000000)"},
    {U32, {U32}, "__builtin_bitreverse32($)"},
    {U32, {U32}, "__builtin_bswap32($)"},
    {U32, {U64}, "(u32)($ >> #)"},
    {U32, {F32}, "bits_of_f32($)"},
    {U32, {F16}, "bits_of_f16($)"},
    {U32, {U32, U32, U32}, "$ < $ ? $ : 5u"},
    {U32, {U32}, "(u32)(unsigned char)$ * 3u"},
    {U32, {U32}, "(u32)(short)$"},
    {I32, {U32}, "(i32)$"},
    {I32, {I32}, "$ >> #"},
    {I32, {U32, U32}, "(i32)($ - $)"},
    {I32, {I32, I32}, "$ / (($ & 0xffff) + 3)"},
    {I32, {I32, I32}, "$ % (($ & 0xffff) + 3)"},
    {I32, {I32, I32, I32}, "$ > $ ? $ : -3"},
    {I32, {F32}, "i32_of((double)$)"},
    {I32, {F64}, "i32_of($)"},
    {U64, {U64, U64}, "$ + $"},
    {U64, {U64, U64}, "$ - $"},
    {U64, {U64, U64}, "$ * $"},
    {U64, {U64, U64}, "$ ^ $ >> #"},
    {U64, {U32, U32}, "(u64)$ * $"},
    {U64, {I32, I32}, "(u64)((i64)$ * $)"},
    {U64, {U64, U32}, "$ << ($ & 63)"},
    {U64, {U64, U64}, "$ / ($ >> 20 | 1)"},
    {U64, {F64}, "bits_of_f64($)"},
    {U64, {U64, U64, U64}, "$ < $ ? $ : 11"},
    {F32, {F32, F32}, "$ + $"},
    {F32, {F32, F32}, "$ - $"},
    {F32, {F32, F32}, "$ * $"},
    {F32, {F32, F32}, "$ / $"},
    {F32, {F32, F32, F32}, "__builtin_fmaf($, $, $)"},
    {F32, {F32}, "__builtin_sqrtf(__builtin_fabsf($))"},
    {F32, {F32}, "__builtin_floorf($)"},
    {F32, {F32}, "-__builtin_truncf($)"},
    {F32, {F32, F32, F32}, "$ < $ ? $ : 0.5f"},
    {F32, {I32}, "(float)$"},
    {F32, {U32}, "(float)$"},
    {F32, {F64}, "(float)$"},
    {F32, {F16}, "(float)$"},
    {F32, {U32}, "f32_of($)"},
    {F64, {F64, F64}, "$ + $"},
    {F64, {F64, F64}, "$ - $"},
    {F64, {F64, F64}, "$ * $"},
    {F64, {F64, F64}, "$ / $"},
    {F64, {F64, F64, F64}, "__builtin_fma($, $, $)"},
    {F64, {F64}, "__builtin_sqrt(__builtin_fabs($))"},
    {F64, {F64}, "__builtin_ceil($)"},
    {F64, {F64, F64, F64}, "$ >= $ ? $ : -1.5"},
    {F64, {I32}, "(double)$"},
    {F64, {F32}, "(double)$"},
    {F64, {U64}, "f64_of($)"},
    {F16, {F16, F16}, "$ + $"},
    {F16, {F16, F16}, "$ - $"},
    {F16, {F16, F16}, "$ * $"},
    {F16, {F16, F16, F16}, "$ < $ ? $ : (f16)2"},
    /* A sum: to a product that it converts, the compiler adds +0. */
    {F16, {F32}, "(f16)($ + 0.25f)"},
    {F16, {U32}, "f16_of($)"},
};

static void condition(generator *g)
{
  static const expression conditions[] = {
      {U32, {U32, U32}, "$ < $"},     {U32, {U32}, "$ & #"},
      {U32, {I32, I32}, "$ > $"},     {U32, {F32, F32}, "$ < $"},
      {U32, {F64, F64}, "!($ <= $)"}, {U32, {U64, U64}, "$ != $"},
      {U32, {F16, F16}, "$ >= $"},    {U32, {U32}, "($ >> #) % 3 == 1"},
  };
  const expression *e =
      &conditions[below(g, sizeof conditions / sizeof *conditions)];
  emit(g, e->text, e->operands);
}

/* ---- statements ---- */

static void assignment(generator *g, unsigned mask)
{
  const expression *e =
      &expressions[below(g, sizeof expressions / sizeof *expressions)];
  fprintf(g->file, "  DO(m%u, ", mask);
  variable(g, e->of);
  fprintf(g->file, " = (%s)(", type_names[e->of]);
  emit(g, e->text, e->operands);
  fprintf(g->file, "));\n");
}

static void statements(generator *g, unsigned mask, unsigned count,
                       unsigned depth);

static void branch(generator *g, unsigned mask, unsigned depth)
{
  const unsigned own = ++g->masks;
  fprintf(g->file, "  IF(m%u, m%u, ", own, mask);
  condition(g);
  fprintf(g->file, ")\n");
  statements(g, own, 1 + below(g, 4), depth + 1);
  if (below(g, 2)) {
    fprintf(g->file, "  ELSE(m%u, m%u)\n", own, mask);
    statements(g, own, 1 + below(g, 4), depth + 1);
  }
  fprintf(g->file, "  END\n");
}

static void loop(generator *g, unsigned mask, unsigned depth)
{
  const unsigned own = ++g->masks;
  fprintf(g->file, "  for (u32 k%u = 0; k%u < %u; k%u++)\n  {\n  IF(m%u, m%u, ",
          own, own, 2 + below(g, 6), own, own, mask);
  condition(g);
  fprintf(g->file, ")\n");
  statements(g, own, 2 + below(g, 4), depth + 1);
  fprintf(g->file, "  END\n  }\n");
}

/* What all items of a group do together; never in a branch. */
static void together(generator *g)
{
  static const type u[] = {U32, U32, U32};
  static const char *const texts[] = {
      "  SHUFFLE($, $, $);\n",
      "  SHIFT_ROW($, $, #);\n",
      "  EXCHANGE($, $, $);\n",
      "  BALLOT(V(l1), $ & #);\n",
      "  COUNTERS_CLEAR;\n  COUNT(m0, 0, add, $);\n  COUNT(m0, 1, xor, $);\n"
      "  COUNTER_READ(V(u1), 0);\n  COUNTER_READ(V(u2), 1);\n",
      "  COUNTERS_CLEAR;\n  COUNT(m0, 2, max, $);\n  COUNT(m0, 3, or, $);\n"
      "  COUNTER_READ(V(u3), 2);\n  COUNTER_READ(V(u0), 3);\n",
  };
  const unsigned which = below(g, sizeof texts / sizeof *texts);
  if (which != 1) {
    emit(g, texts[which], u);
    return;
  }
  fprintf(g->file, "  SHIFT_ROW(");
  variable(g, U32);
  fprintf(g->file, ", ");
  variable(g, U32);
  fprintf(g->file, ", %u);\n", 1 + below(g, 15));
}

static void statements(generator *g, unsigned mask, unsigned count,
                       unsigned depth)
{
  for (unsigned k = 0; k < count; k++) {
    const unsigned dice = below(g, 12);
    if (dice == 0 && depth < DEPTH)
      branch(g, mask, depth);
    else if (dice == 1 && depth < DEPTH)
      loop(g, mask, depth);
    else if (dice < 4 && mask == 0)
      together(g);
    else
      assignment(g, mask);
  }
}

static void kernel(generator *g, unsigned number)
{
  static const char *const first[TYPES] = {
      "(u32)a[i] + %u",    "(i32)((u32)b[i] - %u)",
      "a[i] ^ b[i] << %u", "f32_of((u32)b[i]) + %u",
      "f64_of(a[i]) * %u", "f16_of((u32)b[i] + %u)"};
  g->masks = 0;
  fprintf(g->file, "GENERATED(generated_%u)\n{\n  BEGIN;\n", number);
  for (unsigned of = 0; of < TYPES; of++)
    for (unsigned n = 0; n < NAMES; n++) {
      fprintf(g->file, "  VAR(%s, %c%u);\n  DO(m0, V(%c%u) = (%s)(",
              type_names[of], letters[of], n, letters[of], n, type_names[of]);
      fprintf(g->file, first[of], n + 1); /* NOLINT: one %u each */
      fprintf(g->file, "));\n");
    }
  statements(g, 0, 25 + below(g, 20), 0);
  fprintf(g->file, "  DO(m0, u64 r = 0;");
  for (unsigned n = 0; n < NAMES; n++)
    fprintf(g->file,
            " r = r * 31 + V(u%u); r = r * 31 + (u32)V(i%u); r = r * 31 + "
            "V(l%u); r = r * 31 + bits_of_f32(V(f%u)); r = r * 31 + "
            "bits_of_f64(V(d%u)); r = r * 31 + bits_of_f16(V(h%u));",
            n, n, n, n, n, n);
  fprintf(g->file, " out[i] = r);\n}\n\n");
}

/* ---- running ---- */

static void unit_write(const char *path, uint64_t seed, unsigned kernels)
{
  generator g = {.file = fopen(path, "w")};
  ck_assert_ptr_nonnull(g.file);
  aq_rng_init(&g.rng, seed, 0);
  fprintf(g.file, "#include \"gpu/wave/generated.h\"\n\n");
  for (unsigned k = 0; k < kernels; k++)
    kernel(&g, k);
  ck_assert_int_eq(fclose(g.file), 0);
}

static void compiled(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static void compiled(const char *format, ...)
{
  char command[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  ck_assert_msg(system(command) == 0, "%s", command); /* NOLINT: our paths */
}

typedef void host_kernel(const uint64_t *a, const uint64_t *b, uint64_t *out,
                         uint32_t group);

/* From gfx11 on, clang 22 folds DPP into v_mad_u64_u32 (v_mad_co_u64_u32),
 * which has no such form: it then ends with "Unsupported instruction" (gfx11)
 * or emits words that LLVM cannot disassemble (gfx12). */
static const char *dpp_option(const char *gfx)
{
  return strncmp(gfx, "gfx11", 5) == 0 || strncmp(gfx, "gfx12", 5) == 0
             ? "-mllvm -amdgpu-dpp-combine=0"
             : "";
}

static void unit_compare(uint64_t seed, const char *gfx, int level,
                         unsigned kernels)
{
  static uint64_t a[ITEMS], b[ITEMS], out[ITEMS], expected[ITEMS];
  const uint16_t group[3] = {256, 1, 1};
  const uint32_t grid[3] = {ITEMS, 1, 1};
  char source[512], device[512], host[512];
  /* Lanes that an LDS permutation reaches: before gfx12, RDNA's halves of 64
   * are apart. */
  const int lanes = gfx_lanes(gfx);
  const int reach =
      gfx_is_rdna(gfx) && strncmp(gfx, "gfx12", 5) != 0 ? 32 : lanes;
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_rng rng;
  snprintf(source, sizeof source, "%s/generated.c", aqtest_tmpdir());
  snprintf(device, sizeof device, "%s/generated.co", aqtest_tmpdir());
  snprintf(host, sizeof host, "%s/generated-%llu-%.*s%s.so", aqtest_tmpdir(),
           (unsigned long long)seed, gfx_length(gfx), gfx, gfx_option(gfx));
  unit_write(source, seed, kernels);
  compiled("clang-22 -w -target amdgcn-amd-amdhsa -mcpu=%.*s %s %s -nogpulib "
           "-O%d -ffp-contract=off -DWAVE=%d -DREACH=%d -I%s %s -o %s",
           gfx_length(gfx), gfx, gfx_option(gfx), dpp_option(gfx), level, lanes,
           reach, aqtest_source(""), source, device);
  compiled(
      "clang-22 -w -O1 -shared -fPIC -mfma -ffp-contract=off -DWAVE=%d "
      "-DREACH=%d "
      "-fno-unsafe-math-optimizations -Xclang -ffloat16-excess-precision=none "
      "-I%s %s -o %s -lm",
      lanes, reach, aqtest_source(""), source, host);
  void *library = dlopen(host, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  aq_code_image image = image_load(device);
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  seen_open(machine);
  aq_rng_init(&rng, seed + 1, 0);
  for (unsigned i = 0; i < ITEMS; i++) {
    a[i] = number_make(&rng);
    b[i] = number_make(&rng);
  }
  for (unsigned k = 0; k < kernels; k++) {
    const struct {
      const uint64_t *a, *b;
      uint64_t *out;
      uint32_t group;
    } kernarg = {a, b, out, 0};
    char name[32];
    aq_execution_step step;
    snprintf(name, sizeof name, "generated_%u", k);
    host_kernel *run = (host_kernel *)(uintptr_t)dlsym(library, name);
    ck_assert_ptr_nonnull(run);
    memset(out, 0, sizeof out);
    const aq_execution_state state =
        execute(aq_wave_machine_executor(machine), &image, gfx, name, group,
                grid, &kernarg, &step);
    ck_assert_msg(state == AQ_EXECUTION_DONE, "seed %llu, %s: %s",
                  (unsigned long long)seed, name, step.fault.text);
    for (uint32_t g = 0; g < GROUPS; g++)
      run(a, b, expected, g);
    for (unsigned i = 0; i < ITEMS; i++)
      ck_assert_msg(out[i] == expected[i],
                    "seed %llu, %s of %s -O%d, item %u: 0x%llx, on the host "
                    "0x%llx",
                    (unsigned long long)seed, name, gfx, level, i,
                    (unsigned long long)out[i],
                    (unsigned long long)expected[i]);
  }
  seen_close(machine);
  aq_wave_machine_destroy(machine);
  aq_code_image_unload(&image);
  dlclose(library);
}

START_TEST(generated_kernels_compute_what_the_host_computes)
{
  static const char *const targets[] = {
      "gfx90a",  "gfx1030",    "gfx942",  "gfx906",     "gfx900",
      "gfx1201", "gfx1030/64", "gfx1100", "gfx1201/64", "gfx1100/64",
      "gfx1010", "gfx908",     "gfx1151", "gfx1250"};
  enum { TARGETS = sizeof targets / sizeof *targets };
  const char *all = getenv("AQ_ORACLES"), *first = getenv("AQ_GENERATED_SEED");
  const uint64_t seed = first ? strtoull(first, NULL, 10) : 1000;
  const unsigned units = all ? 1000 / UNIT : aqtest_is_long() ? 2 : 1;
  if (!compiler_is_here()) {
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  for (unsigned k = 0; k < units; k++)
    unit_compare(seed + k, targets[k % TARGETS], k % 2 ? 3 : 1, all ? UNIT : 5);
  fprintf(stderr, "%u generated kernels equal the host's\n",
          units * (all ? UNIT : 5));
}
END_TEST

AQ_TEST_MAIN("gpu/wave/generated",
             generated_kernels_compute_what_the_host_computes)
