/* SPDX-License-Identifier: MIT */
/*
 * Making runs: a scenario or a replay, through a transport, into a store. One
 * call opens the transport, runs to the end and stores the run; nothing stays
 * in the store when it fails.
 *
 * Ownership: everything passed in is borrowed for the call. Thread rule: one
 * thread at a time per store; callbacks come on the thread of the call.
 */
#ifndef AQ_STUDY_SESSION_RUNS_H
#define AQ_STUDY_SESSION_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/export.h"
#include "common/transport.h"
#include "store/store.h"
#include "study/workload/scenario.h"

AQ_BEGIN_DECLS

enum { AQ_PERFORMANCE_WORDS_MAX = 4 };

/* The settings of a run; all zero but `size` is a run of `sim` in virtual
 * time. */
typedef struct aq_performance_options {
  uint32_t size;         /* sizeof(aq_performance_options) of the caller */
  const char *transport; /* a stack of them; NULL: sim */
  const char *faults;    /* a schedule, "seed=N" or a file; NULL: none */
  const char *device;    /* model or selector; NULL: the transport's default */
  const char *const *edits; /* of the device model, ended by NULL; or NULL */
  const char *policy;       /* NULL: none */
  bool policy_fallback;     /* continue without a policy that fails */
  const char *decision_log; /* file, or NULL */
  aq_semantics semantics;
  bool live;
  aq_pace pace;            /* wall 0: none */
  aq_time timeout;         /* of live mode; 0: none */
  bool timeout_needs_live; /* refuse a timeout on a transport without it */
  aq_time counters;        /* between samples; 0: none */
  uint32_t queues;         /* hardware queues a device; 0: one a stream */
  uint64_t seed;
  /* Which rows are kept, "all", "kernels", "none" or "sample=N", and bytes of
   * them, "none" or "4G"; NULL: all, and 4 GiB (doc/recording.md). */
  const char *record, *record_limit;
  /* Words of the user that the notes of the run keep. */
  struct {
    const char *key, *text;
  } words[AQ_PERFORMANCE_WORDS_MAX];
  size_t word_count;
  /* Asked now and then whether to show the state of the run;
   * then every queue goes to `line`, and so does why code is not compiled. Both
   * NULL: never. */
  bool (*asked)(void *user);
  void (*line)(const char *text, void *user);
  void *user;
  /* Where code of kernels is executed: counts its instructions; prints a wave's
   * steps, "wave=N[,workgroup=N][,limit=N]" or NULL (doc/execution.md). */
  bool profile_isa;
  const char *trace_isa;
  /* Whether it is compiled: as of
   * aq_transport_stack_compile; NULL: "auto". */
  const char *compile;
  const char *traces; /* the wave whose steps are kept, or NULL */
  /* How long kernels take whose code is executed: "fixed", "auto", "executed"
   * or "sampled" (doc/durations.md); NULL: fixed. */
  const char *cost;
} aq_performance_options;

/* Instead of a confidence. */
enum { AQ_REPLAY_EDGES_DEFAULT = -1, AQ_REPLAY_EDGES_NONE = 101 };

/* What to replay, and how (doc/replay.md). */
typedef struct aq_replay_ask {
  uint32_t size;      /* sizeof(aq_replay_ask) of the caller */
  const char *origin; /* the run to replay, as aq_store_find takes it */
  bool closed;        /* loop; open otherwise */
  bool as_graph;      /* direct launches between host waits become one launch */
  bool predict;       /* durations of the second half from the first */
  uint32_t queues;    /* that streams of a device share; 0: as recorded */
  /* Least confidence of a dependency, in percent; AQ_REPLAY_EDGES_DEFAULT: all
   * from calls, and inferred ones of 50, or 30 in a closed loop;
   * AQ_REPLAY_EDGES_NONE: no dependencies. */
  int64_t confidence;
  /* In a closed loop: launch calls, and the host between its calls, take so
   * many times as long; 0 counts as 1. */
  double launch, host;
  /* Not 0: doorbells stay where they are though waits of the run show that the
   * clocks of host and device differ. */
  uint32_t keep_clocks;
} aq_replay_ask;

/* Runs the scenario at `path` (doc/formats/scenario.md) and stores the run
 * under `name` (NULL: it has none); its id goes to *run. `scenario` NULL: as
 * the file says; `options` NULL: on `sim`, with the device model of the file.
 * AQ_ERR_INPUT: a malformed file; AQ_ERR_NOT_FOUND: an unknown transport or
 * policy; AQ_ERR_EXISTS: the name is taken; AQ_ERR_QUEUE, AQ_ERR_DEADLOCK: what
 * ended the run. */
AQ_API aq_status aq_scenario_run(aq_store *store, const char *path,
                                 const aq_scenario_options *scenario,
                                 const aq_performance_options *options,
                                 const char *name, int64_t *run, aq_diag *diag);

/* Replays a stored run and stores the replay, with the same rules. Without a
 * device in `options` it gets the device models of the GPUs that the origin
 * names. AQ_ERR_INPUT: no model fits them, or the run has nothing to replay. */
AQ_API aq_status aq_replay_run(aq_store *store, const aq_replay_ask *ask,
                               const aq_performance_options *options,
                               const char *name, int64_t *run, aq_diag *diag);

AQ_END_DECLS

#endif
