/* SPDX-License-Identifier: MIT */
/* Every timing constant and every resource moves the timeline as the life cycle
 * says: a key without a row here, or a row that does not move, fails. */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/model/device_model.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/sim.h"
#include "common/policy.h"

static aq_packet with_fences(aq_packet packet, aq_fence_scope scope)
{
  packet.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, scope, scope);
  return packet;
}

/* One kernel on a fresh queue, with fences of that scope. */
static aq_record one_kernel(const char *const *edits, aq_fence_scope scope)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = with_fences(
      rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none), scope);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  aq_record row = *rig_record(&r, queue, 0);
  rig_close(&r);
  return row;
}

static aq_time start_agent(const char *const *edits)
{
  return one_kernel(edits, AQ_SCOPE_AGENT).start;
}

static aq_time start_system(const char *const *edits)
{
  return one_kernel(edits, AQ_SCOPE_SYSTEM).start;
}

static aq_time finish_agent(const char *const *edits)
{
  aq_record row = one_kernel(edits, AQ_SCOPE_AGENT);
  return row.complete - row.end;
}

static aq_time finish_system(const char *const *edits)
{
  aq_record row = one_kernel(edits, AQ_SCOPE_SYSTEM);
  return row.complete - row.end;
}

/* Decode of packet `id` of 24 that are published together. */
static aq_time decode_of(const char *const *edits, uint64_t id)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  for (int i = 0; i < 24; i++)
    rig_put(queue, &packet);
  rig_ring(&r, queue, 23);
  rig_run(&r);
  aq_time decoded = rig_record(&r, queue, id)->fetch;
  rig_close(&r);
  return decoded;
}

static aq_time decode_of_third(const char *const *edits)
{
  return decode_of(edits, 2);
}

static aq_time decode_of_17th(const char *const *edits)
{
  return decode_of(edits, 16);
}

/* The edits, and two more before them. */
static void edits_join(const char *const *edits, const char *a, const char *b,
                       const char *out[5])
{
  int count = 0;
  out[count++] = a;
  if (b)
    out[count++] = b;
  while (edits && *edits)
    out[count++] = *edits++;
  out[count] = NULL;
}

/* Two kernels on queues of their own, both published at 0: when the second
 * starts. */
static aq_time second_starts(const char *const *edits, aq_time first)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  aq_packet one = rig_dispatch(rig_kernel(&r, "a", first), true, rig_none);
  aq_packet two = rig_dispatch(rig_kernel(&r, "b", AQ_US), true, rig_none);
  rig_submit(&r, a, &one);
  rig_submit(&r, b, &two);
  rig_run(&r);
  aq_time start = rig_record(&r, b, 0)->start;
  rig_close(&r);
  return start;
}

static aq_time start_on_another_queue(const char *const *edits)
{
  return second_starts(edits, AQ_US);
}

static aq_time start_on_one_pipe(const char *const *edits)
{
  const char *all[5];
  edits_join(edits, "pipes=1", NULL, all);
  return second_starts(all, AQ_US);
}

/* The second one gets the only slot when the first's quantum has ended. */
static aq_time start_after_quantum(const char *const *edits)
{
  const char *all[5];
  edits_join(edits, "pipes=1", "slots_per_pipe=1", all);
  return second_starts(all, 50 * AQ_MS);
}

/* ---- a policy that resets the first kernel once ---- */

struct aq_policy {
  int unused;
};

static void reset_attach(aq_policy *policy, aq_policy_device *device)
{
  (void)policy;
  device->timer_add(device, 100 * AQ_US, 0);
}

static void reset_timer(aq_policy *policy, aq_policy_device *device,
                        uint64_t cookie)
{
  (void)policy;
  (void)cookie;
  device->preempt(device, &(aq_preemption){.size = sizeof(aq_preemption),
                                           .mode = AQ_PREEMPT_RESET,
                                           .scope = AQ_PREEMPT_KERNEL});
}

static void reset_over(aq_policy *policy, aq_policy_device *device,
                       const aq_preempt_result *result)
{
  (void)policy;
  device->resume(device, result->target);
}

static bool reset_identify(void *user, uint32_t ring, uint64_t packet,
                           uint64_t *job, uint32_t *command, bool *idempotent)
{
  (void)user;
  (void)ring;
  *job = packet;
  *command = 0;
  *idempotent = true;
  return true;
}

