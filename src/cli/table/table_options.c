/* SPDX-License-Identifier: MIT */
/* The options of the table, whichever commands take them. */
#include "config.h"

#include <stddef.h>

#include "cli/table/table.h"

const char aq_cli_exit_status[] =
    "0 done, 1 a difference or a failed check, 2 usage, bad input, or a file "
    "that cannot be read or written.";

const aq_cli_option aq_cli_options[AQ_CLI_OPT_COUNT] = {
    [AQ_CLI_OPT_FORMAT] = {"format", "FORMAT", NULL,
                           "the format of the file, see `aqueduct list "
                           "formats`",
                           .what = AQ_CLI_FORMAT},
    [AQ_CLI_OPT_WORKLOAD] =
        {"workload", "azure|burstgpt|llmservingsim|mooncake", NULL,
         "FILE has requests to a language model in this format: write a "
         "scenario that serves them (-o), and the requests beside it",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_EXPECT] =
        {"expect", "[ARG=]FILL[:TOLERANCE]", NULL,
         "compare an out buffer, argument number ARG or the only one, with a "
         "number, iota or @FILE; exit 1 if elements differ by more than "
         "TOLERANCE (0), relative above 1",
         .repeats = true},
    [AQ_CLI_OPT_OPTIMIZE] = {"optimize", "LEVEL", NULL,
                             "compile a source at this level (3)",
                             .letter = 'O'},
    [AQ_CLI_OPT_DEFINE] = {"define", "NAME[=VALUE]", NULL,
                           "define a macro of the source", .letter = 'D',
                           .repeats = true},
    [AQ_CLI_OPT_INCLUDE] = {"include", "FOLDER", NULL,
                            "look for headers of the source there too",
                            .what = AQ_CLI_FILE, .letter = 'I',
                            .repeats = true},
    [AQ_CLI_OPT_SAVE_TEMPS] = {"save-temps", "FOLDER", NULL,
                               "keep the code object, the compiler's "
                               "intermediate files and its messages there",
                               .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_ENTRY] = {"entry", "FUNCTION", NULL,
                          "the function to call (main), without arguments",
                          .letter = 'e'},
    [AQ_CLI_OPT_PIPELINE] =
        {"pipeline", "PASSES", NULL,
         "lower with these passes of mlir-opt, builtin.module(...), in which "
         "%chip stands for the device's chip"},
    [AQ_CLI_OPT_EMIT] = {"emit", "llvm|asm|hsaco", NULL,
                         "write the GPU modules in this form, and run nothing",
                         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_KEEP] = {"keep", "FOLDER", NULL,
                         "keep the lowered MLIR and the messages of the tools "
                         "there",
                         .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_SET] = {"set", "KEY=VALUE", NULL,
                        "change a constant of the device model for this run, "
                        "0.5x: by a factor; of device N alone with N:KEY=VALUE",
                        .repeats = true},
    [AQ_CLI_OPT_MODE] =
        {"mode", "MODE", NULL,
         "open (default): calls come at their measured times; closed: calls "
         "after a host wait keep their measured distance from its end"},
    [AQ_CLI_OPT_LEVEL] = {"level", "N", NULL,
                          "1 (default): measured durations; 2: durations of "
                          "the second half predicted from the first"},
    [AQ_CLI_OPT_LAUNCH] = {"launch", "FACTOR", NULL,
                           "scale the time of the host's launch calls (x0.5)"},
    [AQ_CLI_OPT_HOST] = {"host", "FACTOR", NULL,
                         "scale the host's time between its calls (x0.5)"},
    [AQ_CLI_OPT_GRAPHS] = {"graphs", NULL, NULL,
                           "make graph launches of direct launches, where a "
                           "capture can hold them"},
    [AQ_CLI_OPT_CLOCK] = {"clock", "FACTOR", NULL,
                          "scale the engine clock (x1.2): predicts durations"},
    [AQ_CLI_OPT_BANDWIDTH] = {"bandwidth", "FACTOR", NULL,
                              "scale the memory bandwidth (x2): predicts "
                              "durations"},
    [AQ_CLI_OPT_LINK] = {"link", "FACTOR", NULL,
                         "scale the speed of the links between GPUs (x2): the "
                         "transfers of collective kernels"},
    [AQ_CLI_OPT_QUEUES] = {"queues", "N", NULL,
                           "map the streams of each device to N hardware "
                           "queues"},
    [AQ_CLI_OPT_PARAMETER] = {"parameter", "NAME=VALUE", NULL,
                              "give a parameter of the scenario another value",
                              .repeats = true},
    [AQ_CLI_OPT_CLOCK_OFFSET] =
        {"clock-offset", "auto|none", NULL,
         "whether doorbells move by the offset between the clocks of host and "
         "device, where waits of the run show one (auto)"},
    [AQ_CLI_OPT_EDGES] =
        {"edges", "PERCENT|none", NULL,
         "keep dependencies across queues of at least this confidence (all by "
         "calls, inferred ones of 50; of 30 "
         "in a closed loop)"},
    [AQ_CLI_OPT_BENCH] = {"bench", "N", NULL,
                          "repeat a capture N times and print the host's and "
                          "the device's time of each repetition"},
    [AQ_CLI_OPT_ALLOW_TRUNCATED] =
        {"allow-truncated", NULL, NULL,
         "import the part that a truncated file holds; every view of the run "
         "shows the mark"},
    [AQ_CLI_OPT_RANKS] =
        {"ranks", NULL, NULL,
         "store the files as one run, each of them a rank of a distributed "
         "program, with their clocks aligned by its collectives"},
    [AQ_CLI_OPT_AS_IF] =
        {"as-if", NULL, NULL,
         "score a replay on another GPU as if it were the measured one"},
    [AQ_CLI_OPT_AS_GRAPH] = {"as-graph", NULL, NULL,
                             "make direct launches between host waits one "
                             "graph launch"},
    [AQ_CLI_OPT_FIT] =
        {"fit", "PART", NULL,
         "fit the constants that vary from run to run to a part of the run: "
         "first=20%, first=500 (rows), first=2s or range=1s..3s; compare "
         "scores the rest; none: to nothing (default: first=20% where an "
         "imported run is repeated on the unedited model of its own GPU, "
         "else none)"},
    [AQ_CLI_OPT_INTERVAL] = {"interval", NULL, NULL,
                             "90 % intervals of makespan and median latency "
                             "(with graphs or on RDNA: the furthest source), "
                             "by the spreads of the device's constants, with "
                             "two replays more for each of these; with --fit "
                             "by the errors of the fitted part, with one"},
    [AQ_CLI_OPT_FAULTS] = {"faults", "FILE|seed=N", "AQUEDUCT_FAULTS",
                           "inject the faults of a schedule, or random ones; "
                           "the transport becomes fault+TRANSPORT; exec "
                           "injects faults inside the device only",
                           .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_LIVE] = {"live", NULL, "AQUEDUCT_LIVE",
                         "live mode: a device thread drives time, not this "
                         "program; the transport must have it"},
    [AQ_CLI_OPT_PACE] = {"pace", "V[/W]", "AQUEDUCT_PACE",
                         "tie virtual time to wall time: V for each W (1); "
                         "live, and not reproducible"},
    [AQ_CLI_OPT_TIMEOUT] =
        {"timeout", "T", "AQUEDUCT_TIMEOUT",
         "wall time (2s, 500ms): in live mode, end the run when no packet has "
         "completed for T, and name the queues that seem to hang; exec ends "
         "all processes of the program after T, launch ends itself"},
    [AQ_CLI_OPT_BUDGET] =
        {"budget", "T", "AQUEDUCT_BUDGET",
         "as --timeout, and say where the time went: the kernels that took "
         "most, at which speed, and how far the running one is"},
    [AQ_CLI_OPT_POLICY] =
        {"policy", "NAME", "AQUEDUCT_POLICY",
         "the policy that decides which job goes where and when: a name or a "
         "path with a slash; ,KEY=VALUE gives settings",
         .what = AQ_CLI_POLICY},
    [AQ_CLI_OPT_ON_POLICY_ERROR] =
        {"on-policy-error", "MODE", NULL,
         "fail (default): a policy that fails or stalls ends the run; "
         "fallback: continue without the policy, and note it"},
    [AQ_CLI_OPT_DECISION_LOG] = {"decision-log", "FILE", NULL,
                                 "write every decision of the policy, a JSON "
                                 "object a line",
                                 .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_POLICY_TIMEOUT] =
        {"policy-timeout", "T|none", "AQUEDUCT_POLICY_TIMEOUT",
         "end a run when one hook of a plug-in policy takes longer than T of "
         "wall time (10s)"},
    [AQ_CLI_OPT_POLICY_MEMORY] =
        {"policy-memory", "SIZE|none", "AQUEDUCT_POLICY_MEMORY",
         "end a run when the process of a plug-in policy takes more than SIZE "
         "bytes (4G)"},
    [AQ_CLI_OPT_GRID] = {"grid", "X[,Y[,Z]]", NULL,
                         "the number of all work-items"},
    [AQ_CLI_OPT_WORKGROUP] =
        {"workgroup", "X[,Y[,Z]]", NULL,
         "work-items of a workgroup (default: the kernel's own, else 256)"},
    [AQ_CLI_OPT_LDS] = {"lds", "BYTES", NULL,
                        "group segment of each workgroup, besides the kernel's "
                        "static one (0)"},
    [AQ_CLI_OPT_ARGS] = {"args", "ARG", NULL,
                         "an argument of the kernel; more may follow it",
                         .repeats = true},
    [AQ_CLI_OPT_PRINT] = {"print", "N", NULL,
                          "how many elements of each out buffer to print (8)"},
    [AQ_CLI_OPT_REPEAT] = {"repeat", "N", NULL,
                           "dispatch N times, one after the other, and print "
                           "the least, middle and largest time (1)"},
    [AQ_CLI_OPT_KERNELS] = {"kernels", "PLUGIN", NULL,
                            "a plug-in with host functions for kernels, by "
                            "name or by a path with a slash; the first plug-in "
                            "that has a kernel executes it ($AQUEDUCT_KERNELS, "
                            "separated by semicolons)",
                            .what = AQ_CLI_FILE, .repeats = true},
    [AQ_CLI_OPT_KERNELS_FROM] =
        {"kernels-from", "auto|host|isa", "AQUEDUCT_KERNELS_FROM",
         "source of a kernel's effect: a plug-in's host function or else its "
         "code (the "
         "default), host functions only, or its code only",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_BLOCKS] =
        {"blocks", "host|device|pm4", NULL,
         "walk the command buffers of a capture's operations on the host (the "
         "default), by a kernel on the device, or on the host as commands of "
         "PM4 indirect buffers",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_MISSING_KERNELS] =
        {"missing-kernels", "fail|warn", "AQUEDUCT_MISSING_KERNELS",
         "a kernel without a host function stops its queue (the default), or "
         "takes its time and computes nothing",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_HOST_ONLY] =
        {"host-only", "fail|allow", "AQUEDUCT_HOST_ONLY",
         "a program that succeeds and never opens HSA fails (the default: "
         "nothing was tested), or keeps its exit status: for suites that have "
         "tests of the host, too",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_CAPTURE] = {"capture", "FILE", NULL,
                            "write a JSON line for each packet, copy and wait, "
                            "for `aqueduct replay FILE`",
                            .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_ISOLATION] =
        {"isolation", "auto|namespace|preload", "AQUEDUCT_ISOLATION",
         "how the program finds the driver: namespace (and preload), preload "
         "alone, or auto: a namespace where one can be made",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_RUNTIME] =
        {"runtime", "aqueduct|installed", "AQUEDUCT_RUNTIME",
         "what serves HSA: the drop-in aqueduct (the default), or AMD's "
         "runtime "
         "that is installed, above a simulated kernel driver with queues and "
         "rings of copy engines (SDMA)",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_STRICT_MEMORY] =
        {"strict-memory", "off|never|allowed", "AQUEDUCT_STRICT_MEMORY",
         "protect the coarse-grained memory of devices from the host: never, "
         "or "
         "until hsa_amd_agents_allow_access names the host, may the program "
         "touch it; off is the default",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_WITH_BLAS] = {"with-blas", NULL, NULL,
                              "the program gets a plain libhipblas and "
                              "librocblas of Aqueduct's own, "
                              "before any that are installed"},
    [AQ_CLI_OPT_POLL_QUEUES] = {"poll-queues", NULL, NULL,
                                "execute packets once they are published: for "
                                "programs that ring no doorbell"},
    [AQ_CLI_OPT_SEMANTICS] = {"semantics", "rocr|foundation",
                              "AQUEDUCT_SEMANTICS",
                              "behave as rocr (the default) or as foundation, "
                              "the HSA Foundation's suite, where they differ",
                              .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_RECORD] =
        {"record", "all|kernels|none|sample=N", "AQUEDUCT_RECORD",
         "rows to keep: all (default), kernel rows, none, one in N, or the "
         "rows of modes of events of --profile; the run counts the rows that "
         "it leaves out"},
    [AQ_CLI_OPT_RECORD_LIMIT] =
        {"record-limit", "SIZE|none", "AQUEDUCT_RECORD_LIMIT",
         "keep rows up to SIZE bytes (500M, 4G; default 4G; of exec for each "
         "process), and count the later ones"},
    [AQ_CLI_OPT_COST] =
        {"cost", "auto|fixed|executed|sampled", "AQUEDUCT_COST",
         "how long kernels take whose code is executed: a prediction from "
         "their counted work, which dispatches like counted ones share (auto; "
         "the default of exec and launch), 2 us and 10 ns a workgroup (fixed), "
         "a prediction from the work of each dispatch (executed), or that with "
         "only the counted workgroups executed, whose results are incomplete "
         "(sampled)"},
    [AQ_CLI_OPT_COMPILE] =
        {"compile", "off|auto|always", "AQUEDUCT_COMPILE",
         "whether executed code is compiled for this machine: never, where it "
         "is hot (the default), or all of it; the results are the same"},
    [AQ_CLI_OPT_PROFILE] =
        {"profile", "MODES", NULL,
         "keep these, with commas between: queue-events, "
         "device-queue-events, dispatch-events (rows of the host, of copies "
         "and barriers, of kernels; without these, --record decides), "
         "executable-metadata, counters and executable-traces (of executed "
         "code; of wave 0 or the wave of trace-isa), or all"},
    [AQ_CLI_OPT_PROFILE_ISA] =
        {"profile-isa", NULL, NULL,
         "count each executed instruction of kernels, its lanes and how they "
         "access memory; `aqueduct show RUN --asm` prints the counts"},
    [AQ_CLI_OPT_TRACE_ISA] =
        {"trace-isa", "wave=N[,KEY=N]", NULL,
         "print the steps of wave N of workgroup=0 of each kernel on standard "
         "error, with registers; limit=10000 steps"},
    [AQ_CLI_OPT_REPORT_FIDELITY] =
        {"report-fidelity", "FILE", NULL,
         "report the exact, approximate and unsupported parts (-: on stderr)",
         .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_COVERAGE] =
        {"coverage", "FILE", NULL,
         "write how often waves executed the lines of kernels, as lcov does; "
         "kernels compiled with -g or -gline-tables-only have lines",
         .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_EXTRACT_DISPATCH] =
        {"extract-dispatch", "N:FILE", NULL,
         "write the Nth dispatch whose code is executed, from 1, with all of "
         "its memory; `aqueduct launch FILE` repeats it"},
    [AQ_CLI_OPT_JUNIT] = {"junit", "FILE", NULL,
                          "write the result as JUnit does, the program being "
                          "one test case (-: on stderr)",
                          .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_CHECK] =
        {"check", "CHECKS", NULL,
         "check executed kernels, see doc/checker.md: memory, init, race, "
         "sync, "
         "wait, api, leak, float with commas between them, or all (default: "
         "all but leak and float)",
         .optional = true},
    [AQ_CLI_OPT_CHECK_REPORT] =
        {"check-report", "FILE", NULL,
         "write the findings of a check to a file, not to stderr (--json: as "
         "JSON)",
         .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_SARIF] = {"sarif", "FILE", NULL,
                          "write the findings of a check as SARIF, too",
                          .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_SCHEDULE] =
        {"schedule", "seed=N", NULL,
         "run the waves of executed kernels in another legal order, which the "
         "seed repeats (seed=N,start-order: workgroups start in another order, "
         "too)"},
    [AQ_CLI_OPT_SUPPRESS] = {"suppress", "FILE", NULL,
                             "leave out findings that a line KIND:PATTERN of "
                             "this file names (kernel or source file)",
                             .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_COUNTERS] = {"counters", "INTERVAL", "AQUEDUCT_COUNTERS",
                             "sample the counters of devices and queues, each "
                             "INTERVAL (10us) of virtual time"},
    [AQ_CLI_OPT_FAIL_ABOVE] = {"fail-above", "METRIC=VALUE", NULL,
                               "exit 1 if METRIC is above VALUE (ns, or with "
                               "us, ms or %)",
                               .what = AQ_CLI_METRIC, .repeats = true},
    [AQ_CLI_OPT_MATCH] = {"match", "HOW", NULL,
                          "how to match the dispatches of two runs: "
                          "auto (default), replay, order, correlation, name "
                          "or align"},
    [AQ_CLI_OPT_AGAINST] = {"against", "RUN...", NULL,
                            "the runs that follow are repetitions of the "
                            "version before",
                            .what = AQ_CLI_RUN},
    [AQ_CLI_OPT_TOP] = {"top", "N", NULL,
                        "print the first N rows of the table and a line on "
                        "the others"},
    [AQ_CLI_OPT_WIDE] = {"wide", NULL, NULL,
                         "every column, and names whole instead of shortened "
                         "to the terminal's width"},
    [AQ_CLI_OPT_BY] = {"by", "GROUP", NULL,
                       "kernel (default), queue, stream, device, class, kind, "
                       "via, all, operation (of host queues), range "
                       "(innermost around the launch), path (all ranges "
                       "around it), op, module, line, stack, step, rank, "
                       "shape, family or collective"},
    [AQ_CLI_OPT_MEMORY] = {"memory", NULL, NULL,
                           "the allocations of memory that the profiler "
                           "recorded, instead of dispatches: the peak of each "
                           "device, and bytes by operator"},
    [AQ_CLI_OPT_BETWEEN] = {"between", "RANGE", NULL,
                            "only dispatches that were launched in a range of "
                            "this name"},
    [AQ_CLI_OPT_STEP] = {"step", "N", NULL,
                         "only dispatches that were launched in this step: "
                         "ProfilerStep#N, else repetition N from 0"},
    [AQ_CLI_OPT_TIME] = {"time", "A..B", NULL,
                         "only dispatches that started in this time since the "
                         "first start: 2ms..5ms, 2ms.., ..5ms"},
    [AQ_CLI_OPT_WORST] = {"worst", "N", NULL,
                          "also list the N rows with the largest end error"},
    [AQ_CLI_OPT_NAMES] = {"names", NULL, NULL, "print names only, one a line"},
    [AQ_CLI_OPT_STUB] = {"stub", NULL, NULL,
                         "of code objects: write a kernel plug-in in C with "
                         "the arguments of each kernel, to be filled in"},
    [AQ_CLI_OPT_ASM] = {"asm", NULL, NULL,
                        "of code objects: their disassembly, or that of KERNEL "
                        "and its callees, and for each kernel the reachable "
                        "instructions that are not simulated; of runs of "
                        "--profile-isa: the code with its counts"},
    [AQ_CLI_OPT_TOPOLOGY] =
        {"topology", "DIR", NULL,
         "of devices: write the files by which the kernel driver describes "
         "them into DIR, as HSA_MODEL_TOPOLOGY takes it"},
    [AQ_CLI_OPT_TARGET] = {"target", "TARGET", NULL,
                           "of files with code objects for several targets: "
                           "only the code for TARGET (gfx90a:xnack-)"},
    [AQ_CLI_OPT_LIBHSA] = {"libhsa", "PATH", "AQUEDUCT_LIBHSA_PATH",
                           "the HSA runtime to load", .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_SHARD] = {"shard", "I/N", NULL,
                          "only each N-th point, from the I-th on"},
    [AQ_CLI_OPT_SHARDS] = {"shards", "N", NULL, "tasks that share the points"},
    [AQ_CLI_OPT_EMIT_JOBS] =
        {"emit", "slurm|parallel|condor", NULL,
         "write a folder (-o) that runs the plan on a cluster; run nothing",
         .what = AQ_CLI_CHOICE},
    [AQ_CLI_OPT_SLURM] = {"slurm", "OPTIONS", NULL,
                          "the same, and submit it: sbatch gets the OPTIONS",
                          .optional = true},
    [AQ_CLI_OPT_FOLDER] = {"folder", "DIR", NULL,
                           "the shard belongs to this folder: check its "
                           "MANIFEST, write its progress",
                           .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_STATUS] = {"status", "DIR", NULL,
                           "print how far the sweep of a folder is",
                           .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_TASKS] = {"tasks", "N", NULL,
                          "print N commands that share the points, one a line, "
                          "each with a store of its own; run nothing"},
    [AQ_CLI_OPT_JOBS] = {"jobs", "N", "AQUEDUCT_JOBS",
                         "processes at a time (one a core)", .letter = 'j'},
    [AQ_CLI_OPT_RETRY] = {"retry", NULL, NULL,
                          "run points again that failed before"},
    [AQ_CLI_OPT_PLAN] = {"plan", "NAME", NULL,
                         "only runs of the sweep of that name"},
    [AQ_CLI_OPT_WARMUP] = {"warmup", "RULE", NULL,
                           "requests left out at the beginning: mser5 "
                           "(default), none, or a percentage (20%)"},
    [AQ_CLI_OPT_BASELINE] = {"baseline", "POLICY", NULL,
                             "also compare each policy with this one, pair by "
                             "pair of equal seeds"},
    [AQ_CLI_OPT_BY_CLIENT] = {"by-client", NULL, NULL,
                              "a row for each client instead of each point"},
    [AQ_CLI_OPT_PLOT] = {"plot", "KIND", NULL,
                         "an SVG instead of a table: cdf (of response), gantt "
                         "(of one run), lines (a metric over a parameter), "
                         "pareto (of two metrics)"},
    [AQ_CLI_OPT_METRIC] =
        {"metric", "NAME", NULL,
         "the metric to compare with the baseline (mean), the vertical axis of "
         "the plot lines (throughput), and the two axes of pareto (throughput, "
         "p99)",
         .repeats = true},
    [AQ_CLI_OPT_LENGTH] = {"length", "N", NULL,
                           "kernels of the chain, 1 to 65536 (512)"},
    [AQ_CLI_OPT_KERNEL_TIME] = {"kernel-time", "T", NULL,
                                "how long each kernel runs (1us)"},
    [AQ_CLI_OPT_STRATEGY] =
        {"strategy", "NAME", NULL,
         "launch the chain this way only: barrier, signals, hip-graph, pm4 or "
         "device",
         .repeats = true},
    [AQ_CLI_OPT_HOST_TIME] =
        {"host-time", NULL, NULL,
         "also measure the processor time of submitting, on this host"},
    [AQ_CLI_OPT_STORE] = {"store", "FILE", "AQUEDUCT_STORE",
                          "the store of runs "
                          "($XDG_DATA_HOME/aqueduct/runs.db)",
                          .what = AQ_CLI_FILE},
    [AQ_CLI_OPT_DEVICE] = {"device", "MODEL", "AQUEDUCT_DEVICE",
                           "the device model, by name or a .device file; "
                           "several devices as MODEL*N or MODEL,MODEL",
                           .what = AQ_CLI_DEVICE},
    [AQ_CLI_OPT_TRANSPORT] =
        {"transport", "NAME", "AQUEDUCT_TRANSPORT",
         "consumer of the packets (sim): a name, a path with "
         "a slash, or WRAPPER+TRANSPORT; ,KEY=VALUE gives "
         "settings",
         .what = AQ_CLI_TRANSPORT},
    [AQ_CLI_OPT_SEED] = {"seed", "N", "AQUEDUCT_SEED",
                         "seed of everything random (the scenario's, or 0)"},
    [AQ_CLI_OPT_NAME] = {"name", "NAME", "AQUEDUCT_NAME",
                         "name of the new run, unique in the store"},
    [AQ_CLI_OPT_REPLACE] = {"replace", NULL, NULL,
                            "with --name: once the new run ends, remove the "
                            "one that has this name"},
    [AQ_CLI_OPT_JSON] =
        {"json", NULL, "AQUEDUCT_JSON",
         "print one JSON document instead of text; of an "
         "error, {\"error\", \"exit_status\"} besides the line"},
    [AQ_CLI_OPT_OUTPUT] = {"output", "FILE", "AQUEDUCT_OUTPUT",
                           "write to FILE instead of standard output; FILE "
                           "appears when it is complete",
                           .what = AQ_CLI_FILE, .letter = 'o'},
    [AQ_CLI_OPT_QUIET] = {"quiet", NULL, "AQUEDUCT_QUIET",
                          "no progress and no remarks, only errors",
                          .letter = 'q'},
    [AQ_CLI_OPT_HELP] = {"help", NULL, NULL, "show this and exit",
                         .letter = 'h'},
    [AQ_CLI_OPT_VERSION] = {"version", NULL, NULL, "show the version and exit"},
};
