/* SPDX-License-Identifier: MIT */
/*
 * A null kernel from reservation to its drained completion, in host time, for
 * the transports sim and null without records; on one queue and on many, each
 * packet on the next one.
 *
 * Floor, the bare publish: the same packets into rings of the same size and
 * number without a reader. Each is reserved as a producer of a MULTI queue does
 * (one compare-and-exchange on the write index), its 64 bytes are written, the
 * header with one 32-bit release store, and the doorbell cell is stored with
 * release.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "transport/null/null.h"

enum { ROUNDS = 5, SIGNALS = 64, DRAIN = 256, QUEUES = 1024 };

typedef struct packet_context {
  const aq_transport_ops *ops;
  long count; /* packets a round */
  int queues;
  uint32_t ring; /* packets of each queue */
  bool barrier;
} packet_context;

static inline void packet_write(aq_packet *slot, uint64_t object,
                                uint64_t kernarg, aq_signal signal,
                                uint16_t header)
{
  aq_kernel_packet *packet = &slot->kernel;
  packet->workgroup_size[0] = 64;
  packet->workgroup_size[1] = packet->workgroup_size[2] = 1;
  packet->reserved0 = 0;
  packet->grid_size[0] = 64;
  packet->grid_size[1] = packet->grid_size[2] = 1;
  packet->private_segment_size = packet->group_segment_size = 0;
  packet->kernel_object = object;
  packet->kernarg_address = kernarg;
  packet->reserved2 = 0;
  packet->completion_signal = signal;
  aq_packet_publish(slot, header, 1);
}

static uint16_t header_of(const packet_context *c)
{
  return aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, c->barrier, AQ_SCOPE_AGENT,
                          AQ_SCOPE_AGENT);
}

/* One ring, and the words beside it, as far apart as a transport has them. */
typedef struct bare_ring {
  aq_ring ring;
  uint64_t write __attribute__((aligned(64)));
  uint64_t read __attribute__((aligned(64)));
  uint64_t doorbell __attribute__((aligned(64)));
} bare_ring;

static void bare_init(bare_ring *b, uint32_t ring)
{
  size_t size = ring * sizeof(aq_packet);
  aq_packet *packets = aligned_alloc(64, size);
  if (!packets)
    abort();
  memset(packets, 0, size);
  b->write = b->read = b->doorbell = 0;
  b->ring = (aq_ring){packets, ring, 0, &b->write, &b->read, &b->doorbell};
}

/* Reserve, 64-byte body, header with release, doorbell store. */
static double bare_publish(void *context)
{
  static bare_ring rings[QUEUES];
  packet_context *c = context;
  uint64_t id = 0;
  for (int i = 0; i < c->queues; i++)
    bare_init(&rings[i], c->ring);
  uint16_t header = header_of(c);
  double begin = aqbench_now();
  for (long i = 0, at = 0; i < c->count; i++) {
    bare_ring *b = &rings[at];
    at = at + 1 == c->queues ? 0 : at + 1;
    if (!aq_ring_try_reserve(&b->ring, 1, &id)) {
      b->read = b->write; /* as if a reader had read them all */
      aq_ring_try_reserve(&b->ring, 1, &id);
    }
    packet_write(aq_ring_slot(&b->ring, id), 4096, 8192, (aq_signal){64},
                 header);
    __atomic_store_n(b->ring.doorbell, id, __ATOMIC_RELEASE);
  }
  double ns = (aqbench_now() - begin) / (double)c->count * 1e9;
  for (int i = 0; i < c->queues; i++)
    free(rings[i].ring.packets);
  return ns;
}

static void check(aq_status status, const aq_diag *diag)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_packets: %s\n", diag->text);
  exit(1);
}

static void drain_all(aq_transport *t, long *done)
{
  aq_completion completions[64];
  uint32_t count;
  while ((count = t->ops->drain(t, completions, 64)) > 0)
    *done += count;
}

/* One round: everything from the first reservation to the last completion. */
static double transport_publish(void *context)
{
  packet_context *c = context;
  const aq_transport_ops *ops = c->ops;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport *t;
  static aq_ring *queues[QUEUES];
  aq_kernel_info kernel;
  aq_signal signals[SIGNALS];
  static const char *const many[] = {"queues_max=1024", NULL};
  aq_transport_options options = {.size = sizeof options};
  if (ops == &aqsim_transport_ops)
    options.edits = many;
  check(ops->open(&options, &t, &diag), &diag);
  for (int i = 0; i < c->queues; i++)
    check(ops->queue_create(t, &(aq_queue_desc){.size = c->ring}, &queues[i],
                            &diag),
          &diag);
  check(ops->kernel_register(t, &(aq_kernel_desc){.name = "null"}, &kernel,
                             &diag),
        &diag);
  for (int i = 0; i < SIGNALS; i++)
    check(ops->signal_create(t,
                             &(aq_signal_desc){.value = INT64_MAX / 2,
                                               .flags = AQ_SIGNAL_DRAIN},
                             &signals[i], &diag),
          &diag);
  uint16_t header = header_of(c);
  uint64_t id = 0;
  long done = 0;
  double begin = aqbench_now();
  for (long i = 0, at = 0; i < c->count; i++) {
    aq_ring *queue = queues[at];
    at = at + 1 == c->queues ? 0 : at + 1;
    while (!aq_ring_try_reserve(queue, 1, &id)) {
      check(ops->queue_wait_space(t, queue, c->ring / 4, AQ_TIME_MAX, &diag),
            &diag);
      drain_all(t, &done);
    }
    packet_write(aq_ring_slot(queue, id), kernel.object, 8192,
                 signals[i % SIGNALS], header);
    ops->queue_doorbell(t, queue, id);
    if (i % DRAIN == 0)
      drain_all(t, &done);
  }
  check(ops->sleep_until(t, AQ_TIME_MAX, false, &diag), &diag);
  drain_all(t, &done);
  double ns = (aqbench_now() - begin) / (double)c->count * 1e9;
  if (done != c->count)
    abort();
  ops->close(t);
  return ns;
}

typedef struct packet_case {
  const char *name;
  packet_context context;
} packet_case;

/* All cases, or the one that is named. */
int main(int argc, char **argv)
{
  static const packet_case cases[] = {
      {"sim_packet", {&aqsim_transport_ops, 1000000, 1, 1024, true}},
      {"sim_packet_no_barrier_bit",
       {&aqsim_transport_ops, 1000000, 1, 1024, false}},
      {"sim_packet_of_10k", {&aqsim_transport_ops, 10000, 1, 1024, true}},
      {"sim_packet_of_10M", {&aqsim_transport_ops, 10000000, 1, 1024, true}},
      {"sim_packet_64_queues", {&aqsim_transport_ops, 1000000, 64, 256, true}},
      {"sim_packet_1024_queues",
       {&aqsim_transport_ops, 1000000, 1024, 64, true}},
      {"null_packet", {&aqsim_null_transport_ops, 1000000, 1, 1024, true}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    packet_context context = cases[i].context;
    if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
      continue;
    aqbench_compare(cases[i].name, "ns", ROUNDS, bare_publish,
                    transport_publish, &context);
  }
  return 0;
}
