/* SPDX-License-Identifier: MIT */
/*
 * Scheduler policies: one table of functions that decides which work runs where
 * and when. A policy is one object with two halves, each optional:
 *
 *   host half    sees jobs. It decides which job's commands go to which AQL
 *                queue, when, and how many are in flight. It works on every
 *                transport, real queues too.
 *   device half  sees AQL queues, hardware slots, kernels and workgroups. It
 *                decides how a device handles published packets.
 *                Only simulated devices have such places to decide.
 *
 * Things: a client makes *jobs*; a job is one host call's *commands*, in order,
 * for one stream; a command becomes one AQL *packet* in a *queue*; a packet
 * that is launched is a *kernel* of *workgroups* until it completes.
 *
 * Every hook may be NULL: the default is written beside it. An action that
 * is not legal fails the run: its status is AQ_ERR_INVALID, the words say why,
 * and no hook is called any more but `close`. Policies need not look at the
 * status of their actions.
 *
 * Time is integer picoseconds of the transport; deadlines are absolute.
 *
 * Thread rule: hooks of one policy are called one at a time, never from within
 * an action, on the thread that drives the run. Device halves work in virtual
 * time only, so both halves share one state without locks.
 * Determinism rule: no clock, address or thread may decide; random numbers
 * come from `random`, a substream of the run's seed that nothing else draws
 * from.
 *
 * doc/adr/0010-policy-abi.md has the reasons, doc/policies.md a tutorial.
 */
#ifndef AQ_COMMON_POLICY_H
#define AQ_COMMON_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "export.h"
#include "preempted.h"
#include "time.h"
#include "transport.h"
#include "workload.h"

AQ_BEGIN_DECLS

#define AQ_POLICY_ABI 1u

typedef struct aq_policy aq_policy; /* the policy's own state */
typedef struct aq_policy_host aq_policy_host;
typedef struct aq_policy_device aq_policy_device;

#define AQ_POLICY_NONE UINT32_C(0xffffffff) /* no queue, slot, kernel, CU */

/* ---- settings ---- */

typedef enum aq_setting_kind {
  AQ_SETTING_COUNT,  /* a whole number of 0 to 2^32 - 1 */
  AQ_SETTING_NUMBER, /* a number of 0 or more */
  AQ_SETTING_TIME,   /* "2us" */
  AQ_SETTING_TEXT,
} aq_setting_kind;

/* One KEY=VALUE that a policy takes. */
typedef struct aq_policy_setting {
  const char *key;
  aq_setting_kind kind;
  const char *preset; /* the value where none was given */
  const char *meaning;
} aq_policy_setting;

typedef union aq_policy_value {
  int64_t count;
  double number;
  aq_time time;
  const char *text; /* lives as long as the policy */
} aq_policy_value;

/* Where a decision is taken. Each side has a cost (the decider is busy for this
 * time and its actions come as much later) and a latency (events reach it later
 * by this time, and its views show the state of the event). Every policy takes
 * the settings host_cost, host_latency, firmware_cost, …; all are 0 unless
 * given. */
typedef enum aq_policy_side {
  AQ_SIDE_HOST,     /* the host half */
  AQ_SIDE_FIRMWARE, /* mapping of queues, preemption, timers of the device */
  AQ_SIDE_HARDWARE, /* packets, workgroups, copy engines */
  AQ_SIDE_COUNT
} aq_policy_side;

typedef struct aq_policy_timing {
  aq_time cost, latency;
} aq_policy_timing;

/* ---- jobs, as the host half sees them ---- */

/* A view is borrowed from `admit` until `done` returns, or until the job is
 * rejected; the pointer stays the same. Only `link`, `key` and `user` may be
 * written: they are the policy's own, and zero at first. The helpers of
 * policy_queues.h use link and key. */
