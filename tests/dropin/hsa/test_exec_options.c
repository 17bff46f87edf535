/* SPDX-License-Identifier: MIT */
/* What exec asks for in the environment, of the drop-in and of the driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/exec_options.h"
#include "support/aqtest.h"

START_TEST(every_edit_counts_however_many_there_are)
{
  enum { EDITS = 300, TEXT = 16 };
  static char text[EDITS * TEXT];
  aq_diag diag = AQ_DIAG_INIT;
  aqdrop_edits edits;
  size_t length = 0;
  for (int i = 0; i < EDITS; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%sk%d=%d",
                               i ? ";" : "", i, i);
  setenv("AQUEDUCT_SET", text, 1);
  ck_assert_status(aqdrop_edits_read(&edits, &diag), AQ_OK, &diag);
  for (int i = 0; i < EDITS; i++) {
    snprintf(text, sizeof text, "k%d=%d", i, i);
    ck_assert_str_eq(edits.list[i], text);
  }
  ck_assert_ptr_null(edits.list[EDITS]);
  aqdrop_edits_fini(&edits);
  setenv("AQUEDUCT_SET", "", 1);
  ck_assert_status(aqdrop_edits_read(&edits, &diag), AQ_OK, &diag);
  ck_assert_ptr_null(edits.list[0]);
  aqdrop_edits_fini(&edits);
  unsetenv("AQUEDUCT_SET");
}
END_TEST

START_TEST(code_is_compiled_unless_it_is_turned_off)
{
  static const struct {
    const char *text;
    bool builds, always;
  } wanted[] = {{NULL, true, false},
                {"", true, false},
                {"auto", true, false},
                {"always", true, true},
                {"off", false, false}};
  aq_diag diag = AQ_DIAG_INIT;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    aq_wave_machine *machine;
    aq_jit_builder *builder = NULL;
    aq_jit_options options = {0};
    if (wanted[i].text)
      setenv("AQUEDUCT_COMPILE", wanted[i].text, 1);
    else
      unsetenv("AQUEDUCT_COMPILE");
    ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
    ck_assert_status(aqdrop_exec_compile(machine, &builder, &diag), AQ_OK,
                     &diag);
    ck_assert_int_eq(builder != NULL, wanted[i].builds);
    if (builder)
      aq_jit_builder_options(builder, &options);
    ck_assert_int_eq(options.always, wanted[i].always);
    aq_wave_machine_destroy(machine);
    aq_jit_builder_destroy(builder);
  }
  unsetenv("AQUEDUCT_COMPILE");
}
END_TEST

START_TEST(a_variable_that_cannot_be_read_is_named)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_wave_machine *machine;
  aq_jit_builder *builder = NULL;
  ck_assert_status(aq_wave_machine_create(&machine, &diag), AQ_OK, &diag);
  setenv("AQUEDUCT_COMPILE", "sometimes", 1);
  ck_assert_int_eq(aqdrop_exec_compile(machine, &builder, &diag),
                   AQ_ERR_INVALID);
  ck_assert_msg(strncmp(diag.text, "AQUEDUCT_COMPILE: ", 18) == 0, "%s",
                diag.text);
  setenv("AQUEDUCT_TRACE_ISA", "kernel=", 1);
  const aq_status status = aqdrop_exec_trace(machine, &diag);
  ck_assert_int_ne(status, AQ_OK);
  ck_assert_msg(strncmp(diag.text, "AQUEDUCT_TRACE_ISA: ", 20) == 0, "%s",
                diag.text);
  unsetenv("AQUEDUCT_COMPILE");
  unsetenv("AQUEDUCT_TRACE_ISA");
  aq_wave_machine_destroy(machine);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/exec_options",
             every_edit_counts_however_many_there_are,
             code_is_compiled_unless_it_is_turned_off,
             a_variable_that_cannot_be_read_is_named)
