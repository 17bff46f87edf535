/* SPDX-License-Identifier: MIT */
/*
 * Random programs for the packet processor: the actions of a host on some
 * queues and signals, and the constants of the device it runs on. A program
 * depends on its seed only, and always ends: a packet waits only for packets
 * before it.
 *
 * A program is a row of bursts. At the start of a burst the host reserves the
 * slots of its packets, waiting for space where it must; then it publishes
 * headers and stores to signals in any order, with pauses between.
 */
#ifndef AQ_TESTS_MODEL_PROGRAM_H
#define AQ_TESTS_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/aql.h"
#include "common/time.h"
#include "common/transport.h"

enum {
  MODEL_QUEUES = 6,
  MODEL_PACKETS = 64,
  MODEL_SIGNALS = 48,
  MODEL_ACTIONS = MODEL_PACKETS + MODEL_SIGNALS,
  MODEL_BURSTS = 16,
  MODEL_NONE = -1,
  /* Types of packets beside aq_packet_type. */
  MODEL_BAD_TYPE = 9,    /* ends its queue in an error */
  MODEL_VALUE_TYPE = 10, /* barrier-value */
  MODEL_PM4_TYPE = 11,   /* an indirect buffer that does nothing */
  MODEL_TYPES
};

/* The constants of a device model that move the timeline. */
#define MODEL_TIMES(T)                                                         \
  T(doorbell_to_fetch)                                                         \
  T(packet_fetch)                                                              \
  T(packet_decode)                                                             \
  T(acquire_agent)                                                             \
  T(acquire_system)                                                            \
  T(dispatch_setup)                                                            \
  T(end_of_pipe)                                                               \
  T(release_agent)                                                             \
  T(release_system)                                                            \
  T(signal_write)                                                              \
  T(barrier_process)                                                           \
  T(dependency_poll)                                                           \
  T(unmap_after)                                                               \
  T(remap_latency)                                                             \
  T(glue_lead)

typedef struct model_device {
#define T(name) aq_time name;
  MODEL_TIMES(T)
#undef T
  /* Of the others, which are drawn. */
  aq_time idle_ramp, remap_ramp, wait_process;
  uint32_t fetch_batch, fetch_window;
  uint32_t pipes, slots;  /* slots_per_pipe */
  aq_time quantum;        /* queue_quantum */
  bool drain;             /* preemption */
  bool back_to_back;      /* start_stamp */
  bool advance_at_launch; /* read_index_advance */
} model_device;

typedef struct model_packet {
  unsigned queue, type; /* aq_packet_type or MODEL_…_TYPE */
  bool barrier;
  unsigned acquire, release;               /* aq_fence_scope */
  int dependency[AQ_BARRIER_DEPENDENCIES]; /* signals, or MODEL_NONE */
  int completion;                          /* signal, or MODEL_NONE */
  aq_condition condition;                  /* of barrier-value */
  int64_t mask, value;
  aq_time duration; /* of kernels */
  bool host;        /* the kernel is a host function */
  bool removed;     /* while a failure is being shrunk */
  uint64_t id;      /* in its queue */
} model_packet;

typedef enum model_signal_kind {
  MODEL_COUNTED, /* 0 after all packets that complete it */
  MODEL_STORED,  /* the host stores 0 */
  MODEL_NEVER,   /* never 0 */
} model_signal_kind;

typedef struct model_signal {
  model_signal_kind kind;
  int64_t initial;
} model_signal;

typedef struct model_action {
  aq_time pause; /* before it */
  bool store;    /* 0 to a signal; else publish a packet */
  int index;
  int ring; /* what rings afterwards: nothing, its id, or an id before it */
} model_action;

enum { MODEL_RING_NONE, MODEL_RING, MODEL_RING_STALE };

typedef struct model_burst {
  unsigned packets, actions; /* how many */
} model_burst;

typedef struct model_program {
  uint64_t seed;
  model_device device;
  unsigned queue_count, signal_count, packet_count, action_count, burst_count;
  uint32_t queue_size[MODEL_QUEUES];
  bool queue_host[MODEL_QUEUES]; /* of the host agent */
  int32_t queue_priority[MODEL_QUEUES];
  model_packet packets[MODEL_PACKETS]; /* in the order of reservation */
  model_signal signals[MODEL_SIGNALS];
  model_action actions[MODEL_ACTIONS];
  model_burst bursts[MODEL_BURSTS];
} model_program;

void model_program_make(model_program *program, uint64_t seed);

/* The same program, but its queues share pipes and wait for slots, and have
 * priorities. A program that was not changed so has a pipe for each queue. */
void model_program_contend(model_program *program);

static inline bool model_is_contended(const model_program *program)
{
  return program->device.pipes < MODEL_QUEUES;
}

/* Numbers packets and sets initial values anew after packets were removed. */
void model_program_settle(model_program *program);

/* Packets of a queue, and all that are not removed. */
uint64_t model_queue_packets(const model_program *program, unsigned queue);

/* In text, to be read. */
void model_program_print(const model_program *program, FILE *file);

/* Waits for signals. */
/* From the launch of a packet that waits until it looks at its signals. */
aq_time model_look(const model_program *program, unsigned index);

static inline bool model_is_barrier(const model_packet *packet)
{
  return packet->type == AQ_PACKET_BARRIER_AND ||
         packet->type == AQ_PACKET_BARRIER_OR ||
         packet->type == MODEL_VALUE_TYPE;
}

/* Nothing launches before it is complete. */
static inline bool model_blocks(const model_packet *packet)
{
  return model_is_barrier(packet) || packet->type == MODEL_PM4_TYPE;
}

/* Whether a value of a signal satisfies a packet that waits for it. */
static inline bool model_satisfies(const model_packet *packet, int64_t value)
{
  if (packet->type == MODEL_VALUE_TYPE)
    return aq_condition_holds(packet->condition, value & packet->mask,
                              packet->value);
  return value == 0;
}

#endif
