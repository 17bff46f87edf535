/* SPDX-License-Identifier: MIT */
/*
 * The transport: the seam between everything that makes packets and whatever
 * consumes them. A transport is one constant table of operations; `sim`,
 * `null` and `hsa` are built in, others are loaded.
 *
 * Ownership: an open transport owns its queues, signals, memory, modules
 * and kernels and frees them at close. Options, descriptions and buffers passed
 * in are borrowed for the call unless a field says otherwise.
 *
 * Thread rule: every operation may be called from any thread where info.caps
 * has AQ_CAP_LIVE (close excepted: last, alone); without it one thread drives
 * the transport.
 *
 * Time rule: callers never spin. Time moves only inside queue_wait_space, wait,
 * sleep_until and drain: a simulator runs its events there, hardware blocks
 * there.
 *
 * Completeness rule: every slot is filled. An operation that a transport cannot
 * do is a named stub that returns AQ_ERR_UNSUPPORTED with a diagnostic, and
 * info.caps shows that beforehand.
 */
#ifndef AQ_COMMON_TRANSPORT_H
#define AQ_COMMON_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aql.h"
#include "device_hooks.h"
#include "diag.h"
#include "executor.h"
#include "export.h"
#include "kernel_desc.h"
#include "occupancy.h"
#include "record.h"
#include "ring.h"
#include "signal_desc.h"
#include "spin.h"
#include "status.h"
#include "time.h"

AQ_BEGIN_DECLS

#define AQ_TRANSPORT_ABI 10u

typedef struct aq_transport aq_transport;
typedef struct aq_transport_ops aq_transport_ops;

/* The head of every transport; implementations embed it first. Its table is
 * the one to use: it may be another than the one that opened it. */
struct aq_transport {
  const aq_transport_ops *ops;
};

/* The host agent, where a device is asked for. */
#define AQ_DEVICE_HOST UINT32_C(0xffffffff)

/* ---- life ---- */

enum aq_transport_cap {
  AQ_CAP_VIRTUAL_TIME = 1 << 0,   /* time is modelled: deterministic */
  AQ_CAP_LIVE = 1 << 1,           /* real threads may use it at once */
  AQ_CAP_RECORDS = 1 << 2,        /* fills the record sink */
  AQ_CAP_TIMING = 1 << 3,         /* its times mean something */
  AQ_CAP_HOST_KERNELS = 1 << 4,   /* kernel_register */
  AQ_CAP_CODE_OBJECTS = 1 << 5,   /* module_load */
  AQ_CAP_COPY = 1 << 6,           /* copy_async */
  AQ_CAP_CU_MASK = 1 << 7,        /* queue_control CU mask */
  AQ_CAP_PRIORITY = 1 << 8,       /* queue_control priority */
  AQ_CAP_BARRIER_VALUE = 1 << 9,  /* AMD barrier-value packets */
  AQ_CAP_PM4 = 1 << 10,           /* AMD PM4 indirect buffer packets */
  AQ_CAP_DEVICE_POLICY = 1 << 11, /* device policies */
  AQ_CAP_HANDLERS = 1 << 12,      /* signal_handler */
  AQ_CAP_PROFILING = 1 << 13,     /* dispatch_times */
  AQ_CAP_COOPERATIVE = 1 << 14,   /* cooperative queues */
  AQ_CAP_AGENT_QUEUES = 1 << 15,  /* soft queues and queues of the host agent */
  AQ_CAP_INSPECT = 1 << 16,       /* inspect has an effect */
  AQ_CAP_DEVICE_HOOKS = 1 << 17,  /* options.hooks */
  AQ_CAP_EVENTS = 1 << 18,        /* memory faults go to options.event */
  AQ_CAP_COUNTERS = 1 << 19,      /* options.counters */
  AQ_CAP_EXECUTES = 1 << 20,      /* the code of kernels runs */
};

/* A capability as text ("CU masks"), NULL unless exactly one bit is set. */
AQ_API const char *aq_transport_cap_name(uint32_t cap);

/* Where ROCr and the HSA Foundation's suite differ. */
typedef enum aq_semantics {
  AQ_SEMANTICS_ROCR, /* what users' GPUs do: the default */
  AQ_SEMANTICS_FOUNDATION,
} aq_semantics;

