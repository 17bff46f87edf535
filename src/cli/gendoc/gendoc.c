/* SPDX-License-Identifier: MIT */
/*
 * Writes the documents made from the table at build time: `gendoc man
 * [COMMAND]` and `gendoc completion`, to standard output.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/gendoc/completion.h"
#include "cli/gendoc/man.h"

static int usage(void)
{
  fputs("usage: gendoc man [COMMAND] | completion\n", stderr);
  return 2;
}

static int print_man(const char *name)
{
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++) {
    if (strcmp(aq_cli_commands[i].name, name) != 0)
      continue;
    aq_man_print(stdout, &aq_cli_commands[i], PACKAGE_VERSION);
    return 0;
  }
  return usage();
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "completion") == 0)
    aq_completion_print(stdout);
  else if (argc == 2 && strcmp(argv[1], "man") == 0)
    aq_man_print(stdout, NULL, PACKAGE_VERSION);
  else if (argc != 3 || strcmp(argv[1], "man") != 0)
    return usage();
  else
    return print_man(argv[2]);
  return fflush(stdout) != 0;
}
