/* SPDX-License-Identifier: MIT */
/*
 * The one table of commands and options. Parsing, --help, the man pages and
 * the bash completion are all made from it, so that they cannot disagree.
 *
 * Texts are ASCII. This folder needs nothing of the rest of the program: the
 * documentation generator links it alone.
 */
#ifndef AQ_CLI_TABLE_TABLE_H
#define AQ_CLI_TABLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of arguments, for completion. */
typedef enum aq_cli_what {
  AQ_CLI_NOTHING, /* a flag, or free text */
  AQ_CLI_CHOICE,  /* one of the words of `argument`, "auto|host" */
  AQ_CLI_FILE,
  AQ_CLI_RUN,
  AQ_CLI_RUN_OR_DEVICE,
  AQ_CLI_DEVICE,
  AQ_CLI_TRANSPORT,
  AQ_CLI_FORMAT,
  AQ_CLI_POLICY,
  AQ_CLI_METRIC,
  AQ_CLI_SUBJECT,    /* of `list` */
  AQ_CLI_STORE_WORD, /* a verb of `store`, a run, or a file */
  AQ_CLI_COMMAND_NAME,
} aq_cli_what;

/* O(id): every option, in the order in which help shows them. Those up to
 * QUIET are accepted everywhere. */
#define AQ_CLI_OPTIONS(O)                                                      \
  O(FORMAT)                                                                    \
  O(WORKLOAD)                                                                  \
  O(SET)                                                                       \
  O(MODE)                                                                      \
  O(LEVEL)                                                                     \
  O(LAUNCH)                                                                    \
  O(HOST)                                                                      \
  O(GRAPHS)                                                                    \
  O(CLOCK)                                                                     \
  O(BANDWIDTH)                                                                 \
  O(LINK)                                                                      \
  O(QUEUES)                                                                    \
  O(PARAMETER)                                                                 \
  O(CLOCK_OFFSET)                                                              \
  O(EDGES)                                                                     \
  O(AS_GRAPH)                                                                  \
  O(FIT)                                                                       \
  O(INTERVAL)                                                                  \
  O(RANKS)                                                                     \
  O(ALLOW_TRUNCATED)                                                           \
  O(AS_IF)                                                                     \
  O(BENCH)                                                                     \
  O(FAULTS)                                                                    \
  O(LIVE)                                                                      \
  O(PACE)                                                                      \
  O(TIMEOUT)                                                                   \
  O(BUDGET)                                                                    \
  O(GRID)                                                                      \
  O(WORKGROUP)                                                                 \
  O(LDS)                                                                       \
  O(ARGS)                                                                      \
  O(PRINT)                                                                     \
  O(REPEAT)                                                                    \
  O(EXPECT)                                                                    \
  O(OPTIMIZE)                                                                  \
  O(DEFINE)                                                                    \
  O(INCLUDE)                                                                   \
  O(SAVE_TEMPS)                                                                \
  O(ENTRY)                                                                     \
  O(PIPELINE)                                                                  \
  O(EMIT)                                                                      \
  O(KEEP)                                                                      \
  O(KERNELS)                                                                   \
  O(KERNELS_FROM)                                                              \
  O(BLOCKS)                                                                    \
  O(MISSING_KERNELS)                                                           \
  O(HOST_ONLY)                                                                 \
  O(CAPTURE)                                                                   \
  O(RUNTIME)                                                                   \
  O(ISOLATION)                                                                 \
  O(STRICT_MEMORY)                                                             \
  O(WITH_BLAS)                                                                 \
  O(POLICY)                                                                    \
  O(ON_POLICY_ERROR)                                                           \
  O(DECISION_LOG)                                                              \
  O(POLICY_TIMEOUT)                                                            \
  O(POLICY_MEMORY)                                                             \
  O(SEMANTICS)                                                                 \
  O(POLL_QUEUES)                                                               \
  O(RECORD)                                                                    \
  O(RECORD_LIMIT)                                                              \
  O(COST)                                                                      \
  O(COMPILE)                                                                   \
  O(PROFILE)                                                                   \
  O(PROFILE_ISA)                                                               \
  O(TRACE_ISA)                                                                 \
  O(REPORT_FIDELITY)                                                           \
  O(COVERAGE)                                                                  \
  O(EXTRACT_DISPATCH)                                                          \
  O(JUNIT)                                                                     \
  O(CHECK)                                                                     \
  O(CHECK_REPORT)                                                              \
  O(SARIF)                                                                     \
  O(SCHEDULE)                                                                  \
  O(SUPPRESS)                                                                  \
  O(COUNTERS)                                                                  \
  O(FAIL_ABOVE)                                                                \
  O(WORST)                                                                     \
  O(AGAINST)                                                                   \
  O(TOP)                                                                       \
  O(WIDE)                                                                      \
  O(BY)                                                                        \
  O(MEMORY)                                                                    \
  O(BETWEEN)                                                                   \
  O(STEP)                                                                      \
  O(TIME)                                                                      \
  O(MATCH)                                                                     \
  O(NAMES)                                                                     \
  O(STUB)                                                                      \
  O(ASM)                                                                       \
  O(TARGET)                                                                    \
  O(TOPOLOGY)                                                                  \
  O(LIBHSA)                                                                    \
  O(SHARD)                                                                     \
  O(SHARDS)                                                                    \
  O(EMIT_JOBS)                                                                 \
  O(SLURM)                                                                     \
  O(FOLDER)                                                                    \
  O(STATUS)                                                                    \
  O(TASKS)                                                                     \
  O(JOBS)                                                                      \
  O(RETRY)                                                                     \
  O(PLAN)                                                                      \
  O(WARMUP)                                                                    \
  O(BASELINE)                                                                  \
  O(BY_CLIENT)                                                                 \
  O(PLOT)                                                                      \
  O(METRIC)                                                                    \
  O(LENGTH)                                                                    \
  O(KERNEL_TIME)                                                               \
  O(STRATEGY)                                                                  \
  O(HOST_TIME)                                                                 \
  O(STORE)                                                                     \
  O(DEVICE)                                                                    \
  O(TRANSPORT)                                                                 \
  O(SEED)                                                                      \
  O(NAME)                                                                      \
  O(REPLACE)                                                                   \
  O(JSON)                                                                      \
  O(OUTPUT)                                                                    \
  O(QUIET)                                                                     \
  O(HELP)                                                                      \
  O(VERSION)

