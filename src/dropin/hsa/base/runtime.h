/* SPDX-License-Identifier: MIT */
/*
 * The open runtime: one simulator in live mode and what clients hold of it.
 *
 * There is one in a process, between the first hsa_init and the last
 * hsa_shut_down; the HSA interface demands that, so it is the one global
 * of this folder. Handles of agents, pools, caches and instruction sets are
 * addresses inside of it and are checked before use.
 *
 * The agents are the devices of AQUEDUCT_DEVICE that ROCR_VISIBLE_DEVICES
 * shows, in its order.
 *
 * Thread rule: agents and pools do not change while it is open, but for fields
 * that say that they are atomic. `lock` guards the fields below it; the memory
 * table and the batches have locks of their own. uninit.c has their order, and
 * the users that the runtime has while it closes.
 */
#ifndef AQDROP_RUNTIME_H
#define AQDROP_RUNTIME_H

#include <pthread.h>

#include "backend_sim/model/device_set.h"
#include "common/map.h"
#include "common/slab.h"
#include "common/strict_memory.h"
#include "common/transport.h"
#include "dropin/hsa/base/device_identity.h"
#include "dropin/hsa/base/hooks.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/kernels.h"
#include "dropin/hsa/base/recording.h"

enum {
  AQDROP_CACHES = 3,
  AQDROP_CPU_POOLS = 3,
  AQDROP_GPU_POOLS = 3,
  AQDROP_ISA_NAME = 96,
  AQDROP_AGENTS_MAX = 64, /* with the host: sets of them are bits of a word */
};

typedef struct aqdrop_agent aqdrop_agent;

typedef struct aqdrop_pool {
  aqdrop_agent *agent;
  uint32_t segment; /* HSA_REGION_SEGMENT_* */
  uint32_t flags;   /* HSA_REGION_GLOBAL_FLAG_* */
  uint64_t size;    /* bytes */
  uint64_t used;    /* atomic: bytes allocated */
} aqdrop_pool;

typedef struct aqdrop_cache {
  uint8_t level;
  uint32_t size; /* bytes */
} aqdrop_cache;

typedef struct aqdrop_isa {
  aqdrop_agent *agent;
  char name[AQDROP_ISA_NAME];
} aqdrop_isa;

struct aqdrop_agent {
  uint32_t node; /* the host's is 0 */
  const aqdrop_agent *host;
  uint32_t ordinal;           /* of the transport, or AQ_DEVICE_HOST */
  const aq_device_info *info; /* NULL: the host */
  const aqsim_model *model;
  const aqdrop_identity *persona;
  aqdrop_pool pools[AQDROP_CPU_POOLS];
  uint32_t pool_count;
  aqdrop_cache caches[AQDROP_CACHES];
  uint32_t cache_count;
  aqdrop_isa isa;         /* of devices */
  aqdrop_isa generic_isa; /* that covers it; the name is "" where none does */
  uint32_t coherency;     /* atomic: what coherency_set_type set */
  uint64_t scratch_limit; /* atomic: bytes that kernels may keep */
  uint32_t registers[2];  /* that clients write to flush; nothing reads them */
  uint32_t *flush;        /* the first of them, or NULL: the host */
};

typedef struct aqdrop_memory aqdrop_memory;
typedef struct aqdrop_vmem aqdrop_vmem;
typedef struct aqdrop_queue aqdrop_queue;

typedef struct aqdrop {
  aq_transport *transport;
  aq_transport_info info;
  aqsim_device_set models; /* of the devices */
  aqdrop_agent *agents;    /* the host, then the devices that are visible */
  uint32_t agent_count;
  aqdrop_memory *memory;
  aqdrop_vmem *vmem;
  aq_strict_memory strict; /* protected.h */
  int memory_file;         /* of protected memory */
  aqdrop_kernels kernels;
  struct aq_allocations *allocations;  /* of the machine */
  struct aqdrop_doorbell_watch *watch; /* NULL: none */
  bool xnack; /* devices retry page faults: they reach all host memory */
  struct aq_jit_builder *builder;  /* of compiled code; NULL: none */
  struct aq_wave_machine *machine; /* runs kernels without a host function */
  struct aq_rates *rates; /* of the devices: durations of executed kernels come
                             from their counted work; NULL: they do not */
  struct aq_check *check; /* NULL: nothing is checked */
  aqdrop_hooks *hooks;    /* NULL: none */
  aqdrop_recording *recording; /* NULL: none. The process's */
  /* aqdrop_queues_unrung and aqdrop_queues_waiting, for the doorbells and the
   * checker, below the queues. */
  void (*queues_unrung)(struct aqdrop *runtime,
                        void (*tell)(struct aqdrop *runtime, uint32_t queue,
                                     uint64_t packet));
  uint64_t (*queues_waiting)(struct aqdrop *runtime, uint32_t *count);
  pthread_mutex_t cooperative; /* taken before `lock`: queues.c */
  pthread_mutex_t batches;     /* of the next one; nothing is taken under it */
  struct aqdrop_copy_batch *first_whole;
  pthread_mutex_t lock; /* of the following */
  aq_map queues;        /* hsa_queue_t * → aqdrop_queue * */
  aq_map signals; /* handles of signals that clients have → references */
  struct aqdrop_shared_signal *first_shared; /* of them */
  struct aqdrop_group *first_group;
  struct aqdrop_locked *first_locked;
  aq_map locked; /* by where they begin: the newest one */
  struct aqdrop_range *first_range;
  struct aqdrop_ext *first_ext;
  bool knows_levels; /* of detail, the client: ext_samplers.c; atomic */
  struct aqdrop_reader *first_reader;
  struct aqdrop_code *first_code;
  struct aqdrop_executable *first_executable;
  aqdrop_queue *first_queue;
  aq_slab bells; /* read without the lock */
  struct aqdrop_doorbell *free_bell;
  char scratch;       /* moved by copies that only wait */
  bool copies_timed;  /* atomic */
  uint64_t log_flags; /* atomic: bits, HSA_AMD_LOG_FLAG_* */
  void *log_file;     /* atomic: FILE of the client */
  hsa_amd_system_event_callback_t event;
  void *event_data;
} aqdrop;

