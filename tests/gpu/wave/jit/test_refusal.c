/* SPDX-License-Identifier: MIT */
/* Hosts that take no machine code, or no more: one line reports it, and
 * the code is interpreted. */
#include "gpu/wave/jit/jit_builder.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "common/allocations.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/code_memory.h"
#include "gpu/wave/jit/emit_unit.h"
#include "support/aqtest.h"

enum { USER_REGISTERS = 2 << 1, KERNARG_POINTER = 1 << 3 };

/* Adds 1 to a word. */
static const struct {
  aq_kernel_descriptor descriptor;
  uint32_t words[16];
} kernel __attribute__((aligned(256))) = {
    .descriptor = {.kernarg_size = 8,
                   .entry_offset = sizeof(aq_kernel_descriptor),
                   .rsrc2 = USER_REGISTERS,
                   .properties = KERNARG_POINTER},
    .words = {
        0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
        0x7e000280,             /* v_mov_b32_e32 v0, 0 */
        0x7e020281,             /* v_mov_b32_e32 v1, 1 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xdd088000, 0x00040100, /* global_atomic_add v0, v1, s[4:5] */
        0xbf810000,             /* s_endpgm */
    }};

static char line[512];
static unsigned lines;

static void line_keep(const char *text, void *user)
{
  (void)user;
  snprintf(line, sizeof line, "%s", text);
  lines++;
}

static void execute(const aq_executor *executor, uint32_t *word)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_kernel_packet packet = {.setup = 1,
                                   .workgroup_size = {1, 1, 1},
                                   .grid_size = {1, 1, 1},
                                   .kernel_object = (uintptr_t)&kernel,
                                   .kernarg_address = (uintptr_t)&word};
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = "adds",
                                  .gfx = "gfx90a",
                                  .cus = 1,
                                  .wave_size = 64};
  void *execution;
  aq_execution_step step;
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  const aq_execution_state state = executor->step(execution, 1 << 16, 0, &step);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s", step.fault.text);
  executor->end(execution);
}

START_TEST(one_line_says_that_no_code_can_be_executed)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_jit_builder *builder;
  uint32_t word = 0;
  struct rlimit sizes, small;
  if (aq_emitter_refusal()) {
    aqtest_leave_out("%s", aq_emitter_refusal());
    return;
  }
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  ck_assert_status(
      aq_jit_builder_create(AQ_JIT_ALWAYS, line_keep, NULL, &builder, &diag),
      AQ_OK, &diag);
  ck_assert_status(aq_jit_builder_use(builder, machine, &diag), AQ_OK, &diag);
  const aq_executor *executor = aq_wave_machine_executor(machine);
  aq_allocations_open(executor->allocations, true);
  getrlimit(RLIMIT_FSIZE, &sizes);
  small = sizes;
  small.rlim_cur = 1 << 16; /* of files of memory, too */
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
  execute(executor, &word);
  setrlimit(RLIMIT_FSIZE, &sizes);
  ck_assert_uint_eq(lines, 1);
  ck_assert_str_eq(line, "hot code is interpreted, not compiled: the system "
                         "gives no memory that can be executed");
  execute(executor, &word);
  ck_assert_uint_eq(lines, 1);
  ck_assert_uint_eq(word, 2);
  aq_wave_machine_destroy(machine);
  aq_jit_builder_destroy(builder);
}
END_TEST

START_TEST(code_memory_says_that_it_is_full)
{
  static const uint8_t code[1 << 20] = {0xc3};
  aq_code_memory *memory = aq_code_memory_create();
  const char *why = NULL;
  ck_assert_ptr_nonnull(memory);
  for (unsigned i = 0; i < 64; i++)
    ck_assert_ptr_nonnull(aq_code_memory_keep(memory, code, sizeof code, &why));
  ck_assert_ptr_null(aq_code_memory_keep(memory, code, 1, &why));
  ck_assert_str_eq(why, "its 64 MiB of machine code are full");
  aq_code_memory_destroy(memory);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/jit/refusal", one_line_says_that_no_code_can_be_executed,
             code_memory_says_that_it_is_full)
