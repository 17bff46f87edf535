/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/gendoc/man.h"

#include <ctype.h>
#include <string.h>

/* Text as roff reads it: hyphens that can be copied, no accidental requests,
 * `code` in bold, an empty line as a new paragraph. */
static void put_text(FILE *out, const char *text)
{
  int line_start = 1, bold = 0;
  for (const char *c = text; *c; c++) {
    if (c[0] == '\n' && c[1] == '\n') {
      fputs("\n.PP\n", out);
      line_start = 1;
      c++;
      continue;
    }
    if (line_start && (*c == '.' || *c == '\''))
      fputs("\\&", out);
    line_start = *c == '\n';
    if (*c == '-')
      fputs("\\-", out);
    else if (*c == '\\')
      fputs("\\e", out);
    else if (*c == '`')
      fputs((bold = !bold) ? "\\fB" : "\\fR", out);
    else
      fputc(*c, out);
  }
}

static void put_head(FILE *out, const aq_cli_command *command,
                     const char *version)
{
  fputs(".\\\" Made from src/cli/table/table.c.\n.TH AQUEDUCT", out);
  if (command) {
    fputs("\\-", out);
    const char *text = command->name;
    for (; *text; text++)
      fputc(toupper((unsigned char)*text), out);
  }
  fprintf(out, " 1 \"\" \"aqueduct %s\" \"Aqueduct\"\n.SH NAME\n", version);
  fprintf(out, "aqueduct%s%s \\- ", command ? "\\-" : "",
          command ? command->name : "");
  put_text(out, command ? command->summary : aq_cli_program.summary);
  fputs("\n.SH SYNOPSIS\n", out);
  if (command) {
    fprintf(out, ".B aqueduct %s\n[\\fIOPTION\\fR]...", command->name);
    put_text(out, *command->arguments ? " " : "");
    put_text(out, command->arguments);
  } else {
    fputs(".B aqueduct\n[\\fIOPTION\\fR]... ", out);
    put_text(out, aq_cli_program.arguments);
  }
  fputc('\n', out);
}

static void put_option(FILE *out, const aq_cli_option *option)
{
  fputs(".TP\n", out);
  if (option->letter)
    fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", out);
  put_text(out, option->name);
  fputs("\\fR", out);
  if (option->argument)
    fprintf(out, option->optional ? "[=\\fI%s\\fR]" : " \\fI%s\\fR",
            option->argument);
  fputc('\n', out);
  put_text(out, option->help);
  fputs(option->repeats ? "; may be repeated\n" : "\n", out);
}

void aq_man_print(FILE *out, const aq_cli_command *command, const char *version)
{
  const aq_cli_command *about = command ? command : &aq_cli_program;
  put_head(out, command, version);
  fputs(".SH DESCRIPTION\n", out);
  put_text(out, about->text);
  fputc('\n', out);
  if (!command) {
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; i < AQ_CLI_CMD_COUNT; i++) {
      fprintf(out, ".TP\n.BR aqueduct\\-%s (1)\n", aq_cli_commands[i].name);
      put_text(out, aq_cli_commands[i].summary);
      fputc('\n', out);
    }
  }
  if (command && command->options) {
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; i < AQ_CLI_FIRST_COMMON; i++)
      if (aq_cli_takes(command, i))
        put_option(out, &aq_cli_options[i]);
  }
  fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
  for (int i = AQ_CLI_FIRST_COMMON; i < AQ_CLI_OPT_COUNT; i++)
    put_option(out, &aq_cli_options[i]);
  fputs(".SH ENVIRONMENT\nEach gives the default of an option; for a flag, "
        "anything but nothing, 0 and no.\n",
        out);
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!option->env || (command && !aq_cli_takes(command, i)))
      continue;
    fprintf(out, ".TP\n.B %s\n\\fB\\-\\-", option->env);
    put_text(out, option->name);
    fputs("\\fR\n", out);
  }
  fputs(".TP\n.B NO_COLOR\nno colour, even on a terminal\n", out);
  if (!about->program)
    fprintf(out, ".SH EXIT STATUS\n%s\n", aq_cli_exit_status);
  fputs(".SH EXAMPLES\n", out);
  for (int i = 0; i < AQ_CLI_EXAMPLES_MAX && about->examples[i].command; i++) {
    fputs(".TP\n.B ", out);
    put_text(out, about->examples[i].command);
    fputc('\n', out);
    put_text(out, about->examples[i].meaning);
    fputc('\n', out);
  }
  if (!command)
    return;
  fputs(".SH SEE ALSO\n.BR aqueduct (1)\n", out);
}