typedef struct aq_policy_job {
  uint64_t id; /* rises with arrival */
  uint32_t device;
  uint32_t client;    /* the client: its place in the workload */
  int64_t stream;     /* jobs of one stream run in order */
  aq_time arrival;    /* when it was asked for */
  aq_time deadline;   /* absolute; AQ_TIME_NONE: none */
  int32_t priority;   /* more is more urgent; 0 is normal */
  uint32_t weight;    /* share among clients, at least 1 */
  aq_time hint;       /* expected service time, AQ_TIME_NONE: not known */
  aq_time hint_error; /* its standard deviation, 0: exact */
  uint32_t flags;     /* AQ_JOB_* */
  uint32_t count;     /* of commands */
  uint32_t submitted; /* of them, from the front */
  uint32_t completed; /* of those */
  const aq_command *commands; /* kernels with their shapes */
  struct aq_policy_job *link;
  int64_t key;
  union {
    uint64_t word;
    void *pointer;
  } user;
} aq_policy_job;

typedef enum aq_admission {
  AQ_ADMIT_ACCEPT,
  AQ_ADMIT_REJECT, /* it never runs; so do jobs that depend on it */
  AQ_ADMIT_DEFER,  /* ask again, see `admit` */
} aq_admission;

/* ---- host half: actions of a policy ---- */

typedef struct aq_policy_queue_desc {
  uint32_t size; /* sizeof(aq_policy_queue_desc) of the caller */
  uint32_t device;
  int32_t priority;        /* -1, 0, 1; others need AQ_CAP_PRIORITY */
  uint32_t mask_count;     /* bits, a multiple of 32; 0: all compute units */
  const uint32_t *cu_mask; /* needs AQ_CAP_CU_MASK */
} aq_policy_queue_desc;

/* A queue in the policy's view: events that it has not heard of so far
 * (latency) do not count. */
typedef struct aq_policy_queue_view {
  uint32_t device;
  int32_t priority;
  uint32_t jobs;     /* in flight, whole or in part */
  uint32_t commands; /* submitted and not completed */
} aq_policy_queue_view;

/* The run, as a policy sees it. Valid from `open` to `close`; actions are legal
 * as doc/adr/0010-policy-abi.md tables. */
struct aq_policy_host {
  uint32_t abi;  /* AQ_POLICY_ABI */
  uint32_t size; /* sizeof(aq_policy_host) of the host */
  uint32_t caps; /* aq_transport_cap bits; 0 until `start` */
  uint32_t device_count;
  const aq_device_info *devices;

  /* When this decision is taken: the same all through one hook. */
  aq_time (*now)(aq_policy_host *host);
  uint64_t (*random)(aq_policy_host *host);

  /* Opens an AQL queue; AQ_POLICY_NONE after a failure. */
  uint32_t (*queue_open)(aq_policy_host *host,
                         const aq_policy_queue_desc *desc);
  /* The queue that a job's stream has where no policy decides. */
  uint32_t (*queue_default)(aq_policy_host *host, const aq_policy_job *job);
  void (*queue_view)(aq_policy_host *host, uint32_t queue,
                     aq_policy_queue_view *out);
  aq_status (*queue_priority)(aq_policy_host *host, uint32_t queue,
                              int32_t priority);
  aq_status (*queue_cu_mask)(aq_policy_host *host, uint32_t queue,
                             const uint32_t *mask, uint32_t count);

  /* Publishes the next `commands` commands of a ready job (0: all that are
   * left) with one doorbell. Parts of one job may be in flight at once; they
   * run in order, whatever the queues. */
  aq_status (*submit)(aq_policy_host *host, aq_policy_job *job, uint32_t queue,
                      uint32_t commands);
  /* Gives up a job of which nothing has been submitted, e.g. a late one. Its
   * view is gone. */
  aq_status (*reject)(aq_policy_host *host, aq_policy_job *job);

  /* Calls `timer` at a time that is not past. Returns an id, never 0. */
  uint64_t (*timer_add)(aq_policy_host *host, aq_time at, uint64_t cookie);
  /* False when it has gone off already. */
  bool (*timer_cancel)(aq_policy_host *host, uint64_t timer);

