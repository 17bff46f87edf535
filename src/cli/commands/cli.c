/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/color.h"
#include "common/text.h"

aq_status aq_cli_number(aq_cli *cli, aq_cli_option_id option, int64_t least,
                        int64_t missing, int64_t *out)
{
  const char *text = cli->values[option];
  if (!text) {
    *out = missing;
    return AQ_OK;
  }
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < least)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--%s: '%s': expected an integer of at least %" PRId64,
                       aq_cli_options[option].name, text, least);
  *out = value;
  return AQ_OK;
}

/* A pipe, a terminal or /dev/null has no name to be swapped. */
static bool is_special(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static aq_status output_fail(aq_cli *cli, const char *what)
{
  return aq_diag_set(&cli->diag, AQ_ERR_IO, "%s: %s: %s",
                     cli->values[AQ_CLI_OPT_OUTPUT]
                         ? cli->values[AQ_CLI_OPT_OUTPUT]
                         : "standard output",
                     what, strerror(errno));
}

/* mkstemp makes files that only their owner reads; an output is an ordinary
 * file. */
static void output_permit(int fd)
{
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(fd, 0666 & ~mask) != 0)
    return; /* some file systems have no modes: the file is as good */
}

aq_status aq_cli_output_open(aq_cli *cli)
{
  const char *path = cli->values[AQ_CLI_OPT_OUTPUT];
  cli->out = stdout;
  /* --emit of `sweep` writes a folder of that name. */
  if (!path || strcmp(path, "-") == 0 || cli->values[AQ_CLI_OPT_EMIT_JOBS] ||
      cli->given[AQ_CLI_OPT_SLURM] || cli->values[AQ_CLI_OPT_SHARDS])
    return AQ_OK;
  if (is_special(path)) {
    FILE *file = fopen(path, "w");
    if (!file) {
      cli->out = NULL;
      return output_fail(cli, "cannot be written");
    }
    cli->out = file;
    return AQ_OK;
  }
  size_t size = strlen(path) + sizeof ".XXXXXX";
  cli->out = NULL;
  cli->out_temp = malloc(size);
  if (!cli->out_temp)
    return aq_diag_no_memory(&cli->diag);
  snprintf(cli->out_temp, size, "%s.XXXXXX", path);
  int fd = mkstemp(cli->out_temp);
  if (fd >= 0) {
    output_permit(fd);
    cli->out = fdopen(fd, "w");
    if (cli->out)
      return AQ_OK;
    close(fd);
    unlink(cli->out_temp);
  }
  free(cli->out_temp);
  cli->out_temp = NULL;
  return output_fail(cli, "cannot be written");
}

aq_status aq_cli_output_commit(aq_cli *cli)
{
  bool bad = fflush(cli->out) != 0 || ferror(cli->out);
  if (bad)
    return output_fail(cli, "cannot be written");
  if (cli->out == stdout)
    return AQ_OK;
  FILE *file = cli->out;
  cli->out = NULL;
  if (fclose(file) != 0)
    return output_fail(cli, "cannot be written");
  if (!cli->out_temp)
    return AQ_OK;
  if (rename(cli->out_temp, cli->values[AQ_CLI_OPT_OUTPUT]) != 0)
    return output_fail(cli, "cannot be renamed to");
  free(cli->out_temp);
  cli->out_temp = NULL;
  return AQ_OK;
}

aq_status aq_cli_json_begin_if(aq_cli *cli, aq_json_out **out)
{
  *out = NULL;
  if (!aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    return AQ_OK;
  *out = aq_json_out_begin(true);
  return *out ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

aq_status aq_cli_json_end_if(aq_cli *cli, aq_json_out *json)
{
  return !json || aq_json_out_end(json, cli->out)
             ? AQ_OK
             : aq_diag_no_memory(&cli->diag);
}

aq_status aq_cli_json_finish(aq_cli *cli, aq_json_out *json, aq_status status)
{
  if (status == AQ_OK)
    return aq_cli_json_end_if(cli, json);
  aq_json_out_drop(json);
  return status;
}

static void error_fields_put(const aq_cli *cli, aq_json_out *json, int code)
{
  aq_json_out_text(json, "error",
                   cli->diag.text[0] ? cli->diag.text
                                     : aq_status_text(cli->diag.status));
  aq_json_out_int(json, "exit_status", code);
}

static void error_put(const aq_cli *cli, aq_json_out *json, int code)
{
  aq_json_out_map(json, NULL);
  error_fields_put(cli, json, code);
  aq_json_out_close_map(json);
}

void aq_cli_json_error(aq_cli *cli, aq_json_out *json, aq_status status)
{
  error_fields_put(cli, json, aq_status_exit_code(status));
  cli->documented = true;
}

aq_status aq_cli_json_results_end(aq_cli *cli, aq_json_out *json,
                                  aq_status status)
{
  if (!json)
    return status;
  if (status != AQ_OK) {
    error_put(cli, json, aq_status_exit_code(status));
    cli->documented = true;
  }
  aq_json_out_close_array(json);
  aq_status written = aq_cli_json_end_if(cli, json);
  return status == AQ_OK ? written : status;
}

void aq_cli_fini(aq_cli *cli)
{
  if (cli->out && cli->out != stdout)
    fclose(cli->out);
  if (cli->out_temp)
    unlink(cli->out_temp);
  free(cli->out_temp);
  free(cli->command_line);
  free(cli->args);
  free(cli->repeats);
}

void aq_cli_note(const aq_cli *cli, const char *fmt, ...)
{
  if (aq_cli_flag(cli, AQ_CLI_OPT_QUIET))
    return;
  char text[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  char *line = aq_text_line(text, strlen(text));
  fprintf(stderr, "aqueduct: %s\n", line ? line : "out of memory");
  free(line);
}

static void line_note(const char *line, void *user)
{
  aq_cli_note(user, "%s", line);
}

aq_notes aq_cli_notes(aq_cli *cli)
{
  return (aq_notes){line_note, cli};
}

void aq_cli_complain(const aq_diag *diag)
{
  const char *text = diag->text[0] ? diag->text : aq_status_text(diag->status);
  char *line = aq_text_line(text, strlen(text));
  fprintf(stderr, "%saqueduct: error:%s %s\n",
          aq_cli_color(stderr, AQ_CLI_COLOR_BAD),
          aq_cli_color(stderr, AQ_CLI_COLOR_NONE), line ? line : text);
  free(line);
}

void aq_cli_complain_json(aq_cli *cli, int code)
{
  /* The standard output of `exec` is the program's. */
  const bool foreign = cli->command && cli->command->program;
  if (!aq_cli_flag(cli, AQ_CLI_OPT_JSON) || cli->documented || foreign)
    return;
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return;
  error_put(cli, json, code);
  aq_json_out_end(json, stdout);
}
