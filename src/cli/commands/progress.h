/* SPDX-License-Identifier: MIT */
/*
 * A progress bar on stderr: only on a terminal, never with --quiet, and gone
 * when the work is done.
 */
#ifndef AQ_CLI_COMMANDS_PROGRESS_H
#define AQ_CLI_COMMANDS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/cli.h"

typedef struct aq_cli_progress {
  const char *what; /* borrowed */
  bool shown;       /* on a terminal, without --quiet */
  const char *unit; /* of the counts; NULL: bytes */
  int permille;     /* as last drawn; -1: nothing is drawn */
  int64_t begun;    /* wall clock, ns */
} aq_cli_progress;

void aq_cli_progress_begin(aq_cli_progress *bar, const aq_cli *cli,
                           const char *what);

/* A callback as importers take it; `bar` is an aq_cli_progress. Draws the part,
 * the rate of bytes or the counts, and the time left. A total of 0 is unknown:
 * nothing is drawn. */
void aq_cli_progress_update(uint64_t done, uint64_t total, void *bar);

/* Wipes the bar. */
void aq_cli_progress_end(aq_cli_progress *bar);

#endif