  /* Ends the run: the policy cannot continue. The run is kept out of the store.
   */
  void (*fail_run)(aq_policy_host *host, const char *fmt, ...) AQ_PRINTF(2, 3);
  /* A line in the decision log, if there is one. */
  void (*log)(aq_policy_host *host, const char *fmt, ...) AQ_PRINTF(2, 3);

  /* The policy is going to submit nothing to the queue, so that others get the
   * device: this begins a preemption, which ends when all work in flight
   * there has completed, and is given up when something is submitted before.
   * Only the records of the run change (preempted.h). */
  aq_status (*queue_vacate)(aq_policy_host *host, uint32_t queue);
};

/* ---- device half: views ---- */

/* Views are borrowed for the hook that gets them, handles live as long as their
 * objects: kernels from `launch` to `complete`, queues until destroyed. */

/* An AQL queue. */
typedef struct aq_device_queue {
  uint32_t queue;      /* handle, the queue's number in its device */
  uint32_t host_queue; /* as the host half calls it, or AQ_POLICY_NONE */
  int32_t priority;    /* -1, 0, 1 */
  uint32_t slot;       /* hardware slot, AQ_POLICY_NONE: not mapped */
  uint32_t ready;      /* published packets that have not been launched */
  uint32_t running;    /* kernels */
  aq_time ready_since; /* of the oldest of them; AQ_TIME_NONE: none */
  aq_time mapped_at;   /* AQ_TIME_NONE: not mapped */
  aq_time used;        /* device time charged so far */
} aq_device_queue;

/* A packet at the head of a queue. */
typedef struct aq_device_packet {
  uint32_t queue;
  uint64_t packet; /* id in its queue */
  uint64_t job;    /* AQ_POLICY_NO_JOB: not of a job */
  uint32_t command;
  const aq_packet *bits;
} aq_device_packet;

#define AQ_POLICY_NO_JOB UINT64_MAX

/* A kernel on the device. */
typedef struct aq_device_kernel {
  uint32_t kernel; /* handle */
  uint32_t queue;
  uint64_t packet, job;
  uint32_t command;
  uint32_t workgroups, issued, finished;
  uint32_t waves_per_workgroup;
  uint32_t per_cu_max; /* workgroups that fit on an empty compute unit */
  uint32_t state_size; /* bytes that a context switch saves for a workgroup */
  bool idempotent;
  aq_time started;
  aq_time workgroup_time; /* expected; AQ_TIME_NONE: not known */
} aq_device_kernel;

/* A compute unit as one kernel sees it. */
typedef struct aq_device_cu {
  uint32_t cu;
  uint32_t free;  /* workgroups of this kernel that fit now */
  uint32_t mine;  /* workgroups of this kernel on it */
  uint32_t other; /* of others */
} aq_device_cu;

typedef enum aq_preempt_mode {
  AQ_PREEMPT_DRAIN,  /* issued work runs to its end; no more is issued */
  AQ_PREEMPT_SWITCH, /* state is saved, and restored later */
  AQ_PREEMPT_RESET,  /* issued work is thrown away and repeated: idempotent
                        kernels only */
  AQ_PREEMPT_KILL,   /* thrown away, and complete with an error */
} aq_preempt_mode;

typedef enum aq_preempt_scope {
  AQ_PREEMPT_KERNEL, /* target: a kernel */
  AQ_PREEMPT_QUEUE,  /* a queue: its kernels, and it leaves its slot */
  AQ_PREEMPT_CUS,    /* a kernel, on the compute units of `mask` alone */
} aq_preempt_scope;

typedef struct aq_preemption {
  uint32_t size; /* sizeof(aq_preemption) of the caller */
  aq_preempt_mode mode;
  aq_preempt_scope scope;
  uint32_t target;
  const uint32_t *mask; /* AQ_PREEMPT_CUS */
  uint32_t mask_count;  /* bits */
  uint64_t cookie;      /* comes back */
} aq_preemption;

typedef struct aq_preempt_result {
  uint64_t cookie;
  uint32_t target;
  aq_time asked, freed; /* latency is the difference */
  aq_time wasted;       /* workgroup time thrown away */
  uint32_t workgroups;  /* to be repeated or restored */
} aq_preempt_result;

