/* SPDX-License-Identifier: MIT */
/* Queues: packets through the API and by raw stores, control, errors. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/hsa_sim.h"
#include "common/ring.h"
#include "dropin/hsa/client.h"

static aq_packet barrier(hsa_signal_t dependency, hsa_signal_t completion)
{
  aq_packet packet = {0};
  packet.barrier.dependency[0] = dependency;
  packet.barrier.completion_signal = completion;
  return packet;
}

static uint16_t barrier_header(void)
{
  return aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                          AQ_SCOPE_SYSTEM);
}

START_TEST(a_barrier_packet_completes_and_its_slot_comes_back)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  aq_packet packet = barrier((hsa_signal_t){0}, done);
  ck_assert_uint_eq(client_submit(queue, &packet, barrier_header()), 0);
  client_wait_zero(done);
  ck_assert_uint_eq(hsa_queue_load_write_index_scacquire(queue), 1);
  while (hsa_queue_load_read_index_scacquire(queue) != 1)
    ck_assert_int_eq(hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_NE, 0,
                                             1000, HSA_WAIT_STATE_BLOCKED),
                     0);
  ck_assert_uint_eq(*(uint16_t *)queue->base & 0xff, AQ_PACKET_INVALID);
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_hsa(hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Conformance 33, 34: a driver without any call of HSA. */
START_TEST(raw_stores_to_indices_doorbell_and_signals_are_served)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  aq_amd_queue *abi = (aq_amd_queue *)(void *)queue;
  aq_amd_signal *bell = (aq_amd_signal *)(uintptr_t)queue->doorbell.handle;
  ck_assert_int_eq(bell->kind, AQ_AMD_SIGNAL_DOORBELL);
  uint64_t *cell = (uint64_t *)(uintptr_t)bell->value;
  hsa_signal_t done = client_signal(2);
  const int64_t *value = (const int64_t *)(uintptr_t)(done.handle + 8);
  for (int i = 0; i < 2; i++) {
    uint64_t id =
        __atomic_fetch_add(&abi->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
    aq_packet *slot = (aq_packet *)queue->base + id % queue->size;
    slot->barrier = (aq_barrier_packet){.header = AQ_PACKET_INVALID,
                                        .completion_signal = done};
    aq_packet_publish(slot, barrier_header(), 0);
    __atomic_store_n(cell, id, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(value, __ATOMIC_ACQUIRE) != 0)
    ;
  while (__atomic_load_n(&abi->read_dispatch_id, __ATOMIC_ACQUIRE) != 2)
    ;
  ck_assert_done(hsa_shut_down());
}
END_TEST

#define EVERY_ORDER(MACRO)                                                     \
  MACRO(relaxed)                                                               \
  MACRO(scacquire)                                                             \
  MACRO(acquire)                                                               \
  MACRO(screlease)                                                             \
  MACRO(release)                                                               \
  MACRO(scacq_screl)                                                           \
  MACRO(acq_rel)

/* A soft queue: only the test moves its indices. */
static hsa_queue_t *soft_queue(const client *c, hsa_signal_t doorbell)
{
  hsa_queue_t *queue;
  ck_assert_done(hsa_soft_queue_create(c->region, 64, HSA_QUEUE_TYPE_SINGLE,
                                       HSA_QUEUE_FEATURE_AGENT_DISPATCH,
                                       doorbell, &queue));
  return queue;
}

/* Of any power of two, below the minimum of devices too. */
START_TEST(a_soft_queue_has_the_size_asked_for)
{
  static const uint32_t sizes[] = {1, 2, 32, 64, 1024};
  client c;
  client_open(&c);
  const hsa_signal_t doorbell = client_signal(0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    hsa_queue_t *queue;
    ck_assert_done(hsa_soft_queue_create(
        c.region, sizes[i], HSA_QUEUE_TYPE_SINGLE,
        HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
    ck_assert_uint_eq(queue->size, sizes[i]);
    ck_assert_done(hsa_queue_destroy(queue));
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_soft_queue_refuses_arguments_as_rocr_does)
{
  client c;
  client_open(&c);
  const hsa_signal_t doorbell = client_signal(0);
  const struct {
    hsa_region_t region;
    uint32_t size, features;
    hsa_signal_t doorbell;
    hsa_status_t expected;
  } cases[] = {
      {c.region, 48, 1, doorbell, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {c.region, 0, 1, doorbell, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {c.region, 64, 0, doorbell, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {c.region, 64, 1, {0}, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {{0}, 64, 1, doorbell, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {{1}, 64, 1, doorbell, HSA_STATUS_ERROR_INVALID_REGION},
      {c.region, 64, 1, {1}, HSA_STATUS_ERROR_INVALID_SIGNAL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hsa_queue_t *queue = NULL;
    ck_assert_int_eq(hsa_soft_queue_create(
                         cases[i].region, cases[i].size, HSA_QUEUE_TYPE_SINGLE,
                         cases[i].features, cases[i].doorbell, &queue),
                     cases[i].expected);
    ck_assert_ptr_null(queue);
  }
  ck_assert_int_eq(hsa_soft_queue_create(c.region, 64, HSA_QUEUE_TYPE_SINGLE, 1,
                                         doorbell, NULL),
                   HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(every_index_function_moves_its_index)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = soft_queue(&c, client_signal(0));
  uint64_t at = 0;
#define ADD(order)                                                             \
  ck_assert_uint_eq(hsa_queue_add_write_index_##order(queue, 2), at);          \
  at += 2;                                                                     \
  ck_assert_uint_eq(hsa_queue_load_write_index_relaxed(queue), at);
  EVERY_ORDER(ADD)
#define CAS(order)                                                             \
  ck_assert_uint_eq(hsa_queue_cas_write_index_##order(queue, at + 1, 99), at); \
  ck_assert_uint_eq(hsa_queue_cas_write_index_##order(queue, at, at + 3), at); \
  at += 3;                                                                     \
  ck_assert_uint_eq(hsa_queue_load_write_index_acquire(queue), at);
  EVERY_ORDER(CAS)
#define STORE(order)                                                           \
  hsa_queue_store_write_index_##order(queue, ++at);                            \
  ck_assert_uint_eq(hsa_queue_load_write_index_scacquire(queue), at);          \
  hsa_queue_store_read_index_##order(queue, at);                               \
  ck_assert_uint_eq(hsa_queue_load_read_index_relaxed(queue), at);             \
  ck_assert_uint_eq(hsa_queue_load_read_index_acquire(queue), at);             \
  ck_assert_uint_eq(hsa_queue_load_read_index_scacquire(queue), at);
  STORE(relaxed)
  STORE(screlease)
  STORE(release)
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_soft_queue_has_the_doorbell_and_features_it_was_given)
{
  client c;
  client_open(&c);
  hsa_signal_t doorbell = client_signal(-1);
  hsa_queue_t *queue = soft_queue(&c, doorbell);
  ck_assert_uint_eq(queue->doorbell.handle, doorbell.handle);
  ck_assert_uint_eq(queue->type, HSA_QUEUE_TYPE_SINGLE);
  ck_assert_uint_eq(queue->features, HSA_QUEUE_FEATURE_AGENT_DISPATCH);
  hsa_signal_store_screlease(queue->doorbell, 5);
  ck_assert_int_eq(hsa_signal_load_relaxed(doorbell), 5);
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(queues_that_cannot_be_are_refused)
{
  client c;
  hsa_queue_t *queue;
  client_open(&c);
#define CREATE(agent, size, type, hint)                                        \
  hsa_queue_create(agent, size, type, NULL, NULL, hint, UINT32_MAX, &queue)
  ck_assert_hsa(CREATE(c.device, 0, 0, UINT32_MAX),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(CREATE(c.device, 96, 0, UINT32_MAX),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(CREATE(c.device, 1 << 20, 0, UINT32_MAX),
                HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ck_assert_hsa(CREATE(c.device, 64, 9, UINT32_MAX),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(CREATE(c.device, 64, 0, 262129),
                HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ck_assert_hsa(CREATE(c.host, 64, 0, UINT32_MAX), HSA_STATUS_ERROR);
  ck_assert_hsa(CREATE(((hsa_agent_t){5}), 64, 0, UINT32_MAX),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* HSA 1.2, hsa_queue_create: the size is the maximum of the one asked for and
 * HSA_AGENT_INFO_QUEUE_MIN_SIZE. ROCr refuses it since 2022. */
START_TEST(a_small_queue_is_refused_or_raised_by_the_semantics)
{
  for (int foundation = 0; foundation < 2; foundation++) {
    client c;
    hsa_queue_t *queue;
    uint32_t least;
    setenv("AQUEDUCT_SEMANTICS", foundation ? "foundation" : "rocr", 1);
    client_open(&c);
    ck_assert_done(
        hsa_agent_get_info(c.device, HSA_AGENT_INFO_QUEUE_MIN_SIZE, &least));
    ck_assert_uint_gt(least, 4);
    hsa_status_t status = hsa_queue_create(c.device, 4, 0, NULL, NULL,
                                           UINT32_MAX, UINT32_MAX, &queue);
    if (foundation) {
      ck_assert_done(status);
      ck_assert_uint_eq(queue->size, least);
    } else {
      ck_assert_hsa(status, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
    ck_assert_done(hsa_shut_down());
  }
  setenv("AQUEDUCT_SEMANTICS", "strict", 1);
  ck_assert_hsa(hsa_init(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  unsetenv("AQUEDUCT_SEMANTICS");
}
END_TEST

START_TEST(the_cooperative_queue_is_one_until_its_last_reference)
{
  client c;
  hsa_queue_t *first, *second;
  client_open(&c);
  ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_COOPERATIVE,
                                  NULL, NULL, UINT32_MAX, UINT32_MAX, &first));
  ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_COOPERATIVE,
                                  NULL, NULL, UINT32_MAX, UINT32_MAX, &second));
  ck_assert_ptr_eq(first, second);
  ck_assert_done(hsa_queue_destroy(first));
  ck_assert_done(hsa_queue_inactivate(second));
  ck_assert_done(hsa_queue_destroy(second));
  ck_assert_hsa(hsa_queue_destroy(second), HSA_STATUS_ERROR_INVALID_QUEUE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

typedef struct failure {
  hsa_signal_t told;
  hsa_status_t status;
  hsa_queue_t *source;
} failure;

static void failure_note(hsa_status_t status, hsa_queue_t *source, void *data)
{
  failure *f = data;
  f->status = status;
  f->source = source;
  hsa_signal_subtract_screlease(f->told, 1);
}

START_TEST(a_bad_packet_calls_back_and_stops_the_queue)
{
  client c;
  hsa_queue_t *queue;
  client_open(&c);
  failure f = {.told = client_signal(1)};
  ck_assert_done(hsa_queue_create(c.device, 64, HSA_QUEUE_TYPE_MULTI,
                                  failure_note, &f, UINT32_MAX, UINT32_MAX,
                                  &queue));
  aq_packet packet = {0};
  client_submit(queue, &packet, 9);
  client_wait_zero(f.told);
  ck_assert_hsa(f.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  ck_assert_ptr_eq(f.source, queue);
  const aq_amd_queue *abi = (const aq_amd_queue *)(const void *)queue;
  ck_assert_int_eq(hsa_signal_load_scacquire(abi->inactive_signal), 32);
  ck_assert_hsa(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_LOW),
                HSA_STATUS_ERROR_INVALID_QUEUE);
  ck_assert_done(hsa_queue_inactivate(queue));
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(an_inactive_queue_serves_nothing)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64), *other = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1), also = client_signal(1);
  ck_assert_done(hsa_queue_inactivate(queue));
  ck_assert_done(hsa_queue_inactivate(queue));
  aq_packet packet = barrier((hsa_signal_t){0}, done);
  client_submit(queue, &packet, barrier_header());
  packet = barrier((hsa_signal_t){0}, also);
  client_submit(other, &packet, barrier_header());
  client_wait_zero(also);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(compute_units_are_masked_and_the_mask_is_told)
{
  client c;
  uint32_t mask[12], all[10];
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  ck_assert_done(hsa_amd_queue_cu_get_mask(queue, 320, all));
  ck_assert_uint_eq(all[0], UINT32_MAX);
  ck_assert_uint_eq(all[9], 0xffff); /* 304 units */
  memset(mask, 0, sizeof mask);
  mask[0] = 0xff;
  ck_assert_done(hsa_amd_queue_cu_set_mask(queue, 32, mask));
  ck_assert_done(hsa_amd_queue_cu_get_mask(queue, 64, mask));
  ck_assert_uint_eq(mask[0], 0xff);
  ck_assert_uint_eq(mask[1], 0);
  memset(mask, 0xff, sizeof mask);
  ck_assert_done(hsa_amd_queue_cu_set_mask(queue, 320, mask));
  ck_assert_done(hsa_amd_queue_cu_get_mask(queue, 320, mask));
  ck_assert_mem_eq(mask, all, sizeof all);
  ck_assert_done(hsa_amd_queue_cu_set_mask(queue, 0, NULL));
  ck_assert_done(hsa_amd_queue_cu_get_mask(queue, 320, mask));
  ck_assert_mem_eq(mask, all, sizeof all);
  ck_assert_hsa(hsa_amd_queue_cu_set_mask(queue, 33, mask),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static void kernel_ran(const aq_kernel_call *call)
{
  *(bool *)call->user = true;
}

START_TEST(a_mask_without_compute_units_is_told_and_stops_nothing)
{
  client c;
  uint32_t mask[10] = {0};
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  mask[9] = 0xffff0000; /* 304 units */
  ck_assert_done(hsa_amd_queue_cu_set_mask(queue, 320, mask));
  ck_assert_done(hsa_amd_queue_cu_get_mask(queue, 320, mask));
  for (size_t i = 0; i < 10; i++)
    ck_assert_uint_eq(mask[i], 0);
  bool ran = false;
  aq_hsa_sim sim;
  ck_assert_done(hsa_system_get_major_extension_table(
      AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim));
  const aq_kernel_desc kernel = {
      .name = "masked", .function = kernel_ran, .user = &ran};
  aq_packet packet = {.kernel = {.workgroup_size = {64, 1, 1},
                                 .grid_size = {64, 1, 1},
                                 .completion_signal = client_signal(1)}};
  packet.setup = 1;
  ck_assert_done(sim.kernel_register(&kernel, &packet.kernel.kernel_object));
  client_submit(queue, &packet,
                aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
  client_wait_zero(packet.kernel.completion_signal);
  ck_assert(ran);
  ck_assert_hsa(hsa_amd_queue_cu_set_mask(NULL, 320, mask),
                HSA_STATUS_ERROR_INVALID_QUEUE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_queue_tells_its_agent_and_takes_a_priority)
{
  client c;
  hsa_agent_t agent;
  uint64_t bell;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  ck_assert_done(
      hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  ck_assert_uint_eq(agent.handle, c.device.handle);
  ck_assert_done(
      hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_DOORBELL_ID, &bell));
  ck_assert_done(
      hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
  ck_assert_hsa(hsa_amd_queue_set_priority(queue, 3),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(times_of_packets_are_told_when_profiling_is_on)
{
  client c;
  hsa_amd_profiling_dispatch_time_t time;
  uint64_t system, now;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  aq_packet packet = barrier((hsa_signal_t){0}, done);
  client_submit(queue, &packet, barrier_header());
  client_wait_zero(done);
  ck_assert_hsa(hsa_amd_profiling_get_dispatch_time(c.device, done, &time),
                HSA_STATUS_ERROR);
  ck_assert_done(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  hsa_signal_store_relaxed(done, 1);
  client_submit(queue, &packet, barrier_header());
  client_wait_zero(done);
  ck_assert_done(hsa_amd_profiling_get_dispatch_time(c.device, done, &time));
  ck_assert_uint_ge(time.end, time.start);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)done.handle;
  ck_assert_done(hsa_amd_profiling_convert_tick_to_system_domain(
      c.device, abi->end_ts, &system));
  ck_assert_uint_eq(system, time.end);
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
  ck_assert_uint_ge(now, time.end);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(handles_of_destroyed_queues_and_signals_do_nothing)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  const hsa_signal_t bell = queue->doorbell;
  ck_assert_done(hsa_queue_destroy(queue));
  hsa_signal_store_screlease(bell, 7);
  ck_assert_int_eq(hsa_signal_load_scacquire(bell), 0);
  ck_assert_int_eq(hsa_signal_exchange_relaxed(bell, 3), 0);
  hsa_signal_t gone = client_signal(5);
  ck_assert_done(hsa_signal_destroy(gone));
  hsa_signal_store_relaxed(gone, 9);
  hsa_signal_add_relaxed(gone, 2);
  ck_assert_int_eq(hsa_signal_load_relaxed(gone), 0);
  hsa_signal_t next = client_signal(4); /* may lie where that one was */
  ck_assert_int_eq(hsa_signal_load_relaxed(next), 4);
  queue = client_queue(&c, 64);
  hsa_signal_t done = client_signal(1);
  aq_packet packet = barrier((hsa_signal_t){0}, done);
  client_submit(queue, &packet, barrier_header());
  client_wait_zero(done);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static void *queues_make(void *argument)
{
  const client *c = argument;
  for (int i = 0; i < 20; i++) {
    hsa_queue_t *queue = client_queue(c, 64);
    hsa_signal_t done = client_signal(1);
    aq_packet packet = barrier((hsa_signal_t){0}, done);
    client_submit(queue, &packet, barrier_header());
    client_wait_zero(done);
    ck_assert_done(hsa_queue_destroy(queue));
    ck_assert_done(hsa_signal_destroy(done));
  }
  return NULL;
}

START_TEST(four_threads_create_use_and_destroy_queues_at_once)
{
  pthread_t threads[4];
  client c;
  client_open(&c);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, queues_make, &c), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/queues",
             a_barrier_packet_completes_and_its_slot_comes_back,
             raw_stores_to_indices_doorbell_and_signals_are_served,
             a_soft_queue_has_the_size_asked_for,
             a_soft_queue_refuses_arguments_as_rocr_does,
             every_index_function_moves_its_index,
             a_soft_queue_has_the_doorbell_and_features_it_was_given,
             queues_that_cannot_be_are_refused,
             a_small_queue_is_refused_or_raised_by_the_semantics,
             the_cooperative_queue_is_one_until_its_last_reference,
             a_bad_packet_calls_back_and_stops_the_queue,
             an_inactive_queue_serves_nothing,
             compute_units_are_masked_and_the_mask_is_told,
             a_mask_without_compute_units_is_told_and_stops_nothing,
             a_queue_tells_its_agent_and_takes_a_priority,
             times_of_packets_are_told_when_profiling_is_on,
             handles_of_destroyed_queues_and_signals_do_nothing,
             four_threads_create_use_and_destroy_queues_at_once)
