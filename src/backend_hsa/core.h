/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the transport "hsa".
 *
 * Lock rule: `lock` guards the lists and drains; it is never held while the
 * runtime is called with a function that calls back, or that may wait for a
 * caller of ours. A thread that changes `queues` holds `queues_lock` too, which
 * is taken first, never by a callback: its holder may walk them and call the
 * runtime.
 */
#ifndef AQHSA_CORE_H
#define AQHSA_CORE_H

#include <pthread.h>
#include <stddef.h>

#include "backend_hsa/library.h"
#include "backend_hsa/object_table.h"
#include "common/hsa_sim.h"

enum { AQHSA_NAME = 64, AQHSA_UUID = 24 };

/* Two points of the line that takes device ticks to the system clock. */
typedef struct aqhsa_tick_line {
  uint64_t tick[2], system[2];
} aqhsa_tick_line;

typedef struct aqhsa_device {
  hsa_agent_t agent;
  aq_device_info info; /* texts: those below, or the simulator's */
  char name[AQHSA_NAME], gfx[AQHSA_NAME], uuid[AQHSA_UUID];
  hsa_amd_memory_pool_t local; /* coarse grained */
  /* A register: a store flushes writes of the host that are on their way to the
   * device's memory; NULL: it has none. */
  volatile uint32_t *flush;
  bool cooperative;
  aqhsa_tick_line line;
} aqhsa_device;

typedef struct aqhsa aqhsa;

/* A function of a user that the runtime calls through us. */
typedef struct aqhsa_handler {
  struct aqhsa_handler *next;
  aqhsa *hsa;
  aq_signal signal;
  aq_condition condition;
  int64_t reference;
  aq_signal_function *function;
  void *user;
  bool dropped; /* atomic, written under the lock: its signal is gone */
} aqhsa_handler;

typedef struct aqhsa_signal {
  aqhsa_held held; /* first; key: the handle */
  uint32_t flags;  /* aq_signal_flag */
  bool copied;     /* atomic: last given to a copy */
  uint32_t
      device; /* whose packet had it last: signal_device.c, under the lock */
  uint64_t user;
  int64_t seen; /* of drain signals, under the lock */
  struct aqhsa_signal *drain_next, **drain_link; /* of all drain signals */
  aqhsa_handler *handlers;
} aqhsa_signal;

typedef struct aqhsa_queue {
  aq_ring ring;    /* first */
  aqhsa_held held; /* key: hsa_queue_t * */
  aqhsa *hsa;
  aq_amd_queue *abi;
  uint32_t device;
  uint32_t references; /* of cooperative queues */
  uint32_t state;      /* atomic: aqhsa_queue_state */
  uint64_t
      marked; /* packets that signal_device.c is done with, under the lock */
  void (*error)(const aq_queue_error *error, void *user);
  void *user;
} aqhsa_queue;

/* The queue of a table's member. */
static inline aqhsa_queue *aqhsa_queue_of(aqhsa_held *held)
{
  return (aqhsa_queue *)(void *)((char *)held - offsetof(aqhsa_queue, held));
}

typedef enum aqhsa_queue_state {
  AQHSA_QUEUE_ACTIVE,
  AQHSA_QUEUE_INACTIVE,
  AQHSA_QUEUE_FAILED,
} aqhsa_queue_state;

typedef struct aqhsa_meter aqhsa_meter;

typedef struct aqhsa_module {
  aqhsa_held held; /* first; key: the executable */
  hsa_executable_t executable;
  hsa_code_object_reader_t reader;
  hsa_agent_t agent;
  void *image; /* a copy: the runtime may look at it later */
} aqhsa_module;

/* A kernel of a module that was looked up, or a host function that the
 * simulator runs. */
typedef struct aqhsa_kernel {
  struct aqhsa_kernel *next;
  uint64_t module; /* 0: a host function */
  char *name;
  aq_kernel_info info;
} aqhsa_kernel;

struct aqhsa {
  aq_transport base; /* first */
  aqhsa_library library;
  const aqhsa_api *api;
  bool initialized; /* hsa_init worked */

  aq_hsa_sim sim; /* size 0: hardware */
  hsa_agent_t host;
  hsa_amd_memory_pool_t kernarg, fine; /* of the host */
  aqhsa_device *devices;
  hsa_agent_t *agents; /* of the devices */
  aq_device_info *infos;
  aq_link_info *links; /* the links that the runtime knows */
  uint32_t link_count;
  uint32_t device_count;
  uint32_t caps;
  bool objects_only; /* on a simulator too, no more than a GPU has */

  uint64_t clock_hz, clock_base; /* the system clock; its tick at the epoch */
  aq_time epoch;
  hsa_signal_t nap; /* nothing ever happens to it: waiting for it is sleeping */

