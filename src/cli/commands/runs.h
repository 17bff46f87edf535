/* SPDX-License-Identifier: MIT */
/*
 * What commands share about stored runs: opening the store, making a run,
 * printing one.
 */
#ifndef AQ_CLI_COMMANDS_RUNS_H
#define AQ_CLI_COMMANDS_RUNS_H

#include "cli/commands/cli.h"
#include "cli/exec/spools.h"
#include "common/json_out.h"
#include "store/store.h"

/* Opens the store that --store names, and prints its notice. */
aq_status aq_cli_store_open(aq_cli *cli, aq_store_mode mode, aq_store **out);

/* The same to read, but a default store that is not there yet is no error:
 * *out is NULL. */
aq_status aq_cli_store_open_if_any(aq_cli *cli, aq_store **out);

/* Prints runs that executions spooled, and their remarks. */
aq_spool_watch aq_cli_spool_watch(aq_cli *cli, const aq_notes *notes);

/* A run that this invocation makes; texts are borrowed from `cli`. */
aq_run_info aq_cli_run_info(const aq_cli *cli, aq_run_kind kind);

/* "1970-01-31 12:00:00" UTC into a buffer of AQ_CLI_DATE_SIZE. */
enum { AQ_CLI_DATE_SIZE = 32 };
void aq_cli_date(int64_t seconds, char *out);

const char *aq_cli_run_kind_name(aq_run_kind kind);

/* "m" or, without a name, "run 3", into a buffer of AQ_CLI_LABEL_SIZE; with
 * " (predicted durations)" where they are. */
enum { AQ_CLI_LABEL_SIZE = 96 };
void aq_cli_run_label(const aq_run_info *info, char *out);

/* All that is known, as the members of an open map. */
void aq_cli_run_json(aq_json_out *json, const aq_run_info *info);

/* A verdict on a device model's constants, as text: "partly calibrated". */
const char *aq_cli_constants(const char *verdict);

/* The basis of a simulated run's figures, "simulated mi300x (constants partly
 * calibrated)"; NULL for a measured run. Into a buffer of AQ_CLI_TRUST_SIZE. */
enum { AQ_CLI_TRUST_SIZE = 160 };
const char *aq_cli_run_trust(const aq_run_info *info, char *out);

/* The caveats of a run (common/run_info.h), for any view of it: a line each
 * after `indent`, and as the array "caveats" of an open map. */
void aq_cli_run_caveats(aq_cli *cli, const char *indent,
                        const aq_run_info *info);
void aq_cli_run_caveats_json(aq_json_out *json, const char *key,
                             const aq_run_info *info);

/* The caveats but that of its durations, as remarks: for a command whose
 * standard output is another document. `label` (may be NULL) comes first. */
void aq_cli_run_losses_note(aq_cli *cli, const char *label,
                            const aq_run_info *info);

/* A run that was made: its id on a line of its own, or, in a document that is
 * being written, an object. */
void aq_cli_run_print(aq_cli *cli, aq_json_out *json, const aq_run_info *info,
                      int64_t id);

#endif
