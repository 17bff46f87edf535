/* SPDX-License-Identifier: MIT */
/* The same kernels, compiled for gfx9 and executed here, and compiled for the
 * host: the same bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/image.h"
#include "common/rng.h"
#include "support/aqtest.h"
#include "wave/wave.h"

#include "kernels.c"

/* WORDS: what kernels share, behind the elements. */
enum { ITEMS = 3000, GROUP = 256, WORDS = 16 };

typedef void aq_host_kernel(const u64 *a, const u64 *b, u64 *out, u32 n);

static const struct {
  const char *name;
  aq_host_kernel *host;
} kernels[] = {
#define K(name)                                                                \
  {                                                                            \
#name, name                                                                \
  }
    K(k_add_f32),     K(k_fma_f32),     K(k_divide_f32), K(k_sqrt_f32),
    K(k_mul_add_f64), K(k_divide_f64),  K(k_sqrt_f64),   K(k_round),
    K(k_compare_f32), K(k_compare_f64), K(k_convert),    K(k_integers),
    K(k_integers_64), K(k_divide),      K(k_divide_64),  K(k_loop),
    K(k_switch),      K(k_bytes),       K(k_gather),     K(k_atomics),
#undef K
};

static bool compile(const char *gfx, int level, const char *path)
{
  char command[1024];
  snprintf(command, sizeof command,
           "clang-22 -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O%d "
           "-ffp-contract=off -x c %s -o %s",
           gfx, level, aqtest_source("wave/kernels.c"), path);
  return system(command) == 0; /* NOLINT: paths of ours */
}

static aq_code_image image_load(const char *path)
{
  static unsigned char bytes[1 << 20];
  aq_diag diag = AQ_DIAG_INIT;
  aq_code_image image;
  const aq_code_image_options options = {0};
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert_status(aq_code_image_load(bytes, size, &options, &image, &diag),
                   AQ_OK, &diag);
  return image;
}

static const aq_code_kernel *kernel_find(const aq_code_image *image,
                                         const char *name)
{
  for (size_t i = 0; i < image->code.kernel_count; i++)
    if (strcmp(image->code.kernels[i].name, name) == 0)
      return &image->code.kernels[i];
  return NULL;
}

static void dispatch(const aq_executor *executor, const aq_code_image *image,
                     const char *gfx, const char *name, const void *kernarg)
{
  const aq_code_kernel *kernel = kernel_find(image, name);
  ck_assert_msg(kernel != NULL, "no kernel %s", name);
  const aq_kernel_packet packet = {
      .setup = 1,
      .workgroup_size = {GROUP, 1, 1},
      .grid_size = {(ITEMS + GROUP - 1) / GROUP * GROUP, 1, 1},
      .private_segment_size = kernel->private_size,
      .group_segment_size = kernel->group_size,
      .kernel_object = aq_code_image_object(image, kernel),
      .kernarg_address = (uint64_t)(uintptr_t)kernarg};
  const aq_execution_desc desc = {
      .packet = &packet, .kernel = name, .gfx = gfx, .cus = 4, .wave_size = 64};
  aq_diag diag = AQ_DIAG_INIT;
  void *execution;
  aq_execution_step step;
  aq_execution_state state;
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  while ((state = executor->step(execution, 10000, 0, &step)) ==
         AQ_EXECUTION_MORE)
    ;
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s: state %d, %s", name, gfx,
                state, step.fault.text);
  executor->end(execution);
}

/* Every kind of number: small ones, special floats, their neighbours, bits. */
static u64 number_make(aq_rng *rng)
{
  static const u64 special[] = {0,
                                1,
                                0x80000000,
                                0x7f800000,
                                0xff800000,
                                0x3f800000,
                                0x7f7fffff,
                                0x00800000,
                                0x007fffff,
                                0x7fc00001,
                                0x3ff0000000000000,
                                0x7ff0000000000000,
                                0xfff0000000000000,
                                0x0010000000000000,
                                0x000fffffffffffff,
                                0x7fefffffffffffff,
                                0x8000000000000000,
                                ~UINT64_C(0)};
  const u64 bits = aq_rng_bits(rng);
  switch (bits >> 61) {
  case 0:
    return special[bits % (sizeof special / sizeof *special)];
  case 1:
    return special[bits % (sizeof special / sizeof *special)] +
           (bits >> 50) % 5 - 2;
  case 2: /* floats near 1 */
    return 0x3f000000 + (bits & 0xffffff) + (0x3fe0000000000000 & bits);
  case 3:
    return bits & 0xffff;
  default:
    return aq_rng_bits(rng);
  }
}

static void kernels_compare(const char *gfx, int level)
{
  static u64 a[ITEMS], b[ITEMS], out[ITEMS + WORDS], expected[ITEMS + WORDS];
  char path[512];
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_rng rng;
  snprintf(path, sizeof path, "%s/kernels.co", aqtest_tmpdir());
  ck_assert(compile(gfx, level, path));
  aq_code_image image = image_load(path);
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  aq_rng_init(&rng, 7, 0);
  for (unsigned i = 0; i < ITEMS; i++) {
    a[i] = number_make(&rng);
    b[i] = number_make(&rng);
  }
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    const struct {
      const u64 *a, *b;
      u64 *out;
      u32 n;
    } kernarg = {a, b, out, ITEMS};
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
    dispatch(aq_wave_machine_executor(machine), &image, gfx, kernels[k].name,
             &kernarg);
    for (unsigned i = 0; i < ITEMS; i++) {
      work_item_of_host = i;
      kernels[k].host(a, b, expected, ITEMS);
    }
    for (unsigned i = 0; i < ITEMS + WORDS; i++)
      ck_assert_msg(out[i] == expected[i],
                    "%s of %s -O%d, item %u: a 0x%llx, b 0x%llx: 0x%llx, on "
                    "the host 0x%llx",
                    kernels[k].name, gfx, level, i, a[i % ITEMS], b[i % ITEMS],
                    out[i], expected[i]);
  }
  aq_wave_machine_destroy(machine);
  aq_code_image_unload(&image);
}

START_TEST(kernels_compute_what_the_host_computes)
{
  static const char *const targets[] = {"gfx942", "gfx90a", "gfx900",
                                        "gfx906", "gfx908", "gfx950"};
  if (system("command -v clang-22 > /dev/null && command -v ld.lld-22 "
             "> /dev/null") != 0) { /* NOLINT: fixed names */
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    kernels_compare(targets[i], i % 2 ? 1 : 3);
}
END_TEST

AQ_TEST_MAIN("wave/kernels", kernels_compute_what_the_host_computes)
