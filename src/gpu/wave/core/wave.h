/* SPDX-License-Identifier: MIT */
/*
 * Executes kernels of gfx9 and RDNA as machine code: an executor
 * (common/executor.h) whose waves are 64 or 32 lanes of explicit state;
 * doc/execution.md is the concept.
 *
 * Integers, floats with their rounding, denormals and NaNs, memory, barriers
 * and atomics are exact. Transcendental functions are within 1 ulp of the
 * hardware, whose last bits are not public. An instruction that is not
 * simulated stops the queue with a line that names it: it never computes
 * something else.
 *
 * Guest addresses are host addresses. The executor checks accesses against its
 * allocation map (common/allocations.h) and, where the map is open, against the
 * mappings of this process; a forbidden access is a fault of the execution, not
 * a signal.
 *
 * A machine caches decoded code, by address and content. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_CORE_WAVE_H
#define AQ_GPU_WAVE_CORE_WAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/diag.h"
#include "common/executor.h"
#include "common/record.h"
#include "gpu/isa/isa.h"
#include "gpu/wave/core/jit_options.h"

typedef struct aq_wave_machine aq_wave_machine;

/* Whether a machine executes code for a processor ("gfx942"). */
bool aq_wave_machine_executes(const char *gfx);

/* Whether instructions of a row of the table can be executed at all on a
 * target (its bit), and whether one of such a row can with its fields. */
bool aq_wave_row_executes(const aq_isa_row *row, uint16_t target);
bool aq_wave_instruction_executes(const aq_isa_inst *inst);

/* Levels of processors that lanes are computed for, from "base", which every
 * host has, to "x86-64-v4"; how many of them this host has. Each gives the same
 * results. */
unsigned aq_wave_level_count(void);
const char *aq_wave_level_name(unsigned level);

/* AQ_ERR_NO_MEMORY, or the machine, at the highest level or at one that the
 * host has; its executions end before it. Its allocation map is empty and open:
 * a caller that publishes all memory of its devices closes it. */
aq_status aq_wave_machine_create(aq_wave_machine **out, aq_diag *diag);
aq_status aq_wave_machine_create_at(unsigned level, aq_wave_machine **out,
                                    aq_diag *diag);
void aq_wave_machine_destroy(aq_wave_machine *machine);

/* ---- inspection; before the first execution ---- */

/* Counts the instructions of all executions. */
aq_status aq_wave_machine_profile(aq_wave_machine *machine, aq_diag *diag);

/* Puts the counts, the first time that it is called; nothing without a
 * profile. Threads that execute meanwhile are counted up to some instant. */
aq_status aq_wave_machine_profile_put(aq_wave_machine *machine,
                                      aq_record_sink *sink, aq_diag *diag);

/* How the work of dispatches is counted (common/counted.def). */
typedef struct aq_wave_counting_options {
  uint32_t xccs; /* complexes among which workgroups go in turn; 0: one */
  /* Executes the counted workgroups only: the results are not complete. */
  bool sampled;
  /* A dispatch like counted ones that agreed takes their time, uncounted. */
  bool repeats;
  /* How long a dispatch of that work takes, on the thread that steps it; NULL:
   * the executor does not know. The row has no names. */
  aq_time (*time)(const aq_counted *row, void *user);
  void *user;
} aq_wave_counting_options;

/* Whether an observer sees the accesses of executed code. */
bool aq_wave_machine_is_checked(const aq_wave_machine *machine);

/* Counts the work of all dispatches. AQ_ERR_INVALID: the machine has an
 * observer. */
aq_status aq_wave_machine_count(aq_wave_machine *machine,
                                const aq_wave_counting_options *options,
                                aq_diag *diag);

/* As aq_wave_machine_profile_put. All executions have ended. */
aq_status aq_wave_machine_counted_put(aq_wave_machine *machine,
                                      aq_record_sink *sink, aq_diag *diag);

