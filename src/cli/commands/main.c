/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/exec/program_process.h"

static aq_status run_command(aq_cli *cli)
{
  static aq_status (*const functions[AQ_CLI_CMD_COUNT])(aq_cli *) = {
#define C(id, name) [AQ_CLI_CMD_##id] = aq_cli_##name,
      AQ_CLI_COMMANDS(C)
#undef C
  };
  if (aq_cli_flag(cli, AQ_CLI_OPT_HELP))
    aq_cli_help_print(cli->out, cli->command);
  else if (aq_cli_flag(cli, AQ_CLI_OPT_VERSION))
    fprintf(cli->out, "aqueduct %s\n", PACKAGE_VERSION);
  else if (!cli->command)
    aq_cli_start_print(cli->out);
  else
    return functions[cli->command - aq_cli_commands](cli);
  return AQ_OK;
}

int main(int argc, char **argv)
{
  aq_cli cli;
  /* Tables are UTF-8 whatever the locale: in C's, libsmartcols never ends on a
   * character of more than a byte. */
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
    setlocale(LC_CTYPE, "C.UTF-8");
  /* Inherited as ignored, the kernel would drop the status of each child. */
  signal(SIGCHLD, SIG_DFL);
  aq_status status = aq_cli_init(&cli, argc, argv);
  if (status == AQ_OK)
    status = aq_cli_output_open(&cli);
  if (status == AQ_OK) {
    status = run_command(&cli);
    /* A difference is a result: its report is complete. */
    if (status == AQ_OK || status == AQ_ERR_DIFFERENT) {
      aq_status written = aq_cli_output_commit(&cli);
      status = written == AQ_OK ? status : written;
    }
  }
  /* A program may end with any status of ours. */
  const bool ours = status != AQ_OK && cli.command && cli.command->program;
  const int code = cli.exit_code ? cli.exit_code
                   : ours        ? AQ_EXEC_OURS
                                 : aq_status_exit_code(status);
  if (status != AQ_OK) {
    aq_cli_complain(&cli.diag);
    aq_cli_complain_json(&cli, code);
    fflush(stdout);
  }
  aq_cli_fini(&cli);
  if (cli.abrupt)
    _exit(code);
  return code;
}