/* The limits of a launch; zeros: none. */
typedef struct aq_device_launch {
  const uint32_t *cu_mask; /* NULL: the queue's; lives until complete */
  uint32_t mask_count;     /* bits */
  uint32_t per_cu;         /* at most so many workgroups on a compute unit */
  uint32_t budget;  /* at most so many at a time, more with kernel_budget */
  uint32_t slice;   /* launched in parts of so many workgroups; between two,
                       pick may take another packet */
  uint32_t padding; /* workgroups that others leave free on each CU of mask */
} aq_device_launch;

/* Which queue takes which slot. */
typedef struct aq_mapping {
  uint32_t queue;       /* AQ_POLICY_NONE: leave everything */
  uint32_t slot;        /* its queue, if any, is the victim */
  aq_preempt_mode mode; /* of the victim's kernels */
  aq_time quantum;      /* until map is asked again; 0: the device model's */
} aq_mapping;

/* ---- device half: actions of a policy ---- */

struct aq_policy_device {
  uint32_t abi,
      size;        /* AQ_POLICY_ABI, sizeof(aq_policy_device) of the device */
  uint32_t device; /* ordinal */
  uint32_t cus, slots, pipes, copy_engines;

  aq_time (*now)(aq_policy_device *device);
  uint64_t (*random)(aq_policy_device *device);

  /* Queries, allowed at any time: false when the handle is gone. */
  bool (*queue)(aq_policy_device *device, uint32_t queue, aq_device_queue *out);
  bool (*kernel)(aq_policy_device *device, uint32_t kernel,
                 aq_device_kernel *out);
  /* Fills one entry a compute unit, `cus` of them. */
  void (*free_slots)(aq_policy_device *device, uint32_t kernel,
                     aq_device_cu *out);

  /* Takes effect at the next workgroup that is issued. */
  aq_status (*kernel_cu_mask)(aq_policy_device *device, uint32_t kernel,
                              const uint32_t *mask, uint32_t count);
  aq_status (*kernel_budget)(aq_policy_device *device, uint32_t kernel,
                             uint32_t workgroups);
  aq_status (*queue_priority)(aq_policy_device *device, uint32_t queue,
                              int32_t priority);
  aq_status (*queue_quantum)(aq_policy_device *device, uint32_t queue,
                             aq_time quantum);
  /* Packets of the queue that may be running at once; 0: no limit. */
  aq_status (*queue_limit)(aq_policy_device *device, uint32_t queue,
                           uint32_t packets);
  /* Stops fetching from a queue; running kernels continue. */
  aq_status (*queue_suspend)(aq_policy_device *device, uint32_t queue,
                             bool suspended);
  /* Takes published packets that were not launched off a queue, newest first.
   * Their jobs go back: `submitted` falls, and `evicted` is called. Packets
   * that others wait for inside the queue go with them. Returns how many. */
  uint32_t (*queue_evict)(aq_policy_device *device, uint32_t queue,
                          uint32_t keep);

  /* Expected time until freed, of the device model; AQ_TIME_MAX: not possible,
   * such as a reset of a kernel that is not idempotent. */
  aq_time (*preempt_cost)(aq_policy_device *device,
                          const aq_preemption *preemption);
  /* `preempted` reports its end; until then the target may not be
   * preempted again. */
  aq_status (*preempt)(aq_policy_device *device,
                       const aq_preemption *preemption);
  aq_status (*resume)(aq_policy_device *device, uint32_t kernel);

  uint64_t (*timer_add)(aq_policy_device *device, aq_time at, uint64_t cookie);
  bool (*timer_cancel)(aq_policy_device *device, uint64_t timer);
  void (*fail_run)(aq_policy_device *device, const char *fmt, ...)
      AQ_PRINTF(2, 3);
  void (*log)(aq_policy_device *device, const char *fmt, ...) AQ_PRINTF(2, 3);

  uint32_t queues; /* handles of queues so far: 0 to queues - 1 */
  /* Calls the host half's `timer` with this cookie, after its latency: device
   * hooks cannot submit. */
  void (*host_wake)(aq_policy_device *device, uint64_t cookie);
};

