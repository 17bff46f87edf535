/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/cli.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { LONG_BASE = 256 }; /* getopt's value of option 0: above all letters */

/* What getopt_long wants, for one command or (NULL) the program. */
typedef struct getopt_tables {
  struct option longs[AQ_CLI_OPT_COUNT + 1];
  char shorts[2 + 2 * AQ_CLI_OPT_COUNT];
} getopt_tables;

static void tables_init(getopt_tables *tables, const aq_cli_command *command)
{
  size_t count = 0;
  char *letter = tables->shorts;
  if (!command || command->program)
    *letter++ = '+'; /* stop at the command, or the program */
  *letter++ = ':';
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!aq_cli_takes(command, i))
      continue;
    tables->longs[count++] =
        (struct option){option->name,
                        option->optional   ? optional_argument
                        : option->argument ? required_argument
                                           : no_argument,
                        NULL, LONG_BASE + i};
    if (!option->letter)
      continue;
    *letter++ = option->letter;
    if (option->argument)
      *letter++ = ':';
  }
}

static int option_by_letter(int letter)
{
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++)
    if (aq_cli_options[i].letter && aq_cli_options[i].letter == letter)
      return i;
  return -1;
}

static aq_status say_unknown_option(aq_cli *cli, const char *typed)
{
  const char *names[AQ_CLI_OPT_COUNT + 1];
  char word[64];
  size_t count = 0;
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++)
    if (aq_cli_takes(cli->command, i))
      names[count++] = aq_cli_options[i].name;
  names[count] = NULL;
  const char *start = typed + strspn(typed, "-");
  snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
  const char *near = aq_text_nearest(word, names);
  const char *of = cli->command ? cli->command->name : NULL;
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "unknown option '%s'%s%s; %s%s%saqueduct %s%s--help",
                     typed, of ? " of " : "", of ? of : "",
                     near ? "did you mean --" : "", near ? near : "",
                     near ? "? See " : "see ", of ? of : "", of ? " " : "");
}

static aq_status say_bad_option(aq_cli *cli, int found, char **argv)
{
  char letter[3] = {'-', (char)optopt, 0};
  int id = optopt >= LONG_BASE ? optopt - LONG_BASE : option_by_letter(optopt);
  const char *typed = optopt && optopt < LONG_BASE ? letter : argv[optind - 1];
  if (id < 0 || !aq_cli_takes(cli->command, id) || optopt == 0)
    return say_unknown_option(cli, typed);
  const aq_cli_option *option = &aq_cli_options[id];
  if (found == ':')
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--%s: no value; expected %s", option->name,
                       option->argument);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--%s takes no value",
                     option->name);
}

/* Values lie in one array with room for all of argv for each option: where the
 * next one of `id` goes. */
static const char **repeats_end(const aq_cli *cli, aq_cli_option_id id)
{
  const char **at = cli->repeats + (size_t)id * cli->repeat_room;
  while (*at)
    at++;
  return at;
}

const char *const *aq_cli_repeats(const aq_cli *cli, aq_cli_option_id option)
{
  return cli->repeats + (size_t)option * cli->repeat_room;
}

/* An option with a value may come once: the line has room for one value, and
 * would ignore the other. A flag may come again. */
static aq_status option_set(aq_cli *cli, aq_cli_option_id id, const char *value)
{
  const aq_cli_option *option = &aq_cli_options[id];
  if (cli->given[id] && option->argument && !option->repeats)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--%s is given twice",
                       option->name);
  cli->values[id] = value ? value : "";
  cli->given[id] = true;
  if (option->repeats)
    *repeats_end(cli, id) = value;
  return AQ_OK;
}

