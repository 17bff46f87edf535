/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/help.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79, HELP_COLUMN = 28 };

void aq_cli_fill(FILE *out, const char *text, int column, int indent)
{
  int at = column;
  while (*text) {
    int word = (int)strcspn(text, " \n");
    if (at > indent && at + 1 + word > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      at = indent;
    } else if (at > indent) {
      fputc(' ', out);
      at++;
    }
    fwrite(text, 1, (size_t)word, out);
    at += word;
    text += word;
    if (strncmp(text, "\n\n", 2) == 0) {
      fprintf(out, "\n\n%*s", indent, "");
      at = indent;
    }
    text += strspn(text, " \n");
  }
  fputc('\n', out);
}

static void print_option(FILE *out, const aq_cli_option *option)
{
  char letter[] = "    ", *help;
  if (option->letter)
    snprintf(letter, sizeof letter, "-%c, ", option->letter);
  int width = fprintf(out, "  %s--%s", letter, option->name);
  if (option->argument)
    width += fprintf(out, option->optional ? "[=%s]" : " %s", option->argument);
  if (width >= HELP_COLUMN)
    width = fprintf(out, "\n") - 1;
  fprintf(out, "%*s", HELP_COLUMN - width, "");
  if (!option->env) {
    aq_cli_fill(out, option->help, HELP_COLUMN, HELP_COLUMN);
  } else if (asprintf(&help, "%s [%s]", option->help, option->env) >= 0) {
    aq_cli_fill(out, help, HELP_COLUMN, HELP_COLUMN);
    free(help);
  }
}

void aq_cli_help_print(FILE *out, const aq_cli_command *command)
{
  const aq_cli_command *about = command ? command : &aq_cli_program;
  if (command)
    fprintf(out, "Usage: aqueduct %s [OPTION]...%s%s\n", command->name,
            *command->arguments ? " " : "", command->arguments);
  else
    fprintf(out, "Usage: aqueduct [OPTION]... %s\n", about->arguments);
  fprintf(out, "%c%s.\n\n", about->summary[0] - 'a' + 'A', about->summary + 1);
  aq_cli_fill(out, about->text, 0, 0);
  if (!command) {
    fputs("\nCommands:\n", out);
    for (int i = 0; i < AQ_CLI_CMD_COUNT; i++)
      fprintf(out, "  %-10s %s\n", aq_cli_commands[i].name,
              aq_cli_commands[i].summary);
  }
  if (command && command->options) {
    fputs("\nOptions:\n", out);
    for (int i = 0; i < AQ_CLI_FIRST_COMMON; i++)
      if (aq_cli_takes(command, i))
        print_option(out, &aq_cli_options[i]);
  }
  fputs("\nOptions of every command [and the variable that gives a default]:\n",
        out);
  for (int i = AQ_CLI_FIRST_COMMON; i < AQ_CLI_OPT_COUNT; i++)
    print_option(out, &aq_cli_options[i]);
  fputs("\nExamples:\n", out);
  for (int i = 0; i < AQ_CLI_EXAMPLES_MAX && about->examples[i].command; i++)
    fprintf(out, "  %s\n      %s\n", about->examples[i].command,
            about->examples[i].meaning);
  if (!about->program)
    fprintf(out, "\nExit status: %s\n", aq_cli_exit_status);
}

void aq_cli_start_print(FILE *out)
{
  static const aq_cli_example first[] = {
      {"aqueduct exec --device mi300x -- ./app",
       "run a GPU program on a simulated GPU"},
      {"aqueduct import trace.json.gz --name m",
       "read a trace of a GPU; then: stats m, replay m, report m"},
      {"aqueduct doctor", "list what this machine offers and lacks"}};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    fprintf(out, "%s\n    %s\n", first[i].command, first[i].meaning);
  fputs("\n`aqueduct --help` lists the commands, `aqueduct COMMAND --help` "
        "explains one.\n",
        out);
}
