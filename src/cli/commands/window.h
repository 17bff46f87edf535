/* SPDX-License-Identifier: MIT */
/* --between, --step and --time, of the commands that take a part of a run. */
#ifndef AQ_CLI_COMMANDS_WINDOW_H
#define AQ_CLI_COMMANDS_WINDOW_H

#include "cli/commands/cli.h"
#include "common/json_out.h"
#include "report/stats/selection.h"

/* Reads the options; *given: there is one of them. */
aq_status aq_cli_window(aq_cli *cli, aq_run_window *window, bool *given);

/* A member of a document, and a line of text. */
void aq_cli_window_json(aq_json_out *json, const char *key,
                        const aq_run_window *window,
                        const aq_window_counts *counts);
void aq_cli_window_put(FILE *to, const aq_run_window *window,
                       const aq_window_counts *counts);

/* The same part of a baseline and of the run that is compared with it; NULL:
 * all. */
typedef struct aq_cli_parts {
  const aq_run_window *window;
  const aq_window_counts *baseline, *current;
} aq_cli_parts;

/* `window` and `baseline_window` of a document, or two lines of text. */
void aq_cli_parts_json(aq_json_out *json, const aq_cli_parts *parts);
void aq_cli_parts_put(FILE *to, const aq_cli_parts *parts);

/* The line without its end, the other rows of the part, and how much beside the
 * rows is left out of a page or of an export; the caller's to free, NULL: no
 * memory. */
char *aq_cli_selection_text(const aq_run_window *window,
                            const aq_selection *part);

/* A line on standard error, of an export. */
aq_status aq_cli_selection_note(aq_cli *cli, const aq_run_window *window,
                                const aq_selection *part);

#endif
