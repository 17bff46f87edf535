/* SPDX-License-Identifier: MIT */
/*
 * A scenario as it was read: plain data, from which the source makes jobs.
 * Everything lives in one arena and is read-only after reading.
 * doc/formats/scenario.md explains each part.
 */
#ifndef AQ_STUDY_WORKLOAD_SCENARIO_MODEL_H
#define AQ_STUDY_WORKLOAD_SCENARIO_MODEL_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/json_in.h"
#include "common/map.h"
#include "common/workload.h"
#include "study/workload/distribution.h"
#include "study/workload/scenario.h"

enum { AQ_SC_KERNELS_MAX = 65536, AQ_SC_STEPS_MAX = 4096 };

typedef struct aq_sc_kernel {
  aq_command command;       /* all but a drawn cost */
  aq_distribution duration; /* where the cost spins */
  aq_time expected;         /* what hints say of it; 0: its cost */
} aq_sc_kernel;

typedef struct aq_sc_launch {
  uint32_t kernel, repeat;
} aq_sc_launch;

/* One host call: a dispatch, or a graph of them. */
typedef struct aq_sc_step {
  const char *id; /* NULL: no step can refer to it */
  uint32_t stream;
  const aq_sc_launch *launches;
  uint32_t launch_count;
  uint32_t command_count;              /* with all repeats */
  uint32_t repeat;                     /* of the call */
  uint32_t after[AQ_JOB_DEPENDENCIES]; /* steps; all earlier after sorting */
  uint32_t after_count;
  uint8_t acquire, release; /* aq_command_fence, of all its kernels */
  bool graph;
  bool marker; /* no kernel, but a barrier packet */
  bool last;   /* nothing of the request comes after it */
} aq_sc_step;

typedef struct aq_sc_request {
  aq_sc_step *steps; /* in an order that respects streams and `after` */
  uint32_t step_count;
} aq_sc_request;

typedef struct aq_sc_choice {
  uint32_t request;
  double below; /* of the unit interval */
} aq_sc_choice;

typedef enum aq_sc_arrivals {
  AQ_SC_CLOSED, /* the next one `think` after the last one completed */
  AQ_SC_EVERY,  /* intervals drawn from `every` */
  AQ_SC_BURSTS, /* `burst` of them `spacing` apart, bursts start `every` */
  AQ_SC_AT,     /* at the times listed */
} aq_sc_arrivals;

/* The hint that policies get of a job's service time. */
typedef enum aq_sc_hint {
  AQ_SC_HINT_NONE,
  AQ_SC_HINT_DRAWN, /* the time that its kernels will take, times an error */
  AQ_SC_HINT_FIXED, /* the same for all */
} aq_sc_hint;

typedef struct aq_sc_client {
  const char *name; /* NULL: none */
  uint32_t device, count;
  const aq_sc_choice *mix;
  uint32_t mix_count;
  uint32_t steps_max; /* of the requests in the mix */
  aq_sc_arrivals arrivals;
  uint32_t concurrency; /* of closed clients; 1 for open ones */
  aq_distribution think, every, spacing, call;
  bool poisson; /* the first arrival is drawn too */
  bool blocks;  /* open, but has one request at a time */
  uint32_t burst;
  const aq_time *at;
  size_t at_count;
  aq_time start, stagger, until, deadline; /* the last two AQ_TIME_NONE: none */
  uint64_t requests; /* of each of the `count` clients; 0: no limit */
  int32_t priority;
  uint32_t weight;
  uint32_t job_flags; /* aq_job_flag bits */
  bool independent;   /* requests do not wait for each other */
  aq_sc_hint hint;
  aq_time hint_time;
  double hint_error; /* sigma of the logarithm */
  int64_t seed;      /* negative: the scenario's */
} aq_sc_client;

typedef struct aq_scenario {
  aq_arena arena;
  const char *data; /* where published models lie, or NULL; borrowed */
  aq_names kernel_names, stream_names, request_names;
  const char *device; /* NULL: not given */
  int64_t seed;
  aq_sc_kernel *kernels;   /* by id in kernel_names, then kernels of models */
  aq_sc_request *requests; /* by id in request_names */
  aq_sc_client *clients;
  uint32_t kernel_count, request_count, client_count;
  uint32_t named_count; /* of the kernels, that steps can name */
} aq_scenario;

/* Reads and checks a document; fini also frees the parts of a failed read. */
aq_status aq_scenario_fill(aq_scenario *scenario, const char *data,
                           const aq_json_node *root);
void aq_scenario_fini(aq_scenario *scenario);

/* Puts the steps of a request into an order in which each comes after the
 * earlier steps of its stream and the steps that it names in `after`. A cycle
 * is an error at `node` that names it. */
aq_status aq_scenario_sort(aq_sc_request *request, const aq_json_node *node);

/* Reads the cost of a kernel. */
aq_status aq_scenario_cost(const aq_json_node *node, aq_arena *arena,
                           aq_sc_kernel *kernel);

/* Reads a request that is a network of measured kernels. */
aq_status aq_scenario_dnn(aq_scenario *scenario, const aq_json_node *node,
                          aq_sc_request *request);

/* Puts values of parameters into a text of `size` bytes: each "$NAME" becomes
 * its value in the object "parameters", or one of `given` ("NAME=VALUE", ended
 * by NULL; or NULL). *out is the caller's, NULL where nothing changes. */
aq_status aq_scenario_parameters(const char *text, size_t size,
                                 const char *file, const char *const *given,
                                 char **out, size_t *out_size, aq_diag *diag);

/* Whether a document is a workload of DISB or of REEF's evaluation. */
bool aq_disb_is(const aq_json_node *root);

/* The same as a scenario; *out is the caller's. */
aq_status aq_disb_convert(const aq_json_node *root, char **out, size_t *size);

/* Reads the requests of a scenario whose kernels have been read. */
aq_status aq_scenario_requests(aq_scenario *scenario, const aq_json_node *node);

/* Reads the clients of a scenario whose requests have been read. */
aq_status aq_scenario_clients(aq_scenario *scenario, const aq_json_node *node);

/* Whether a document has servers of language models instead of clients. */
bool aq_scenario_serves(const aq_json_node *root);

/* The source of such a document, and its facts (or NULL). */
aq_status aq_scenario_serving(const aq_json_node *root,
                              const aq_scenario_options *options,
                              aq_workload_source **out,
                              aq_scenario_facts *facts, aq_diag *diag);

#endif
