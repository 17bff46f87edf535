/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/commands/color.h"
#include "cli/commands/commands.h"
#include "cli/doctor/doctor.h"
#include "common/json_out.h"
#include "common/text.h"

/* Prints findings as they come, and keeps the last that fails the command. */
typedef struct printer {
  aq_cli *cli;
  aq_json_out *json;
  aq_status status;
} printer;

static const struct {
  const char *name;
  aq_cli_color_id color;
} states[] = {[AQ_DOCTOR_OK] = {"ok", AQ_CLI_COLOR_GOOD},
              [AQ_DOCTOR_NOTE] = {"note", AQ_CLI_COLOR_WARN},
              [AQ_DOCTOR_MISSING] = {"missing", AQ_CLI_COLOR_WARN},
              [AQ_DOCTOR_BAD] = {"bad", AQ_CLI_COLOR_BAD}};

static void finding_put(const aq_doctor_finding *f, void *user)
{
  printer *p = user;
  if (f->state == AQ_DOCTOR_BAD)
    p->status = aq_diag_set(&p->cli->diag, AQ_ERR_DIFFERENT, "%s: %s", f->check,
                            f->detail);
  if (!p->json) {
    FILE *out = p->cli->out;
    char *line = aq_text_line(f->detail, strlen(f->detail));
    fprintf(out, "%s%-8s%s %-14s %s\n",
            aq_cli_color(out, states[f->state].color), states[f->state].name,
            aq_cli_color(out, AQ_CLI_COLOR_NONE), f->check, line ? line : "");
    free(line);
    if (f->advice)
      fprintf(out, "%-23s -> %s\n", "", f->advice);
    return;
  }
  aq_json_out_map(p->json, NULL);
  aq_json_out_text(p->json, "check", f->check);
  aq_json_out_text(p->json, "state", states[f->state].name);
  aq_json_out_text(p->json, "detail", f->detail);
  aq_json_out_text(p->json, "advice", f->advice);
  aq_json_out_close_map(p->json);
}

static void terminal_put(printer *p)
{
  char detail[128];
  struct winsize size;
  const char *charset = nl_langinfo(CODESET);
  const bool is_utf8 = strcmp(charset, "UTF-8") == 0;
  aq_doctor_finding f = {AQ_DOCTOR_OK, "terminal", detail, NULL};
  if (!isatty(STDOUT_FILENO)) {
    snprintf(detail, sizeof detail, "output is not a terminal, %s", charset);
  } else {
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
      size.ws_col = 0;
    const bool coloured = *aq_cli_color(stdout, AQ_CLI_COLOR_GOOD) != 0;
    snprintf(detail, sizeof detail, "%d columns, %s, %s", size.ws_col,
             coloured ? "colour" : "no colour", charset);
    f.state = is_utf8 ? AQ_DOCTOR_OK : AQ_DOCTOR_NOTE;
    f.advice = is_utf8 ? NULL : "set LANG=C.UTF-8 for names as they are";
  }
  finding_put(&f, p);
}

aq_status aq_cli_doctor(aq_cli *cli)
{
  printer p = {.cli = cli};
  const aq_doctor_options options = {cli->values[AQ_CLI_OPT_LIBHSA],
                                     cli->values[AQ_CLI_OPT_STORE]};
  aq_status status = aq_cli_json_begin_if(cli, &p.json);
  if (status != AQ_OK)
    return status;
  if (p.json)
    aq_json_out_array(p.json, NULL);
  aq_doctor_examine(&options, finding_put, &p);
  terminal_put(&p);
  if (p.json)
    aq_json_out_close_array(p.json);
  status = aq_cli_json_end_if(cli, p.json);
  return status == AQ_OK ? p.status : status;
}
