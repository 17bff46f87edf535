/* SPDX-License-Identifier: MIT */
/*
 * The workload: the work of a program, before any policy decides where.
 *
 * A workload is a stream of jobs; a job is what one host call submits to one
 * stream: one or more commands, all published together. Sources produce jobs
 * one at a time, so that ten million jobs need no memory; imported traces,
 * scenario files and generators are all sources. Closed clients learn of
 * completions through `done` and answer with more jobs.
 *
 * Thread rule: one thread drives a source. Determinism rule: a source's jobs
 * depend on its input, its seed and the completion times passed to it.
 */
#ifndef AQ_COMMON_WORKLOAD_H
#define AQ_COMMON_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "export.h"
#include "record.h"
#include "time.h"
#include "transport.h"

AQ_BEGIN_DECLS

/* Fences of a command: one more than an aq_fence_scope; 0: agent scope, as HIP
 * has it. */
static inline uint8_t aq_command_fence(aq_fence_scope scope)
{
  return (uint8_t)(scope + 1);
}

static inline aq_fence_scope aq_command_scope(uint8_t fence)
{
  return fence ? (aq_fence_scope)(fence - 1) : AQ_SCOPE_AGENT;
}

/* Of the shape of a command: what its source does not know. A packet has to
 * say something all the same; the record of it stays unknown. */
enum aq_unknown {
  AQ_UNKNOWN_GRID = 1 << 0,
  AQ_UNKNOWN_WORKGROUP = 1 << 1,
  AQ_UNKNOWN_LDS = 1 << 2,
  AQ_UNKNOWN_SCRATCH = 1 << 3,
};

typedef struct aq_command {
  aq_record_kind kind; /* kernel, copy or fill */
  aq_cost cost;        /* of kinds that spin, `base` is the duration; `detail`
                        * lives as long as the source */
  uint32_t spin_flags; /* AQ_SPIN_* */
  uint32_t grid[3];    /* work-items */
  uint16_t workgroup[3];
  uint8_t acquire, release;     /* aq_command_fence */
  uint8_t unknown;              /* aq_unknown bits */
  uint32_t lds;                 /* bytes a workgroup */
  uint32_t scratch;             /* bytes a work-item */
  uint16_t vgprs, agprs, sgprs; /* 0: not known */
  int64_t bytes;                /* of a copy or fill, or AQ_NONE */
  int64_t name;                 /* id given by aq_workload_source.name */
  int64_t origin;               /* row of the measured run, or AQ_NONE */
  int64_t flags; /* aq_record_flag bits to carry into the record */
} aq_command;

enum { AQ_JOB_DEPENDENCIES = 16 };

enum aq_job_flag {
  AQ_JOB_IDEMPOTENT = 1 << 0, /* its kernels may be run again from the start */
  AQ_JOB_COMPUTE = 1 << 1,    /* bound by compute */
  AQ_JOB_MEMORY = 1 << 2,     /* bound by memory bandwidth */
  AQ_JOB_GATED = 1 << 3,      /* `gate` counts */
  AQ_JOB_WAIT_PACKETS = 1 << 4, /* a dependency costs a packet where its queue
                                   has work, even one that has ended by then */
  AQ_JOB_BEHIND_COPY = 1 << 5,  /* a copy engine did the work in front of it */
  AQ_JOB_EVENT = 1 << 6,        /* its marker is that of an event, and costs as
                                   much as a packet that waits */
  AQ_JOB_EVENTS = 1 << 7,       /* another event's marker follows that one */
  AQ_JOB_FUTURE = 1 << 8,       /* that one completes the job */
  AQ_JOB_READY = 1 << 9,        /* the host had seen its dependencies ready: no
                                   packet waits for an ended one */
};

typedef struct aq_job {
  uint64_t id; /* unique, rising */
  uint32_t device;
  int64_t stream; /* id of the stream within the device */
  int64_t queue;  /* queue of the measured run, kept apart whatever the stream;
                   * AQ_NONE: the stream decides */
  aq_time submit; /* when the doorbell should ring */
  /* With AQ_JOB_GATED: until then a barrier packet holds its first packet, a
   * signal that the host sets opens it. */
  aq_time gate;
  aq_time host_begin, host_end; /* of the host call, AQ_TIME_NONE if unknown */
  aq_time deadline;             /* absolute; AQ_TIME_NONE: none */
  int32_t priority;             /* 0 normal; more is more urgent */
  uint32_t client;              /* the client, by its place in the source */
  uint32_t weight;              /* its share; 0 counts as 1 */
  uint32_t job_flags;           /* aq_job_flag bits */
  /* The policy's view of its service time: the expected one, AQ_TIME_NONE or 0
   * if there is none, and its standard deviation. */
  aq_time hint, hint_error;
  aq_record_via via;
  bool marker; /* a barrier packet follows, as after a graph launch of HIP; it
                * may come alone */
  int64_t correlation, pid, tid;
  uint64_t dependencies[AQ_JOB_DEPENDENCIES]; /* ids of earlier jobs */
  uint32_t dependency_count;
  const aq_command *commands; /* borrowed until the next call of next() */
  uint32_t command_count;
  /* The request that it is a part of: one more than its number, 0: of none.
   * `more`: calls for it follow. */
  uint64_t request;
  bool more;
  uint32_t entry;  /* that describes the client, by its place in the source */
  aq_time arrival; /* of the request */
} aq_job;

typedef struct aq_workload_source aq_workload_source;
struct aq_workload_source {
  /* The submit time of the job that next() would hand out now; AQ_TIME_MAX
   * when there is none. A completion may bring it forward: callers let time
   * move to it before they take the job. */
  aq_time (*peek)(aq_workload_source *source);
  /* The job with the earliest submit time among those known now. *got is
   * false when there is none now: all are done, or wait for done(). Submit
   * times never go below a time that was handed out before. */
  aq_status (*next)(aq_workload_source *source, aq_job *out, bool *got,
                    aq_diag *diag);
  /* A job completed at `time`: closed clients submit their next. NULL for
   * sources that no completion changes. */
  void (*done)(aq_workload_source *source, uint64_t job, aq_time time);
  /* A job was rejected by a policy at `time` and never runs. NULL: as done. */
  void (*rejected)(aq_workload_source *source, uint64_t job, aq_time time);
  /* The devices of the run, before its first job. NULL: their number and kind
   * change nothing. */
  aq_status (*devices)(aq_workload_source *source,
                       const aq_transport_info *info, aq_diag *diag);
  /* Requests that ended since the last call, *count of them, borrowed until the
   * next call of any of these: of sources whose jobs serve several requests.
   * NULL: the jobs say which request they are of. */
  const aq_request *(*ended)(aq_workload_source *source, size_t *count);
  /* The text of a name id; owned by the source. */
  const char *(*name)(aq_workload_source *source, int64_t id);
  void (*close)(aq_workload_source *source);
  /* No job has a deadline: policies that go by deadlines refuse the source. */
  bool no_deadlines;
};

AQ_END_DECLS

#endif
