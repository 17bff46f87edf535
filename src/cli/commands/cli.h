/* SPDX-License-Identifier: MIT */
/*
 * One invocation of the program: its command, options and output. Conventions:
 * data on stdout (or --output), everything else on stderr; an error is one
 * line, which the function that detects it words in `diag` and main() alone
 * prints.
 */
#ifndef AQ_CLI_COMMANDS_CLI_H
#define AQ_CLI_COMMANDS_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/table/table.h"
#include "common/diag.h"
#include "common/json_out.h"
#include "common/notes.h"
#include "common/time.h"
#include "scheduler/policy_watchdog.h"

typedef struct aq_cli {
  const aq_cli_command *command;        /* NULL: only options of the program */
  const char *values[AQ_CLI_OPT_COUNT]; /* the last value; flags: "" */
  bool given[AQ_CLI_OPT_COUNT];         /* on the command line */
  const char **repeats; /* values of repeating options, see aq_cli_repeats */
  size_t repeat_room;   /* for each option */
  char **args;          /* borrowed from argv, ended by NULL */
  int arg_count;
  char **words;       /* all of argv in its order, borrowed */
  char *command_line; /* as a shell would read it */
  FILE *out;          /* stdout, or the file that becomes --output */
  char *out_temp;     /* its path until it is complete, or NULL */
  bool documented;    /* --json has its document */
  bool abrupt; /* a thread runs on that nothing ends: leave without handlers */
  aq_policy_watchdog *watch; /* where the policy is noted, or NULL */
  int exit_code;             /* a command's own, or 0: that of its status */
  aq_diag diag;
} aq_cli;

/* Reads argv and the environment. On error the diag is set and `cli` is still
 * to be finished with aq_cli_fini. */
aq_status aq_cli_init(aq_cli *cli, int argc, char **argv);

/* The command of a name; an error for a typo names the nearest one. */
aq_status aq_cli_command_find(const char *word, const aq_cli_command **out,
                              aq_diag *diag);

/* Opens the output; it becomes visible under its name only by commit. */
aq_status aq_cli_output_open(aq_cli *cli);
aq_status aq_cli_output_commit(aq_cli *cli);

/* Frees everything; an uncommitted output file is removed. */
void aq_cli_fini(aq_cli *cli);

static inline bool aq_cli_flag(const aq_cli *cli, aq_cli_option_id option)
{
  return cli->values[option] != NULL;
}

/* The values of a repeating option, as an array ended by NULL; they live as
 * long as `cli`. */
const char *const *aq_cli_repeats(const aq_cli *cli, aq_cli_option_id option);

/* How many of the arguments stand before the option on the command line; all
 * without it. */
int aq_cli_args_before(const aq_cli *cli, aq_cli_option_id option);

/* The value of an option that is a time above 0, "2s"; *out stays as it is
 * without it. */
aq_status aq_cli_time(aq_cli *cli, aq_cli_option_id option, aq_time *out);

/* The value of an option that is a whole number, or `missing`. */
aq_status aq_cli_number(aq_cli *cli, aq_cli_option_id option, int64_t least,
                        int64_t missing, int64_t *out);

/* Refuses options (ended by AQ_CLI_OPT_COUNT) on the command line that say
 * nothing of `what`. */
aq_status aq_cli_refuse(aq_cli *cli, const aq_cli_option_id *foreign,
                        const char *what);

/* The document that --json asks for; *out is NULL without it. */
aq_status aq_cli_json_begin_if(aq_cli *cli, aq_json_out **out);

/* Writes what begin_if began; does nothing without a document. */
aq_status aq_cli_json_end_if(aq_cli *cli, aq_json_out *json);

/* The same if `status` is AQ_OK; else drops it and returns the status. */
aq_status aq_cli_json_finish(aq_cli *cli, aq_json_out *json, aq_status status);

/* The error's fields in an open map; the document has told it then. */
void aq_cli_json_error(aq_cli *cli, aq_json_out *json, aq_status status);

/* Ends an open array of results, whose last element is the error, if any: the
 * results before it stay. Without a document: `status`. */
aq_status aq_cli_json_results_end(aq_cli *cli, aq_json_out *json,
                                  aq_status status);

/* A remark on stderr, one line, unless --quiet. */
void aq_cli_note(const aq_cli *cli, const char *fmt, ...) AQ_PRINTF(2, 3);

/* The remarks of libraries, shown the same way. */
aq_notes aq_cli_notes(aq_cli *cli);

/* The error line of `diag` on stderr. */
void aq_cli_complain(const aq_diag *diag);

/* With --json, an error that left stdout without a document becomes one:
 * {"error": TEXT, "exit_status": CODE}. */
void aq_cli_complain_json(aq_cli *cli, int code);

#endif
