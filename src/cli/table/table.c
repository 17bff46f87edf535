/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/table/table.h"

#include <stddef.h>

#define BIT(id) ((aq_cli_option_set)1 << AQ_CLI_OPT_##id)

/* Of the commands that send packets. */
#define PERFORMING                                                             \
  (BIT(SET) | BIT(FAULTS) | BIT(LIVE) | BIT(PACE) | BIT(TIMEOUT) |             \
   BIT(SEMANTICS) | BIT(RECORD) | BIT(RECORD_LIMIT) | BIT(COUNTERS) |          \
   BIT(POLICY) | BIT(ON_POLICY_ERROR) | BIT(DECISION_LOG) |                    \
   BIT(POLICY_TIMEOUT) | BIT(POLICY_MEMORY))

/* Of the commands that take a part of a run. */
#define WINDOW (BIT(BETWEEN) | BIT(TIME) | BIT(STEP))

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

const char *const aq_cli_subjects[] = {
    "runs", "devices", "transports", "formats", "metrics", "policies", NULL};

const char *const aq_cli_store_verbs[] = {"check", "merge", "prune", "vacuum",
                                          NULL};

const char *const aq_cli_device_verbs[] = {"calibrate", "predict", "probe",
                                           NULL};

const aq_cli_command aq_cli_commands[AQ_CLI_CMD_COUNT] = {
    [AQ_CLI_CMD_IMPORT] =
        {.name = "import",
         .arguments = "FILE...",
         .summary = "store measured traces as runs",
         .text =
             "Reads traces that profilers wrote and stores each as one "
             "measured run. FILE is a file, or a directory of files, of a "
             "format that `aqueduct list formats` shows, such as a Kineto "
             "(PyTorch profiler) JSON or a rocprofv3 database, plain or packed "
             "(gzip, zstd); the format is detected.\n\n"
             "Oddities that can be repaired are repaired, counted, reported "
             "with the place of the first one, and kept in the run's notes. "
             "Anything else is an error, and nothing of that file is stored. A "
             "truncated file is an error too, unless --allow-truncated imports "
             "the part that it holds.\n\n"
             "With --ranks, the FILEs, or the files of one directory, are "
             "Kineto profiles of the ranks of one program and become one run. "
             "Import prints how far each rank's clock is off, and how certain "
             "that is.\n\n"
             "With --workload, FILE is a published trace of requests to a "
             "language model (Azure, BurstGPT, LLMServingSim, Mooncake). "
             "Nothing is stored then: import writes a scenario for `run` and "
             "plans, with one server of a built-in model to be edited, and "
             "the requests to a file beside it.",
         .examples = {{"aqueduct import trace.json.gz --name resnet",
                       "one trace, under a name"},
                      {"aqueduct import --workload azure conv.csv -o conv.json",
                       "requests to a language model, as a scenario"},
                      {"aqueduct import --ranks profiles/ --name train",
                       "the ranks of a distributed program, as one run"},
                      {"aqueduct import results/",
                       "a directory of rocprofv3 CSV files"}},
         .options =
             BIT(FORMAT) | BIT(RANKS) | BIT(WORKLOAD) | BIT(ALLOW_TRUNCATED),
         .args_min = 1,
         .args_max = INT32_MAX,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_RUN] =
        {.name = "run",
         .arguments = "SCENARIO",
         .summary = "run a scenario file",
         .text = "Runs the workload of a scenario file on a transport, by "
                 "default the simulator, and stores its rows as a run.\n\n"
                 "--device names the device; without it, the scenario does. "
                 "Each stream has its own queue; with --queues N, the streams "
                 "of a device share N queues, as HIP's streams share four.\n\n"
                 "Without --policy each job goes at once to the queue of its "
                 "stream. A policy that fails, acts illegally or stalls ends "
                 "the run, and nothing is stored.\n\n"
                 "--parameter gives a value to each \"$NAME\" of the scenario. "
                 "SCENARIO may also be a workload of DISB; models of REEF lie "
                 "in $AQ_DATA/workloads/reef-mi50.\n\n"
                 "On SIGUSR1, run prints the state of every queue on standard "
                 "error.",
         .examples =
             {{"aqueduct run burst.json --device mi300x",
               "simulate a scenario on an MI300X"},
              {"aqueduct run burst.json --seed 7 --name b7",
               "the same with another seed"},
              {"aqueduct run burst.json --policy edf,slots=2",
               "the same, two jobs at a time, earliest deadline first"}},
         .options = PERFORMING | BIT(QUEUES) | BIT(PARAMETER),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_REPLAY] =
        {.name = "replay",
         .arguments = "RUN|CAPTURE",
         .summary = "send the submissions of a run or a capture through a "
                    "transport",
         .text =
             "Repeats the submissions of a stored run at their measured times, "
             "through queue, packets and transport, and stores the result as a "
             "run that is linked to its origin. Kernels take as long as in the "
             "origin; the simulator decides when they start.\n\n"
             "Rows with an unknown submission, and the first row of each "
             "queue, keep their measured time and are never scored.\n\n"
             "If a trace has streams but no queues, the streams of a device "
             "share four hardware queues, as HIP's do; recorded queues are "
             "kept, unless --queues gives their number. Dependencies across "
             "queues that the import found become barrier packets.\n\n"
             "What if: --set changes a constant of the device, --mode closed "
             "lets the host follow a device that is faster or slower, "
             "--as-graph shows what graph launches would save, and --level 2 "
             "predicts durations by the median of the same name and shape. "
             "The run's notes keep these settings.\n\n"
             "Without --device, the GPU that the run names decides the device "
             "model.\n\n"
             "A CAPTURE is a file in which a program recorded its submissions. "
             "Replay submits the operations again without pauses and compares "
             "the memory at the end with the capture's: if it differs, the "
             "exit status is 1 and nothing is stored. A kernel runs its host "
             "function of --kernels, else, on the simulator, the code that the "
             "capture holds. --bench repeats the capture without "
             "records, and the run's notes keep the time of each repetition. "
             "With --blocks device, a kernel puts the packets of command "
             "buffers into their queue; with --blocks pm4, they become PM4 "
             "indirect buffers. "
             "The options of runs do not apply.\n\n"
             "A file of exec --capture is a CAPTURE too: replay sends the same "
             "packets, with the program's host times between its waits; "
             "kernels take their cost. Then it executes the code of the "
             "captured "
             "kernels, each with the memory that it found, and compares the "
             "bytes that it wrote: exit status 1 names the first kernel that "
             "wrote others. --kernels-from host leaves this out.",
         .examples = {{"aqueduct replay m --device mi300x --name s",
                       "replay run m on the MI300X model"},
                      {"aqueduct replay latest",
                       "replay the newest run on the model of its GPU"},
                      {"aqueduct replay m --mode closed --set "
                       "interrupt_to_host=2us",
                       "the effect of a faster interrupt"},
                      {"aqueduct replay app.aqcap --kernels ./app.so --bench "
                       "20",
                       "a capture, checked, and timed 20 times"}},
         .options = PERFORMING | BIT(MODE) | BIT(LEVEL) | BIT(QUEUES) |
                    BIT(EDGES) | BIT(AS_GRAPH) | BIT(INTERVAL) | BIT(BENCH) |
                    BIT(CLOCK_OFFSET) | BIT(FIT) | BIT(KERNELS) |
                    BIT(KERNELS_FROM) | BIT(BLOCKS) | BIT(PROFILE) |
                    BIT(PROFILE_ISA) | BIT(TRACE_ISA) | BIT(COST) |
                    BIT(COMPILE),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXEC] =
        {.name = "exec",
         .arguments = "PROGRAM [ARGUMENT]...",
         .summary = "run a program that uses HSA on the simulator",
         .text =
             "Runs an unmodified program with the drop-in "
             "libhsa-runtime64.so.1 in place of ROCm's, even if the program's "
             "run path names another one. The program finds the kernel module "
             "and /dev/kfd: exec makes a mount namespace, which needs no root, "
             "and preloads a library. Where namespaces are blocked (see "
             "`aqueduct doctor`), exec only preloads the library, which has no "
             "effect on static programs and on direct system calls. The "
             "program's stdout stays its own.\n\n"
             "Without --device the program's code objects choose the device "
             "model, and exec prints the choice on stderr. It refuses a "
             "program whose code no device model matches, and warns where it "
             "does "
             "not fit --device.\n\n"
             "Each process that opens HSA becomes a run of its own; exec "
             "prints the ids on stderr, and -o FILE writes the ids alone to "
             "FILE. The run of a killed process is incomplete. --record and "
             "--record-limit bound the rows of each; a run that leaves rows "
             "out counts them. If exec itself is killed, the next command that "
             "opens the store stores the runs.\n\n"
             "The exit status is the program's; 128 plus the number of the "
             "signal that killed it; 125 when exec itself fails (wrong options "
             "included), at the timeout, or when a successful program never "
             "called hsa_init (but for --host-only allow); "
             "126 when the program cannot be run; 127 when it is not found. "
             "With --check, a program that succeeded ends with 1 where "
             "something was found.",
         .examples = {{"aqueduct exec rocminfo", "the view of a program"},
                      {"aqueduct exec --device mi210 --kernels ./kernels.so -- "
                       "./app -n 4",
                       "with arguments and kernels, on an MI210"}},
         .options = BIT(SET) | BIT(TIMEOUT) | BIT(BUDGET) | BIT(KERNELS) |
                    BIT(KERNELS_FROM) | BIT(MISSING_KERNELS) | BIT(HOST_ONLY) |
                    BIT(SEMANTICS) | BIT(POLL_QUEUES) | BIT(RECORD) |
                    BIT(RECORD_LIMIT) | BIT(FAULTS) | BIT(CAPTURE) |
                    BIT(ISOLATION) | BIT(RUNTIME) | BIT(COST) | BIT(COMPILE) |
                    BIT(PROFILE) | BIT(PROFILE_ISA) | BIT(TRACE_ISA) |
                    BIT(REPORT_FIDELITY) | BIT(COVERAGE) | BIT(JUNIT) |
                    BIT(CHECK) | BIT(CHECK_REPORT) | BIT(SARIF) |
                    BIT(SUPPRESS) | BIT(SCHEDULE) | BIT(EXTRACT_DISPATCH) |
                    BIT(STRICT_MEMORY) | BIT(WITH_BLAS),
         .args_min = 1,
         .args_max = INT32_MAX,
         .program = true,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_LAUNCH] =
        {.name = "launch",
         .arguments = "FILE [KERNEL [ARG]...]",
         .summary = "run one kernel of a code object or a source file",
         .text =
             "Loads the code for the device from a code object or an offload "
             "bundle, makes buffers, dispatches KERNEL, prints its duration "
             "and its out buffers, and stores a run. Without --device, launch "
             "takes the first device model that the file has code for.\n\n"
             "A FILE.hip, .ll, .bc, .s or .mlir is compiled for the device "
             "first, by hipcc, clang or mlir-opt as child processes; "
             "`aqueduct doctor` lists them. An error of theirs is the error "
             "of launch, with its file and line, and exit status 2.\n\n"
             "On --transport hsa the GPU executes the kernel. In the simulator "
             "a host function of the kernel's name stands for it, from a "
             "plug-in (doc/kernels.md) or the device library; without one, the "
             "simulator executes the machine code of gfx9, and its output "
             "(printf, assert) comes before the times. "
             "A FILE of exec --extract-dispatch is one dispatch with its "
             "memory, and takes no KERNEL; each repetition begins with that "
             "memory. "
             "`aqueduct show FILE` lists the kernels and their arguments.\n\n"
             "An ARG is TYPE:VALUE, buf:TYPE[N] or out:TYPE[N]; TYPE is i8, "
             "u8, i16, u16, i32, u32, i64, u64, f32 or f64. A buffer is filled "
             "with 0, with a number behind `=`, with 0, 1, 2, ... by `=iota`, "
             "or with the bytes of a file by `=@FILE`, when N may be left out. "
             "out:TYPE[N]:FILE writes the buffer to FILE at the end; the "
             "initial contents follow FILE.\n\n"
             "--repeat does not fill the buffers again between repetitions. "
             "After --timeout, launch ends with exit status 1 and stores "
             "nothing.",
         .examples =
             {{"aqueduct launch k.hsaco vadd --grid 1024 --kernels "
               "./k.so --args 'buf:f32[1024]=iota' 'buf:f32[1024]=1' "
               "'out:f32[1024]' u32:1024",
               "add on the simulator"},
              {"aqueduct launch k.hsaco vadd --grid 64 --transport hsa "
               "--args 'buf:f32[64]=iota' 'buf:f32[64]=1' "
               "'out:f32[64]' u32:64",
               "and on a GPU"},
              {"aqueduct launch k.hsaco vadd --grid 64 --kernels ./k.so "
               "--repeat 100 --args 'buf:f32[]=@a.bin' "
               "'buf:f32[64]=1' 'out:f32[64]:sum.bin' u32:64",
               "a hundred times, from and to files"},
              {"aqueduct launch k.hip vadd --device mi210 --grid 64 -DN=64 "
               "--expect iota --args 'buf:f32[64]=iota' 'out:f32[64]'",
               "from source, its result checked"}},
         .options = BIT(GRID) | BIT(WORKGROUP) | BIT(LDS) | BIT(ARGS) |
                    BIT(PRINT) | BIT(REPEAT) | BIT(EXPECT) | BIT(OPTIMIZE) |
                    BIT(DEFINE) | BIT(INCLUDE) | BIT(SAVE_TEMPS) |
                    BIT(TIMEOUT) | BIT(KERNELS) | BIT(KERNELS_FROM) |
                    BIT(MISSING_KERNELS) | BIT(SET) | BIT(FAULTS) | BIT(COST) |
                    BIT(PROFILE) | BIT(PROFILE_ISA) | BIT(TRACE_ISA) |
                    BIT(COMPILE),
         .args_min = 1,
         .args_max = INT32_MAX,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_MLIR] =
        {.name = "mlir",
         .arguments = "FILE",
         .summary = "compile an MLIR program for the device and run it",
         .text =
             "Lowers FILE with mlir-opt, compiles its GPU modules for the "
             "device's chip, runs a function of it with mlir-runner on "
             "Aqueduct's runtime, and stores a run of its kernels and copies. "
             "`aqueduct doctor` lists the tools that it needs, and the "
             "packages that bring them.\n\n"
             "The pipeline outlines kernels, lowers the GPU's part to ROCDL "
             "and the host's to LLVM, and links AMD's device libraries. "
             "--pipeline replaces it. Lowered programs are cached by input, "
             "passes, tools and chip, in $AQUEDUCT_CACHE (none: not at all), "
             "else in ~/.cache/aqueduct. A GPU module with objects for several "
             "chips runs the one for the device.\n\n"
             "The program's stdout stays its own; mlir prints the run's id on "
             "stderr, and -o FILE writes it to FILE. The exit status is the "
             "program's; 2 when FILE cannot be compiled, a tool is missing, or "
             "the program uses the GPU wrongly; 1 when a kernel fails. "
             "--transport hsa runs it on a GPU.",
         .examples =
             {{"aqueduct mlir vecadd.mlir --device mi210", "run its main"},
              {"aqueduct mlir kernels.mlir --emit asm -o kernels.s",
               "read the machine code"},
              {"aqueduct mlir app.mlir -e test --pipeline "
               "'builtin.module(gpu-lower-to-rocdl-pipeline{chip=%chip})'",
               "another function, other passes"}},
         .options = BIT(ENTRY) | BIT(PIPELINE) | BIT(EMIT) | BIT(KEEP) |
                    BIT(SET) | BIT(TIMEOUT) | BIT(RECORD) | BIT(RECORD_LIMIT) |
                    BIT(PROFILE_ISA),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_SWEEP] =
        {.name = "sweep",
         .arguments = "[PLAN]",
         .summary = "run every point of a plan",
         .text =
             "Runs the product of workloads, parameters, devices, policies and "
             "seeds on all cores, and stores each point as a run. A sweep "
             "skips points that the store already holds for the same inputs "
             "and version, so the same command continues an interrupted sweep. "
             "It prints the ids of the runs in the order of the plan.\n\n"
             "A sweep stores requests and sums only, unless the plan asks for "
             "rows. If a point fails, for example because its policy crashes "
             "or does not return, the sweep reports it, stores it as failed "
             "and runs the other points; the exit status is then 1. Later "
             "sweeps skip failed points, unless --retry is given.\n\n"
             "--emit writes a folder with the plan, all files that it names, a "
             "MANIFEST of its points and scripts for Slurm, GNU parallel or "
             "HTCondor; --slurm submits it as well. --status prints how far "
             "such a folder is, and exits with 1 while points are missing.\n\n"
             "--tasks prints commands for GNU parallel or a Slurm array; "
             "`store merge` joins their stores. The results do not depend on "
             "how points are shared. SIGTERM ends a sweep: stored points "
             "stay, and the same command continues.",
         .examples = {{"aqueduct sweep plan.json", "all points, on all cores"},
                      {"aqueduct sweep plan.json --tasks 64 | parallel",
                       "with GNU parallel"},
                      {"aqueduct sweep plan.json --store $N.db --shard $N/64",
                       "the N-th of 64 tasks of an array"},
                      {"aqueduct sweep plan.json --slurm=--time=2:00:00 "
                       "--shards 64 -o study",
                       "an array of 64 Slurm tasks, and their merge"},
                      {"aqueduct sweep --status study", "how far it is"}},
         .options = BIT(SHARD) | BIT(SHARDS) | BIT(EMIT_JOBS) | BIT(SLURM) |
                    BIT(FOLDER) | BIT(STATUS) | BIT(TASKS) | BIT(JOBS) |
                    BIT(RETRY) | BIT(POLICY_TIMEOUT) | BIT(POLICY_MEMORY),
         .args_min = 0,
         .args_max = 1,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_STUDY] =
        {.name = "study",
         .arguments = "[RUN]...",
         .summary = "statistics of requests, over runs and seeds",
         .text = "Prints statistics of the requests of runs: mean response "
                 "with a 95 % confidence interval (over the means of seeds, or "
                 "over batches of a single seed), quantiles, throughput, "
                 "deadlines met, fairness, utilisation. Runs that differ only "
                 "in the seed share a row. Without RUN, study takes all "
                 "complete runs of the store that have requests.\n\n"
                 "If the plan ran clients alone, study adds ANTT and STP. It "
                 "leaves out, with a count, runs that continued without their "
                 "policy, runs from before an edit of their scenario, model "
                 "or plug-in, and runs with the seed of an earlier one.",
         .examples = {{"aqueduct study --plan edf-fifo", "a table"},
                      {"aqueduct study --plan edf-fifo --baseline fifo "
                       "--metric p99",
                       "how much better than fifo"},
                      {"aqueduct study --plot cdf -o cdf.svg", "a plot"}},
         .options = BIT(PLAN) | BIT(WARMUP) | BIT(BASELINE) | BIT(BY_CLIENT) |
                    BIT(PLOT) | BIT(METRIC) | BIT(WIDE),
         .args_min = 0,
         .args_max = INT32_MAX,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_CHAIN] =
        {.name = "chain",
         .arguments = "",
         .summary = "time a chain of dependent kernels, by way of launching",
         .text =
             "Launches a chain of kernels of one workgroup, each of which "
             "needs the one before it, on device models (all that are built "
             "in, unless --device names some), and prints the device's time "
             "in all, for each kernel, and the overhead: that less the "
             "kernel's own. The times are virtual, of the second of two "
             "launches, from the begin "
             "of the submission to the end of the last kernel.\n\n"
             "The ways: `barrier`, packets with the barrier bit in one queue; "
             "`signals`, kernels in two queues alternately, each behind a "
             "barrier-AND packet that waits for the signal of the kernel "
             "before it; `hip-graph`, the same packets as fast as "
             "HIP writes and announces a graph; `pm4`, commands of "
             "PM4 indirect buffers; `device`, packets that a kernel on the "
             "device puts into the ring, a lower bound without that kernel's "
             "waits for memory. A row that a device cannot launch says why."
             "\n\n"
             "The host's time in the table is the device model's, which has "
             "one for `hip-graph` alone. --host-time measures the processor "
             "time of submitting on this host: other runs and hosts give "
             "other figures. --format svg draws the time for each kernel.",
         .examples =
             {{"aqueduct chain --device mi300x", "one device"},
              {"aqueduct chain --length 64 --kernel-time 2us --strategy "
               "barrier --strategy pm4",
               "two ways on all device models"},
              {"aqueduct chain --format svg -o chain.svg", "a plot"}},
         .options = BIT(LENGTH) | BIT(KERNEL_TIME) | BIT(STRATEGY) |
                    BIT(HOST_TIME) | BIT(FORMAT) | BIT(SET) | BIT(WIDE),
         .args_min = 0,
         .args_max = 0},
    [AQ_CLI_CMD_COMPARE] =
        {.name = "compare",
         .arguments = "RUN [OTHER...]",
         .summary = "compare runs dispatch by dispatch",
         .text =
             "Scores a run against the run that it replays (OTHER, by default "
             "its origin; either may come first): the errors of its end times, "
             "completion intervals, queue waits and starts, by class of row, "
             "beside two trivial formulas on the same rows: zero, "
             "max(submission, previous end), and E, the same with two "
             "latencies fitted to this run. Rows replayed at the measured time "
             "and unmatched rows are not counted. A replay on another GPU than "
             "the measured one keeps "
             "the measured durations, so compare does not score it without "
             "--as-if. "
             "If no row can be scored, there is no verdict and the exit status "
             "is 2.\n\n"
             "Any other runs, and all runs with --match or --by, are matched "
             "dispatch by dispatch: RUN is the baseline of each OTHER. Compare "
             "divides the lost time among host calls, queues and kernels, by "
             "group, with the 99 % interval of the paired differences.\n\n"
             "RUN... --against RUN... compares repeated runs of two versions: "
             "the mean makespan and time of each group, and the 95 % bootstrap "
             "interval of the change over the runs. A threshold is then "
             "exceeded where the whole interval lies above it.",
         .examples = {{"aqueduct compare s", "run s with its origin"},
                      {"aqueduct compare a b --step 3 --by op",
                       "one step of two PyTorch profiles, by operator"},
                      {"aqueduct compare s --fail-above end.median=400 "
                       "--format junit -o result.xml",
                       "a test case; exit 1 if the simulation is worse"},
                      {"aqueduct compare before after --by kernel",
                       "the kernels that became slower"},
                      {"aqueduct compare a1 a2 a3 --against b1 b2 b3 "
                       "--fail-above kernel.slower=2%",
                       "exit 1 if version a is slower than b"},
                      {"aqueduct compare fifo edf srpt --by class "
                       "--format markdown",
                       "two policies with a third, as tables"}},
         .options = BIT(FAIL_ABOVE) | BIT(WORST) | BIT(WIDE) | BIT(AGAINST) |
                    BIT(MATCH) | BIT(BY) | BIT(FORMAT) | BIT(AS_IF) | WINDOW,
         .args_min = 1,
         .args_max = INT32_MAX,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_LIST] =
        {.name = "list",
         .arguments = "runs|devices|transports|formats|metrics|policies",
         .summary = "list runs, device models, transports, formats, metrics or "
                    "policies",
         .text = "Lists the runs of the store, the device models, the "
                 "transports, the trace formats, the metrics that "
                 "`aqueduct compare --fail-above` knows, or the scheduler "
                 "policies with their settings.",
         .examples = {{"aqueduct list runs", "every run, oldest first"},
                      {"aqueduct list devices --names",
                       "names only, for scripts"}},
         .options = BIT(NAMES) | BIT(WIDE),
         .args_min = 1,
         .args_max = 1,
         .words = aq_cli_subjects,
         .what = AQ_CLI_SUBJECT},
    [AQ_CLI_CMD_SHOW] =
        {.name = "show",
         .arguments = "RUN|DEVICE|FILE [KERNEL]",
         .summary = "show a run, a device model, a program, a capture or a "
                    "code object",
         .text =
             "Of a run: its description, and a summary of each of its queues. "
             "Of a device model: every constant with its "
             "unit, its source, and whether it is calibrated or "
             "assumed. Of several devices, as --device takes them: their copy "
             "engines and links; with --topology their description by the "
             "kernel driver, for AMD's runtime with HSA_MODEL_LIB. Of a file "
             "with a recorded program: its "
             "commands, one a line. Of a capture: its records, one a line; of "
             "a file of exec --capture: its queues, "
             "packets, kernels, copies and waits, counted. Of a code object, "
             "an offload bundle or an executable or library of HIP: its "
             "targets and kernels with their arguments, or with --asm their "
             "machine code (gfx9); with --workgroup how many such workgroups "
             "of "
             "each kernel, or of KERNEL, a device holds at once, and the "
             "resource that limits their number, on --device or all device "
             "models of the code's processor.\n\n"
             "If a run and a device model share a name, show takes the run; "
             "the path of the .device file names the model.",
         .examples = {{"aqueduct show latest", "the newest run"},
                      {"aqueduct show mi300x", "the MI300X device model"},
                      {"aqueduct show ./loop.program", "disassemble it"},
                      {"aqueduct show vadd.hsaco --stub -o vadd.c",
                       "a plug-in that executes its kernels, to be written"},
                      {"aqueduct show ./program --target gfx90a:xnack- --asm "
                       "vadd",
                       "a kernel of a HIP program, disassembled"},
                      {"aqueduct show vadd.hsaco --workgroup 256",
                       "the occupancy of its kernels"}},
         .options = BIT(STUB) | BIT(ASM) | BIT(TARGET) | BIT(TOPOLOGY) |
                    BIT(WORKGROUP) | BIT(LDS) | BIT(WIDE),
         .args_min = 1,
         .args_max = 2,
         .what = AQ_CLI_RUN_OR_DEVICE},
    [AQ_CLI_CMD_STATS] =
        {.name = "stats",
         .arguments = "RUN",
         .summary = "print how long its dispatches took, by group",
         .text = "Prints for each group the calls; the time T = A + Q + K of a "
                 "dispatch, where K lasts from its start to its end, A is the "
                 "host call that submitted it, and Q lasts from its submission "
                 "to its start; and the gap since the previous end on its "
                 "queue. In us. Kernels whose executed work was counted have "
                 "the achieved shares of their device's peaks. doc/stats.md "
                 "defines each figure.",
         .examples = {{"aqueduct stats m --top 10", "the largest kernels"},
                      {"aqueduct stats m --by class --json",
                       "the classes of compare: queued, near, idle and so on"},
                      {"aqueduct stats m --by op --step 3",
                       "the operators of a PyTorch profile, in one step"},
                      {"aqueduct stats m --by step",
                       "what each step computed and communicated"},
                      {"aqueduct stats m --by family",
                       "TFLOP/s and GB/s of a profile with shapes"},
                      {"aqueduct stats m --memory",
                       "the peak of allocated memory, and the operators that "
                       "held it"},
                      {"aqueduct stats m --between forward",
                       "the dispatches launched in the ranges of that name"}},
         .options = BIT(BY) | BIT(MEMORY) | BIT(TOP) | BIT(WIDE) | WINDOW,
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXPLAIN] =
        {.name = "explain",
         .arguments = "RUN",
         .summary = "name the bottleneck of a run, with its evidence",
         .text =
             "Divides the time of each device, from its first start to its "
             "last end, among running kernels, communication and copies, "
             "and the reasons for idle time: the host had not called, was "
             "in the call that submits, or waited for the device; the next "
             "packet lay in its ring, waited for a barrier, or was being "
             "launched. A run is bound by the cause that takes at least "
             "half of its time; where none does, it has no single bottleneck. "
             "Explain takes measured and simulated runs; doc/stats.md "
             "defines each share.",
         .examples = {{"aqueduct explain m", "the bottleneck of run m"},
                      {"aqueduct explain m --step 3",
                       "where the time of one step went"}},
         .options = WINDOW,
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_WHATIF] =
        {.name = "whatif",
         .arguments = "RUN",
         .summary = "predict the effect of a change of host or device on a run",
         .text =
             "Replays the run in a closed loop, in which the host follows the "
             "device: unchanged, with each change alone, and with all of them. "
             "A row of the table has the makespan before and after, the range "
             "in which it lies, and with --wide the parts of the critical path "
             "in percent; the basis of each row follows. Nothing is "
             "stored.\n\n"
             "FACTOR is x0.5 or 0.5x. --launch and --host scale the host's "
             "times of the trace; --set, --queues and --device change the "
             "simulated device. --clock and --bandwidth predict durations by "
             "the family of a kernel's name; such rows are marked, and their "
             "range is wide. --link scales the transfers of collective "
             "kernels, whose waiting follows the ranks. --graphs leaves "
             "launches alone that no capture "
             "can hold: around host waits, of other threads, after long "
             "pauses. doc/whatif.md has the rules.",
         .examples = {{"aqueduct whatif m --launch x0.5 --graphs",
                       "cheaper launch calls, graphs, and both"},
                      {"aqueduct whatif m --host x0.5 --set "
                       "dispatch_setup=0.5x",
                       "a faster host and a faster packet processor"},
                      {"aqueduct whatif m --clock x1.2 --bandwidth x2 --json",
                       "a faster GPU, as a document"}},
         .options = BIT(WIDE) | BIT(LAUNCH) | BIT(HOST) | BIT(GRAPHS) |
                    BIT(CLOCK) | BIT(BANDWIDTH) | BIT(LINK) | BIT(QUEUES) |
                    BIT(SET),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_REPORT] =
        {.name = "report",
         .arguments = "RUN... | RUN... --against RUN...",
         .summary = "make an HTML page of one run or several",
         .text =
             "Writes one self-contained HTML file: where the time went, the "
             "change that would help most, timelines side by side, the end "
             "errors of a replay, gaps, tables of kernels and of differences, "
             "and the sources of the device model's constants. Report adds "
             "the origin of a replay to the page. With changes, as whatif "
             "takes them, the table of what-ifs is of these and of the first "
             "run; without, it tries some of the first measured run.\n\n"
             "RUN... --against RUN... adds the comparison of repeated runs of "
             "two versions, as compare has it.\n\n"
             "The bytes depend on the runs alone. With --json, -o must "
             "name the page, and a document on standard output lists the "
             "runs on it.",
         .examples = {{"aqueduct report s -o report.html",
                       "the replay s beside its measured run"},
                      {"aqueduct report a b -o report.html", "any two runs"},
                      {"aqueduct report m --launch x0.5 --graphs -o r.html",
                       "the run m with a table of what-ifs"},
                      {"aqueduct report m --step 3 -o r.html",
                       "one step of a PyTorch profile"},
                      {"aqueduct report a1 a2 --against b1 b2 -o r.html",
                       "two versions of a program"}},
         .options = BIT(AGAINST) | BIT(LAUNCH) | BIT(HOST) | BIT(GRAPHS) |
                    BIT(CLOCK) | BIT(BANDWIDTH) | BIT(QUEUES) | BIT(SET) |
                    WINDOW,
         .args_min = 1,
         .args_max = 32,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXPORT] =
        {.name = "export",
         .arguments = "RUN",
         .summary = "write a run to a file",
         .text = "Writes the rows of a run in one of the formats that "
                 "`aqueduct list formats` shows; a database (rocpd) needs -o. "
                 "The bytes depend on the "
                 "rows alone: two replays of the same run with the same "
                 "device model and seed give the same file.",
         .examples = {{"aqueduct export s --format perfetto -o s.pftrace",
                       "a timeline for ui.perfetto.dev"},
                      {"aqueduct export s --format rocpd -o s.db",
                       "a database for the tools of ROCm"},
                      {"aqueduct export s --format jsonl -o s.jsonl",
                       "one JSON object a row, to be imported elsewhere"},
                      {"aqueduct export m --step 3 --format perfetto -o "
                       "s.pftrace",
                       "one step of a PyTorch profile"}},
         .options = BIT(FORMAT) | WINDOW,
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_DEVICE] =
        {.name = "device",
         .arguments =
             "calibrate RUN... | predict RUN | predict KEY=VALUE... | probe",
         .summary = "learn the constants of a device model",
         .text =
             "`calibrate` fits constants of the device model that --device "
             "names to measured runs, and writes a model that is based on it "
             "and has the fitted constants, each with the runs, the number of "
             "cases and their spread as its source. Standard error lists the "
             "constants that were fitted, and the reasons for the others. Runs "
             "with too few cases are refused. A constant that --set names "
             "keeps its value. From the run of a probe, calibrate takes the "
             "constants as they are.\n\n"
             "`predict RUN` prints the durations of the dispatches whose work "
             "the run counted (exec --cost executed), on --device or on the "
             "run's own model, without executing them again.\n\n"
             "`predict` prints the duration of a matrix product of m= by n= by "
             "k= and type= (bf16, a8w8, a8w8_blockscale, a4w4_blockscale) on "
             "--device, with its 90 % interval; tile=MxN, splits=, library= "
             "and shuffled=yes describe the kernel, us= and from=MODEL a "
             "measurement on another GPU. doc/durations.md has the errors.\n\n"
             "`probe` runs small experiments on an idle device, prints the "
             "constants of a device model that follow from them, each with its "
             "resolution, and stores every packet as a run. It prints a sum of "
             "keys where only their sum can be observed. With --transport hsa "
             "the device is a GPU; on the simulator, the probe finds the "
             "constants of the device model.",
         .examples = {{"aqueduct device calibrate m1 m2 --device mi300x -o "
                       "mine.device",
                       "a model of your GPU and software"},
                      {"aqueduct device probe --transport hsa --name p",
                       "the constants of the first GPU"},
                      {"aqueduct device predict m=4096 n=7168 k=2048 "
                       "type=a8w8_blockscale --device mi355x",
                       "how long a matrix product takes"},
                      {"aqueduct device predict r --device mi210",
                       "how long the kernels of a run take there"},
                      {"aqueduct device calibrate p --device mi300x -o "
                       "mine.device",
                       "a model of it"}},
         .options = BIT(SET) | BIT(FAULTS),
         .args_min = 1,
         .args_max = INT32_MAX,
         .words = aq_cli_device_verbs,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_STORE] =
        {.name = "store",
         .arguments = "check | merge OTHER... | prune RUN... | vacuum",
         .summary = "maintain the store: check, merge, remove runs, shrink",
         .text = "`check` reads the whole file and prints a line for each "
                 "problem and each remark (incomplete runs, replays of removed "
                 "runs). The exit status is 1 if there is a problem.\n\n"
                 "`merge` copies the complete runs of other stores, each in "
                 "one transaction, and prints their new ids. It does not copy "
                 "a run again that the store already has, with the same rows "
                 "and date; a run whose name is taken gets the first free one "
                 "of NAME-2, NAME-3...\n\n"
                 "`prune` removes the named runs with all their rows, and "
                 "prints their ids. The word `incomplete` stands for every run "
                 "whose writer did not finish: it was killed, it failed, or it "
                 "still writes, and then loses its run.\n\n"
                 "`vacuum` returns the space of removed runs to the file "
                 "system. Meanwhile it needs as much space again.",
         .examples = {{"aqueduct store check",
                       "exit 1 if the store is damaged"},
                      {"aqueduct store merge ci.db laptop.db",
                       "gather runs of several machines"},
                      {"aqueduct store prune m", "remove the run m"},
                      {"aqueduct store prune incomplete",
                       "remove the remains of killed imports and replays"}},
         .args_min = 1,
         .args_max = INT32_MAX,
         .words = aq_cli_store_verbs,
         .what = AQ_CLI_STORE_WORD},
    [AQ_CLI_CMD_DOCTOR] =
        {.name = "doctor",
         .arguments = "",
         .summary = "print what this build and this machine can do",
         .text =
             "Checks the optional parts of the build, the HSA runtime, the GPU "
             "driver, the store and the terminal. Each failed check names the "
             "missing part and how to get it. Doctor changes nothing.",
         .examples = {{"aqueduct doctor", "check this machine"}},
         .options = BIT(LIBHSA),
         .args_min = 0,
         .args_max = 0},
    [AQ_CLI_CMD_HELP] =
        {.name = "help",
         .arguments = "[COMMAND [VERB]]",
         .summary = "show the help of a command",
         .text = "Shows the same as `aqueduct COMMAND --help`, or the list of "
                 "commands. The help of a command explains all of its verbs.",
         .examples = {{"aqueduct help replay", "the help of replay"},
                      {"aqueduct help device probe",
                       "the help of device, which has the verb"}},
         .args_min = 0,
         .args_max = 2,
         .what = AQ_CLI_COMMAND_NAME},
};

bool aq_cli_takes(const aq_cli_command *command, aq_cli_option_id option)
{
  return option >= AQ_CLI_FIRST_COMMON ||
         (command && (command->options >> option & 1));
}
