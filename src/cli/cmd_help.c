/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/text.h"

static void json_options(aq_cli_json *json, const aq_cli_command *command)
{
  aq_cli_json_array(json, "options");
  for (int i = 0; i < AQ_CLI_OPT_COUNT; i++) {
    const aq_cli_option *option = &aq_cli_options[i];
    if (!aq_cli_takes(command, i))
      continue;
    aq_cli_json_map(json, NULL);
    aq_cli_json_text(json, "name", option->name);
    aq_cli_json_text(json, "argument", option->argument);
    aq_cli_json_text(json, "environment", option->env);
    aq_cli_json_text(json, "help", option->help);
    aq_cli_json_close_map(json);
  }
  aq_cli_json_close_array(json);
}

static void json_command(aq_cli_json *json, const aq_cli_command *command)
{
  aq_cli_json_map(json, NULL);
  aq_cli_json_text(json, "name", command->name);
  aq_cli_json_text(json, "arguments", command->arguments);
  aq_cli_json_text(json, "summary", command->summary);
  json_options(json, command);
  aq_cli_json_close_map(json);
}

static aq_status help_json(aq_cli *cli, const aq_cli_command *command)
{
  aq_cli_json *json = aq_cli_json_begin(true);
  if (!json)
    return aq_cli_no_memory(cli);
  aq_cli_json_array(json, NULL);
  for (int i = 0; i < AQ_CLI_CMD_COUNT; i++)
    if (!command || command == &aq_cli_commands[i])
      json_command(json, &aq_cli_commands[i]);
  aq_cli_json_close_array(json);
  return aq_cli_json_end(json, cli->out) ? AQ_OK : aq_cli_no_memory(cli);
}

aq_status aq_cli_help(aq_cli *cli)
{
  const aq_cli_command *command = NULL;
  aq_status status = AQ_OK;
  if (cli->arg_count)
    status = aq_cli_command_find(cli->args[0], &command, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    return help_json(cli, command);
  aq_cli_help_print(cli->out, command);
  return AQ_OK;
}