/* Reads options; with no command up to the first word, else all of them. */
static aq_status read_options(aq_cli *cli, int argc, char **argv)
{
  getopt_tables tables = {0};
  int found;
  tables_init(&tables, cli->command);
  optind = 0; /* start afresh, with the new flags */
  opterr = 0;
  while ((found = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) !=
         -1) {
    if (found == '?' || found == ':')
      return say_bad_option(cli, found, argv);
    int id = found >= LONG_BASE ? found - LONG_BASE : option_by_letter(found);
    const aq_status status = option_set(cli, id, optarg);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

static bool flag_is_off(const char *value)
{
  return !*value || strcmp(value, "0") == 0 || strcmp(value, "no") == 0;
}

/* The environment gives the options that the command line does not. */
static void read_environment(aq_cli *cli)
{
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (cli->values[i] || !option->env || !aq_cli_takes(cli->command, i))
      continue;
    const char *value = getenv(option->env);
    if (value && *value && (option->argument || !flag_is_off(value)))
      cli->values[i] = value;
  }
}

static bool is_choice(const char *choices, const char *value)
{
  const size_t length = strlen(value);
  for (const char *at = choices; *at; at += *at == '|') {
    const size_t size = strcspn(at, "|");
    if (size == length && memcmp(at, value, size) == 0)
      return true;
    at += size;
  }
  return false;
}

/* "auto|host|isa" as "auto, host or isa". */
static void choices_print(const char *choices, char *text, size_t size)
{
  size_t length = 0;
  for (const char *at = choices; *at; at += *at == '|') {
    const size_t word = strcspn(at, "|");
    const char *before = at == choices ? "" : at[word] == '|' ? ", " : " or ";
    const int added =
        snprintf(text + length, size - length, "%s%.*s", before, (int)word, at);
    length += (size_t)added < size - length ? (size_t)added : 0;
    at += word;
  }
}

static aq_status check_choices(aq_cli *cli)
{
  char expected[128];
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (option->what != AQ_CLI_CHOICE || !cli->values[i] ||
        is_choice(option->argument, cli->values[i]))
      continue;
    choices_print(option->argument, expected, sizeof expected);
    return cli->given[i]
               ? aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--%s %s: expected %s",
                             option->name, cli->values[i], expected)
               : aq_diag_set(&cli->diag, AQ_ERR_INVALID, "%s=%s: expected %s",
                             option->env, cli->values[i], expected);
  }
  return AQ_OK;
}

aq_status aq_cli_command_find(const char *word, const aq_cli_command **out,
                              aq_diag *diag)
{
  const char *names[AQ_CLI_CMD_COUNT + 1] = {NULL};
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++) {
    names[i] = aq_cli_commands[i].name;
    if (strcmp(names[i], word) == 0) {
      *out = &aq_cli_commands[i];
      return AQ_OK;
    }
  }
  const char *near = aq_text_nearest(word, names);
  return aq_diag_set(diag, AQ_ERR_INVALID, "unknown command '%s'; %s%s%s", word,
                     near ? "did you mean " : "see aqueduct --help",
                     near ? near : "", near ? "?" : "");
}

static aq_status check_arguments(aq_cli *cli)
{
  const aq_cli_command *command = cli->command;
  if (cli->arg_count >= command->args_min &&
      cli->arg_count <= command->args_max)
    return AQ_OK;
  bool many = cli->arg_count > command->args_max;
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "%s %s%s%s; usage: aqueduct %s [OPTION]...%s%s",
                     command->name, many ? "does not take '" : "needs ",
                     many ? cli->args[command->args_max] : command->arguments,
                     many ? "'" : "", command->name,
                     *command->arguments ? " " : "", command->arguments);
}

/* One argument as a shell would read it back. */
static void quote_argument(FILE *to, const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./=:,+@%";
  if (*text && text[strspn(text, plain)] == 0) {
    fputs(text, to);
    return;
  }
  fputc('\'', to);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", to);
    else
      fputc(*text, to);
  fputc('\'', to);
}

static char *quote_command_line(int argc, char **argv)
{
  char *line = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&line, &size);
  if (!memory)
    return NULL;
  fputs("aqueduct", memory);
  for (int i = 1; i < argc; i++) {
    fputc(' ', memory);
    quote_argument(memory, argv[i]);
  }
  return fclose(memory) == 0 ? line : NULL;
}

/* getopt moves words about: it works on a copy of argv. */
static aq_status take_arguments(aq_cli *cli, int argc, char **argv)
{
  cli->args = calloc((size_t)argc + 1, sizeof *cli->args);
  cli->repeat_room = (size_t)argc + 1;
  cli->repeats =
      calloc(AQ_CLI_OPT_COUNT * cli->repeat_room, sizeof *cli->repeats);
  cli->command_line = quote_command_line(argc, argv);
  if (!cli->args || !cli->repeats || !cli->command_line)
    return aq_diag_no_memory(&cli->diag);
  memcpy(cli->args, argv, (size_t)argc * sizeof *argv);
  cli->words = argv;
  return AQ_OK;
}

