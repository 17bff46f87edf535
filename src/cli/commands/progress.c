/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"
#include "common/wall_clock.h"

enum { BAR_WIDTH = 20, NAME_WIDTH = 24 };

void aq_cli_progress_begin(aq_cli_progress *bar, const aq_cli *cli,
                           const char *what)
{
  const char *slash = strrchr(what, '/');
  const char *term = getenv("TERM");
  bar->what = slash && slash[1] ? slash + 1 : what;
  bar->unit = NULL;
  bar->permille = -1;
  bar->begun = aq_wall_ns();
  bar->shown = !aq_cli_flag(cli, AQ_CLI_OPT_QUIET) && isatty(STDERR_FILENO) &&
               term && strcmp(term, "dumb") != 0;
}

void aq_cli_progress_update(uint64_t done, uint64_t total, void *user)
{
  aq_cli_progress *bar = user;
  if (!bar->shown || total == 0)
    return;
  double part = (double)done / (double)total;
  int permille = part >= 1 ? 1000 : (int)(part * 1000);
  if (permille == bar->permille)
    return;
  bar->permille = permille;
  const double took = (double)(aq_wall_ns() - bar->begun) / 1e9;
  const double rate = took > 0 ? (double)done / took : 0;
  const int64_t left =
      rate > 0 && total > done ? (int64_t)((double)(total - done) / rate) : 0;
  char cells[BAR_WIDTH + 1];
  int full = bar->permille * BAR_WIDTH / 1000;
  memset(cells, '.', BAR_WIDTH);
  memset(cells, '#', (size_t)full);
  cells[BAR_WIDTH] = 0;
  char how_much[64];
  if (bar->unit)
    snprintf(how_much, sizeof how_much, "%" PRIu64 " of %" PRIu64 " %s", done,
             total, bar->unit);
  else
    snprintf(how_much, sizeof how_much, "%8.1f MB/s", rate / 1e6);
  char *name = aq_text_line(bar->what, strlen(bar->what));
  fprintf(stderr, "\r%-*.*s [%s] %3d %% %s %3" PRId64 ":%02" PRId64 " left",
          NAME_WIDTH, NAME_WIDTH, name ? name : "", cells, bar->permille / 10,
          how_much, left / 60, left % 60);
  free(name);
}

void aq_cli_progress_end(aq_cli_progress *bar)
{
  if (bar->permille >= 0)
    fputs("\r\033[K", stderr);
  bar->permille = -1;
}
