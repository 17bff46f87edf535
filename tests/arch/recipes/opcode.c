/* SPDX-License-Identifier: MIT */
/* The opcode of opcode.patch: built, checked, printed. */
#include <stdio.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/program_print.h"

static void print(const char *line, void *user)
{
  (void)user;
  puts(line);
}

int main(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_builder *builder;
  aq_program program;
  if (aq_builder_create(NULL, &builder, &diag) != AQ_OK ||
      aq_builder_pause(builder, 42, &diag) != AQ_OK ||
      aq_builder_end(builder, &program, &diag) != AQ_OK) {
    fprintf(stderr, "%s\n", diag.text);
    return 1;
  }
  aq_program_print(&program, print, NULL);
  aq_builder_destroy(builder);
  return 0;
}
