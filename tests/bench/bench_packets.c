/* SPDX-License-Identifier: MIT */
/*
 * A null kernel from reservation to its drained completion, in host time, for
 * the transports sim and null without records. Floor: publishing the same
 * packets into a bare ring that nobody reads.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/null.h"
#include "backend_sim/sim.h"

enum { RING = 1024, BATCH = 256, ROUNDS = 5, SIGNALS = 64 };

typedef struct packet_context {
  const aq_transport_ops *ops;
  long count; /* packets a round */
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

/* Reserve, 64-byte body, header with release, doorbell store. */
static double bare_publish(void *context)
{
  packet_context *c = context;
  uint64_t write = 0, read = 0, doorbell = 0, id = 0;
  aq_packet *packets = aligned_alloc(64, RING * sizeof *packets);
  if (!packets)
    abort();
  aq_ring ring = {packets, RING, 0, &write, &read, &doorbell};
  uint16_t header = header_of(c);
  double begin = aqbench_now();
  for (long i = 0; i < c->count; i++) {
    if (!aq_ring_try_reserve(&ring, 1, &id)) {
      read = write; /* as if somebody had read them all */
      aq_ring_try_reserve(&ring, 1, &id);
    }
    packet_write(aq_ring_slot(&ring, id), 4096, 8192, (aq_signal){64}, header);
    __atomic_store_n(&doorbell, id, __ATOMIC_RELEASE);
  }
  double ns = (aqbench_now() - begin) / (double)c->count * 1e9;
  free(packets);
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
  aq_ring *queue;
  aq_kernel_info kernel;
  aq_signal signals[SIGNALS];
  check(ops->open(NULL, &t, &diag), &diag);
  check(ops->queue_create(t, &(aq_queue_desc){.size = RING}, &queue, &diag),
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
  for (long i = 0; i < c->count; i++) {
    while (!aq_ring_try_reserve(queue, 1, &id)) {
      check(ops->queue_wait_space(t, queue, BATCH, AQ_TIME_MAX, &diag), &diag);
      drain_all(t, &done);
    }
    packet_write(aq_ring_slot(queue, id), kernel.object, 8192,
                 signals[i % SIGNALS], header);
    ops->queue_doorbell(t, queue, id);
    if (i % BATCH == 0)
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

int main(void)
{
  packet_context c = {&aqsim_transport_ops, 1000000, true};
  aqbench_compare("sim_packet", "ns", ROUNDS, bare_publish, transport_publish,
                  &c);
  c.barrier = false;
  aqbench_compare("sim_packet_no_barrier_bit", "ns", ROUNDS, bare_publish,
                  transport_publish, &c);
  c = (packet_context){&aqsim_transport_ops, 10000, true};
  aqbench_compare("sim_packet_of_10k", "ns", ROUNDS, bare_publish,
                  transport_publish, &c);
  c = (packet_context){&aqsim_null_transport_ops, 1000000, true};
  aqbench_compare("null_packet", "ns", ROUNDS, bare_publish, transport_publish,
                  &c);
  return 0;
}
