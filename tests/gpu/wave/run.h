/* SPDX-License-Identifier: MIT */
/*
 * Compiles kernels with clang for a processor, loads them and executes one;
 * makes the numbers that they compute with. For the tests of src/gpu/wave.
 */
#ifndef AQ_TESTS_WAVE_RUN_H
#define AQ_TESTS_WAVE_RUN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/rng.h"
#include "gpu/codeobj/loader.h"
#include "gpu/wave/core/wave.h"
#include "seen.h"
#include "support/aqtest.h"

static inline bool compiler_is_here(void)
{
  return system("command -v clang-22 > /dev/null && command -v ld.lld-22 "
                "> /dev/null") == 0; /* NOLINT: fixed names */
}

/* A target of RDNA with "/64" behind it means waves of 64 lanes. */
static inline int gfx_length(const char *gfx)
{
  return (int)strcspn(gfx, "/");
}

static inline const char *gfx_option(const char *gfx)
{
  return gfx[gfx_length(gfx)] ? "-mwavefrontsize64" : "";
}

static inline bool gfx_is_rdna(const char *gfx)
{
  return strncmp(gfx, "gfx1", 4) == 0;
}

/* Lanes of a wave. */
static inline int gfx_lanes(const char *gfx)
{
  return gfx_is_rdna(gfx) && !gfx[gfx_length(gfx)] ? 32 : 64;
}

/* `source` lies in tests/. */
static inline bool compile(const char *source, const char *gfx, int level,
                           const char *path)
{
  char command[1024];
  snprintf(command, sizeof command,
           "clang-22 -target amdgcn-amd-amdhsa -mcpu=%.*s %s -nogpulib -O%d "
           "-DLANES=%d -D%s -ffp-contract=off -x c %s -o %s",
           gfx_length(gfx), gfx, gfx_option(gfx), level, gfx_lanes(gfx),
           gfx_is_rdna(gfx) ? "RDNA" : "GFX9", aqtest_source(source), path);
  return system(command) == 0; /* NOLINT: paths of ours */
}

static inline aq_code_image image_load(const char *path)
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

/* The image of a source compiled for a processor, once in a test. */
static inline aq_code_image image_of(const char *source, const char *gfx,
                                     int level)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s-%.*s%s-%d.co", aqtest_tmpdir(),
           strrchr(source, '/') + 1, gfx_length(gfx), gfx, gfx_option(gfx),
           level);
  if (access(path, R_OK) != 0)
    ck_assert(compile(source, gfx, level, path));
  return image_load(path);
}

static inline const aq_code_kernel *kernel_find(const aq_code_image *image,
                                                const char *name)
{
  for (size_t i = 0; i < image->code.kernel_count; i++)
    if (strcmp(image->code.kernels[i].name, name) == 0)
      return &image->code.kernels[i];
  return NULL;
}

/* A work-item's private bytes where the code object does not know the depth of
 * the calls; a runtime asks for its stack limit then. */
enum { STACK_LIMIT = 8192 };

/* Executes the kernel on a grid to its end or its fault; `concurrent`: by all
 * processors. */
static inline aq_execution_state
execute_on(const aq_executor *executor, const aq_code_image *image,
           const char *gfx, const char *name, const uint16_t group[3],
           const uint32_t grid[3], const void *kernarg, bool concurrent,
           aq_execution_step *step)
{
  const aq_code_kernel *kernel = kernel_find(image, name);
  ck_assert_msg(kernel != NULL, "no kernel %s", name);
  const aq_kernel_packet packet = {
      .setup = 3,
      .workgroup_size = {group[0], group[1], group[2]},
      .grid_size = {grid[0], grid[1], grid[2]},
      .private_segment_size =
          kernel->dynamic_stack ? STACK_LIMIT : kernel->private_size,
      .group_segment_size = kernel->group_size,
      .kernel_object = aq_code_image_object(image, kernel),
      .kernarg_address = (uint64_t)(uintptr_t)kernarg};
  char processor[16];
  snprintf(processor, sizeof processor, "%.*s", gfx_length(gfx), gfx);
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = name,
                                  .gfx = processor,
                                  .cus = 4,
                                  .wave_size = 64,
                                  .concurrent = concurrent};
  aq_diag diag = AQ_DIAG_INIT;
  void *execution;
  aq_execution_state state;
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  /* Several threads may all wait in one step, for stores of the next one. */
  aq_time elapsed = 0;
  do {
    state = executor->step(execution, 10000, 0, step);
    elapsed += step->elapsed;
  } while (state == AQ_EXECUTION_MORE ||
           (concurrent && state == AQ_EXECUTION_WAITS));
  step->elapsed = elapsed;
  executor->end(execution);
  return state;
}

static inline aq_execution_state
execute(const aq_executor *executor, const aq_code_image *image,
        const char *gfx, const char *name, const uint16_t group[3],
        const uint32_t grid[3], const void *kernarg, aq_execution_step *step)
{
  return execute_on(executor, image, gfx, name, group, grid, kernarg, false,
                    step);
}

/* Every kind of number: small ones, special floats, their neighbours, bits. */
static inline uint64_t number_make(aq_rng *rng)
{
  static const uint64_t special[] = {0,
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
  const uint64_t bits = aq_rng_bits(rng);
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

#endif
