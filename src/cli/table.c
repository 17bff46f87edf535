/* SPDX-License-Identifier: MIT */
#include "cli/table.h"

#include <stddef.h>

#define BIT(id) (UINT32_C(1) << AQ_CLI_OPT_##id)

const aq_cli_option aq_cli_options[AQ_CLI_OPT_COUNT] = {
    [AQ_CLI_OPT_FORMAT] = {"format", "FORMAT", NULL,
                           "the format of the file, see `aqueduct list "
                           "formats`",
                           .what = AQ_CLI_FORMAT},
    [AQ_CLI_OPT_SET] = {"set", "KEY=VALUE", NULL,
                        "change a constant of the device model for this run",
                        .repeats = true},
    [AQ_CLI_OPT_FAIL_ABOVE] = {"fail-above", "METRIC=VALUE", NULL,
                               "exit 1 if METRIC is above VALUE (ns, or with "
                               "us, ms or %)",
                               .what = AQ_CLI_METRIC, .repeats = true},
    [AQ_CLI_OPT_WORST] = {"worst", "N", NULL,
                          "also list the N rows with the largest end error"},
    [AQ_CLI_OPT_NAMES] = {"names", NULL, NULL, "print names only, one a line"},
    [AQ_CLI_OPT_LIBHSA] = {"libhsa", "PATH", "AQUEDUCT_LIBHSA_PATH",
                           "the HSA runtime to load", .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_STORE] = {"store", "FILE", "AQUEDUCT_STORE",
                          "the store of runs "
                          "($XDG_DATA_HOME/aqueduct/runs.db)",
                          .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_DEVICE] = {"device", "MODEL", "AQUEDUCT_DEVICE",
                           "the device model, by name or a .device file",
                           .what = AQ_CLI_DEVICE},
    [AQ_CLI_OPT_TRANSPORT] = {"transport", "NAME", "AQUEDUCT_TRANSPORT",
                              "what consumes the packets (sim)",
                              .what = AQ_CLI_TRANSPORT},
    [AQ_CLI_OPT_SEED] = {"seed", "N", "AQUEDUCT_SEED",
                         "seed of everything random (the scenario's, or 0)"},
    [AQ_CLI_OPT_NAME] = {"name", "NAME", "AQUEDUCT_NAME",
                         "name of the new run, unique in the store"},
    [AQ_CLI_OPT_JSON] = {"json", NULL, "AQUEDUCT_JSON",
                         "print one JSON document instead of text"},
    [AQ_CLI_OPT_OUTPUT] = {"output", "FILE", "AQUEDUCT_OUTPUT",
                           "write to FILE, at once when all is done, instead "
                           "of standard output",
                           .what = AQ_CLI_FILE, .letter = 'o'},
    [AQ_CLI_OPT_QUIET] = {"quiet", NULL, "AQUEDUCT_QUIET",
                          "no progress and no remarks, only errors",
                          .letter = 'q'},
    [AQ_CLI_OPT_HELP] = {"help", NULL, NULL, "show this and exit",
                         .letter = 'h'},
    [AQ_CLI_OPT_VERSION] = {"version", NULL, NULL, "show the version and exit"},
};

const aq_cli_command aq_cli_program = {
    .name = "aqueduct",
    .arguments = "COMMAND [ARGUMENT...]",
    .summary = "run, simulate, store and compare AQL queue workloads",
    .text =
        "Aqueduct sends real 64-byte AQL packets to AMD GPUs or to a "
        "simulator of their queues, keeps every run, measured or simulated, "
        "in one store, and compares runs dispatch by dispatch.\n\n"
        "A RUN is an id, a unique name, or `latest`, the newest complete "
        "run. A command that makes a run prints its id, and nothing else, on "
        "standard output.",
    .examples = {{"aqueduct import trace.json.gz --name m",
                  "store a measured trace"},
                 {"aqueduct replay m --device mi300x --name s",
                  "simulate the same submissions"},
                 {"aqueduct compare s", "how far off the simulation is"}},
};

const char *const aq_cli_subjects[] = {"runs",    "devices", "transports",
                                       "formats", "metrics", NULL};

const aq_cli_command aq_cli_commands[AQ_CLI_CMD_COUNT] = {
    [AQ_CLI_CMD_HELP] =
        {.name = "help",
         .arguments = "[COMMAND]",
         .summary = "show the help of a command",
         .text = "Shows what `aqueduct COMMAND --help` shows, or the list of "
                 "commands.",
         .examples = {{"aqueduct help replay", "the help of replay"}},
         .args_min = 0,
         .args_max = 1,
         .what = AQ_CLI_COMMAND_NAME},
};

bool aq_cli_takes(const aq_cli_command *command, aq_cli_option_id option) {
  return option >= AQ_CLI_FIRST_COMMON ||
         (command && (command->options >> option & 1));
}