typedef enum aq_time_mode {
  /* One thread drives the transport; time moves in the time group only. */
  AQ_MODE_VIRTUAL,
  /* A device thread serves any number of host threads, which may ring and wait
   * through the table or by touching memory. Deadlines count in wall time from
   * the call unless `pace` ties the two. Transports on hardware are always
   * live. */
  AQ_MODE_LIVE,
} aq_time_mode;

/* Virtual ps for each wall ps; wall 0: free running, nothing is waited for. */
typedef struct aq_pace {
  uint32_t virtual_time, wall;
} aq_pace;

/* One part of a stack of transports as users name it, "fault,seed=7+sim". */
typedef struct aq_transport_layer {
  const aq_transport_ops *ops;
  const char *const *settings; /* "KEY=VALUE", NULL ends; not NULL itself */
  const struct aq_transport_layer *inner; /* of a wrapper, or NULL */
} aq_transport_layer;

typedef enum aq_event_kind {
  AQ_EVENT_MEMORY_FAULT, /* a packet or copy touched memory that is not there */
} aq_event_kind;

/* Why memory cannot be accessed: bits, as ROCr reports them. */
typedef enum aq_fault_reason {
  AQ_FAULT_NOT_PRESENT = 1 << 0,
  AQ_FAULT_READ_ONLY = 1 << 1,
  AQ_FAULT_NO_EXECUTE = 1 << 2,
} aq_fault_reason;

#define AQ_QUEUE_NONE UINT32_C(0xffffffff)

/* An event for the handler of the whole system instead of a queue's. The queue
 * is inactive afterwards, without a call of its error callback; a copy never
 * completes. */
typedef struct aq_system_event {
  aq_event_kind kind;
  uint32_t device;
  uint32_t queue;     /* AQ_QUEUE_NONE: a copy, or not known */
  uint64_t packet_id; /* of that queue; copies are counted */
  uint64_t address;   /* the first that is not there */
  const char *text;   /* one line; borrowed for the call, as all of it */
  uint32_t reasons;   /* bits of aq_fault_reason, or others of ROCr's */
} aq_system_event;

typedef struct aq_transport_options {
  uint32_t size; /* sizeof(aq_transport_options) of the caller */
  /* Devices, "mi300x", "mi300x*4" or "mi300x*2,mi210"; NULL: the default. */
  const char *device;
  /* "KEY=VALUE" for all device models, or "N:KEY=VALUE" for that of device N;
   * NULL ends. */
  const char *const *edits;
  uint64_t seed;
  aq_time epoch;           /* first instant of virtual time */
  aq_record_sink *records; /* NULL: none. Borrowed until close */
  /* The device half of a policy (policy.h), NULL: the device's own choices.
   * Borrowed until close. */
  const struct aq_policy_binding *policy;
  aq_semantics semantics;
  aq_time_mode mode;
  aq_pace pace; /* of live mode */
  /* Told of queue errors that have no callback, one line each. NULL: they go
   * to standard error. On the thread that drives time. */
  void (*report)(const char *line, void *user);
  void *report_user;
  const aq_device_hooks *hooks;    /* NULL: none. Borrowed until close */
  const aq_transport_layer *layer; /* the one to open; NULL: no settings, and
                                      nothing inside. Borrowed until close */
  /* Receives events of the system, on the thread that drives time; it may do
   * the same as an error callback. NULL: their text goes to report. */
  void (*event)(const aq_system_event *event, void *user);
  void *event_user;
  /* Virtual time between samples of counters, into the record sink; 0: none
   * are taken. */
  aq_time counters;
  /* Runs kernels that are code (executor.h); NULL: such kernels take their
   * time and do nothing. Borrowed until close. Transports on hardware ignore
   * it. */
  const aq_executor *executor;
  /* Told of the order of packets and copies (order_hooks.h, not installed), by
   * the simulator alone; NULL: none. Borrowed until close. */
  const struct aq_order_hooks *order;
} aq_transport_options;

/* One device as a queue or policy may ask about it. Text lives as long as the
 * transport. */