/* An entry of an extension's table. */
typedef void (*aqdrop_any_function)(void);

/* The open runtime, or NULL. */
aqdrop *aqdrop_runtime(void);

/* The same for a thread that waits inside: hsa_shut_down frees the runtime only
 * when it is released. NULL needs no release. */
aqdrop *aqdrop_runtime_hold(void);
void aqdrop_runtime_release(const aqdrop *runtime);

/* For uninit.c alone: makes `runtime` the open one, or none; whether a thread
 * holds one; and, in a forked child, forgets the threads and the runtime. */
void aqdrop_runtime_publish(aqdrop *runtime);
bool aqdrop_runtime_is_held(void);
void aqdrop_runtime_forget(void);

/* For the first line of an entry that returns a status and is not worth a
 * record: programs ask it over and over. */
#define AQDROP_ENTER_UNRECORDED(runtime)                                       \
  aqdrop *runtime = aqdrop_runtime();                                          \
  if (!runtime)                                                                \
  return HSA_STATUS_ERROR_NOT_INITIALIZED

/* For the first line of an entry that leaves the rest to a function of ours. */
#define AQDROP_RECORD_CALL(kind)                                               \
  const aqdrop *noted_ = aqdrop_runtime();                                     \
  AQDROP_CALL(noted_ ? noted_->recording : NULL, kind)

/* For the first line of an entry that returns a status. */
#define AQDROP_ENTER(runtime)                                                  \
  AQDROP_ENTER_UNRECORDED(runtime);                                            \
  AQDROP_CALL(runtime->recording, AQ_KIND_CALL)

/* The first checks of an entry of an agent: that there is that agent, and then
 * that its arguments are there. */
static inline hsa_status_t aqdrop_agent_check(const aqdrop_agent *agent,
                                              bool arguments)
{
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return arguments ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Calls back with the handle of each of `count` things of an array, and returns
 * from the entry once a call asks for it. */
#define AQDROP_VISIT(callback, handle, things, count, data)                    \
  for (uint32_t i_ = 0; i_ < (count); i_++) {                                  \
    hsa_status_t status_ =                                                     \
        (callback)((handle){(uintptr_t) & (things)[i_]}, data);                \
    if (status_ != HSA_STATUS_SUCCESS)                                         \
      return status_;                                                          \
  }

/* The object of a handle, or NULL for one that the runtime did not give. */
aqdrop_agent *aqdrop_agent_from(aqdrop *runtime, hsa_agent_t agent);
aqdrop_pool *aqdrop_pool_from(aqdrop *runtime, uint64_t handle);

static inline hsa_agent_t aqdrop_agent_handle(const aqdrop_agent *agent)
{
  return (hsa_agent_t){(uintptr_t)agent};
}

/* An agent in a set of them. */
static inline uint64_t aqdrop_agent_bit(const aqdrop *runtime,
                                        const aqdrop_agent *agent)
{
  return UINT64_C(1) << (size_t)(agent - runtime->agents);
}

/* The status of HSA that a status of ours is. */
hsa_status_t aqdrop_status(aq_status status);

/* The system clock of HSA: ns. */
static inline uint64_t aqdrop_ns(aq_time time)
{
  return (uint64_t)time / AQ_NS;
}

/* Stores an attribute's value. */
static inline hsa_status_t aqdrop_put32(void *value, uint32_t number)
{
  *(uint32_t *)value = number;
  return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t aqdrop_put16(void *value, uint16_t number)
{
  *(uint16_t *)value = number;
  return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t aqdrop_put64(void *value, uint64_t number)
{
  *(uint64_t *)value = number;
  return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t aqdrop_put_bool(void *value, bool yes)
{
  *(bool *)value = yes;
  return HSA_STATUS_SUCCESS;
}

/* Stores text into `size` bytes, the rest zero. */
hsa_status_t aqdrop_put_text(void *value, size_t size, const char *text);

#endif
