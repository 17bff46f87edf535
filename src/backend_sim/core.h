/* SPDX-License-Identifier: MIT */
/*
 * The types that the parts of the simulator share: the open transport, its
 * devices and its queues. Included by backend_sim only.
 *
 * Single-threaded: the thread that drives the transport runs everything below
 * it; in live mode, the thread that holds its lock.
 * Events run one after the other; the functions they call may schedule events
 * and change signals, never move time.
 */
#ifndef AQSIM_CORE_H
#define AQSIM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/calendar.h"
#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/gate.h"
#include "backend_sim/handlers.h"
#include "backend_sim/kernels.h"
#include "backend_sim/model/device_model.h"
#include "backend_sim/model/device_set.h"
#include "backend_sim/packet/packets.h"
#include "backend_sim/packet/pm4.h"
#include "backend_sim/records.h"
#include "backend_sim/signals.h"
#include "backend_sim/transfer/links.h"
#include "backend_sim/transfer/memory.h"
#include "backend_sim/transfer/traffic.h"
#include "common/order_hooks.h"
#include "common/policy.h"
#include "common/transport.h"

typedef struct aqsim aqsim;
typedef struct aqsim_device aqsim_device;
typedef struct aqsim_queue aqsim_queue;
typedef struct aqsim_flight aqsim_flight;
typedef struct aqsim_copy aqsim_copy;
typedef struct aqsim_pipe aqsim_pipe;
typedef struct aqsim_slot aqsim_slot;
typedef struct aqsim_sampler aqsim_sampler;
typedef struct aqsim_wait aqsim_wait;
typedef struct aqsim_live aqsim_live;
typedef struct aqsim_kind aqsim_kind;
typedef struct aqsim_load aqsim_load;
typedef struct aqsim_policy aqsim_policy;
typedef struct aqsim_run aqsim_run;

enum {
  AQSIM_SCOPES = AQ_HEADER_SCOPE_MASK + 1,
  AQSIM_DIRECTIONS = 4, /* of copies: from and to the host or a device */
};

/* A place in the line of a copy engine, by the number of the copy. */
typedef struct aqsim_ready {
  struct aqsim_ready *next;
  uint64_t number;
} aqsim_ready;

/* A copy engine: its current copy, and the copies that wait, in order. */
typedef struct aqsim_engine {
  aqsim_copy *copying;
  aqsim_ready *first, *last;
} aqsim_engine;

enum {
  AQSIM_ENGINES_MAX = 32,
  AQSIM_UUID_SIZE = 21, /* "GPU-", 16 digits, the end */
};

/* The unit of a pipe that serves one queue at a time: pipes.h. */
typedef enum aqsim_unit_kind {
  AQSIM_UNIT_FETCH,  /* reads and decodes batches of packets */
  AQSIM_UNIT_LAUNCH, /* launches packets */
  AQSIM_UNITS,
} aqsim_unit_kind;

typedef struct aqsim_unit {
  aqsim_event event; /* first: it is free, and a queue wants it */
  aqsim *sim;
  aqsim_pipe *pipe;
  aqsim_unit_kind kind;
  bool pending;                 /* the event is */
  uint32_t last;                /* slot that had it last */
  uint64_t wanted[AQSIM_RANKS]; /* slots that want it, by bit */
  aqsim_queue *offered;         /* the queue that may take it now, or NULL */
  aq_time free;                 /* when its current work ends */
} aqsim_unit;

/* A packet processor. */
struct aqsim_pipe {
  aqsim_unit units[AQSIM_UNITS];
  aqsim_device *device;
  uint32_t mapped;   /* slots that are taken */
  aqsim_slot *slots; /* `slot_count` of them */
  uint32_t slot_count;
};

/* A place of a pipe for a queue: slots.h. */
struct aqsim_slot {
  aqsim_pipe *pipe;
  uint32_t index;        /* in its pipe */
  aqsim_queue *queue;    /* its holder, or NULL */
  aq_time since;         /* from when its quantum runs */
  aq_time usable;        /* when the switch from the last queue has ended */
  uint64_t launched;     /* by its queue, when it came */
  bool restored;         /* its queue came with something active */
  aq_time quantum;       /* that a policy gave; 0: the device's */
  aqsim_queue *promised; /* its next holder, by a policy; or NULL */
};