typedef struct aq_device_info {
  const char *name;  /* "AMD Instinct MI300X" */
  const char *gfx;   /* "gfx942" */
  const char *model; /* device model, NULL on hardware */
  const char *model_hash;
  const char *verdict; /* calibrated, partly, assumed; NULL on hardware */
  uint32_t cus;
  uint32_t wave_size;
  uint32_t queues_max;
  uint32_t queue_size_min, queue_size_max; /* packets */
  uint64_t timestamp_hz;
  aq_time timestamp_step;        /* granularity of start and end */
  aq_time dispatch_latency_warm; /* doorbell to start, idle but mapped queue */
  aq_time dispatch_latency_cold; /* the same on an unmapped queue */
  aq_time unmap_after;           /* idle time after which a queue is unmapped */
  /* Growth of the latencies with each doubling of the idle time: from 1 us on,
   * and from unmap_after on. */
  aq_time idle_ramp, remap_ramp;
  /* A doorbell that would ring from handler_guard before the profiler's handler
   * of the last completion to handler_window behind it rings handler_hold
   * behind it. All 0 where the profiler has none. */
  aq_time handler_guard, handler_window, handler_hold;
  aq_time copy_return; /* end of a small copy until the call that awaited it
                          returns; 0: not known */
  /* A signal reaches 0 until a kernel starts behind the barrier packet that
   * waited for it; the gap between two kernels that a barrier packet without
   * waits makes. Both 0 where they are not known. */
  aq_time gate_latency, barrier_latency;
  /* Submitting a graph launch: the host writes packets from graph_launch on,
   * graph_per_node each, and rings the doorbell for graph_head of them first,
   * then for twice as many each time, graph_batch at most. All 0 where it is
   * not known. */
  aq_time graph_launch, graph_per_node;
  uint32_t graph_head, graph_batch;
  /* "GPU-" and 16 hexadecimal digits, as ROCr has it; NULL: not known. */
  const char *uuid;
  /* DMA engines: those for the host and the device itself come first, then
   * those for other devices. Both 0 where they cannot be chosen. */
  uint32_t copy_engines, copy_engines_peer;
  /* aq_transport_cap bits that this device has and not every other one. */
  uint32_t more_caps;
  /* The host cannot touch its memory (AQ_MEMORY_DEVICE): kernels and copies
   * alone reach it. */
  bool memory_hidden;
  /* For occupancy.h. */
  aq_device_resources resources;
} aq_device_info;

typedef enum aq_link_type {
  AQ_LINK_PCIE,
  AQ_LINK_XGMI,
} aq_link_type;

/* How two agents reach each other's memory; both directions are alike and
 * independent. A path that is not listed is not there or not known. */
typedef struct aq_link_info {
  uint32_t a, b; /* device ordinals, a < b; b may be AQ_DEVICE_HOST */
  aq_link_type type;
  uint32_t hops;
  aq_time latency;    /* until the first byte arrives; 0: not known */
  uint64_t bandwidth; /* bytes a second, one direction; 0: not known */
  /* As a runtime reports them; 0 and false where no runtime is asked. */
  uint32_t numa_distance; /* the sum of all hops */
  bool coherent, atomics; /* every hop is, or has them (32 and 64 bits) */
  /* `a`, or `b`, can never be allowed into the other's memory. */
  bool a_never_allowed, b_never_allowed;
} aq_link_info;

typedef struct aq_transport_info {
  uint32_t caps; /* aq_transport_cap bits: what each device can */
  uint32_t device_count;
  const aq_device_info *devices;
  /* So far, the same calls and seed would give the same records: always in
   * virtual time; in live mode while one client thread waits through the
   * table. */
  bool reproducible;
  const aq_link_info *links; /* as long as the transport; NULL: not known */
  uint32_t link_count;
} aq_transport_info;

/* What one device can. */
static inline uint32_t aq_device_caps(const aq_transport_info *info,
                                      uint32_t device)
{
  return info->caps | info->devices[device].more_caps;
}

/* ---- memory ---- */

typedef enum aq_memory_kind {
  AQ_MEMORY_KERNARG, /* host memory that kernels read arguments from */
  AQ_MEMORY_HOST,    /* pinned, fine grained */
  AQ_MEMORY_DEVICE,  /* local to the device; memory_hidden */
} aq_memory_kind;

/* The engine that serves the path. */
#define AQ_COPY_ENGINE_ANY UINT32_C(0xffffffff)
/* Where the memory is: what mem_alloc made is where it was made, everything
 * else is the host's. */
