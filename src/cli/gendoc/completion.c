/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/gendoc/completion.h"

#include "cli/table/table.h"

/* How each kind of argument is completed; names come from the program itself,
 * from the store that the command line names. */
static const char *const generators[] = {
    [AQ_CLI_NOTHING] = ":",
    [AQ_CLI_FILE] = "_aqueduct_files",
    [AQ_CLI_RUN] = "_aqueduct_names runs",
    [AQ_CLI_RUN_OR_DEVICE] = "_aqueduct_names runs devices",
    [AQ_CLI_DEVICE] = "_aqueduct_names devices; _aqueduct_files",
    [AQ_CLI_POLICY] = "_aqueduct_names policies",
    [AQ_CLI_TRANSPORT] = "_aqueduct_names transports",
    [AQ_CLI_FORMAT] = "_aqueduct_names formats",
    [AQ_CLI_METRIC] = "_aqueduct_metrics",
    [AQ_CLI_SUBJECT] = "_aqueduct_words \"$subjects\"",
    [AQ_CLI_STORE_WORD] = ("_aqueduct_words \"$verbs\"; "
                           "_aqueduct_names runs; _aqueduct_files"),
    [AQ_CLI_COMMAND_NAME] = "_aqueduct_words \"$commands\"",
};

/* bash breaks words at '=': `--store=F` comes as three words. Names are data
 * and never reach `compgen -W`, which would expand them. */
static const char functions[] =
    "_aqueduct_words() {\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "_aqueduct_files() {\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "}\n"
    "_aqueduct_pick() {\n"
    "  local line\n"
    "  while IFS= read -r line; do\n"
    "    [[ $line == \"$cur\"* ]] || continue\n"
    "    printf -v line %q \"$line\"\n"
    "    COMPREPLY+=(\"$line$1\")\n"
    "  done\n"
    "}\n"
    "_aqueduct_names() {\n"
    "  local subject\n"
    "  for subject; do\n"
    "    _aqueduct_pick < <(\"$program\" ${store:+--store \"$store\"} \\\n"
    "      list \"$subject\" --names 2>/dev/null)\n"
    "  done\n"
    "}\n"
    "_aqueduct_metrics() {\n"
    "  compopt -o nospace 2>/dev/null\n"
    "  _aqueduct_pick = < <(\"$program\" list metrics --names 2>/dev/null)\n"
    "}\n";

static const char reader[] =
    "_aqueduct() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} program=$1 command= store= i\n"
    "  local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  COMPREPLY=()\n"
    "  if [[ $cur == = ]]; then\n"
    "    cur=\n"
    "  elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then\n"
    "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  fi\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    case ${COMP_WORDS[i]} in\n"
    "      --store)\n"
    "        [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n"
    "        ((i++)); store=${COMP_WORDS[i]/#\\~/$HOME} ;;\n";

static void put_options(FILE *out, int from, int to, aq_cli_option_set own)
{
  for (int i = from; i < to; i++)
    if (i >= AQ_CLI_FIRST_COMMON || (own >> i & 1))
      fprintf(out, " --%s", aq_cli_options[i].name);
}

/* Options that take a word, so that it is not mistaken for the command. */
static void put_skipping(FILE *out)
{
  const char *separator = "      ";
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!option->argument || option->optional || i == AQ_CLI_OPT_STORE)
      continue;
    fprintf(out, "%s--%s", separator, option->name);
    separator = "|";
    if (option->letter)
      fprintf(out, "|-%c", option->letter);
  }
  fputs(")\n"
        "        [[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n"
        "        ((i++)) ;;\n"
        "      -*|=) ;;\n"
        "      *) : \"${command:=${COMP_WORDS[i]}}\" ;;\n"
        "    esac\n"
        "  done\n",
        out);
}

static void put_values(FILE *out)
{
  fputs("  case $prev in\n", out);
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!option->argument || option->optional)
      continue;
    fprintf(out, "    --%s", option->name);
    if (option->letter)
      fprintf(out, "|-%c", option->letter);
    fputs(") ", out);
    if (option->what == AQ_CLI_CHOICE) {
      /* "auto|host" as words for the shell. */
      const char *choices = option->argument;
      fputs("_aqueduct_words \"", out);
      for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
      fputc('"', out);
    } else {
      fputs(generators[option->what], out);
    }
    fputs("; return ;;\n", out);
  }
  fputs("  esac\n", out);
}

static void put_arguments(FILE *out)
{
  fputs("  case $command in\n", out);
  fputs("    '')\n"
        "      if [[ $cur == -* ]]; then\n"
        "        _aqueduct_words \"",
        out);
  put_options(out, AQ_CLI_FIRST_COMMON, AQ_CLI_OPT_COUNT, 0);
  fputs("\"\n"
        "      else\n"
        "        _aqueduct_words \"$commands\"\n"
        "      fi ;;\n",
        out);
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++) {
    const aq_cli_command *command = &aq_cli_commands[i];
    fprintf(out,
            "    %s)\n"
            "      if [[ $cur == -* ]]; then\n"
            "        _aqueduct_words \"",
            command->name);
    put_options(out, 0, AQ_CLI_OPT_COUNT, command->options);
    fprintf(out,
            "\"\n"
            "      else\n"
            "        %s\n"
            "      fi ;;\n",
            generators[command->what]);
  }
  fputs("  esac\n", out);
}

void aq_completion_print(FILE *out)
{
  fputs("# bash completion of aqueduct, made from src/cli/table/table.c.\n",
        out);
  fputs(functions, out);
  fputs(reader, out);
  put_skipping(out);
  fputs("  local commands=\"", out);
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++)
    fprintf(out, "%s%s", i ? " " : "", aq_cli_commands[i].name);
  fputs("\"\n  local subjects=\"", out);
  for (int i = 0; aq_cli_subjects[i]; i++)
    fprintf(out, "%s%s", i ? " " : "", aq_cli_subjects[i]);
  fputs("\"\n  local verbs=\"", out);
  for (int i = 0; aq_cli_store_verbs[i]; i++)
    fprintf(out, "%s%s", i ? " " : "", aq_cli_store_verbs[i]);
  fputs("\"\n", out);
  put_values(out);
  put_arguments(out);
  fputs("}\ncomplete -F _aqueduct aqueduct\n", out);
}
