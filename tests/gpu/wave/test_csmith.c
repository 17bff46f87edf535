/* SPDX-License-Identifier: MIT */
/* Programs of csmith: one work-item computes the checksum that the host does.
 * They reach their variables by generic pointers, and have unaligned members,
 * bit-fields, private arrays and calls. Two of them in make check, 200 with
 * AQ_ORACLES=all; AQ_CSMITH_SEED, AQ_CSMITH_COUNT: others. */
#include "run.h"

enum { COMMAND_MAX = 2048 };

static bool done(const char *command)
{
  return system(command) == 0; /* NOLINT: our paths */
}

static bool csmith_is_here(void)
{
  return done("command -v csmith > /dev/null");
}

/* The checksum on the host; false: the program does not end there soon. */
static bool host_run(const char *dir, unsigned seed, uint64_t *out)
{
  char command[COMMAND_MAX], line[64] = "";
  snprintf(
      command, sizeof command,
      "cd '%s' && csmith -s %u --no-argc --concise --max-funcs 6 "
      "--max-block-depth 4 -o program.c && clang-22 -w -O1 -I'%s/gpu/wave' "
      "program.c -o program",
      dir, seed, aqtest_source(""));
  ck_assert_msg(done(command), "%s", command);
  snprintf(command, sizeof command, "ulimit -t 1; exec '%s/program'", dir);
  FILE *pipe = popen(command, "r"); /* NOLINT: our path */
  ck_assert_ptr_nonnull(pipe);
  const bool read = fgets(line, sizeof line, pipe) != NULL;
  pclose(pipe);
  *out = strtoull(line, NULL, 16);
  return read;
}

static uint64_t device_run(const aq_executor *executor, const char *dir,
                           unsigned seed, const char *gfx, int level)
{
  const uint16_t group[3] = {1, 1, 1};
  const uint32_t grid[3] = {1, 1, 1};
  uint64_t result = 0, *kernarg = &result;
  char command[COMMAND_MAX], path[512];
  aq_execution_step step;
  snprintf(path, sizeof path, "%s/program.co", dir);
  snprintf(
      command, sizeof command,
      "cd '%s' && clang-22 -w -target amdgcn-amd-amdhsa -mcpu=%.*s %s "
      "-nogpulib -ffreestanding -O%d -I'%s/gpu/wave' program.c -o program.co",
      dir, gfx_length(gfx), gfx, gfx_option(gfx), level, aqtest_source(""));
  ck_assert_msg(done(command), "%s", command);
  aq_code_image image = image_load(path);
  const aq_execution_state state = execute_on(
      executor, &image, gfx, "csmith_run", group, grid, &kernarg, true, &step);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "seed %u of %s -O%d: %s", seed, gfx,
                level, step.fault.text);
  aq_code_image_unload(&image);
  return result;
}

static unsigned number_of(const char *name, unsigned otherwise)
{
  const char *text = getenv(name);
  return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

START_TEST(programs_of_csmith_compute_what_the_host_computes)
{
  /* As many as a machine keeps the code of. */
  static const char *const targets[] = {"gfx90a",     "gfx1030",    "gfx942",
                                        "gfx1030/64", "gfx1201/64", "gfx1100",
                                        "gfx1201",    "gfx1100/64"};
  enum { TARGETS = sizeof targets / sizeof *targets };
  static const int levels[] = {1, 3, 0};
  const unsigned count =
      number_of("AQ_CSMITH_COUNT", getenv("AQ_ORACLES") ? 200 : 2);
  unsigned seed = number_of("AQ_CSMITH_SEED", 1), equal = 0, endless = 0;
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  if (!compiler_is_here() || !csmith_is_here()) {
    aqtest_skip("no csmith, or no clang-22 with ld.lld-22 here");
    return;
  }
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  seen_open(machine);
  for (; equal < count; seed++) {
    const char *gfx = targets[seed % TARGETS], *dir = aqtest_tmpdir();
    const int level = levels[seed % 3];
    uint64_t expected;
    if (!host_run(dir, seed, &expected)) {
      endless++;
      continue;
    }
    const uint64_t got =
        device_run(aq_wave_machine_executor(machine), dir, seed, gfx, level);
    ck_assert_msg(got == expected,
                  "seed %u of %s -O%d: 0x%llx, on the host 0x%llx", seed, gfx,
                  level, (unsigned long long)got, (unsigned long long)expected);
    equal++;
  }
  seen_close(machine);
  aq_wave_machine_destroy(machine);
  fprintf(stderr,
          "%u programs of csmith equal the host's; %u do not end there\n",
          equal, endless);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/csmith",
             programs_of_csmith_compute_what_the_host_computes)