/* A wave whose steps are printed, in each dispatch. */
typedef struct aq_wave_trace_options {
  uint64_t workgroup; /* in the order of dispatch */
  uint32_t wave;      /* of the workgroup */
  uint64_t limit;     /* steps, of all dispatches */
  FILE *to;           /* borrowed */
} aq_wave_trace_options;

/* Reads "wave=N[,workgroup=N][,limit=N]"; `to` is not changed. AQ_ERR_INVALID
 * names the expected form. */
aq_status aq_wave_trace_read(const char *text, aq_wave_trace_options *out,
                             aq_diag *diag);

/* The clocks of devices in Hz, by their ordinals. NULL, or 0: not known. */
typedef struct aq_wave_clocks {
  int64_t (*clock)(uint32_t device, void *user);
  void *user;
} aq_wave_clocks;

/* Keeps the steps of such a wave of each dispatch as rows, with the cycles of
 * nominal latencies (counting), and counts their dispatches; `to`: where a line
 * says how many were left out. */
aq_status aq_wave_machine_steps(aq_wave_machine *machine,
                                const aq_wave_trace_options *options,
                                const aq_wave_clocks *clocks, aq_diag *diag);

/* As aq_wave_machine_profile_put. */
aq_status aq_wave_machine_steps_put(aq_wave_machine *machine,
                                    aq_record_sink *sink, aq_diag *diag);

aq_status aq_wave_machine_trace(aq_wave_machine *machine,
                                const aq_wave_trace_options *options,
                                aq_diag *diag);

/* Compiles hot code. Without effect beside a profile, a trace, counts or an
 * observer, which see every instruction. */
aq_status aq_wave_machine_compile(aq_wave_machine *machine,
                                  const aq_jit_options *options, aq_diag *diag);

/* Bytes of the decoded code of all threads. Between steps. */
size_t aq_wave_machine_code_memory(const aq_wave_machine *machine);

/* Reports where the waves of each execution are, in a line, when its first step
 * at or after a time ends; ns of aq_wall_ns (common/wall_clock.h), 0: never. On
 * the thread of the step. */
void aq_wave_machine_report_at(aq_wave_machine *machine, int64_t time,
                               void (*tell)(const char *line, void *user),
                               void *user);

/* Counts the time of each kernel, for a program that has `budget_ns`. */
aq_status aq_wave_machine_budget(aq_wave_machine *machine, int64_t budget_ns,
                                 aq_diag *diag);

/* Reports, once, where the time went; nothing without a budget. The function of
 * aq_wave_machine_report_at gets these lines before its own. Any thread. */
void aq_wave_machine_budget_tell(aq_wave_machine *machine,
                                 void (*tell)(const char *line, void *user),
                                 void *user);

/* An instruction that a kernel's code can reach and whose results are not
 * exact (exactness.h); static texts. */
typedef struct aq_wave_inexact {
  const char *instruction, *class;
  uint64_t count;
} aq_wave_inexact;

/* A kernel whose code was looked through, before it executes for the first
 * time. Borrowed. */
typedef struct aq_wave_code_scan {
  const char *kernel, *gfx;
  const char *refused; /* why it does not execute, or NULL */
  uint64_t instructions;
  bool indirect; /* it calls addresses that are not known */
  const aq_wave_inexact *inexact;
  size_t inexact_count;
} aq_wave_code_scan;

/* Reports each kernel, again after code was unloaded, on the thread that begins
 * executions. */
void aq_wave_machine_on_scan(aq_wave_machine *machine,
                             void (*tell)(const aq_wave_code_scan *scan,
                                          void *user),
                             void *user);

/* Reports the execution of a number, from 1, when it begins: its memory is as
 * its first instruction finds it. On the thread that begins executions. */
void aq_wave_machine_catch(aq_wave_machine *machine, uint64_t number,
                           void (*tell)(const aq_execution_desc *desc,
                                        void *user),
                           void *user);

/* The machine's executor, as long as the machine lives. */
const aq_executor *aq_wave_machine_executor(const aq_wave_machine *machine);

#endif