#define AQ_DEVICE_OF_ADDRESS UINT32_C(0xfffffffe)

/* Bytes from a row to the next of its slice, from a slice to the next. */
typedef struct aq_copy_pitch {
  size_t row, slice;
} aq_copy_pitch;

/* Bytes that lie in rows apart. */
typedef struct aq_copy_box {
  uint32_t width; /* bytes of a row */
  uint32_t rows, slices;
  aq_copy_pitch to, from;
} aq_copy_box;

/* A copy of which more than the addresses is known. */
typedef struct aq_copy_desc {
  uint32_t device; /* whose engine moves the bytes */
  uint32_t engine; /* below the number it has, or AQ_COPY_ENGINE_ANY */
  /* A device, AQ_DEVICE_HOST or AQ_DEVICE_OF_ADDRESS. */
  uint32_t to_device, from_device;
  void *to;
  const void *from;
  size_t size;
  const aq_signal *dependencies;
  uint32_t dependency_count;
  aq_signal completion;
  /* Borrowed for the call: `to` and `from` are the first rows, and `size` is
   * that of all rows. NULL: one run of bytes. */
  const aq_copy_box *box;
} aq_copy_desc;

/* A copy of which nothing more is known. */
static inline aq_copy_desc aq_copy_by_address(uint32_t device, void *to,
                                              const void *from, size_t size,
                                              const aq_signal *dependencies,
                                              uint32_t count,
                                              aq_signal completion)
{
  aq_copy_desc copy;

  copy.device = device;
  copy.engine = AQ_COPY_ENGINE_ANY;
  copy.to_device = AQ_DEVICE_OF_ADDRESS;
  copy.from_device = AQ_DEVICE_OF_ADDRESS;
  copy.to = to;
  copy.from = from;
  copy.size = size;
  copy.dependencies = dependencies;
  copy.dependency_count = count;
  copy.completion = completion;
  copy.box = NULL;
  return copy;
}

/* ---- queues ---- */

typedef enum aq_queue_type {
  AQ_QUEUE_MULTI = 0,
  AQ_QUEUE_SINGLE = 1,
  AQ_QUEUE_COOPERATIVE = 2, /* one a device: each create counts a reference */
  AQ_QUEUE_SOFT = 3, /* the application rings, consumes and advances indices */
} aq_queue_type;

/* Why a queue stopped. Called once a queue, on the thread that drives time or,
 * live, on one that holds no lock (doc/live.md). The packet is a copy of the
 * offender. The queue is inactive afterwards. */
typedef struct aq_queue_error {
  uint32_t queue;
  uint64_t packet_id;
  const aq_packet *packet;
  uint32_t reason; /* inactive-signal bits, as ROCr reports them */
  const char *text;
} aq_queue_error;

/* Serves an agent dispatch packet on a queue of the host agent; its result
 * is stored at the packet's return address, if that is not 0. Borrowed for the
 * call, on the thread that drives time. */
typedef uint64_t aq_agent_function(const aq_agent_packet *packet, void *user);

#define AQ_SEGMENT_NO_HINT UINT32_C(0xffffffff)

typedef struct aq_queue_desc {
  /* AQ_DEVICE_HOST: a queue of the host agent, which serves barriers and agent
   * dispatches, never kernels. */
  uint32_t device;
  uint32_t size; /* packets, a power of two */
  aq_queue_type type;
  /* NULL: errors go to the report function of the transport. */
  void (*error)(const aq_queue_error *error, void *user);
  void *user;               /* of error and agent */
  aq_agent_function *agent; /* queues of the host agent: required */
  aq_signal doorbell; /* SOFT: the application's, its value is the doorbell */
  /* Bytes a work-item and a workgroup will need, or AQ_SEGMENT_NO_HINT. */
  uint32_t private_segment_hint, group_segment_hint;
} aq_queue_desc;

/* After a queue error only INACTIVATE is accepted, else AQ_ERR_QUEUE. */
typedef enum aq_queue_control {
  AQ_CONTROL_INACTIVATE, /* later packets are ignored; twice is no error */
  AQ_CONTROL_PRIORITY,   /* value: -1 low, 0 normal, 1 high */
  /* mask: `count` bits, a multiple of 32; 0 resets. Bits for compute units that
   * are not there are dropped, with or without AQ_REDUCED. */
  AQ_CONTROL_CU_MASK,
  AQ_CONTROL_PROFILE, /* value: 1 keeps start and end for every signal, 0 ends
                       */
} aq_queue_control;