/* The hardware queues of a device and the queues that wait: slots.h. */
typedef struct aqsim_slots {
  aqsim_event event; /* first: a quantum ends */
  bool pending;
  aqsim_pipe *pipes;
  aqsim_slot *slots;
  uint32_t pipe_count, slot_count;
  aqsim_queue *first[AQSIM_RANKS], *last[AQSIM_RANKS]; /* the run list */
  uint32_t leaving;   /* queues that are being preempted */
  uint32_t contended; /* those, and the ones in the run list */
} aqsim_slots;

/* The decisions a policy may make in the device's place: bits. */
enum {
  AQSIM_DECIDES_LAUNCH = 1, /* which packet a pipe launches */
  AQSIM_DECIDES_MAP = 2,    /* which queue gets which slot */
};

struct aqsim_device {
  aqsim *sim;
  const aqsim_model *model; /* of the simulator's set */
  char hash[AQSIM_HASH_SIZE];
  char uuid[AQSIM_UUID_SIZE];
  uint32_t ordinal;
  int64_t record; /* ordinal in the record sink, or AQ_NONE */
  aq_time acquire[AQSIM_SCOPES], release[AQSIM_SCOPES];
  aq_time finish[AQSIM_SCOPES]; /* end of a kernel until its decrement */
  aqsim_packet_limits limits;
  aqsim_slots slots;
  aq_time idle_since; /* when a packet of its queues completed last */
  uint32_t left_over; /* active packets of queues that stopped, and are there */
  uint32_t queue_count;
  aqsim_queue *cooperative;                /* the one of this device, or NULL */
  aqsim_engine engines[AQSIM_ENGINES_MAX]; /* as the model counts them */
  aqsim_dispatcher *dispatcher;            /* owned */
  aqsim_load *loads;                       /* to be used again */
  aqsim_policy *policy;     /* decides in its place: device_policy.h */
  uint8_t decides;          /* AQSIM_DECIDES_… */
  uint32_t queues_numbered; /* queues that it ever had */
};

/* Life of a packet between the ring and its completion: lifecycle.def. */
typedef enum aqsim_step {
#define S(name, function, waits, then, next) AQSIM_STEP_##name,
#include "backend_sim/packet/lifecycle.def"
#undef S
  AQSIM_STEP_COUNT
} aqsim_step;

/* A packet that has been fetched and is not complete. What every step needs
 * lies in its first cache line, times in the second, the packet in the third.
 */
struct aqsim_flight {
  aqsim_event event; /* first: the step continues */
  aqsim_queue *queue;
  aqsim_flight *next;     /* in the order of launch, or of free flights */
  const aqsim_kind *kind; /* of its packet, once launched */
  aqsim_run *run;         /* of kernels that a policy decides about */
  aq_time fetch;          /* decoded */
  uint8_t step;           /* aqsim_step */
  uint8_t stalls;         /* AQ_STALL_… */
  bool in_use, sleeping, back_to_back;
  bool barrier;  /* its barrier bit */
  bool frozen;   /* its kernel was taken off the compute units */
  bool stopped;  /* the same, by a policy: not in `frozen` */
  bool killed;   /* by a policy */
  bool reread;   /* its header was strange, and is read once more */
  bool changed;  /* a hook changed it: the ring does not have it */
  bool executes; /* its kernel's code is executed, or was */
  bool outlasts; /* the code ends later than the kernel's cost says */

  _Alignas(64) uint64_t id;
  aq_time submit, launch, start, end;
  aq_time stamp;    /* start timestamp, as this device writes it */
  int64_t negative; /* a dependency was an error: so is the completion */

  _Alignas(64) aq_packet packet;

  /* Of kernel dispatches, once launched. */
  _Alignas(64) const aqsim_kernel *kernel;
  uint64_t workgroups;
  aqsim_grid *grid;  /* of those under dispatch, or NULL */
  aqsim_load *load;  /* of dispatches with a roofline, or NULL */
  void *execution;   /* by the executor, until every wave ended */
  aq_time executed;  /* when the device is done with that, as far as the
                        executor knows */
  uint32_t injected; /* reason of a queue error that a hook asked for */
};

typedef enum aqsim_queue_state {
  AQSIM_QUEUE_ACTIVE,
  AQSIM_QUEUE_INACTIVE, /* by queue_control */
  AQSIM_QUEUE_FAILED,   /* by a packet */
  AQSIM_QUEUE_SOFT,     /* active, but the application serves it */
} aqsim_queue_state;

