/* SPDX-License-Identifier: MIT */
/*
 * The run loop: workload + queues on a transport → records.
 *
 * One loop serves every transport: it asks the source for the next job, lets
 * time move to its submit time, sends the job through a host queue (program,
 * block processor, packets, one doorbell) and reports completions to the
 * source. Records come from the transport's sink; the loop adds what only it
 * knows of each packet (name, stream, host times, origin row).
 *
 * A workload may name more devices than the transport has: device d then runs
 * on device d modulo their number, on queues of its own.
 *
 * Thread rule: one thread. Ownership: everything passed in is borrowed.
 */
#ifndef AQ_STUDY_LOOP_RUN_H
#define AQ_STUDY_LOOP_RUN_H

#include "common/diag.h"
#include "common/record.h"
#include "common/transport.h"
#include "common/workload.h"
#include "scheduler/registry.h"

/* Finds the code object for an instruction set ("gfx942") that has the kernel
 * "aq_spin"; it stays. */
typedef aq_status aq_kernels_code(const char *gfx, const void **image,
                                  size_t *size, aq_diag *diag);

typedef struct aq_run_options {
  const aq_transport_ops *transport;
  aq_transport_options open; /* records and event are the loop's own */
  uint32_t queues;           /* hardware queues a device; 0: one a stream */
  uint32_t queue_size;       /* packets; 0: the default */
  /* Asked now and then whether to show the state of the run; then `line` gets
   * a line for every queue. NULL: never. */
  bool (*asked)(void *user);
  void (*line)(const char *text, void *user);
  void *user;
  /* Wall time without any completion after which a run in live mode ends with
   * AQ_ERR_TIMEOUT, a guess at what hangs, and every queue told to `line`. 0:
   * never; virtual time knows deadlocks exactly. */
  aq_time timeout;
  /* For transports that run no host functions; NULL: they are refused. */
  aq_kernels_code *code;
  /* The policy that decides which job is submitted where and when. NULL: each
   * job at once, to the queue of its stream. A policy that fails ends the run.
   */
  const aq_policy_choice *policy;
  bool policy_fallback; /* instead, continue without it */
  /* Gets every decision, a JSON object a line; NULL: none. */
  void (*decision)(const char *line, void *user);
  void *decision_user;
  aq_record_sink *preemptions; /* gets the policy's preemptions, or NULL */
} aq_run_options;

typedef struct aq_run_totals {
  uint64_t jobs, packets, doorbells;
  uint64_t waits_met;      /* dependencies that had ended when their job was
                              submitted, or that its queue had awaited: no
                              packet waits for them */
  aq_time begin, end;      /* first submission, last completion; AQ_TIME_NONE */
  bool reproducible;       /* as the transport says at the end */
  uint32_t devices_folded; /* of the workload, beyond those there are */
  uint64_t rejected;       /* jobs that a policy did not let run */
  aq_diag fallback; /* why the run continued without its policy; empty: it did
                       not */
  /* Of the transport that ran it; texts copied. */
  char device_model[256], model_hash[65], model_verdict[16];
} aq_run_totals;

/* Whether the loop makes the records itself, of the times that a transport
 * measures: it keeps dispatch times and makes no records. Then a row has what
 * HSA reports: submit, start, end, and for the last of a job when the host saw
 * it. */
static inline bool aq_run_measures(uint32_t caps)
{
  return (caps & (AQ_CAP_RECORDS | AQ_CAP_PROFILING | AQ_CAP_TIMING)) ==
         (AQ_CAP_PROFILING | AQ_CAP_TIMING);
}

/* Runs a workload to its end into `sink`. A queue error, a memory fault, a
 * deadlock or an invalid job ends the run with its status. */
aq_status aq_run(const aq_run_options *options, aq_workload_source *workload,
                 aq_record_sink *sink, aq_run_totals *totals, aq_diag *diag);

#endif
