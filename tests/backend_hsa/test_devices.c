/* SPDX-License-Identifier: MIT */
/* Several GPUs behind the transport "hsa": whose clock times are asked of, and
 * how they are linked. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/hsa.h"
#include "backend_sim/sim.h"

enum { RING = 64 };

static const aq_time skew = 1000 * AQ_S; /* of a node: skewed_hsa.c */

static void hsa_open(rig *r, const char *library, const char *devices)
{
  char setting[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(setting, sizeof setting, "lib=%s/%s", root ? root : ".", library);
  const char *const settings[] = {setting, NULL};
  const aq_transport_layer layer = {.ops = &aqhsa_transport_ops,
                                    .settings = settings};
  setenv("AQUEDUCT_DEVICE", devices, 1);
  rig_open_with(r, &aqhsa_transport_ops,
                &(aq_transport_options){.layer = &layer});
  unsetenv("AQUEDUCT_DEVICE");
}

static void skewed_open(rig *r)
{
  hsa_open(r, "tests/backend_hsa/.libs/libskewedhsa.so", "mi300x,mi50");
}

static aq_ring *queue_on(rig *r, uint32_t device)
{
  aq_ring *queue;
  ck_assert_status(r->t->ops->queue_create(
                       r->t, &(aq_queue_desc){.device = device, .size = RING},
                       &queue, &r->diag),
                   AQ_OK, &r->diag);
  return queue;
}

static void wait_zero(rig *r, aq_signal signal)
{
  const aq_wait_item item = {signal, AQ_EQ, 0};
  ck_assert_status(rig_wait(r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r->diag);
}

/* The node whose clock a time is of: device 0 is node 1. */
static int64_t node_of(aq_time time)
{
  return time / skew;
}

static int64_t node_told(rig *r, aq_signal signal)
{
  aq_time start, end;
  ck_assert_int_eq(r->t->ops->dispatch_times(r->t, signal, &start, &end),
                   AQ_OK);
  ck_assert_int_le(start, end);
  ck_assert_int_eq(node_of(start), node_of(end));
  return node_of(end);
}

START_TEST(dispatch_times_are_asked_of_the_agent_that_ran_the_packet)
{
  rig r;
  skewed_open(&r);
  const uint64_t kernel = rig_kernel(&r, "k", AQ_US);
  aq_ring *queues[2] = {queue_on(&r, 0), queue_on(&r, 1)};
  const aq_signal done = rig_signal(&r, 0, AQ_SIGNAL_PROFILE);
  /* One signal goes back and forth, further than the rings are long. */
  for (int i = 0; i < 3 * RING; i++) {
    const aq_packet packet = rig_dispatch(kernel, false, done);
    r.t->ops->signal_store(r.t, done, 1, AQ_RELEASE);
    rig_submit(&r, queues[i % 2], &packet);
    wait_zero(&r, done);
    ck_assert_int_eq(node_told(&r, done), i % 2 + 1);
  }
  rig_close(&r);
}
END_TEST

START_TEST(completions_have_the_time_of_the_agent_that_ran_the_packet)
{
  rig r;
  aq_completion completions[2];
  skewed_open(&r);
  const uint64_t kernel = rig_kernel(&r, "k", AQ_US);
  for (uint32_t d = 0; d < 2; d++) {
    const aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_DRAIN);
    const aq_packet packet = rig_dispatch(kernel, false, done);
    rig_submit(&r, queue_on(&r, d), &packet);
    wait_zero(&r, done);
    ck_assert_uint_eq(r.t->ops->drain(r.t, completions, 2), 1);
    ck_assert_uint_eq(completions[0].signal.handle, done.handle);
    ck_assert_int_eq(node_of(completions[0].time), d + 1);
  }
  rig_close(&r);
}
END_TEST

START_TEST(packets_published_out_of_order_keep_their_agent)
{
  rig r;
  uint64_t first;
  skewed_open(&r);
  const uint64_t kernel = rig_kernel(&r, "k", AQ_US);
  aq_ring *queue = queue_on(&r, 1);
  const aq_signal late = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  const aq_signal early = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  const aq_packet second = rig_dispatch(kernel, false, early);
  const aq_packet other = rig_dispatch(kernel, false, late);
  ck_assert(aq_ring_try_reserve(queue, 1, &first));
  rig_submit(&r, queue, &second);
  aq_packet *slot = aq_ring_slot(queue, first);
  slot->kernel = other.kernel;
  slot->header_setup = AQ_PACKET_INVALID;
  aq_packet_publish(slot, other.header, other.setup);
  rig_ring(&r, queue, first);
  wait_zero(&r, late);
  wait_zero(&r, early);
  ck_assert_int_eq(node_told(&r, late), 2);
  ck_assert_int_eq(node_told(&r, early), 2);
  rig_close(&r);
}
END_TEST

START_TEST(a_packet_of_another_device_after_a_copy_is_no_copy)
{
  rig r;
  char from[64] = "bytes", to[64];
  skewed_open(&r);
  const uint64_t kernel = rig_kernel(&r, "k", AQ_US);
  const aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  ck_assert_status(r.t->ops->copy_async(r.t, 0, to, from, sizeof from, NULL, 0,
                                        done, &r.diag),
                   AQ_OK, &r.diag);
  wait_zero(&r, done);
  ck_assert_int_eq(node_told(&r, done), 0);
  r.t->ops->signal_update(r.t, done, AQ_UPDATE_STORE_SILENT, 1, 0, AQ_RELEASE);
  const aq_packet packet = rig_dispatch(kernel, false, done);
  rig_submit(&r, queue_on(&r, 1), &packet);
  wait_zero(&r, done);
  ck_assert_int_eq(node_told(&r, done), 2);
  rig_close(&r);
}
END_TEST

/* ---- links ---- */

static void links_equal(const char *devices)
{
  rig hsa, sim;
  aq_transport_info told, meant;
  hsa_open(&hsa, ".libs/libhsa-runtime64.so.1", devices);
  rig_open_with(&sim, &aqsim_transport_ops,
                &(aq_transport_options){.device = devices});
  hsa.t->ops->info(hsa.t, &told);
  sim.t->ops->info(sim.t, &meant);
  ck_assert_uint_ge(meant.link_count, 1);
  ck_assert_uint_eq(told.link_count, meant.link_count);
  for (uint32_t i = 0; i < told.link_count; i++) {
    const aq_link_info *a = &told.links[i], *b = &meant.links[i];
    ck_assert_uint_eq(a->a, b->a);
    ck_assert_uint_eq(a->b, b->b);
    ck_assert_int_eq(a->type, b->type);
    ck_assert_uint_eq(a->hops, b->hops);
    ck_assert_int_eq(a->latency, b->latency);
    ck_assert_uint_eq(a->bandwidth, b->bandwidth);
  }
  rig_close(&sim);
  rig_close(&hsa);
}

START_TEST(links_are_those_of_the_simulator)
{
  links_equal("mi300x");
  links_equal("mi300x*4");
  links_equal("mi50,rx7900xtx,mi50"); /* peers through the host */
  links_equal("mi300x,mi300x,mi50");
}
END_TEST

START_TEST(a_capability_is_one_of_every_device)
{
  rig r;
  aq_transport_info info;
  skewed_open(&r); /* the second device has no cooperative queues */
  r.t->ops->info(r.t, &info);
  ck_assert_uint_eq(info.device_count, 2);
  ck_assert(!(info.caps & AQ_CAP_COOPERATIVE));
  rig_close(&r);
  hsa_open(&r, ".libs/libhsa-runtime64.so.1", "mi300x,mi50");
  r.t->ops->info(r.t, &info);
  ck_assert(info.caps & AQ_CAP_COOPERATIVE);
  rig_close(&r);
}
END_TEST

START_TEST(rows_are_copied_in_the_direction_of_their_addresses)
{
  enum { BYTES = 64 };
  static const aq_copy_box box = {
      .width = 8, .rows = 2, .slices = 2, .to = {16, 32}, .from = {16, 32}};
  rig r;
  skewed_open(&r);
  void *from, *to, *device[2];
  ck_assert_status(
      r.t->ops->mem_alloc(r.t, 0, AQ_MEMORY_HOST, BYTES, &from, &r.diag), AQ_OK,
      &r.diag);
  ck_assert_status(
      r.t->ops->mem_alloc(r.t, 0, AQ_MEMORY_HOST, BYTES, &to, &r.diag), AQ_OK,
      &r.diag);
  for (uint32_t i = 0; i < 2; i++)
    ck_assert_status(r.t->ops->mem_alloc(r.t, i, AQ_MEMORY_DEVICE, BYTES,
                                         &device[i], &r.diag),
                     AQ_OK, &r.diag);
  memset(from, 7, BYTES);
  memset(to, 0, BYTES);
  void *const way[] = {from, device[0], device[1], to};
  const aq_signal done = rig_signal(&r, 3, 0);
  for (int i = 0; i < 3; i++) {
    aq_copy_desc copy =
        aq_copy_by_address(0, way[i + 1], way[i], 32, NULL, 0, done);
    const aq_wait_item moved = {done, AQ_EQ, 2 - i};
    copy.box = &box;
    ck_assert_status(r.t->ops->copy_submit(r.t, &copy, &r.diag), AQ_OK,
                     &r.diag);
    ck_assert_status(rig_wait(&r, &moved, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                     &r.diag);
  }
  for (int i = 0; i < BYTES; i++)
    ck_assert_int_eq(((char *)to)[i], i % 16 < 8 ? 7 : 0);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_hsa/devices",
             dispatch_times_are_asked_of_the_agent_that_ran_the_packet,
             completions_have_the_time_of_the_agent_that_ran_the_packet,
             packets_published_out_of_order_keep_their_agent,
             a_packet_of_another_device_after_a_copy_is_no_copy,
             links_are_those_of_the_simulator,
             a_capability_is_one_of_every_device,
             rows_are_copied_in_the_direction_of_their_addresses)