/* Why a queue launches nothing. */
enum {
  AQSIM_HOLD_PACKET = 1,  /* a packet that blocks is active */
  AQSIM_HOLD_SLOT = 2,    /* it has no slot, or has to leave it */
  AQSIM_HOLD_SUSPEND = 4, /* a policy suspended it */
  AQSIM_HOLD_LIMIT = 8,   /* as many packets run as a policy lets run */
  AQSIM_HOLD_RESET = 16,  /* its packets are about to be taken off */
  AQSIM_HOLD_POLICY = AQSIM_HOLD_SUSPEND | AQSIM_HOLD_LIMIT | AQSIM_HOLD_RESET,
};

/* How a queue that has to leave its slot does so. */
typedef enum aqsim_preempt_mode {
  AQSIM_PREEMPT_DRAIN,  /* running workgroups end first */
  AQSIM_PREEMPT_SWITCH, /* the waves of its kernels are saved */
} aqsim_preempt_mode;

/* The state of a queue that its policy sets or reads. */
typedef struct aqsim_queue_policy {
  uint32_t limit;       /* packets active at once; 0: none */
  aq_time quantum;      /* 0: the device's */
  aq_time used;         /* device time charged */
  uint32_t stopped;     /* kernels, by the policy */
  uint32_t evicted;     /* packets not passed over yet */
  bool preempting;      /* until `preempted` */
  aq_preempt_mode mode; /* of that */
  uint64_t cookie;
  aq_time asked, wasted;
  uint32_t workgroups;
  uint32_t returned; /* packets, by a reset */
  bool worked;       /* something ran when it was asked for */
  bool suspending;   /* until nothing of it runs */
  aq_time suspended; /* since then */
} aqsim_queue_policy;

/* Packet ids: read index <= fetched <= noticed <= write index. Of fetch.c. */
typedef struct aqsim_intake {
  uint64_t noticed, fetched;
  aq_time *submitted; /* by slot: when the packet was noticed */
  uint8_t *completed; /* by slot: complete, not handed back yet */
  aqsim_event event;  /* of the next fetch */
  bool pending;       /* the event is, or the fetch unit is wanted */
} aqsim_intake;

/* A kernel dispatch that was checked: dimensions, sizes and segments, how many
 * workgroups they make, and how long those take. */
typedef struct aqsim_shape {
  uint64_t words[4]; /* the packet's, without its header */
  uint64_t workgroups;
  aq_time duration; /* on the queue's compute units; AQ_TIME_NONE: only the
                     * dispatch can say, or there is more to do than wait */
} aqsim_shape;

/* Packets that were decoded and launched. Of processor.c. */
typedef struct aqsim_line {
  aqsim_flight *first, *last; /* decoded, not launched, in order */
  uint32_t waiting;           /* their number */
  uint32_t active;            /* launched, not complete */
  uint64_t launched;          /* number ever launched */
  uint8_t hold;               /* AQSIM_HOLD_… */
  bool pumping;
  bool kernel_before;         /* the packet launched last is a kernel */
  bool barrier_before;        /* it is a barrier packet */
  aq_time gap;                /* of the kernel launched last: from its end to
                               * the next start; 0: as the model has it */
  aq_time last_end;           /* of the kernels that completed */
  const aqsim_kernel *kernel; /* launched last: mostly the next one too */
  aqsim_shape shape;          /* of that, while the kernel is there */
} aqsim_line;

/* The flights of a queue, ring.size of them. */
typedef struct aqsim_flight_pool {
  aqsim_flight *free, *flights;
  uint32_t fresh; /* flights that were never used are at the end */
} aqsim_flight_pool;

/* The place of a queue on the device, and how it loses and gets it. Of
 * slots.c. */