  void (*report)(const char *line, void *user);
  void *report_user;
  void (*event)(const aq_system_event *event, void *user);
  void *event_user;
  aqhsa_meter *meter; /* NULL: no samples of counters */
  aqhsa *event_next;  /* of the open transports that events go to */

  pthread_mutex_t lock, queues_lock;
  aqhsa_table signals, memory, locked, modules, queues;
  aqhsa_signal *drains, **drains_end;
  uint32_t drain_signals;
  aqhsa_handler *dropped; /* of signals that are gone */
  aqhsa_kernel *kernels;
  aq_map objects;      /* of the kernels, to them */
  aq_completion *done; /* reaped, not drained: a ring */
  uint32_t done_first, done_count, done_capacity;
  bool done_lost; /* out of memory for one */
  bool profiled;  /* atomic, written under queues_lock: a client wants times,
                     queues and copies keep them */
  bool queue_profiled; /* by AQ_CONTROL_PROFILE: signals without a flag too */
};

static inline aqhsa *aqhsa_from(aq_transport *t)
{
  return (aqhsa *)t;
}

/* ---- agents.c ---- */

/* Finds the agents and pools of an initialised runtime. */
aq_status aqhsa_agents_open(aqhsa *hsa, const char *selector, aq_diag *diag);
void aqhsa_agents_close(aqhsa *hsa);
aq_status aqhsa_device_check(const aqhsa *hsa, uint32_t device, aq_diag *diag);

/* ---- metrics.c ---- */

/* Whether some device offers metrics. */
bool aqhsa_meter_offers(const aqhsa *hsa);

/* Samples each `counters` of the options from now on, if that is not 0. */
aq_status aqhsa_meter_open(aqhsa *hsa, const aq_transport_options *options,
                           aq_diag *diag);

/* Hands the samples to the sink. */
void aqhsa_meter_close(aqhsa *hsa);

/* ---- clock.c ---- */

aq_status aqhsa_clock_open(aqhsa *hsa, aq_time epoch, aq_diag *diag);
aq_time aqhsa_now(aq_transport *t);

/* A tick of the system clock as our time. */
aq_time aqhsa_clock_time(const aqhsa *hsa, uint64_t tick);

/* Ticks of the system clock that a span is, rounded up; UINT64_MAX for
 * AQ_TIME_MAX. */
uint64_t aqhsa_clock_ticks(const aqhsa *hsa, aq_time span);

void aqhsa_clock_correlate(aq_transport *t, uint32_t device,
                           aq_clock_pair *out);
/* Lets a span of time pass, which may end early. */
void aqhsa_nap(const aqhsa *hsa, aq_time span);

/* How long a wait has lasted: by the system clock, and by the
 * wall's, since a simulator's need not move without calls. */
typedef struct aqhsa_patience {
  aq_time deadline;
  int64_t wall_end; /* ns; INT64_MAX: never */
} aqhsa_patience;

aqhsa_patience aqhsa_patience_until(const aqhsa *hsa, aq_time deadline);

/* The remaining time, 0 when it has passed. */
aq_time aqhsa_patience_left(const aqhsa *hsa, const aqhsa_patience *patience);

/* ---- events.c ---- */

void aqhsa_events_open(aqhsa *hsa);
void aqhsa_events_close(aqhsa *hsa);

/* Told after hsa_shut_down: whether the runtime went, and its handlers. */
void aqhsa_events_shut(const aqhsa *hsa);

/* A line for users without a callback. */
void aqhsa_report(const aqhsa *hsa, const char *line);

/* ---- links.c ---- */

/* Asks for the links of the agents that were taken. */
aq_status aqhsa_links_open(aqhsa *hsa, aq_diag *diag);
void aqhsa_links_close(aqhsa *hsa);

/* ---- memory.c ---- */

aq_status aqhsa_mem_alloc(aq_transport *t, uint32_t device, aq_memory_kind kind,
                          size_t size, void **out, aq_diag *diag);
void aqhsa_mem_free(aq_transport *t, void *address);
aq_status aqhsa_mem_lock(aq_transport *t, void *address, size_t size,
                         void **out, aq_diag *diag);
void aqhsa_mem_unlock(aq_transport *t, void *address);
bool aqhsa_mem_visible(aq_transport *t, const void *address, size_t size);
void aqhsa_mem_publish(aq_transport *t, const void *address, size_t size);
aq_status aqhsa_copy_async(aq_transport *t, uint32_t device, void *to,
                           const void *from, size_t size,
                           const aq_signal *dependencies, uint32_t count,
                           aq_signal completion, aq_diag *diag);
aq_status aqhsa_copy_submit(aq_transport *t, const aq_copy_desc *copy,
                            aq_diag *diag);