static void reset_failed(void *user, const char *text)
{
  (void)user;
  ck_abort_msg("%s", text);
}

static aq_time start_after_reset(const char *const *edits)
{
  static const aq_policy_ops ops = {.abi = AQ_POLICY_ABI,
                                    .size = sizeof ops,
                                    .name = "reset",
                                    .needs = AQ_NEED_RESET,
                                    .attach = reset_attach,
                                    .device_timer = reset_timer,
                                    .preempted = reset_over};
  aq_policy policy = {0};
  const aq_policy_binding binding = {.size = sizeof binding,
                                     .ops = &ops,
                                     .policy = &policy,
                                     .failed = reset_failed,
                                     .identify = reset_identify};
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.edits = edits, .policy = &binding});
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_MS), true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  aq_time start = rig_record(&r, queue, 0)->start;
  rig_close(&r);
  return start;
}

/* A kernel of 1000 workgroups that cost nothing. */
static aq_time run_of_1000_workgroups(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 0), true, rig_none);
  packet.kernel.grid_size[0] = 1000;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 0);
  aq_time run = row->end - row->start;
  rig_close(&r);
  return run;
}

/* When a host that waits for a kernel returns. */
static aq_time wait_returns(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  rig_submit(&r, queue, &packet);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  aq_time now = r.t->ops->now(r.t);
  ck_assert_time_eq(rig_record(&r, queue, 0)->observe, now);
  rig_close(&r);
  return now;
}

static aq_time barrier_takes(const char *const *edits, uint32_t waits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  const aq_signal met = rig_signal(&r, 0, 0);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, &met, waits, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  aq_time complete = rig_record(&r, queue, 0)->complete;
  rig_close(&r);
  return complete;
}

static aq_time barrier_completes(const char *const *edits)
{
  return barrier_takes(edits, 0);
}

static aq_time wait_completes(const char *const *edits)
{
  return barrier_takes(edits, 1);
}

/* From the end of a kernel's wait for 0 on one queue to the barrier packet on
 * another that depends on it. */
static aq_time edge_is_seen(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
  aq_signal edge = rig_signal(&r, 1, 0);
  aq_packet kernel = rig_dispatch(rig_kernel(&r, "k", 50 * AQ_US), true, edge);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &edge, 1, rig_none);
  rig_submit(&r, a, &kernel);
  rig_submit(&r, b, &barrier);
  rig_run(&r);
  aq_time seen = rig_record(&r, b, 0)->start - rig_record(&r, a, 0)->complete;
  rig_close(&r);
  return seen;
}

/* Doorbell to start of a second kernel, so long after the first completed. */
static aq_time start_after(const char *const *edits, aq_time idle)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  rig_sleep(&r, r.t->ops->now(r.t) + idle);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 1);
  aq_time latency = row->start - row->submit;
  rig_close(&r);
  return latency;
}

static aq_time start_after_110_us(const char *const *edits)
{
  return start_after(edits, 110 * AQ_US);
}

static aq_time start_after_210_us(const char *const *edits)
{
  return start_after(edits, 210 * AQ_US);
}

static aq_time start_after_8_us(const char *const *edits)
{
  return start_after(edits, 8 * AQ_US);
}

/* Start stamp of a kernel whose doorbell rings 4.5 us before the previous end,
 * from that end. */
static aq_time stamp_after_previous_end(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet =
      rig_dispatch(rig_kernel(&r, "k", 20 * AQ_US), true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_sleep(&r, 29030000 - 4500000); /* it ends 29.03 us after its doorbell */
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, queue, 0)->end, 29030000);
  aq_time stamp = rig_record(&r, queue, 1)->start - 29030000;
  rig_close(&r);
  return stamp;
}

/* The end of the last of `count` copies of 64 kB from one memory to another,
 * which two devices have each. */