typedef struct aq_queue_control_args {
  int32_t value;
  uint32_t count;
  const uint32_t *mask;
} aq_queue_control_args;

/* A pair of clock readings taken together. */
typedef struct aq_clock_pair {
  aq_time host, device; /* ps of the transport's time; ps of device ticks */
} aq_clock_pair;

/* ---- the table ---- */

struct aq_transport_ops {
  uint32_t abi;  /* AQ_TRANSPORT_ABI */
  uint32_t size; /* sizeof(aq_transport_ops) */
  const char *name;
  const char *summary; /* one line for `list transports` */

  /* Life. */
  aq_status (*open)(const aq_transport_options *options, aq_transport **out,
                    aq_diag *diag);
  void (*close)(aq_transport *t);
  void (*info)(aq_transport *t, aq_transport_info *out);

  /* Describes, a line a call, every queue: indices, doorbell, each occupied
   * slot decoded, and why the packet processor waits (packet, signal, value).
   * The line is borrowed for the call. */
  void (*inspect)(aq_transport *t, void (*line)(const char *text, void *user),
                  void *user);

  /* Memory. mem_publish makes host writes to [address, +size) visible to the
   * device before a later doorbell. copy_async waits until every dependency
   * is 0, moves the bytes and decrements `completion`; without bytes it does
   * nothing at all. AQ_ERR_INVALID: a count without dependencies, or the
   * reverse. copy_submit does the same with a chosen engine, known places and
   * rows; AQ_ERR_INVALID: rows that are not `size` bytes, or that end beyond
   * the last address.
   * mem_lock lets kernels and copies of all devices reach host memory that the
   * transport did not allocate; `out` is its address there. AQ_ERR_INVALID: no
   * bytes, or memory locked already that begins there. mem_unlock ends it; an
   * address that is not locked is ignored. Closing unlocks the rest.
   * mem_visible: whether the host can touch [address, +size), as far as the
   * transport knows: false for memory_hidden. Any thread.
   * copy_engines_idle has a bit for each engine of the device that neither
   * moves bytes nor has a copy in line. */
  aq_status (*mem_alloc)(aq_transport *t, uint32_t device, aq_memory_kind kind,
                         size_t size, void **out, aq_diag *diag);
  void (*mem_free)(aq_transport *t, void *address);
  void (*mem_publish)(aq_transport *t, const void *address, size_t size);
  aq_status (*mem_lock)(aq_transport *t, void *address, size_t size, void **out,
                        aq_diag *diag);
  void (*mem_unlock)(aq_transport *t, void *address);
  bool (*mem_visible)(aq_transport *t, const void *address, size_t size);
  aq_status (*copy_async)(aq_transport *t, uint32_t device, void *to,
                          const void *from, size_t size,
                          const aq_signal *dependencies, uint32_t count,
                          aq_signal completion, aq_diag *diag);
  aq_status (*copy_submit)(aq_transport *t, const aq_copy_desc *copy,
                           aq_diag *diag);
  uint32_t (*copy_engines_idle)(aq_transport *t, uint32_t device);

  /* Code. module_load takes one code object (no bundle) for the device, which
   * it copies. module_unload also ends its kernels: nothing may still dispatch
   * them. kernel_lookup finds a kernel of a module by its name, with or without
   * ".kd"; module 0: a registered one. kernel_unregister forgets the latest
   * registration of an object: a later dispatch of it is a queue error, and the
   * object may be registered again. Nothing may still dispatch the kernel: no
   * packet in a queue names it, and it does not run. An unknown object is no
   * error. kernel_describe: a kernel that was looked up or registered, by its
   * object; false: it is not known. */
  aq_status (*module_load)(aq_transport *t, uint32_t device, const void *image,
                           size_t size, uint64_t *module, aq_diag *diag);
  void (*module_unload)(aq_transport *t, uint64_t module);
  aq_status (*kernel_lookup)(aq_transport *t, uint64_t module, const char *name,
                             aq_kernel_info *out, aq_diag *diag);
  aq_status (*kernel_register)(aq_transport *t, const aq_kernel_desc *kernel,
                               aq_kernel_info *out, aq_diag *diag);
  void (*kernel_unregister)(aq_transport *t, uint64_t object);
  bool (*kernel_describe)(aq_transport *t, uint64_t object,
                          aq_kernel_info *out);