/* ---- the table ---- */

enum aq_policy_flag {
  /* Jobs are ready when the jobs they wait for have been submitted, not when
   * these are complete: barrier packets keep the order. */
  AQ_POLICY_AHEAD = 1 << 0,
  /* Every job has to come with a duration hint. */
  AQ_POLICY_HINTS = 1 << 1,
  /* Every job has to come with a deadline. */
  AQ_POLICY_DEADLINES = 1 << 2,
  /* Some job has to come with a deadline: a source of none is refused. */
  AQ_POLICY_SOME_DEADLINES = 1 << 3,
};

/* The needs of a device half from a device, beside AQ_CAP_DEVICE_POLICY. */
enum aq_device_need {
  AQ_NEED_MAP = 1 << 0,    /* map */
  AQ_NEED_PICK = 1 << 1,   /* pick */
  AQ_NEED_LAUNCH = 1 << 2, /* launch: masks and limits */
  AQ_NEED_PLACE = 1 << 3,  /* place, workgroup_start, workgroup_done */
  AQ_NEED_SLICE = 1 << 4,  /* launch with slice or padding */
  AQ_NEED_REMASK = 1 << 5, /* kernel_cu_mask */
  AQ_NEED_DRAIN = 1 << 6,  /* preempt, by mode */
  AQ_NEED_SWITCH = 1 << 7,
  AQ_NEED_RESET = 1 << 8,
  AQ_NEED_KILL = 1 << 9,
  AQ_NEED_EVICT = 1 << 10,     /* queue_evict */
  AQ_NEED_SUSPEND = 1 << 11,   /* queue_suspend */
  AQ_NEED_LIMIT = 1 << 12,     /* queue_limit */
  AQ_NEED_COPY_PICK = 1 << 13, /* copy_pick */
};

typedef struct aq_policy_open {
  uint32_t size; /* sizeof(aq_policy_open) of the host */
  aq_policy_host *host;
  const aq_policy_value *values; /* in the order of `settings`; lives as long
                                    as the policy */
} aq_policy_open;