typedef struct aqsim_mapping {
  aqsim_pipe *pipe;          /* which serves it, or did so last */
  aqsim_slot *slot;          /* NULL: not mapped */
  aq_time usable;            /* from when the slot serves it */
  aq_time awake;             /* from when a doorbell is seen, if it was idle */
  aq_time idle_since, woken; /* when it became so last, and not so */
  aqsim_queue *next, *previous; /* in the run list */
  bool listed;                  /* it is */
  bool leaving;                 /* preempted, still holds its slot */
  bool opened;  /* its gate did when no processor was there to see it */
  bool pending; /* the event is */
  aqsim_preempt_mode preemption; /* of the one under way */
  uint32_t frozen;               /* flights */
  aq_time frozen_at;
  aqsim_event event;   /* it is mapped, and its active flights continue */
  aqsim_pipe own_pipe; /* of a queue of the host agent */
  aqsim_slot own_slot;
} aqsim_mapping;

/* The reason why a packet waits; it blocks the later packets, so one is enough.
 */
typedef struct aqsim_queue_wait {
  aqsim_gate gate;
  aqsim_gate_leg legs[AQ_BARRIER_DEPENDENCIES];
  aqsim_flight *flight; /* the last one that did */
} aqsim_queue_wait;

/* Pages of arguments of spin kernels, seen mapped. */
typedef struct aqsim_kernargs {
  uint64_t first, end;
  uint32_t ahead; /* how many more are looked at next time */
} aqsim_kernargs;

/* The callback for a packet that stopped the queue, and the packet. */
typedef struct aqsim_queue_failure {
  void (*tell)(const aq_queue_error *error, void *user);
  void *user;
  uint64_t packet;
  uint32_t reason;
  char text[AQSIM_FAULT_TEXT_MAX];
} aqsim_queue_failure;

struct aqsim_queue {
  aq_ring ring; /* first: what clients hold */
  aqsim *sim;
  aqsim_device *device;

  /* What every packet passes. */
  aqsim_intake intake;
  aqsim_queue_state state;
  aqsim_rank rank;
  aqsim_line line;
  aqsim_flight_pool pool;
  bool host; /* of the host agent; `device` lends it its constants */
  bool profile;
  aqsim_mapping map;

  /* What kind of queue it is. */
  aqsim_queue *next, *previous; /* in the order of creation */
  aq_queue_type type;
  uint32_t number; /* of the queue in its device */
  int64_t record;  /* ordinal in the record sink, or AQ_NONE */
  aq_agent_function *agent;
  aqsim_signal *bell;  /* doorbell of a soft queue */
  uint32_t references; /* of a cooperative queue */
  bool overrun;        /* a doorbell beyond the ring was reported */
  bool destroyed;      /* from inside an event: freed when the event ends */

  aqsim_queue_policy policy;
  aqsim_kernargs kernargs;
  aqsim_queue_wait wait;
  aqsim_pm4 *pm4; /* of the packet that runs PM4; made for the first one */
  aqsim_queue_failure error;
  aqsim_cu_set cus; /* compute units it may use */

  uint32_t sleepers;  /* atomic: hosts that sleep until slots are free (live) */
  uint64_t announced; /* atomic: doorbells rang for the packets below */
  uint64_t seen;      /* atomic: the doorbell, when the device last looked */
  uint64_t doorbell;
  _Alignas(64) aq_amd_signal doorbell_signal;
  _Alignas(64) aq_amd_queue amd; /* indices */
};

/* What packets ask of the slots and doorbells of queues, which lie above them;
 * sim.c sets it. */
typedef struct aqsim_queue_ops {
  /* aqsim_slots_progress, aqsim_slots_gate_opened, aqsim_queue_unmap */
  void (*progress)(aqsim_queue *queue);
  bool (*gate_opened)(aqsim_queue *queue);
  void (*unmap)(aqsim_queue *queue);
  /* aqsim_queues_notice: a host function may have published packets */
  void (*notice)(aqsim *sim);
} aqsim_queue_ops;

