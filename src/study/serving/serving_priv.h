/* SPDX-License-Identifier: MIT */
/* Shared by the files of the source of served models. */
#ifndef AQ_STUDY_SERVING_SERVING_PRIV_H
#define AQ_STUDY_SERVING_SERVING_PRIV_H

#include "common/map.h"
#include "common/rng.h"
#include "study/serving/batcher.h"
#include "study/serving/interconnect.h"
#include "study/serving/model.h"
#include "study/serving/requests.h"
#include "study/serving/serving.h"

enum { AQ_SV_DEVICES_MAX = 8, AQ_SV_SERVERS_MAX = 64 };

typedef enum aq_serving_role {
  AQ_SV_BOTH,
  AQ_SV_PREFILL, /* ends with the first token, `to` continues */
  AQ_SV_DECODE,  /* gets its requests from others */
} aq_serving_role;

/* Something that becomes a request of a server at `at`: one of its list, or a
 * request that another server began. */
typedef struct aq_serving_arrival {
  aq_time at;
  uint64_t order;         /* of equal times */
  uint32_t request, live; /* live: AQ_LLM_NONE where it is new */
} aq_serving_arrival;

typedef struct aq_serving_server {
  const char *name;
  aq_model *model;
  uint32_t devices[AQ_SV_DEVICES_MAX], device_count;
  aq_serving_role role;
  uint32_t to; /* of prefill servers */
  aq_batcher_options batching;
  bool graphs;     /* decode steps are graph launches */
  bool idempotent; /* its kernels may be run again */
  bool alone;      /* no other server has one of its devices */
  aq_time ttft, tpot;
  int32_t priority;
  uint32_t weight;
  /* Its requests: `count` of them from a place that the seed draws; 0: all. */
  aq_llm_requests requests;
  uint64_t count;
  double rate; /* arrivals come this much faster */

  /* ---- state ---- */
  aq_batcher *batcher;
  aq_gpu gpu;
  aq_peers peers;               /* its devices */
  aq_peers onwards;             /* of prefill servers: the way to `to` */
  bool local;                   /* of length 0 */
  size_t cursor, end;           /* of requests that come by their time */
  int64_t base;                 /* ns: the first arrival of the window */
  aq_serving_arrival *arrivals; /* heap: chained, and handed over */
  size_t arrival_count, arrival_capacity;
  aq_time ready; /* the next step begins no earlier */
  /* The step under way: kernels `sequence` in parts, each one host call. */
  bool busy, rejected, graph;
  aq_batch batch;
  aq_model_step step;
  aq_time begin, last; /* of its first call; its last completion so far */
  uint16_t *sequence;
  size_t sequence_count, sequence_capacity;
  uint32_t *cuts; /* where parts begin, and the end of the last */
  size_t cut_count, cut_capacity;
  size_t part;     /* to be handed out next */
  uint32_t device; /* of them, the next */
  uint32_t flying; /* jobs that have not ended */
  aq_time *times;  /* of each kernel of the model in this step */
  uint32_t *spreads;
  uint64_t before[AQ_SV_DEVICES_MAX], now[AQ_SV_DEVICES_MAX]; /* jobs */
  aq_time due;   /* the earliest deadline in the step */
  int64_t names; /* of its model's first kernel */
  uint64_t gaps[AQ_GAP_COUNT];
  aq_time last_gap; /* counted last, and where */
  size_t last_count;
} aq_serving_server;

/* A request under way. */
typedef struct aq_serving_live {
  uint32_t server, request; /* the server whose list has it */
  aq_time arrival, begin, first, last, gap;
  uint32_t tokens, cached, preemptions, steps;
  uint32_t next; /* of the free ones */
} aq_serving_live;

/* A cache on its way to another server. */
typedef struct aq_serving_transfer {
  aq_time at;
  uint32_t from, to, live;
} aq_serving_transfer;

typedef struct aq_serving {
  aq_workload_source source; /* first */
  aq_arena arena;
  bool steps; /* a step is one kernel */
  aq_serving_server *servers;
  uint32_t server_count;
  aq_serving_client *clients;
  aq_serving_live *lives;
  uint32_t live_count, live_capacity, live_free; /* AQ_LLM_NONE: none free */
  aq_serving_transfer *transfers;                /* a queue */
  size_t transfer_first, transfer_count, transfer_capacity;
  aq_map jobs;       /* job → server, or server_count + live: a transfer's */
  uint32_t *targets; /* by live, of transfers under way */
  size_t target_capacity;
  aq_request *ended;
  size_t ended_count, ended_capacity;
  aq_command *commands;
  size_t command_capacity;
  const char **names;
  size_t name_count;
  uint64_t next_job, next_order;
  aq_time last_submit;
  aq_status status; /* of what failed where no error can be returned */
  aq_diag failure;
  bool bound; /* the devices are known */
} aq_serving;

/* ---- reading (serving_read.c) ---- */

aq_status aq_serving_read(aq_serving *sv, const aq_json_node *node,
                          aq_diag *diag);

/* ---- requests (serving_requests.c) ---- */

/* The window of each server's requests. */
aq_status aq_serving_windows(aq_serving *sv, const aq_serving_options *options,
                             aq_diag *diag);

/* When the server's next request comes; AQ_TIME_MAX: none is known. */
aq_time aq_serving_arrival_next(const aq_serving_server *server);

/* Puts requests that have come by `time` into its batcher. */
aq_status aq_serving_arrivals_admit(aq_serving *sv, aq_serving_server *server,
                                    aq_time time, aq_diag *diag);

/* A request that another server began continues here from `at` on. */
bool aq_serving_arrival_add(aq_serving *sv, aq_serving_server *server,
                            aq_time at, uint32_t request, uint32_t live);

/* The step that ended at `time` gave its tokens, or was rejected. */
aq_status aq_serving_step_done(aq_serving *sv, aq_serving_server *server,
                               aq_time time, aq_diag *diag);

/* ---- steps (serving_step.c) ---- */

/* Forms the server's next step at `time`; *formed false: nothing can run. */
aq_status aq_serving_step_form(aq_serving *sv, aq_serving_server *server,
                               aq_time time, bool *formed, aq_diag *diag);

/* When its next call is made. */
aq_time aq_serving_step_submit(const aq_serving_server *server);

/* The job of that call. */
aq_status aq_serving_step_job(aq_serving *sv, aq_serving_server *server,
                              aq_job *out, aq_diag *diag);

/* The job of a transfer. */
aq_status aq_serving_transfer_job(aq_serving *sv,
                                  const aq_serving_transfer *transfer,
                                  aq_job *out, aq_diag *diag);

#endif