typedef struct aq_policy_ops {
  uint32_t abi;  /* AQ_POLICY_ABI */
  uint32_t size; /* sizeof(aq_policy_ops): hooks beyond it are NULL */
  const char *name;
  const char *summary;               /* one line for `list policies` */
  const char *source;                /* paper or code it follows, or NULL */
  const aq_policy_setting *settings; /* ended by key NULL; NULL: none */
  uint32_t flags;                    /* aq_policy_flag bits */
  uint32_t caps;                     /* aq_transport_cap bits it needs */
  uint32_t needs;                    /* aq_device_need bits */

  /* Makes the state; required. Only settings are known so far. */
  aq_status (*open)(const aq_policy_open *args, aq_policy **out, aq_diag *diag);
  void (*close)(aq_policy *policy); /* required; last */

  /* -- host half -- */
  /* The transport is open: queues may be opened. */
  void (*start)(aq_policy *policy);
  /* A job arrived. DEFER: asked again at *again, or, where that is left
   * AQ_TIME_MAX, after the next completion. NULL: accepted. */
  aq_admission (*admit)(aq_policy *policy, const aq_policy_job *job,
                        aq_time *again);
  /* The job was accepted, and all its dependencies have ended. NULL: it is
   * submitted at once, whole, to queue_default. */
  void (*ready)(aq_policy *policy, aq_policy_job *job);
  /* What one submit() published has completed; before `done`. */
  void (*part_done)(aq_policy *policy, aq_policy_job *job, uint32_t queue,
                    uint32_t commands);
  void (*done)(aq_policy *policy, aq_policy_job *job);
  /* Commands came back unlaunched: the job is ready again. NULL: they are
   * submitted again at once, to the same queue. */
  void (*evicted)(aq_policy *policy, aq_policy_job *job, uint32_t queue,
                  uint32_t commands);
  void (*timer)(aq_policy *policy, uint64_t cookie);

  /* -- device half: firmware side -- */
  void (*attach)(aq_policy *policy, aq_policy_device *device);
  /* Asked when a queue without a slot has packets, when a quantum has ended and
   * when a slot becomes free. NULL: the device's own mapping. */
  void (*map)(aq_policy *policy, aq_policy_device *device, aq_mapping *out);
  void (*preempted)(aq_policy *policy, aq_policy_device *device,
                    const aq_preempt_result *result);
  void (*device_timer)(aq_policy *policy, aq_policy_device *device,
                       uint64_t cookie);
  /* Device time (CU time of workgroups) was used by a queue; wasted: it will be
   * repeated. */
  void (*charge)(aq_policy *policy, aq_policy_device *device, uint32_t queue,
                 aq_time amount, bool wasted);

  /* -- device half: hardware side -- */
  void (*packet_ready)(aq_policy *policy, aq_policy_device *device,
                       uint32_t queue);
  /* One of the packets that a pipe could launch now. Returns its index, or
   * AQ_POLICY_NONE to idle until asked again. NULL: the device's own order. */
  uint32_t (*pick)(aq_policy *policy, aq_policy_device *device, uint32_t pipe,
                   const aq_device_packet *packets, uint32_t count);
  /* A kernel is about to be launched. NULL: no limits. */
  void (*launch)(aq_policy *policy, aq_policy_device *device,
                 const aq_device_kernel *kernel, aq_device_launch *out);
  /* The compute unit of a kernel's next workgroup, or AQ_POLICY_NONE: none
   * now. NULL: the device's own placement. */
  uint32_t (*place)(aq_policy *policy, aq_policy_device *device,
                    const aq_device_kernel *kernel, const aq_device_cu *cus,
                    uint32_t count);
  void (*workgroup_start)(aq_policy *policy, aq_policy_device *device,
                          const aq_device_kernel *kernel, uint32_t cu);
  void (*workgroup_done)(aq_policy *policy, aq_policy_device *device,
                         const aq_device_kernel *kernel, uint32_t cu);
  void (*complete)(aq_policy *policy, aq_policy_device *device,
                   const aq_device_kernel *kernel);
  /* One of the copies that wait for an engine, as pick. NULL: the oldest. */
  uint32_t (*copy_pick)(aq_policy *policy, aq_policy_device *device,
                        uint32_t engine, const aq_device_packet *copies,
                        uint32_t count);
} aq_policy_ops;

/* An open policy, as a transport gets it (aq_transport_options.policy): it
 * refuses needs that it cannot serve, in one line. */
typedef struct aq_policy_binding {
  uint32_t size; /* sizeof(aq_policy_binding) of the caller */
  const aq_policy_ops *ops;
  aq_policy *policy;
  aq_policy_timing timing[AQ_SIDE_COUNT];
  uint64_t seed; /* of `random`, a substream a device */
  /* Where `fail_run` and illegal actions go, and `log` (NULL: nowhere). */
  void (*failed)(void *user, const char *text);
  void (*logged)(void *user, aq_time now, const char *text);
  /* Packets that were taken off a queue, by the id of its ring: consecutive
   * ones, newer ranges first. */
  void (*evicted)(void *user, uint32_t ring, uint64_t first_packet,
                  uint32_t packets);
  /* The job of a packet; false: none. */
  bool (*identify)(void *user, uint32_t ring, uint64_t packet, uint64_t *job,
                   uint32_t *command, bool *idempotent);
  void *user;
  /* host_wake was called. */
  void (*woken)(void *user, uint64_t cookie);
  /* As the host half calls a queue; AQ_POLICY_NONE: it does not. */
  uint32_t (*host_queue)(void *user, uint32_t ring);
  /* A preemption has ended or was given up; device, queue, client and entry are
   * not filled in. `job` is its id or AQ_NONE. */
  void (*preempted)(void *user, uint32_t ring, const aq_preempted *row);
} aq_policy_binding;

/* The definition in a plug-in (plug-ins only): its table, static. */
AQ_API const aq_policy_ops *aq_policy_plugin(void);

AQ_END_DECLS

#endif