static aq_status words_read(aq_cli *cli, int argc, char **argv)
{
  aq_status status = take_arguments(cli, argc, argv);
  if (status == AQ_OK)
    status = read_options(cli, argc, cli->args);
  if (status != AQ_OK)
    return status;
  int head = optind;
  bool asked = cli->values[AQ_CLI_OPT_HELP] || cli->values[AQ_CLI_OPT_VERSION];
  if (head >= argc) {
    read_environment(cli);
    return asked || argc == 1
               ? AQ_OK
               : aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                             "no command given; see aqueduct --help");
  }
  status = aq_cli_command_find(argv[head], &cli->command, &cli->diag);
  if (status == AQ_OK)
    status = read_options(cli, argc - head, cli->args + head);
  if (status != AQ_OK)
    return status;
  read_environment(cli);
  cli->arg_count = argc - head - optind;
  memmove(cli->args, cli->args + head + optind,
          ((size_t)cli->arg_count + 1) * sizeof *cli->args);
  if (aq_cli_flag(cli, AQ_CLI_OPT_HELP) || aq_cli_flag(cli, AQ_CLI_OPT_VERSION))
    return AQ_OK;
  if (cli->values[AQ_CLI_OPT_REPLACE] && !cli->values[AQ_CLI_OPT_NAME])
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--replace: expected --name NAME too");
  status = check_choices(cli);
  return status == AQ_OK ? check_arguments(cli) : status;
}

aq_status aq_cli_refuse(aq_cli *cli, const aq_cli_option_id *foreign,
                        const char *what)
{
  for (; *foreign != AQ_CLI_OPT_COUNT; foreign++)
    if (cli->given[*foreign])
      return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                         "--%s does not apply to %s",
                         aq_cli_options[*foreign].name, what);
  return AQ_OK;
}

aq_status aq_cli_init(aq_cli *cli, int argc, char **argv)
{
  *cli = (aq_cli){.diag = AQ_DIAG_INIT};
  aq_status status = words_read(cli, argc, argv);
  if (status != AQ_OK) {
    /* --json behind the word that is wrong, or in the environment: the error is
     * documented all the same. */
    const char *value = getenv(aq_cli_options[AQ_CLI_OPT_JSON].env);
    bool wanted = value && *value && !flag_is_off(value);
    for (char **word = cli->words; word && *word && strcmp(*word, "--") != 0;
         word++)
      wanted = wanted || strcmp(*word, "--json") == 0;
    if (wanted)
      cli->values[AQ_CLI_OPT_JSON] = "yes";
  }
  return status;
}

int aq_cli_args_before(const aq_cli *cli, aq_cli_option_id option)
{
  int before = 0;
  /* Arguments keep their order; the option's own value, the same pointer or
   * the end of a word, stands between those before and those behind. */
  for (char **word = cli->words; *word && before < cli->arg_count; word++) {
    const size_t length = strlen(*word);
    const char *value = cli->values[option];
    if (value && value >= *word && value <= *word + length)
      break;
    before += *word == cli->args[before];
  }
  return before;
}

aq_status aq_cli_time(aq_cli *cli, aq_cli_option_id option, aq_time *out)
{
  static const struct {
    const char *name;
    aq_time size;
  } units[] = {{"ns", AQ_NS},
               {"us", AQ_US},
               {"ms", AQ_MS},
               {"s", AQ_S},
               {"min", 60 * AQ_S}};
  const char *text = cli->values[option];
  char *end;
  if (!text)
    return AQ_OK;
  double value = strtod(text, &end);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (end != text && strcmp(end, units[i].name) == 0 &&
        value * (double)units[i].size >= 1 &&
        value * (double)units[i].size < (double)(AQ_TIME_MAX / 4)) {
      *out = (aq_time)(value * (double)units[i].size);
      return AQ_OK;
    }
  return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                     "--%s %s: expected a time above 0 in ns, us, ms, s or "
                     "min, such as 2s",
                     aq_cli_options[option].name, text);
}