typedef enum aq_cli_option_id {
#define O(id) AQ_CLI_OPT_##id,
  AQ_CLI_OPTIONS(O)
#undef O
      AQ_CLI_OPT_COUNT
} aq_cli_option_id;

#define AQ_CLI_FIRST_COMMON AQ_CLI_OPT_STORE

typedef struct aq_cli_option {
  const char *name;     /* without the dashes */
  const char *argument; /* NULL: a flag */
  const char *env;      /* variable that gives the value, or NULL */
  const char *help;
  aq_cli_what what;
  char letter;   /* or 0 */
  bool repeats;  /* may be given more than once */
  bool optional; /* the argument, which then follows a '=' */
} aq_cli_option;

#define AQ_CLI_COMMANDS(C)                                                     \
  C(IMPORT, import)                                                            \
  C(RUN, run)                                                                  \
  C(REPLAY, replay)                                                            \
  C(EXEC, exec)                                                                \
  C(LAUNCH, launch)                                                            \
  C(MLIR, mlir)                                                                \
  C(SWEEP, sweep)                                                              \
  C(STUDY, study)                                                              \
  C(CHAIN, chain)                                                              \
  C(COMPARE, compare)                                                          \
  C(LIST, list)                                                                \
  C(SHOW, show)                                                                \
  C(STATS, stats)                                                              \
  C(EXPLAIN, explain)                                                          \
  C(WHATIF, whatif)                                                            \
  C(REPORT, report)                                                            \
  C(EXPORT, export)                                                            \
  C(DEVICE, device)                                                            \
  C(STORE, store)                                                              \
  C(DOCTOR, doctor)                                                            \
  C(HELP, help)

typedef enum aq_cli_command_id {
#define C(id, name) AQ_CLI_CMD_##id,
  AQ_CLI_COMMANDS(C)
#undef C
      AQ_CLI_CMD_COUNT
} aq_cli_command_id;

typedef struct aq_cli_example {
  const char *command, *meaning;
} aq_cli_example;

enum { AQ_CLI_EXAMPLES_MAX = 7 };

/* A bit for each option. */
__extension__ typedef unsigned __int128 aq_cli_option_set;

typedef struct aq_cli_command {
  const char *name;
  const char *arguments; /* "RUN [OTHER]", or "" */
  const char *summary;   /* lower case, no full stop */
  const char *text;      /* paragraphs, separated by an empty line */
  aq_cli_example examples[AQ_CLI_EXAMPLES_MAX];
  aq_cli_option_set options; /* its own */
  int args_min, args_max;
  bool program; /* its arguments are a program and the program's own */
  const char *const *words; /* of its first argument, ended by NULL; or NULL */
  aq_cli_what what;         /* its arguments */
} aq_cli_command;

/* The meaning of the exit status of commands other than `program` ones, whose
 * text has it. */
extern const char aq_cli_exit_status[];

extern const aq_cli_option aq_cli_options[AQ_CLI_OPT_COUNT];
extern const aq_cli_command aq_cli_commands[AQ_CLI_CMD_COUNT];

/* What `list` can list, ended by NULL. */
extern const char *const aq_cli_subjects[];

/* What `store` and `device` can do, ended by NULL. */
extern const char *const aq_cli_store_verbs[];
extern const char *const aq_cli_device_verbs[];

/* The program itself, for aqueduct(1) and `aqueduct --help`. */
extern const aq_cli_command aq_cli_program;

/* Whether a command takes an option; NULL stands for the program. */
bool aq_cli_takes(const aq_cli_command *command, aq_cli_option_id option);

#endif