static aq_time copies_end(const char *const *edits, uint32_t from, uint32_t to,
                          int count)
{
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.device = "mi300x*2", .edits = edits});
  static char bytes[2][64000];
  for (int i = 0; i < count; i++) {
    aq_copy_desc copy = aq_copy_by_address(0, bytes[0], bytes[1],
                                           sizeof bytes[0], NULL, 0, rig_none);
    copy.from_device = from;
    copy.to_device = to;
    ck_assert_status(r.t->ops->copy_submit(r.t, &copy, &r.diag), AQ_OK,
                     &r.diag);
  }
  rig_run(&r);
  ck_assert_uint_eq(r.sink.count, count);
  aq_time end = r.sink.rows[count - 1].end;
  rig_close(&r);
  return end;
}

static aq_time copy_ends(const char *const *edits)
{
  return copies_end(edits, 0, 0, 1);
}

/* A fence in a ring of a copy engine, from the doorbell. */
static aq_time ring_fence(const char *const *edits)
{
  rig r;
  aqsim_sdma *ring;
  uint64_t read = 0, doorbell = 0;
  uint32_t fence = 0;
  uint32_t words[64] = {5, (uint32_t)(uintptr_t)&fence,
                        (uint32_t)((uint64_t)(uintptr_t)&fence >> 32), 1};
  const aqsim_sdma_desc desc = {.words = words,
                                .size = sizeof words,
                                .read_index = &read,
                                .doorbell = &doorbell};
  rig_open(&r, &aqsim_transport_ops, edits);
  ck_assert_status(aqsim_sdma_create(aqsim_from(r.t), &desc, &ring, &r.diag),
                   AQ_OK, &r.diag);
  doorbell = 16;
  aq_time at = 0;
  while (!fence && at < AQ_US)
    rig_sleep(&r, at += AQ_NS);
  rig_close(&r);
  return at;
}

static aq_time two_copies_end(const char *const *edits)
{
  return copies_end(edits, 0, 0, 2);
}

static aq_time host_copy_ends(const char *const *edits)
{
  return copies_end(edits, AQ_DEVICE_HOST, 0, 1);
}

static aq_time peer_copy_ends(const char *const *edits)
{
  return copies_end(edits, 0, 1, 1);
}

static aq_time two_peer_copies_end(const char *const *edits)
{
  return copies_end(edits, 0, 1, 2);
}

/* The question of a replay to the device; tests/study/loop/test_replay.c tests
 * the use of the answer. */
static aq_device_info device_info(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_transport_info info;
  r.t->ops->info(r.t, &info);
  aq_device_info device = info.devices[0];
  rig_close(&r);
  return device;
}

static aq_time graph_launch(const char *const *edits)
{
  return device_info(edits).graph_launch;
}

static aq_time graph_per_node(const char *const *edits)
{
  return device_info(edits).graph_per_node;
}

static int64_t graph_head(const char *const *edits)
{
  return device_info(edits).graph_head;
}

static aq_time handler_guard(const char *const *edits)
{
  return device_info(edits).handler_guard;
}

static aq_time handler_window(const char *const *edits)
{
  return device_info(edits).handler_window;
}

static aq_time handler_hold(const char *const *edits)
{
  return device_info(edits).handler_hold;
}

static int64_t graph_batch(const char *const *edits)
{
  return device_info(edits).graph_batch;
}

/* The end timestamp in the signal of a kernel that ends at 10.03 us. */
static int64_t end_ticks(const char *const *edits)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_time_eq(rig_record(&r, queue, 0)->end, 10030000);
  aq_time start, end;
  ck_assert_status(r.t->ops->dispatch_times(r.t, done, &start, &end), AQ_OK,
                   &r.diag);
  const aq_amd_signal *signal = (const aq_amd_signal *)(uintptr_t)done.handle;
  int64_t ticks = (int64_t)signal->end_ts;
  rig_close(&r);
  return ticks;
}

/* ---- resources of the part ---- */

enum { WAVE = 100000000, STEP = 8 * 479 }; /* ps: a workgroup; two starts */

/* How long a kernel runs whose workgroups of 256 take WAVE each. Eight
 * complexes have 38 compute units each. */
static aq_time run_of(const char *const *edits, const aq_kernel_desc *given,
                      uint32_t workgroups, uint32_t lds)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  aq_kernel_desc desc = *given;
  desc.name = "k";
  if (desc.cost.kind == AQ_COST_FIXED)
    desc.cost = (aq_cost){.kind = AQ_COST_WORKGROUP, .base = WAVE};
  aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, rig_none);
  packet.kernel.workgroup_size[0] = 256;
  packet.kernel.grid_size[0] = 256 * workgroups;
  packet.kernel.group_segment_size = lds;
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 0);
  aq_time run = row->end - row->start;
  rig_close(&r);
  return run;
}

