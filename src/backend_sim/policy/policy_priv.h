/* SPDX-License-Identifier: MIT */
/* Shared by device_policy.c and the files that it names. */
#ifndef AQSIM_POLICY_PRIV_H
#define AQSIM_POLICY_PRIV_H

#include "backend_sim/policy/device_ops.h"
#include "backend_sim/policy/device_policy.h"
#include "common/rng.h"

typedef enum aqsim_policy_kernel_state {
  AQSIM_RUN_GOES,
  AQSIM_RUN_STOPS, /* a preemption is under way */
  AQSIM_RUN_STOPPED,
  AQSIM_RUN_RESUMES, /* its state is being restored */
} aqsim_policy_kernel_state;

/* A kernel that a policy decides about. */
struct aqsim_policy_kernel {
  aqsim_policy_kernel *next; /* live ones, the oldest first; or spare ones */
  aqsim_policy *policy;
  aqsim_inflight *inflight;
  uint32_t handle;
  uint64_t job;
  uint32_t command;
  bool idempotent;
  aqsim_cu_set cus;
  aqsim_grid_limits limits;
  aq_resources need;   /* of a workgroup */
  uint32_t most;       /* on an empty compute unit */
  uint32_t waves;      /* of a workgroup */
  uint64_t state_size; /* of a workgroup, bytes */
  aq_time workgroup_time;
  aq_time first;            /* workgroup of it started */
  aq_time used;             /* by its ended parts; of the rest see used() */
  bool dispatched;          /* it has workgroups of its own */
  uint32_t slice;           /* workgroups at a time; 0: all */
  uint64_t workgroups_left; /* in slices to come, the present one too */
  aq_time since;            /* a kernel without workgroups runs */

  aqsim_policy_kernel_state state;
  aq_preempt_mode mode; /* of the preemption */
  bool partly;          /* of some compute units: it continues */
  bool by_queue;        /* continues when its queue is mapped */
  bool anew;            /* it starts from its beginning */
  aq_time left;         /* of a kernel without workgroups */
  aq_time restore;      /* it takes */
  aqsim_cu_set where;
  uint64_t cookie;
  aq_time asked, lost;
  uint32_t workgroups; /* that were stopped */
};

typedef enum aqsim_item_kind {
  AQSIM_ITEM_TIMER,
  AQSIM_ITEM_STOPPED, /* a run */
  AQSIM_ITEM_RESUMED, /* a run */
  AQSIM_ITEM_CLEARED, /* a queue: its reset has ended */
  AQSIM_ITEM_MAP,
  AQSIM_ITEM_PREEMPTED,
  AQSIM_ITEM_CHARGE,
  AQSIM_ITEM_READY,
  AQSIM_ITEM_COMPLETE,
  AQSIM_ITEM_WORKGROUP,
  AQSIM_ITEM_STEP, /* the dispatcher */
  AQSIM_ITEM_LET_GO,
} aqsim_item_kind;

/* A coming event, or one to report. */
typedef struct aqsim_item {
  aq_time time;
  uint64_t number; /* in the order of asking; the id of a timer */
  aqsim_item_kind kind;
  uint32_t handle; /* of a run or a queue */
  uint64_t cookie;
  aq_time amount;
  bool flag;
  aq_preempt_result result;
  aq_device_kernel kernel;
} aqsim_item;

typedef enum aqsim_policy_phase {
  AQSIM_PHASE_NONE, /* outside of device hooks: a host hook may act */
  AQSIM_PHASE_ATTACH,
  AQSIM_PHASE_FIRMWARE,
  AQSIM_PHASE_HARDWARE,
} aqsim_policy_phase;

struct aqsim_policy {
  aq_policy_device api; /* first: policies hold pointers to it */
  aqsim_event event;    /* of the earliest item */
  bool pending;
  aq_time pending_at;
  aqsim_device *device;
  const aqsim_device_ops *act; /* borrowed */
  const aq_policy_binding *binding;
  aq_policy_ops ops;
  aq_policy *state;
  aq_rng rng;
  aqsim_policy_phase phase;
  bool failed;
  bool map_asked, stepping;
  uint32_t instant_timers; /* at `instant`, which is that of the last timer */
  aq_time instant;
  uint64_t step_item;
  aq_time busy[AQ_SIDE_COUNT]; /* until the end of its last decision */
  aqsim_item *items;           /* a heap by time and number */
  size_t item_count, item_capacity;
  uint64_t item_last;
  aqsim_policy_kernel *runs, *spare;
  uint32_t handle_last;
  aqsim_watch watch;
  aq_device_packet *packets; /* scratch of pick */
  uint32_t packet_capacity;
  aq_device_cu *cus; /* scratch of place */
  aqsim_cu_room *rooms;
};

/* ---- policy_events.c ---- */

/* Keeps the first failure; always AQ_ERR_INVALID. */
aq_status aqsim_policy_fail(aqsim_policy *policy, const char *fmt, ...)
    AQ_PRINTF(2, 3);

/* Its number, 0 when out of memory (which fails the policy). */
uint64_t aqsim_policy_item_add(aqsim_policy *policy, const aqsim_item *item);
bool aqsim_policy_item_drop(aqsim_policy *policy, aqsim_item_kind kind,
                            uint64_t number);

/* Reports an event as soon as its side's latency has passed and its last
 * decision has ended. */
