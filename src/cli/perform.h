/* SPDX-License-Identifier: MIT */
/*
 * Sending a workload through a transport into a stored run: what `run` and
 * `replay` share.
 */
#ifndef AQ_CLI_PERFORM_H
#define AQ_CLI_PERFORM_H

#include "cli/cli.h"
#include "common/json_out.h"
#include "common/run_info.h"
#include "common/transport.h"
#include "common/workload.h"
#include "scheduler/registry.h"
#include "store/store.h"
#include "transports/device_models.h"
#include "workload/scenario.h"

typedef struct aq_cli_performance {
  aq_transport_stack *transport; /* owned */
  const char *device; /* model or selector; NULL: the transport's default */
  const char **edits; /* owned */
  uint64_t seed;
  bool hardware;     /* the transport is that of real GPUs */
  bool on_simulator; /* and a simulator plays them, as the probe found */
  uint32_t queues;   /* hardware queues a device; 0: one a stream */
  bool live;
  aq_pace pace;     /* wall 0: none */
  aq_time timeout;  /* of live mode; 0: none */
  bool own_timeout; /* it is the command's, in any mode */
  aq_time counters; /* between samples; 0: none */
  aq_semantics semantics;
  aq_policy_choice *policy; /* owned; NULL: none */
  bool fallback;            /* when the policy fails */
  const char *const *words; /* of the command line, by option */
  /* Whose requests are kept, and what the run came to; NULL: neither. */
  const aq_scenario_facts *facts;
  bool sums_only; /* with facts: no rows, devices and queues are stored */
  /* Gets the id, instead of printing it and remarks, and the run is stored when
   * it is over; or NULL. */
  int64_t *run;
  /* Adds members to the run's notes, or NULL. */
  void (*notes)(aq_json_out *json, const void *user);
  const void *notes_user;
} aq_cli_performance;

/* Takes --transport, --faults, --set, --policy and those of live mode; an
 * unknown name is told with the nearest. */
aq_status aq_cli_performance_init(aq_cli *cli, aq_cli_performance *out);
void aq_cli_performance_fini(aq_cli_performance *performance);

/* --queues; 0 when it is not given. */
aq_status aq_cli_queues(aq_cli *cli, uint32_t *out);

/* What the transport says of itself and of its first device (without texts);
 * all zero for a transport without devices. */
typedef struct aq_cli_probe {
  uint32_t caps;
  aq_run_kind kind; /* of the runs that it makes */
  aq_device_info device;
} aq_cli_probe;

/* Opens the transport as a run would; the caller closes it. */
aq_status aq_cli_performance_open(const aq_cli_performance *performance,
                                  aq_transport **out, aq_diag *diag);

/* The same, with a sink for its records, which outlives it. */
aq_status aq_cli_performance_open_into(const aq_cli_performance *performance,
                                       aq_record_sink *sink, aq_transport **out,
                                       aq_diag *diag);

/* How the run was asked for, as the notes of a run; the caller frees *out,
 * which is NULL when there is nothing to say. */
aq_status aq_cli_performance_notes(aq_cli *cli,
                                   const aq_cli_performance *performance,
                                   char **out);

/* Opens and closes it; refuses a transport without live mode where that was
 * asked for, and a timeout where it has no meaning. */
aq_status aq_cli_performance_probe(aq_cli *cli, aq_cli_performance *performance,
                                   aq_cli_probe *out);

/* Runs the workload to its end, stores it under `info` (completed with what
 * the transport tells) and prints its id. Nothing stays in the store when it
 * fails. */
aq_status aq_cli_perform(aq_cli *cli, aq_store *store,
                         const aq_cli_performance *performance, aq_time epoch,
                         aq_workload_source *workload, aq_run_info *info);

#endif