/* One workgroup fills a compute unit. */
static aq_time run_of_one_a_cu(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){0}, 304, 65536);
}

static aq_time run_of_two_a_cu(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){0}, 2 * 304, 32768);
}

static aq_time run_of_eight_a_cu(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){0}, 8 * 304, 0);
}

/* 128 registers: four waves a SIMD. */
static aq_time run_with_vgprs(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){.vgprs = 128}, 4 * 304, 0);
}

static aq_time run_with_agprs(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){.vgprs = 64, .agprs = 64}, 8 * 304, 0);
}

/* 112 of 800: seven waves a SIMD. */
static aq_time run_with_sgprs(const char *const *edits)
{
  return run_of(edits, &(aq_kernel_desc){.sgprs = 100}, 7 * 304, 0);
}

static aq_time run_on_memory(const char *const *edits)
{
  const aq_cost_detail detail = {.bytes = 5300000};
  return run_of(
      edits,
      &(aq_kernel_desc){.cost = {.kind = AQ_COST_ROOFLINE, .detail = &detail}},
      1000, 0);
}

static aq_time run_of_flops(const char *const *edits)
{
  const aq_cost_detail detail = {.flops = 537500000};
  return run_of(
      edits,
      &(aq_kernel_desc){.cost = {.kind = AQ_COST_ROOFLINE, .detail = &detail}},
      304, 0);
}

/* The difference of the probe with the edit and without it. */
typedef struct mutation {
  const char *key, *value;
  int64_t (*probe)(const char *const *edits);
  int64_t more;
} mutation;