void aqsim_policy_notify(aqsim_policy *policy, aq_policy_side side,
                         aqsim_item *item);

/* A hook of the hardware side is called here and now, unless the side has
 * latency or cost or a hook is being called. */
void aqsim_policy_notify_hardware(aqsim_policy *policy, aqsim_item *item);

/* Takes the earliest item if it is due. */
bool aqsim_policy_item_due(aqsim_policy *policy, aqsim_item *out);

/* Calls the hook that an item is for. */
void aqsim_policy_item_notify(aqsim_policy *policy, const aqsim_item *item);

/* Schedules the policy's event for the earliest item. */
void aqsim_policy_items_schedule(aqsim_policy *policy);

/* Charges device time to a queue, and reports it to the policy. */
void aqsim_policy_charge(aqsim_policy *policy, aqsim_queue *queue,
                         aq_time amount, bool wasted);

/* ---- policy_kernels.c ---- */

/* Something changed: pipes and engines that had no packet ask again. */
void aqsim_policy_ask_again(aqsim_policy *policy);

aqsim_policy_kernel *aqsim_policy_run(const aqsim_policy *policy,
                                      uint32_t handle);

/* False: a number of bits beyond the device, or no compute unit of it. */
bool aqsim_policy_mask(const aqsim_policy *policy, const uint32_t *mask,
                       uint32_t count, aqsim_cu_set *out);

/* Asks for a compute unit for a workgroup: as the dispatcher's watcher. */
uint32_t aqsim_policy_place(void *watcher, aqsim_grid *grid, void *user);

/* Sees to it that the dispatcher is looked at when a watcher has to be. */
void aqsim_policy_step(aqsim_policy *policy);

void aqsim_policy_kernel_view(aqsim_policy_kernel *run, aq_device_kernel *out);

/* The time a kernel used so far, without wasted time. */
aq_time aqsim_policy_kernel_used(const aqsim_policy_kernel *run);

/* ---- policy_actions.c ---- */

void aqsim_policy_api_init(aqsim_policy *policy);

/* ---- policy_preempt.c ---- */

aq_status aqsim_policy_kernel_preempt(aqsim_policy *policy,
                                      aqsim_policy_kernel *run,
                                      const aq_preemption *preemption);
aq_status aqsim_policy_resume(aqsim_policy *policy, uint32_t kernel);

/* A kernel that has not ended, but for its completion. */
static inline bool
aqsim_policy_kernel_is_running(const aqsim_policy_kernel *run)
{
  const aqsim_inflight *inflight = run->inflight;
  return inflight->step == AQSIM_STEP_WAVES ||
         ((inflight->step == AQSIM_STEP_COMPLETE ||
           inflight->step == AQSIM_STEP_RUN) &&
          inflight->end > inflight->queue->sim->now);
}

/* How long it takes until a run is stopped, on the compute units of `where`
 * (NULL: all). */
aq_time aqsim_policy_kernel_stop_cost(const aqsim_policy_kernel *run,
                                      aq_preempt_mode mode,
                                      const aqsim_cu_set *where);

/* The preemption of a run begins; it ends after that cost. */
aq_status aqsim_policy_kernel_stop(aqsim_policy_kernel *run,
                                   aq_preempt_mode mode,
                                   const aqsim_cu_set *where);

/* A stopped run continues as soon as its state is restored. */
void aqsim_policy_kernel_resume(aqsim_policy_kernel *run);

/* Ended items. */
void aqsim_policy_kernel_stopped(aqsim_policy_kernel *run);
void aqsim_policy_kernel_resumed(aqsim_policy_kernel *run);

/* ---- preemption_report.c ---- */

/* Reports a preemption to the policy. */
void aqsim_policy_preempted_notify(aqsim_policy *policy,
                                   const aq_preempt_result *result);

/* A preemption of a kernel or a queue has ended: reports it to the policy and
 * to the keeper of the kernel or queue. */
void aqsim_policy_kernel_preempted(const aqsim_policy_kernel *run,
                                   aq_time freed);
void aqsim_queue_preempted(aqsim_queue *queue);

/* Whether something of the queue runs. */
bool aqsim_policy_queue_runs(const aqsim_policy *policy,
                             const aqsim_queue *queue);

/* A suspended queue is free when nothing of it runs; the suspension is given up
 * when the queue continues before (AQ_TIME_NONE). */
void aqsim_policy_suspend_begun(aqsim_queue *queue);
void aqsim_policy_suspend_done(aqsim_queue *queue, aq_time freed);
void aqsim_policy_queue_rests(aqsim_queue *queue);

/* ---- policy_queues.c ---- */

aqsim_queue *aqsim_policy_queue(const aqsim_policy *policy, uint32_t number);

/* The longest time that stopping one of a queue's kernels costs. */
aq_time aqsim_policy_queue_cost(const aqsim_policy *policy,
                                const aqsim_queue *queue, aq_preempt_mode mode);

aq_status aqsim_policy_queue_preempt(aqsim_policy *policy, aqsim_queue *queue,
                                     const aq_preemption *preemption);
void aqsim_policy_suspend(aqsim_queue *queue, bool suspended);

/* Takes off unlaunched packets beyond the first `keep`; how many. */
uint32_t aqsim_policy_evict(aqsim_policy *policy, aqsim_queue *queue,
                            uint32_t keep);

/* The queue's reset has ended. */
void aqsim_policy_queue_cleared(aqsim_queue *queue);

#endif
