/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/table.h"

#include <stddef.h>

#define BIT(id) (UINT64_C(1) << AQ_CLI_OPT_##id)

/* Of the commands that send packets. */
#define PERFORMING                                                             \
  (BIT(SET) | BIT(FAULTS) | BIT(LIVE) | BIT(PACE) | BIT(TIMEOUT) |             \
   BIT(SEMANTICS) | BIT(RECORD) | BIT(RECORD_LIMIT) | BIT(COUNTERS) |          \
   BIT(POLICY) | BIT(ON_POLICY_ERROR) | BIT(DECISION_LOG) |                    \
   BIT(POLICY_TIMEOUT) | BIT(POLICY_MEMORY))

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

const char *const aq_cli_device_verbs[] = {"calibrate", "probe", NULL};

const aq_cli_command aq_cli_commands[AQ_CLI_CMD_COUNT] = {
    [AQ_CLI_CMD_IMPORT] =
        {.name = "import",
         .arguments = "FILE...",
         .summary = "store measured traces as runs",
         .text =
             "Reads traces that profilers wrote and stores each as one "
             "measured run. FILE is a Kineto (PyTorch profiler) JSON, a "
             "rocprofv3 database (rocpd) or JSON, a directory of rocprofv3 CSV "
             "files, a rocprof v1 results.csv, an .rpd of rocmProfileData, an "
             "ireeperf-jsonl of iree-profile, or an .xplane.pb of JAX, plain "
             "or packed (gzip, zstd); the format is detected.\n\n"
             "Oddities that can be repaired are repaired, counted, reported "
             "with the place of the first one, and kept in the run's notes. "
             "What cannot be repaired is an error, and nothing of that file is "
             "stored; so is a truncated file, unless --allow-truncated "
             "imports what it holds.",
         .examples = {{"aqueduct import trace.json.gz --name resnet",
                       "one trace, under a name"},
                      {"aqueduct import results/",
                       "a directory of rocprofv3 CSV files"}},
         .options = BIT(FORMAT) | BIT(ALLOW_TRUNCATED),
         .args_min = 1,
         .args_max = INT32_MAX,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_RUN] =
        {.name = "run",
         .arguments = "SCENARIO",
         .summary = "run a scenario file",
         .text = "Runs the workload that a scenario file describes on a "
                 "transport, by default the simulator, and stores what "
                 "happened as a run.\n\n"
                 "The device is the one of --device, else the scenario's. Each "
                 "stream has a queue of its own; with --queues, the streams of "
                 "a device share so many, as HIP's share four.\n\n"
                 "Without --policy each job goes at once to the queue of its "
                 "stream. A policy that fails, acts illegally or stalls ends "
                 "the run, and nothing is stored.\n\n"
                 "--parameter gives a value to what the scenario writes as "
                 "\"$NAME\". SCENARIO may be a workload of DISB, too; models "
                 "of REEF are looked for in $AQ_DATA/workloads/reef-mi50.\n\n"
                 "On SIGUSR1 the state of every queue is told on standard "
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
             "Submits what a stored run submitted, when it was submitted, "
             "through queue, packets and transport, and stores the result as "
             "a run that is linked to its origin. Kernels take as long as "
             "they took in the origin; when they start is up to the "
             "simulator.\n\n"
             "Rows whose submission is not known, and the first of each "
             "queue, are pinned to their measured time and never scored.\n\n"
             "Where a trace tells streams only, they share four hardware "
             "queues of a device as HIP's do; recorded queues are kept, "
             "unless --queues says how many there are. Dependencies across "
             "queues that the import found become barrier packets.\n\n"
             "What if: --set changes a constant of the device, --mode closed "
             "lets the host follow a device that is faster or slower, "
             "--as-graph shows what graph launches would save, and --level 2 "
             "predicts durations by the median of the same name and shape. "
             "The run's notes keep all of it.\n\n"
             "Without --device the device model is chosen from the GPU that "
             "the run names.\n\n"
             "A CAPTURE is a file that a program wrote of what it submitted to "
             "its queues. Its operations are submitted again as fast as they "
             "go, and the memory that is left is compared with the capture's: "
             "the exit status is 1, and nothing is stored, if it differs. Host "
             "functions of its kernels come from --kernels. With --bench it is "
             "repeated without records, and the time of each repetition is "
             "kept in the run's notes. The options of runs do not apply.\n\n"
             "What exec --capture wrote is a CAPTURE too: the same packets are "
             "sent, when the program sent them after what it waited for; "
             "kernels take their cost and compute nothing.",
         .examples = {{"aqueduct replay m --device mi300x --name s",
                       "replay run m on the MI300X model"},
                      {"aqueduct replay latest",
                       "replay the newest run on the model of its GPU"},
                      {"aqueduct replay m --mode closed --set "
                       "interrupt_to_host=2us",
                       "what a faster interrupt would bring"},
                      {"aqueduct replay app.aqcap --kernels ./app.so --bench "
                       "20",
                       "a capture, checked, and timed 20 times"}},
         .options = PERFORMING | BIT(MODE) | BIT(LEVEL) | BIT(QUEUES) |
                    BIT(EDGES) | BIT(AS_GRAPH) | BIT(BENCH) | BIT(KERNELS),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXEC] =
        {.name = "exec",
         .arguments = "PROGRAM [ARGUMENT]...",
         .summary = "run a program that uses HSA on the simulator",
         .text =
             "Runs an unmodified program with the drop-in "
             "libhsa-runtime64.so.1 in the place of ROCm's, also if it names "
             "another one by its run path. The program finds the kernel "
             "module and /dev/kfd as if they were there: in a mount namespace, "
             "for which no root is needed, and by a preloaded library; "
             "where namespaces are blocked (`aqueduct doctor` tells) by that "
             "library alone, which programs that are linked statically or make "
             "system calls themselves do not see. Nothing is added to "
             "what the program prints on stdout.\n\n"
             "Each process that opens HSA is stored as a run of its own; the "
             "ids are told on stderr, and -o FILE gets them alone. A run of "
             "a process that was killed is incomplete. --record and "
             "--record-limit bound the rows of each; a run that leaves rows "
             "out counts them. What is left when exec "
             "itself is killed is stored by the next command that opens the "
             "store.\n\n"
             "The exit status is the program's; 128 and the number of the "
             "signal that killed it; 125 when exec itself fails, at the "
             "timeout, or when a program that succeeds never called hsa_init; "
             "126 when the program cannot be run; 127 when it is not found.",
         .examples = {{"aqueduct exec rocminfo", "what a program would see"},
                      {"aqueduct exec --device mi210 --kernels ./kernels.so -- "
                       "./app -n 4",
                       "with arguments and kernels, on an MI210"}},
         .options = BIT(SET) | BIT(TIMEOUT) | BIT(KERNELS) | BIT(KERNELS_FROM) |
                    BIT(MISSING_KERNELS) | BIT(SEMANTICS) | BIT(RECORD) |
                    BIT(RECORD_LIMIT) | BIT(FAULTS) | BIT(CAPTURE) |
                    BIT(ISOLATION) | BIT(PROFILE_ISA) | BIT(TRACE_ISA),
         .args_min = 1,
         .args_max = INT32_MAX,
         .program = true,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_LAUNCH] =
        {.name = "launch",
         .arguments = "FILE KERNEL [ARG]...",
         .summary = "run one kernel of a code object and print its results",
         .text =
             "Takes the code for the device out of a code object or an offload "
             "bundle, makes buffers, dispatches KERNEL, prints how long "
             "it took and what is in its out buffers, and stores a run. "
             "Without "
             "--device the first device model is taken that the file has code "
             "for.\n\n"
             "On --transport hsa the GPU executes the kernel. In the simulator "
             "a host function of the kernel's name stands for it, from a "
             "plug-in (doc/kernels.md) or the device library; without one, "
             "the machine code of gfx9 is executed. "
             "`aqueduct show FILE` lists the kernels and their arguments.\n\n"
             "An ARG is TYPE:VALUE, buf:TYPE[N] or out:TYPE[N]; TYPE is i8, "
             "u8, i16, u16, i32, u32, i64, u64, f32 or f64. A buffer is filled "
             "with 0, with a number behind `=`, with 0, 1, 2, ... by `=iota`, "
             "or with the bytes of a file by `=@FILE`, when N may be left out. "
             "out:TYPE[N]:FILE writes the buffer to FILE in the end; what it "
             "is filled with comes behind that.\n\n"
             "With --repeat the buffers are not filled again in between. After "
             "--timeout launch ends with exit status 1, whatever hangs, and "
             "stores nothing.",
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
               "a hundred times, from and to files"}},
         .options = BIT(GRID) | BIT(WORKGROUP) | BIT(LDS) | BIT(ARGS) |
                    BIT(PRINT) | BIT(REPEAT) | BIT(TIMEOUT) | BIT(KERNELS) |
                    BIT(MISSING_KERNELS) | BIT(SET) | BIT(FAULTS) |
                    BIT(PROFILE_ISA) | BIT(TRACE_ISA),
         .args_min = 2,
         .args_max = INT32_MAX,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_SWEEP] =
        {.name = "sweep",
         .arguments = "PLAN",
         .summary = "run every point of a plan",
         .text =
             "Runs a product of workloads, parameters, devices, policies and "
             "seeds on all cores, and stores each as a run. Points whose run "
             "the store has already, made of the same inputs by the same "
             "version, are skipped: a sweep that was interrupted goes on where "
             "it was. The ids of the runs are printed in the order of the "
             "plan.\n\n"
             "Only requests and sums are stored, unless the plan asks for "
             "rows. A point that fails, also because its policy crashes or "
             "does "
             "not return, is reported and stored as failed, and the others are "
             "run; the exit status is then 1. Points that failed are skipped "
             "by later sweeps, unless --retry asks for them.\n\n"
             "--tasks prints commands for GNU parallel or a Slurm array; their "
             "stores are joined by `store merge`. The results are the same "
             "however the points were shared.",
         .examples = {{"aqueduct sweep plan.json", "all of it, on all cores"},
                      {"aqueduct sweep plan.json --tasks 64 | parallel",
                       "with GNU parallel"},
                      {"aqueduct sweep plan.json --store $N.db --shard $N/64",
                       "the N-th of 64 tasks of an array"}},
         .options = BIT(SHARD) | BIT(TASKS) | BIT(JOBS) | BIT(RETRY) |
                    BIT(POLICY_TIMEOUT) | BIT(POLICY_MEMORY),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_FILE},
    [AQ_CLI_CMD_STUDY] =
        {.name = "study",
         .arguments = "[RUN]...",
         .summary = "statistics of requests, over runs and seeds",
         .text =
             "Tells of the requests of runs how long they took and what was "
             "served: mean response with a 95 % confidence interval (of the "
             "means of seeds; of batches where there is one), quantiles, "
             "throughput, deadlines met, fairness, utilisation. Runs that "
             "differ in nothing but the seed are one row. Without RUN, all "
             "complete runs of the store that have requests.\n\n"
             "Where the plan had clients alone, also ANTT and STP. Runs that "
             "went on without their policy are left out.",
         .examples = {{"aqueduct study --plan edf-fifo", "a table"},
                      {"aqueduct study --plan edf-fifo --baseline fifo "
                       "--metric p99",
                       "how much better than fifo"},
                      {"aqueduct study --plot cdf -o cdf.svg", "a plot"}},
         .options = BIT(PLAN) | BIT(WARMUP) | BIT(BASELINE) | BIT(BY_CLIENT) |
                    BIT(PLOT) | BIT(METRIC),
         .args_min = 0,
         .args_max = INT32_MAX,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_COMPARE] =
        {.name = "compare",
         .arguments = "RUN [OTHER...]",
         .summary = "compare runs dispatch by dispatch",
         .text =
             "Scores a run against the run that it replays (OTHER, by default "
             "its origin; either may come first): how far its end "
             "times, completion intervals, queue waits and starts are from "
             "the measured ones, by class of row, beside two trivial "
             "formulas on the same rows: zero, max(submission, previous "
             "end), and E, the same with two latencies fitted to this very "
             "run. Pinned rows and unmatched rows are not counted. A replay "
             "on another GPU than the measured one is not scored, because its "
             "durations are those of the measured one; --as-if does it all the "
             "same. "
             "When nothing can be scored there is no verdict, and the exit "
             "status is 2.\n\n"
             "Any other runs, or with --match or --by, are matched and told "
             "apart: RUN is what was, each OTHER what is. The lost time is "
             "divided among host calls, queues and kernels, by group, with "
             "the 99 % interval of the paired differences.",
         .examples = {{"aqueduct compare s", "run s with its origin"},
                      {"aqueduct compare s --fail-above end.median=400 "
                       "--format junit -o result.xml",
                       "a test case; exit 1 if the simulation is worse"},
                      {"aqueduct compare before after --by kernel",
                       "what became slower"},
                      {"aqueduct compare fifo edf srpt --by class "
                       "--format markdown",
                       "two policies with a third, as tables"}},
         .options = BIT(FAIL_ABOVE) | BIT(WORST) | BIT(MATCH) | BIT(BY) |
                    BIT(FORMAT) | BIT(AS_IF),
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
         .options = BIT(NAMES),
         .args_min = 1,
         .args_max = 1,
         .words = aq_cli_subjects,
         .what = AQ_CLI_SUBJECT},
    [AQ_CLI_CMD_SHOW] =
        {.name = "show",
         .arguments = "RUN|DEVICE|FILE [KERNEL]",
         .summary = "show one run, one device model, one program, one capture "
                    "or what is in a code object",
         .text =
             "Of a run: what is known of it, and a summary of each of "
             "its queues. Of a device model: every constant with its "
             "unit, its source, and whether it is calibrated or "
             "assumed. Of several devices, as --device takes them: their "
             "copy engines and how they are linked. Of a file with a "
             "recorded program: its commands, one a line. Of a capture: its "
             "records, one a line; of what exec --capture wrote: its queues, "
             "packets, kernels, copies and waits, counted. Of a code object, "
             "an offload bundle or an executable or library of HIP: its "
             "targets and kernels with their arguments, or with --asm their "
             "machine code (gfx9).\n\n"
             "A name that is both a run and a device model means the "
             "run; give the path of the .device file for the other.",
         .examples = {{"aqueduct show latest", "the newest run"},
                      {"aqueduct show mi300x", "the MI300X device model"},
                      {"aqueduct show ./loop.program", "disassemble it"},
                      {"aqueduct show vadd.hsaco --stub -o vadd.c",
                       "a plug-in that executes its kernels, to be written"},
                      {"aqueduct show ./program --target gfx90a:xnack- --asm "
                       "vadd",
                       "a kernel of a HIP program, disassembled"}},
         .options = BIT(STUB) | BIT(ASM) | BIT(TARGET),
         .args_min = 1,
         .args_max = 2,
         .what = AQ_CLI_RUN_OR_DEVICE},
    [AQ_CLI_CMD_STATS] =
        {.name = "stats",
         .arguments = "RUN",
         .summary = "tell how long its dispatches took, by group",
         .text =
             "For each group the calls, and of the time T = A + Q + K of a "
             "dispatch: K from its start to its end, A the host call that "
             "submitted it, Q from its submission to its start; and the "
             "gap since the end before it on its queue. In us. doc/stats.md "
             "defines each figure.",
         .examples = {{"aqueduct stats m", "by kernel"},
                      {"aqueduct stats m --by queue", "by queue"},
                      {"aqueduct stats m --by class --json",
                       "queued, near, idle and so on, as compare has them"}},
         .options = BIT(BY),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXPLAIN] =
        {.name = "explain",
         .arguments = "RUN",
         .summary = "name the bottleneck of a run, with its evidence",
         .text = "Divides the time of each device, from its first start to its "
                 "last end, among what ran and why nothing ran: the host had "
                 "not submitted, waited for the device, the packet lay in its "
                 "ring, waited for a barrier, was launched. The largest share "
                 "names the bottleneck. Measured and simulated runs alike; "
                 "doc/stats.md says how each share is found.",
         .examples = {{"aqueduct explain m", "what holds the run m back"}},
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_REPORT] =
        {.name = "report",
         .arguments = "RUN...",
         .summary = "make a page to look at, of one run or several",
         .text = "Writes one HTML file that needs nothing else: timelines "
                 "side by side, how far the ends of a replay are off, gaps, "
                 "a table of kernels, and where the constants of the device "
                 "model come from. A replay without its origin beside it is "
                 "shown with it.\n\n"
                 "The bytes depend on the runs alone. With --json the page "
                 "needs a file, and a document on standard output lists the "
                 "runs that it shows.",
         .examples = {{"aqueduct report s -o report.html",
                       "the replay s beside what was measured"},
                      {"aqueduct report a b -o report.html", "any two runs"}},
         .args_min = 1,
         .args_max = 16,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_EXPORT] =
        {.name = "export",
         .arguments = "RUN",
         .summary = "write a run to a file",
         .text = "Writes the rows of a run in one of the formats that "
                 "`aqueduct list formats` shows; a database (rocpd) needs a "
                 "file to be in. The bytes depend on the "
                 "rows alone: two replays of the same run with the same "
                 "device model and seed give the same file.",
         .examples = {{"aqueduct export s --format perfetto -o s.pftrace",
                       "a timeline for ui.perfetto.dev"},
                      {"aqueduct export s --format rocpd -o s.db",
                       "a database for the tools of ROCm"},
                      {"aqueduct export s --format jsonl -o s.jsonl",
                       "one JSON object a row, to be imported elsewhere"}},
         .options = BIT(FORMAT),
         .args_min = 1,
         .args_max = 1,
         .what = AQ_CLI_RUN},
    [AQ_CLI_CMD_DEVICE] =
        {.name = "device",
         .arguments = "calibrate RUN... | probe",
         .summary = "learn the constants of a device model",
         .text =
             "`calibrate` fits what measured runs tell of the constants of the "
             "device model that --device names, and writes a model that begins "
             "with it and has the fitted constants, each with the runs, the "
             "number of cases and their spread as its source. What was fitted, "
             "and what was not and why, is told on standard error. Runs that "
             "tell too little are refused. Of the run of a probe the constants "
             "that it told are taken as they are.\n\n"
             "`probe` runs small experiments on an idle device, tells what "
             "constants of a device model follow from them, each with its "
             "resolution, and stores every packet as a run. A sum of keys "
             "means that only their sum can be seen. With --transport hsa the "
             "device is a GPU; on the simulator the probe gives the device "
             "model's own constants back.",
         .examples = {{"aqueduct device calibrate m1 m2 --device mi300x -o "
                       "mine.device",
                       "a model of your GPU and software"},
                      {"aqueduct replay m3 --device ./mine.device",
                       "try it on another run"},
                      {"aqueduct device probe --transport hsa --name p",
                       "what the first GPU is like"},
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
         .summary = "tend the store: check, merge, remove runs, shrink",
         .text = "`check` reads the whole file and tells, a line each, what "
                 "should not be (problem) and what is worth knowing (remark: "
                 "incomplete runs, replays of removed ones). The exit status "
                 "is 1 if there is a problem.\n\n"
                 "`merge` copies the complete runs of other stores, each at "
                 "once or not at all, and prints their new ids. A run that is "
                 "here already, with the same rows and the same date, is not "
                 "copied again; one whose name is taken gets the first of "
                 "NAME-2, NAME-3... that is free.\n\n"
                 "`prune` removes the runs that are named, with all their "
                 "rows, and prints their ids. The word `incomplete` stands "
                 "for every run whose writer did not finish: it was killed, "
                 "or it is still at work, and is then left without its "
                 "run.\n\n"
                 "`vacuum` gives the space of removed runs back to the file "
                 "system. It needs as much again while it works.",
         .examples = {{"aqueduct store check", "exit 1 if it is damaged"},
                      {"aqueduct store merge ci.db laptop.db",
                       "gather runs of several machines"},
                      {"aqueduct store prune m", "remove the run m"},
                      {"aqueduct store prune incomplete",
                       "remove what killed imports and replays left"}},
         .args_min = 1,
         .args_max = INT32_MAX,
         .words = aq_cli_store_verbs,
         .what = AQ_CLI_STORE_WORD},
    [AQ_CLI_CMD_DOCTOR] =
        {.name = "doctor",
         .arguments = "",
         .summary = "tell what this build and this machine can do",
         .text = "Checks what was built in, the HSA runtime, the GPU "
                 "driver, the store and the terminal. Each line that is not "
                 "well says what is missing and how to get it. Nothing is "
                 "changed.",
         .examples = {{"aqueduct doctor", "check this machine"}},
         .options = BIT(LIBHSA),
         .args_min = 0,
         .args_max = 0},
    [AQ_CLI_CMD_HELP] =
        {.name = "help",
         .arguments = "[COMMAND [VERB]]",
         .summary = "show the help of a command",
         .text = "Shows what `aqueduct COMMAND --help` shows, or the list of "
                 "commands. A command explains all of its verbs.",
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