static const mutation mutations[] = {
    {"doorbell_to_fetch", "2.1 us", start_agent, AQ_US},
    {"packet_fetch", "1.3 us", start_agent, AQ_US},
    {"packet_decode", "80 ns", decode_of_third, 30 * AQ_NS},
    /* The third packet moves into a second batch. */
    {"fetch_batch", "2", decode_of_third, 300 * AQ_NS},
    /* With a window of 16 the fifth batch comes when the fourth packet is
     * launched, three completions (4.67 + 1 + 0.4 + 2 × 4.6 us) after the
     * queue was mapped; otherwise after four batches of 0.58 us. */
    {"fetch_window", "32", decode_of_17th,
     (1100 + 4 * 580) * AQ_NS - (6070 + 2 * 4600) * AQ_NS},
    {"acquire_agent", "1.046 us", start_agent, AQ_US},
    {"acquire_system", "1.046 us", start_system, AQ_US},
    {"dispatch_setup", "4.154 us", start_agent, AQ_US},
    {"workgroup_interval", "1.479 ns", run_of_1000_workgroups, AQ_US},
    {"end_of_pipe", "1 us", finish_agent, AQ_US},
    {"release_agent", "1.3 us", finish_agent, AQ_US},
    {"release_system", "1.3 us", finish_system, AQ_US},
    {"signal_write", "1.1 us", finish_agent, AQ_US},
    {"interrupt_to_host", "5.9 us", wait_returns, AQ_US},
    {"barrier_process", "9.7 us", barrier_completes, AQ_US},
    {"wait_process", "3.89 us", wait_completes, AQ_US},
    {"dependency_poll", "8.27 us", edge_is_seen, AQ_US},
    /* The second launches when the first has. */
    {"pipes", "1", start_on_another_queue, 3200 * AQ_NS},
    /* It is mapped when the first is complete, 10.43 us after the doorbell,
     * instead of starting 3.2 us after that: then 4.36 + 4.67 us. */
    {"slots_per_pipe", "1", start_on_one_pipe,
     (10430 + 9030 - 9030 - 3200) * AQ_NS},
    {"queue_quantum", "11 ms", start_after_quantum, AQ_MS},
    {"queue_switch", "21 us", start_after_quantum, AQ_US},
    /* One wave: 16 KiB at 1 TB/s take 16.384 ns. */
    {"wave_state", "32 KiB", start_after_quantum, 16384},
    {"context_bandwidth", "500 GB/s", start_after_quantum, 16384},
    {"kernel_reset", "11 us", start_after_reset, AQ_US},
    {"unmap_after", "120 us", start_after_110_us,
     -4360 * AQ_NS - 93 * AQ_NS * 5 / 105},
    {"remap_latency", "5.36 us", start_agent, AQ_US},
    {"idle_ramp", "100 ns", start_after_8_us, 300 * AQ_NS},
    {"remap_ramp", "1.093 us", start_after_210_us, AQ_US},
    {"handler_guard", "1 us", handler_guard, AQ_US},
    {"handler_window", "1 us", handler_window, AQ_US},
    {"handler_hold", "1 us", handler_hold, AQ_US},
    /* No longer back-to-back: the start is the start of the first wave. */
    {"glue_lead", "3.1 us", stamp_after_previous_end, 3600 * AQ_NS},
    {"graph_launch", "7.33 us", graph_launch, AQ_US},
    {"graph_head", "2", graph_head, 1},
    {"graph_batch", "257", graph_batch, 1},
    {"graph_per_node", "3.88 us", graph_per_node, AQ_US},
    {"copy_latency", "5.3 us", copy_ends, AQ_US},
    /* 64 kB at 64 GB/s take 1 us. */
    {"copy_bandwidth", "128 GB/s", copy_ends, -500 * AQ_NS},
    {"copy_packet", "150 ns", ring_fence, 50 * AQ_NS},
    /* The second waits for the first, which takes 5.3 us. */
    {"copy_engines", "1", two_copies_end, 5300 * AQ_NS},
    /* The second waits for the first (6 us) on the engine of the neighbour;
     * with the two engines for the host they share its link (7 us). */
    {"copy_engines_peer", "0", two_peer_copies_end, -5 * AQ_US},
    {"host_link_latency", "1.7 us", host_copy_ends, AQ_US},
    {"host_link_bandwidth", "32 GB/s", host_copy_ends, AQ_US},
    /* Over the links to the host there is one hop more. */
    {"peer_links", "0", peer_copy_ends, 700 * AQ_NS},
    {"peer_link_latency", "1.7 us", peer_copy_ends, AQ_US},
    {"peer_link_bandwidth", "32 GB/s", peer_copy_ends, AQ_US},
    /* The starts of one wave less, a wave more. */
    {"cus", "152", run_of_one_a_cu, WAVE - 19 * STEP},
    /* Half as many each, which start half as often. */
    {"xccs", "16", run_of_one_a_cu, 18 * 2 * STEP - 37 * STEP},
    {"simds_per_cu", "2", run_of_eight_a_cu, WAVE - 152 * STEP},
    {"waves_per_simd", "4", run_of_eight_a_cu, WAVE - 152 * STEP},
    {"wave_size", "32", run_of_eight_a_cu, WAVE - 152 * STEP},
    {"barriers_per_cu", "4", run_of_eight_a_cu, WAVE - 152 * STEP},
    {"vgprs_per_simd", "256", run_with_vgprs, WAVE - 76 * STEP},
    {"vgpr_granule", "256", run_with_vgprs, WAVE - 76 * STEP},
    /* In a file of their own they leave room for twice as many. */
    {"agprs_per_simd", "512", run_with_agprs, 152 * STEP - WAVE},
    {"sgprs_per_simd", "400", run_with_sgprs, 2 * WAVE - 228 * STEP},
    {"sgpr_granule", "200", run_with_sgprs, WAVE - 152 * STEP},
    {"lds_per_cu", "32 KiB", run_of_two_a_cu, WAVE - 38 * STEP},
    {"lds_granule", "64 KiB", run_of_two_a_cu, WAVE - 38 * STEP},
    /* 1 ms without the edit. */
    {"memory_bandwidth", "2.65 TB/s", run_on_memory, AQ_MS},
    {"peak_flops", "81.7 TFLOP/s", run_of_flops, AQ_MS},
    {"timestamp_hz", "200 MHz", end_ticks, 1000},
    /* 10.47 us: 1044 ticks in steps of 40 ns, 1040 in steps of 100. */
    {"timestamp_step", "60 ns", end_ticks, 2},
};

enum { MUTATIONS = sizeof mutations / sizeof *mutations };

