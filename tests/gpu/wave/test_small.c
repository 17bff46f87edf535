/* SPDX-License-Identifier: MIT */
/* A published set of HIP kernels (isa/hip/small22.hip of the data), compiled by
 * clang-22 with ROCm's device library: the same source on the host, through
 * small.cpp, gives the same bits; functions of the device library are within
 * the ulps that small.cpp states. With AQ_ORACLES=all only. */
#include <dlfcn.h>
#include <libgen.h>
#include <stdarg.h>

#include "run.h"

static const char library_path[] = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

static struct {
  const aq_executor *executor;
  aq_code_image image;
  const char *gfx;
} device;

/* Puts an argument that a runtime adds to the caller's. */
static void hidden_put(const aq_code_arg *arg, const uint32_t grid[3],
                       const uint16_t group[3], uint8_t *kernarg)
{
  uint32_t value = 0;
  if (strcmp(arg->kind, "hidden_grid_dims") == 0)
    value = 3;
  if (strncmp(arg->kind, "hidden_block_count_", 19) == 0)
    value = grid[arg->kind[19] - 'x'] / group[arg->kind[19] - 'x'];
  if (strncmp(arg->kind, "hidden_group_size_", 18) == 0)
    value = group[arg->kind[18] - 'x'];
  memcpy(kernarg + arg->offset, &value, arg->size < 4 ? arg->size : 4);
}

static void launch(const char *name, const uint32_t grid[3],
                   const uint16_t group[3], const void *args, size_t size)
{
  const aq_code_kernel *kernel = kernel_find(&device.image, name);
  uint8_t kernarg[1024] __attribute__((aligned(16))) = {0};
  aq_execution_step step;
  ck_assert_msg(kernel != NULL, "no kernel %s", name);
  ck_assert_uint_le(kernel->kernarg_size, sizeof kernarg);
  memcpy(kernarg, args, size);
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].hidden)
      hidden_put(&kernel->args[i], grid, group, kernarg);
  const aq_execution_state state =
      execute_on(device.executor, &device.image, device.gfx, name, group, grid,
                 kernarg, true, &step);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s: %s", name, device.gfx,
                step.fault.text);
}

static bool done(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool done(const char *format, ...)
{
  char command[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  return system(command) == 0; /* NOLINT: our paths */
}

/* The library has no files of these names for newer processors, nor the
 * variable that newer compilers replaced by a mode. */
static void library_make(const char *dir)
{
  ck_assert(done("cd '%s' && mkdir -p lib && ln -sf %s/*.bc lib/ && "
                 "ln -sf oclc_isa_version_940.bc lib/oclc_isa_version_942.bc &&"
                 "ln -sf oclc_isa_version_1034.bc lib/oclc_isa_version_1201.bc",
                 dir, library_path));
}

static void object_load(const char *dir, const char *small, const char *gfx)
{
  char path[512], copy[512];
  snprintf(path, sizeof path, "%s/small.co", dir);
  snprintf(copy, sizeof copy, "%s", small);
  ck_assert_msg(
      done("cd '%s' && cat > before.h << 'END'\n"
           "#include \"%s/shim2.h\"\n"
           "#if !defined(__HIP_DEVICE_COMPILE__)\n"
           "__attribute__((device)) long long wall_clock64();\n"
           "#elif defined(__AMDGCN__)\n"
           "extern \"C\" __attribute__((constant)) __attribute__((used)) "
           "const unsigned char __oclc_daz_opt = 0;\n"
           "#endif\nEND\n"
           "clang-22 -w -x hip --offload-arch=%.*s %s --offload-device-only "
           "--no-gpu-bundle-output -O2 -ffp-contract=off "
           "-D__AMDGCN_WAVEFRONT_SIZE=64 "
           "'-D__llvm_amdgcn_rcp_f16(x)=__builtin_amdgcn_rcph(x)' "
           "-include before.h --rocm-path=/usr --rocm-device-lib-path=lib "
           "-mcode-object-version=5 '%s' -o small.co",
           dir, dirname(copy), gfx_length(gfx), gfx, gfx_option(gfx), small),
      "clang-22 of %s for %s", small, gfx);
  device.gfx = gfx;
  device.image = image_load(path);
}

START_TEST(kernels_of_small_hip_compute_what_the_host_computes)
{
  /* Shuffles reach all of 64 lanes; before gfx12, RDNA's halves are apart. */
  static const char *const targets[] = {"gfx90a", "gfx942", "gfx1201/64"};
  const char *small = aqtest_data("isa/hip/small22.hip"),
             *dir = aqtest_tmpdir();
  char path[512];
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  if (!getenv("AQ_ORACLES")) {
    aqtest_leave_out("make check-oracles runs it");
    return;
  }
  if (!small || !compiler_is_here() ||
      !done("command -v g++ > /dev/null && "
            "test -f %s/ocml.bc -a -f /usr/include/hip/hip_runtime.h",
            library_path)) {
    aqtest_skip("no isa/hip/small22.hip, clang-22, g++ or HIP here");
    return;
  }
  library_make(dir);
  snprintf(path, sizeof path, "%s/small.so", dir);
  ck_assert(
      done("g++ -std=c++17 -w -O1 -ffp-contract=off -shared -fPIC "
           "-I'%s/gpu/wave' '-DSMALL=\"%s\"' '%s/gpu/wave/small.cpp' -o '%s'",
           aqtest_source(""), small, aqtest_source(""), path));
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  unsigned (*run)(void (*)(const char *, const uint32_t *, const uint16_t *,
                           const void *, size_t)) =
      (unsigned (*)(void (*)(const char *, const uint32_t *, const uint16_t *,
                             const void *, size_t)))(
          uintptr_t)dlsym(library, "small_run");
  ck_assert_ptr_nonnull(run);
  run(NULL);
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  seen_open(machine);
  device.executor = aq_wave_machine_executor(machine);
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    object_load(dir, small, targets[i]);
    const unsigned differing = run(launch);
    ck_assert_msg(differing == 0, "%u results of %s differ", differing,
                  targets[i]);
    aq_code_image_unload(&device.image);
  }
  seen_close(machine);
  aq_wave_machine_destroy(machine);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/small",
             kernels_of_small_hip_compute_what_the_host_computes)