uint32_t aqhsa_copy_engines_idle(aq_transport *t, uint32_t device);
void aqhsa_memory_close(aqhsa *hsa);

/* ---- modules.c ---- */

aq_status aqhsa_module_load(aq_transport *t, uint32_t device, const void *image,
                            size_t size, uint64_t *module, aq_diag *diag);
void aqhsa_module_unload(aq_transport *t, uint64_t module);
aq_status aqhsa_kernel_lookup(aq_transport *t, uint64_t module,
                              const char *name, aq_kernel_info *out,
                              aq_diag *diag);
aq_status aqhsa_kernel_register(aq_transport *t, const aq_kernel_desc *kernel,
                                aq_kernel_info *out, aq_diag *diag);
void aqhsa_kernel_unregister(aq_transport *t, uint64_t object);
bool aqhsa_kernel_describe(aq_transport *t, uint64_t object,
                           aq_kernel_info *out);
void aqhsa_modules_close(aqhsa *hsa);

/* ---- signal_device.c ---- */

/* Before a doorbell or a copy: whose packets the signals of all queues belong
 * to, of `last` (or NULL) at the end. Takes the lock. */
void aqhsa_origins_note(aqhsa *hsa, aqhsa_queue *last);

/* Start and end of the packet or copy that decremented a signal last, by the
 * clock of the agent that ran it; false: the runtime has none. Under the lock.
 * */
bool aqhsa_origins_times(aqhsa *hsa, const aqhsa_signal *signal,
                         hsa_amd_profiling_dispatch_time_t *out);

/* ---- queues.c ---- */

aq_status aqhsa_queue_create(aq_transport *t, const aq_queue_desc *desc,
                             aq_ring **out, aq_diag *diag);
void aqhsa_queue_destroy(aq_transport *t, aq_ring *ring);
void aqhsa_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id);
aq_status aqhsa_queue_wait_space(aq_transport *t, aq_ring *ring, uint32_t count,
                                 aq_time deadline, aq_diag *diag);
aq_status aqhsa_queue_control(aq_transport *t, aq_ring *ring,
                              aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag);
void aqhsa_queues_close(aqhsa *hsa);

/* From now on the hardware keeps start and end of every packet and copy. */
void aqhsa_profile(aqhsa *hsa);

/* Packets that were taken from all queues that serve any, and whether some are
 * left. */
uint64_t aqhsa_queues_progress(aqhsa *hsa, bool *left);

/* ---- signals.c ---- */

aq_status aqhsa_signal_create(aq_transport *t, const aq_signal_desc *desc,
                              aq_signal *out, aq_diag *diag);
void aqhsa_signal_destroy(aq_transport *t, aq_signal signal);
int64_t aqhsa_signal_load(aq_transport *t, aq_signal signal, aq_order order);
void aqhsa_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                        aq_order order);
int64_t aqhsa_signal_update(aq_transport *t, aq_signal signal, aq_signal_op op,
                            int64_t operand, int64_t expected, aq_order order);
aq_status aqhsa_signal_handler(aq_transport *t, aq_signal signal,
                               aq_condition condition, int64_t value,
                               aq_signal_function *function, void *user,
                               aq_diag *diag);
aq_status aqhsa_dispatch_times(aq_transport *t, aq_signal signal,
                               aq_time *start, aq_time *end);
void aqhsa_signals_close(aqhsa *hsa);

/* After hsa_shut_down: nothing calls handlers any more. */
void aqhsa_signals_free(aqhsa *hsa);

/* The record of a signal that we made, or NULL. Takes the lock. */
aqhsa_signal *aqhsa_signal_find(aqhsa *hsa, aq_signal signal);

/* ---- host_sleep.c ---- */

aq_status aqhsa_sleep_until(aq_transport *t, aq_time until, bool wake,
                            aq_diag *diag);

/* ---- waits.c ---- */

aq_status aqhsa_wait(aq_transport *t, const aq_wait_request *request,
                     aq_wait_result *out, aq_diag *diag);
uint32_t aqhsa_drain(aq_transport *t, aq_completion *out, uint32_t capacity);

/* Notes the completions of drain signals since the last look; whether drain()
 * has something to report. `lost`: memory for some ran out. */
bool aqhsa_drains_reap(aqhsa *hsa);

/* A change that the host made to a drain signal, under the lock. */
void aqhsa_drain_change(aqhsa *hsa, aqhsa_signal *signal, int64_t before,
                        int64_t after, bool decrement);

/* Blocks until one of the drain signals moves, or a span has passed; false when
 * there is none that could. */
bool aqhsa_drains_await(aqhsa *hsa, aq_time span);

/* ---- state_dump.c ---- */

void aqhsa_inspect(aq_transport *t, void (*line)(const char *text, void *user),
                   void *user);

#endif