struct aqsim {
  aq_transport base; /* first */
  aq_time now;
  const aqsim_queue_ops *queue_ops;
  aqsim_calendar calendar;
  aqsim_gates gates;
  aqsim_signals signals;
  aqsim_kernels kernels;
  struct aqsim_module *modules; /* loaded code objects, the newest first */
  aqsim_memory memory;
  aqsim_recorder recorder;
  aq_time sample_at;      /* counters are due; AQ_TIME_MAX: never */
  aqsim_sampler *sampler; /* NULL: none */
  aqsim_device_set models;
  aqsim_links links;
  aqsim_traffic traffic;
  aqsim_device *devices;
  aq_device_info *infos;
  uint32_t device_count;
  aqsim_queue *first_queue, *last_queue;
  aq_slab queues; /* their memory, and the part of it that is free */
  aqsim_queue *queues_free;
  uint32_t queues_created;
  aqsim_queue *destroyed; /* queues to free when no event runs */
  aqsim_copy *copies;     /* those under way, the newest first */
  uint64_t copies_created;
  int64_t copy_names[AQSIM_DIRECTIONS]; /* in the record sink, or AQ_NONE */
  aqsim_wait *wait;                     /* under way, or NULL */
  void *waiters; /* scratch of wait, kept for the next one */
  uint32_t waiter_capacity;
  aqsim_handlers handlers;
  aqsim_live *live;       /* NULL: virtual time */
  const uint32_t *wanted; /* live: threads that want the simulator, atomic */
  /* Live, NULL otherwise: has the callback of a queue called by a thread that
   * holds no lock; false when it cannot. */
  bool (*error_defer)(aqsim_live *live, const aqsim_queue *queue,
                      const aq_queue_error *error);
  /* The same for the callback of system events. */
  bool (*event_defer)(aqsim_live *live, const aq_system_event *event);
  /* The same around a host function of a queue: other threads may use the
   * simulator, but not move time. */
  void (*outside_begin)(aqsim_live *live, const aqsim_queue *queue);
  void (*outside_end)(aqsim_live *live);
  aq_semantics semantics;
  bool polls;                                   /* packets need no doorbell */
  void (*report)(const char *line, void *user); /* queue errors, NULL: stderr */
  void *report_user;
  void (*event)(const aq_system_event *event, void *user); /* NULL: report */
  void *event_user;
  bool told;         /* whoever opened it, by a policy */
  bool touched;      /* an event stored to memory that others may wait for */
  bool executed;     /* an event of this turn executed code, for long */
  unsigned depth;    /* of events: time may not be moved inside */
  aq_time interrupt; /* interrupt_to_host of the device that acts */
  aq_time observe;   /* when a blocked host sees the decrement that was made
                        last, or AQ_NONE */
  const aq_device_hooks *hooks;       /* NULL: none */
  const aq_order_hooks *order;        /* NULL: none */
  struct aq_allocations *allocations; /* of the executor, or NULL */
  const aq_executor *executor;        /* of code objects' kernels, NULL: none */
  bool interrupt_lost;                /* of the decrement that is being made */
  uint64_t destroyed_completions;     /* of signals that were gone by then */
  size_t drain_lost; /* completions that wait for drain() without a wake-up */
};

static inline aqsim *aqsim_from(aq_transport *transport)
{
  return (aqsim *)transport;
}

/* The device's own scopes: the reserved value counts as system. */
static inline aq_time aqsim_acquire(const aqsim_device *device, uint32_t header)
{
  return device->acquire[aq_header_acquire(header)];
}

static inline aq_time aqsim_release(const aqsim_device *device, uint32_t header)
{
  return device->release[aq_header_release(header)];
}

/* Nothing is published or in flight. */
static inline bool aqsim_queue_is_idle(const aqsim_queue *queue)
{
  return queue->intake.noticed == queue->intake.fetched &&
         queue->line.waiting == 0 && queue->line.active == 0;
}

/* One packet more or less of it is active: `by` is 1 or -1. */
static inline void aqsim_queue_active_add(aqsim_queue *queue, int by)
{
  queue->line.active += (uint32_t)by;
  if (queue->state != AQSIM_QUEUE_ACTIVE && !queue->host && !queue->destroyed)
    queue->device->left_over += (uint32_t)by;
}

/* The pipe of a queue launches nothing more until then. */
static inline void aqsim_queue_launch_until(aqsim_queue *queue, aq_time time)
{
  queue->map.pipe->units[AQSIM_UNIT_LAUNCH].free = time;
}

/* Schedules an event of a queue, in the order of its priority. */
/* The kernel or the compute units of a queue change: the next dispatch is
 * checked. */
static inline void aqsim_queue_shape_forget(aqsim_queue *queue)
{
  queue->line.shape = (aqsim_shape){.words = {UINT64_MAX}};
}

static inline void aqsim_queue_push(aqsim_queue *queue, aqsim_event *event,
                                    aq_time time, aqsim_priority priority)
{
  aqsim_calendar_push_ranked(&queue->sim->calendar, event, time, priority,
                             queue->rank);
}

#endif