START_TEST(every_timing_constant_moves_the_timeline_as_predicted)
{
  for (int i = 0; i < MUTATIONS; i++) {
    const mutation *m = &mutations[i];
    char edit[80];
    snprintf(edit, sizeof edit, "%s=%s", m->key, m->value);
    const char *edits[] = {edit, NULL};
    int64_t more = m->probe(edits) - m->probe(NULL);
    ck_assert_msg(more == m->more, "%s: moved by %lld, expected %lld", edit,
                  (long long)more, (long long)m->more);
  }
}
END_TEST

START_TEST(no_timing_constant_is_left_out)
{
  aqsim_model *model;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load("mi300x", NULL, &model, &diag), AQ_OK,
                   &diag);
  int timing = 0;
  for (size_t k = 0; k < AQSIM_KEY_COUNT; k++) {
    aqsim_constant constant;
    aqsim_model_constant(model, k, &constant);
    if (!constant.timing && strcmp(constant.group, "resource") != 0)
      continue;
    timing++;
    int i = 0;
    while (i < MUTATIONS && strcmp(mutations[i].key, constant.key) != 0)
      i++;
    ck_assert_msg(i < MUTATIONS, "%s: no mutation tests it", constant.key);
  }
  ck_assert_int_eq(timing, MUTATIONS);
  aqsim_model_destroy(model);
}
END_TEST

START_TEST(start_stamp_wave_is_never_back_to_back)
{
  const char *edits[] = {"start_stamp=wave", NULL};
  ck_assert_time_eq(stamp_after_previous_end(NULL), 0);
  ck_assert_time_eq(stamp_after_previous_end(edits), 3600 * AQ_NS);
}
END_TEST

/* Two packets of different length; swapping them or clearing the second's
 * barrier bit is done to the ring itself, before the doorbell. */
static void two_packets(bool swap, bool clear, aq_record out[2])
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet a = rig_dispatch(rig_kernel(&r, "a", 10 * AQ_US), true, rig_none);
  aq_packet b = rig_dispatch(rig_kernel(&r, "b", 20 * AQ_US), true, rig_none);
  rig_put(queue, &a);
  rig_put(queue, &b);
  if (swap) {
    aq_packet saved = queue->packets[0];
    queue->packets[0] = queue->packets[1];
    queue->packets[1] = saved;
  }
  if (clear)
    queue->packets[1].header &= (uint16_t) ~(1u << AQ_HEADER_BARRIER_SHIFT);
  rig_ring(&r, queue, 1);
  rig_run(&r);
  out[0] = *rig_record(&r, queue, 0);
  out[1] = *rig_record(&r, queue, 1);
  rig_close(&r);
}

START_TEST(swapping_two_packets_in_the_ring_swaps_their_runs)
{
  aq_record as_written[2], swapped[2];
  two_packets(false, false, as_written);
  two_packets(true, false, swapped);
  ck_assert_time_eq(as_written[0].end - as_written[0].start, 10 * AQ_US);
  ck_assert_time_eq(swapped[0].end - swapped[0].start, 20 * AQ_US);
  ck_assert_time_eq(swapped[0].end, as_written[0].end + 10 * AQ_US);
  ck_assert_time_eq(swapped[1].end, as_written[1].end);
  ck_assert_int_eq(swapped[0].name, as_written[1].name);
}
END_TEST

START_TEST(clearing_a_barrier_bit_in_the_ring_lets_the_second_overlap)
{
  aq_record kept[2], cleared[2];
  two_packets(false, false, kept);
  two_packets(false, true, cleared);
  ck_assert_time_eq(kept[1].launch, kept[0].complete);
  ck_assert_time_eq(cleared[0].end, kept[0].end);
  /* Launched once the first has launched, 3.2 us later. */
  ck_assert_time_eq(cleared[1].launch, cleared[0].start);
  ck_assert_time_eq(cleared[1].start, cleared[0].start + 3200 * AQ_NS);
  ck_assert_int_eq(cleared[1].flags, 0);
}
END_TEST

AQ_TEST_MAIN("backend_sim/mutation",
             every_timing_constant_moves_the_timeline_as_predicted,
             no_timing_constant_is_left_out,
             start_stamp_wave_is_never_back_to_back,
             swapping_two_packets_in_the_ring_swaps_their_runs,
             clearing_a_barrier_bit_in_the_ring_lets_the_second_overlap)
