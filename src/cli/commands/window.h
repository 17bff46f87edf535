/* SPDX-License-Identifier: MIT */
/* --between, --step and --time, of the commands that take a part of a run. */
#ifndef AQ_CLI_COMMANDS_WINDOW_H
#define AQ_CLI_COMMANDS_WINDOW_H

#include "cli/commands/cli.h"
#include "common/json_out.h"
#include "report/stats/selection.h"

/* Reads the options; *given: there is one of them. */
aq_status aq_cli_window(aq_cli *cli, aq_run_window *window, bool *given);

/* The member `window` of a document, and a line of text. */
void aq_cli_window_json(aq_json_out *json, const aq_run_window *window,
                        const aq_window_counts *counts);
void aq_cli_window_put(FILE *to, const aq_run_window *window,
                       const aq_window_counts *counts);

/* A line on standard error, of commands whose output is something else. */
void aq_cli_selection_note(aq_cli *cli, const aq_run_window *window,
                           const aq_selection *part);

#endif
