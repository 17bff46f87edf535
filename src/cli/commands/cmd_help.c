/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "common/json_out.h"
#include "common/text.h"

static void json_options(aq_json_out *json, const aq_cli_command *command)
{
  aq_json_out_array(json, "options");
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!aq_cli_takes(command, i))
      continue;
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "name", option->name);
    aq_json_out_text(json, "argument", option->argument);
    aq_json_out_text(json, "environment", option->env);
    aq_json_out_text(json, "help", option->help);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static aq_status help_json(aq_cli *cli, const aq_cli_command *command)
{
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return aq_diag_no_memory(&cli->diag);
  aq_json_out_array(json, NULL);
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++)
    if (!command || command == &aq_cli_commands[i]) {
      aq_json_out_map(json, NULL);
      aq_json_out_text(json, "name", aq_cli_commands[i].name);
      aq_json_out_text(json, "arguments", aq_cli_commands[i].arguments);
      aq_json_out_text(json, "summary", aq_cli_commands[i].summary);
      json_options(json, &aq_cli_commands[i]);
      aq_json_out_close_map(json);
    }
  aq_json_out_close_array(json);
  return aq_json_out_end(json, cli->out) ? AQ_OK
                                         : aq_diag_no_memory(&cli->diag);
}

/* The second word is one that the command takes first. */
static aq_status verb_check(aq_cli *cli, const aq_cli_command *command)
{
  const char *verb = cli->args[1];
  char known[256] = "";
  for (size_t i = 0; command->words && command->words[i]; i++) {
    const size_t used = strlen(known);
    if (strcmp(command->words[i], verb) == 0)
      return AQ_OK;
    snprintf(known + used, sizeof known - used, "%s%s",
             i == 0                  ? ""
             : command->words[i + 1] ? ", "
                                     : " or ",
             command->words[i]);
  }
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "help: %s has no verb '%s'; expected %s", command->name,
                     verb, known[0] ? known : "none");
}

aq_status aq_cli_help(aq_cli *cli)
{
  const aq_cli_command *command = NULL;
  aq_status status = AQ_OK;
  if (cli->arg_count)
    status = aq_cli_command_find(cli->args[0], &command, &cli->diag);
  if (status == AQ_OK && cli->arg_count > 1)
    status = verb_check(cli, command);
  if (status != AQ_OK)
    return status;
  if (aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    return help_json(cli, command);
  aq_cli_help_print(cli->out, command);
  return AQ_OK;
}