  /* Signals. update returns the value before it. signal_handler calls
   * `function` each time the condition holds, until it returns false or the
   * signal is destroyed: once for one change at most. Changes that happen
   * meanwhile may be merged; `hsa` misses them where the value is at last the
   * one that the function got. In virtual time that happens inside the time
   * group, and the function may do the same as a kernel's host function; in
   * live mode it has a thread of its own and may do everything. */
  aq_status (*signal_create)(aq_transport *t, const aq_signal_desc *desc,
                             aq_signal *out, aq_diag *diag);
  void (*signal_destroy)(aq_transport *t, aq_signal signal);
  int64_t (*signal_load)(aq_transport *t, aq_signal signal, aq_order order);
  void (*signal_store)(aq_transport *t, aq_signal signal, int64_t value,
                       aq_order order);
  int64_t (*signal_update)(aq_transport *t, aq_signal signal, aq_signal_op op,
                           int64_t operand, int64_t expected, aq_order order);
  aq_status (*signal_handler)(aq_transport *t, aq_signal signal,
                              aq_condition condition, int64_t value,
                              aq_signal_function *function, void *user,
                              aq_diag *diag);

  /* Queues. queue_create: AQ_ERR_INVALID for a size that is no power of two or
   * too small (foundation: raised to the smallest; a soft queue is never),
   * AQ_ERR_RESOURCES for one too large, for one queue too many and for a
   * private segment hint above 262128; AQ_ERR_UNSUPPORTED for a type that the
   * agent does not offer. queue_doorbell announces that packets up to and
   * including `id` are published; a raw store to the doorbell cell does the
   * same, noticed when time moves or, in live mode, by polling.
   * queue_wait_space returns AQ_OK once `count` slots are free, AQ_ERR_TIMEOUT
   * at the deadline, AQ_ERR_QUEUE if the queue stopped, AQ_ERR_DEADLOCK if
   * nothing can ever free them. */
  aq_status (*queue_create)(aq_transport *t, const aq_queue_desc *desc,
                            aq_ring **out, aq_diag *diag);
  void (*queue_destroy)(aq_transport *t, aq_ring *queue);
  void (*queue_doorbell)(aq_transport *t, aq_ring *queue, uint64_t id);
  aq_status (*queue_wait_space)(aq_transport *t, aq_ring *queue, uint32_t count,
                                aq_time deadline, aq_diag *diag);
  aq_status (*queue_control)(aq_transport *t, aq_ring *queue,
                             aq_queue_control control,
                             const aq_queue_control_args *args, aq_diag *diag);

  /* Time. wait returns AQ_OK, AQ_ERR_TIMEOUT at the deadline (`out` then has
   * the current value of the first item that does not hold), or AQ_ERR_DEADLOCK
   * when no event can satisfy it, which only virtual time can know. drain moves
   * up to `capacity` completions out, in the order they happened, without
   * moving time. sleep_until runs everything due up to and including `until`,
   * or returns early, at an earlier now(), as soon as a drain signal completes
   * if `wake` is set; AQ_TIME_MAX means until nothing is left to happen.
   * dispatch_times translates the ticks that the last packet wrote into the
   * signal to the transport's time; it needs AQ_SIGNAL_PROFILE or a queue with
   * AQ_CONTROL_PROFILE. */
  aq_time (*now)(aq_transport *t);
  void (*clock_correlate)(aq_transport *t, uint32_t device, aq_clock_pair *out);
  aq_status (*wait)(aq_transport *t, const aq_wait_request *request,
                    aq_wait_result *out, aq_diag *diag);
  uint32_t (*drain)(aq_transport *t, aq_completion *out, uint32_t capacity);
  aq_status (*sleep_until)(aq_transport *t, aq_time until, bool wake,
                           aq_diag *diag);
  aq_status (*dispatch_times)(aq_transport *t, aq_signal signal, aq_time *start,
                              aq_time *end);
};

/* The definition in a plug-in (plug-ins only): its table, static. */
AQ_API const aq_transport_ops *aq_transport_plugin(void);

AQ_END_DECLS

#endif
