/* SPDX-License-Identifier: MIT */
/* Several devices: with one, each case holds for that one. */
#include "contract/contract.h"

#include <string.h>

enum { BYTES = 256 };

static aq_ring *queue_on(contract *c, uint32_t device)
{
  aq_ring *queue;
  aq_queue_desc desc = {.device = device,
                        .size = c->size,
                        .error = contract_error_note,
                        .user = c};
  ck_assert_status(c->ops->queue_create(c->t, &desc, &queue, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  return queue;
}

static void each_device_runs_packets(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_signal done = contract_signal(c, c->info.device_count);
  for (uint32_t d = 0; d < c->info.device_count; d++) {
    aq_packet packet = contract_dispatch(kernel, d, true, done);
    contract_submit(c, queue_on(c, d), &packet);
  }
  contract_wait_zero(c, done);
  ck_assert_uint_eq(c->ran_count, c->info.device_count);
}

static void records_name_the_device(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queues[8];
  uint32_t count = c->info.device_count < 8 ? c->info.device_count : 8;
  for (uint32_t d = 0; d < count; d++) {
    aq_packet packet = contract_dispatch(kernel, d, true, rig_none);
    queues[d] = queue_on(c, d);
    contract_submit(c, queues[d], &packet);
  }
  contract_settle(c);
  ck_assert_uint_eq(c->rig.sink.device_count, c->info.device_count);
  for (uint32_t d = 0; d < count; d++) {
    const aq_record *row = rig_record(&c->rig, queues[d], 0);
    ck_assert_int_eq(c->rig.sink.devices[row->device].source_id, d);
    ck_assert_int_eq(c->rig.sink.queues[row->queue].device, row->device);
  }
}

static void edges_cross_devices(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  uint32_t last = c->info.device_count - 1;
  aq_signal edge = contract_signal(c, 1), done = contract_signal(c, 1);
  aq_ring *second = queue_on(c, last), *first = queue_on(c, 0);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &edge, 1, rig_none);
  aq_packet after = contract_dispatch(kernel, 2, true, done);
  aq_packet before = contract_dispatch(kernel, 1, true, edge);
  contract_submit(c, second, &barrier);
  contract_submit(c, second, &after);
  contract_submit(c, first, &before);
  contract_wait_zero(c, done);
  contract_check_ran(c, "1 2");
}

/* Device memory may not be the host's to touch: bytes go there by copies. */
static void copies_go_between_all_memories(contract *c)
{
  uint32_t devices = c->info.device_count;
  for (uint32_t from = 0; from < devices; from++)
    for (uint32_t to = 0; to < devices; to++) {
      void *host, *back, *a, *b;
      const struct {
        void **memory;
        uint32_t device;
        aq_memory_kind kind;
      } wanted[] = {{&host, from, AQ_MEMORY_HOST},
                    {&back, to, AQ_MEMORY_HOST},
                    {&a, from, AQ_MEMORY_DEVICE},
                    {&b, to, AQ_MEMORY_DEVICE}};
      for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_status(c->ops->mem_alloc(c->t, wanted[i].device,
                                           wanted[i].kind, BYTES,
                                           wanted[i].memory, &c->rig.diag),
                         AQ_OK, &c->rig.diag);
      memset(host, (int)(1 + from * devices + to), BYTES);
      memset(back, 0, BYTES);
      void *const way[] = {host, a, b, back};
      for (int i = 0; i < 3; i++) {
        aq_signal done = contract_signal(c, 1);
        ck_assert_status(c->ops->copy_async(c->t, i == 0 ? from : to,
                                            way[i + 1], way[i], BYTES, NULL, 0,
                                            done, &c->rig.diag),
                         AQ_OK, &c->rig.diag);
        contract_wait_zero(c, done);
      }
      ck_assert_int_eq(memcmp(host, back, BYTES), 0);
    }
}

/* Memory of the host that devices reach. */
static void *host_memory(contract *c, size_t size)
{
  void *made;
  ck_assert_status(
      c->ops->mem_alloc(c->t, 0, AQ_MEMORY_HOST, size, &made, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  return memset(made, 0, size);
}

static void copies_with_known_places_do_the_same(contract *c)
{
  char *from = host_memory(c, BYTES), *to = host_memory(c, BYTES);
  uint32_t last = c->info.device_count - 1;
  strcpy(from, "payload");
  aq_signal first = contract_signal(c, 1), done = contract_signal(c, 1);
  aq_copy_desc copy =
      aq_copy_by_address(last, to, from, BYTES, &first, 1, done);
  copy.to_device = copy.from_device = AQ_DEVICE_HOST;
  ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  contract_settle(c);
  ck_assert_str_eq(to, "");
  contract_store(c, first, 0);
  contract_wait_zero(c, done);
  ck_assert_str_eq(to, "payload");
}

enum { BOX_WIDTH = 8, BOX_ROWS = 3, BOX_SLICES = 2, BOX_BYTES = 256 };

static const aq_copy_box box = {.width = BOX_WIDTH,
                                .rows = BOX_ROWS,
                                .slices = BOX_SLICES,
                                .to = {32, 128},
                                .from = {16, 64}};

static void rows_are_copied_and_nothing_between(contract *c)
{
  unsigned char *from = host_memory(c, BOX_BYTES),
                *to = host_memory(c, BOX_BYTES), expected[BOX_BYTES];
  for (int i = 0; i < BOX_BYTES; i++) {
    from[i] = (unsigned char)(i + 1);
    to[i] = expected[i] = 0xee;
  }
  for (int z = 0; z < BOX_SLICES; z++)
    for (int y = 0; y < BOX_ROWS; y++)
      memcpy(expected + z * 128 + y * 32, from + z * 64 + y * 16, BOX_WIDTH);
  aq_signal done = contract_signal(c, 2);
  aq_copy_desc copy = aq_copy_by_address(
      0, to, from, BOX_WIDTH * BOX_ROWS * BOX_SLICES, NULL, 0, done);
  copy.box = &box;
  ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  const aq_wait_item moved = {done, AQ_LT, 2};
  ck_assert_status(contract_wait(c, &moved, 1, AQ_WAIT_ALL,
                                 contract_can(c, AQ_CAP_VIRTUAL_TIME)
                                     ? AQ_TIME_MAX
                                     : c->ops->now(c->t) + 5 * AQ_S,
                                 NULL),
                   AQ_OK, &c->rig.diag);
  contract_settle(c);
  ck_assert_int_eq(c->ops->signal_load(c->t, done, AQ_ACQUIRE), 1);
  ck_assert_int_eq(memcmp(to, expected, BOX_BYTES), 0);
}

static void rows_of_another_size_are_refused(contract *c)
{
  char bytes[8] = "";
  aq_copy_desc copy =
      aq_copy_by_address(0, bytes, bytes, 1, NULL, 0, contract_signal(c, 1));
  copy.box = &box;
  ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag),
                   AQ_ERR_INVALID, &c->rig.diag);
}

static void engines_are_those_of_info(contract *c)
{
  char *from = host_memory(c, 8), *to = host_memory(c, 8);
  for (uint32_t d = 0; d < c->info.device_count; d++) {
    const aq_device_info *device = &c->info.devices[d];
    uint32_t count = device->copy_engines + device->copy_engines_peer;
    ck_assert_uint_eq(c->ops->copy_engines_idle(c->t, d),
                      (UINT64_C(1) << count) - 1);
    aq_signal done = contract_signal(c, count);
    aq_copy_desc copy = aq_copy_by_address(d, to, from, 8, NULL, 0, done);
    for (copy.engine = 0; copy.engine < count; copy.engine++)
      ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag), AQ_OK,
                       &c->rig.diag);
    ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag),
                     AQ_ERR_INVALID, &c->rig.diag);
    contract_wait_zero(c, done);
  }
  ck_assert_uint_eq(c->ops->copy_engines_idle(c->t, c->info.device_count), 0);
}

static void places_that_are_not_there_are_refused(contract *c)
{
  char bytes[8] = "";
  aq_copy_desc copy =
      aq_copy_by_address(0, bytes, bytes + 4, 4, NULL, 0, rig_none);
  uint32_t *const places[] = {&copy.device, &copy.to_device, &copy.from_device};
  for (int i = 0; i < 3; i++) {
    uint32_t before = *places[i];
    *places[i] = c->info.device_count;
    ck_assert_status(c->ops->copy_submit(c->t, &copy, &c->rig.diag),
                     AQ_ERR_INVALID, &c->rig.diag);
    *places[i] = before;
  }
}

static void links_join_agents_once(contract *c)
{
  for (uint32_t i = 0; i < c->info.link_count; i++) {
    const aq_link_info *link = &c->info.links[i];
    ck_assert_uint_lt(link->a, c->info.device_count);
    ck_assert(link->b == AQ_DEVICE_HOST ||
              (link->b < c->info.device_count && link->a < link->b));
    ck_assert_uint_ge(link->hops, 1);
    for (uint32_t j = 0; j < i; j++)
      ck_assert(c->info.links[j].a != link->a || c->info.links[j].b != link->b);
  }
}

static void uuids_differ(contract *c)
{
  for (uint32_t i = 0; i < c->info.device_count; i++)
    for (uint32_t j = 0; j < i; j++)
      if (c->info.devices[i].uuid && c->info.devices[j].uuid)
        ck_assert_str_ne(c->info.devices[i].uuid, c->info.devices[j].uuid);
}

const contract_case contract_devices[] = {
    {"each device runs the packets of its queues", NULL, AQ_CAP_HOST_KERNELS,
     each_device_runs_packets},
    {"records name the device", NULL, AQ_CAP_RECORDS | AQ_CAP_HOST_KERNELS,
     records_name_the_device},
    {"a packet waits for one of another device", NULL, AQ_CAP_HOST_KERNELS,
     edges_cross_devices},
    {"copies go between the memories of all devices", "75", AQ_CAP_COPY,
     copies_go_between_all_memories},
    {"a copy whose places are known does what another does", "75", AQ_CAP_COPY,
     copies_with_known_places_do_the_same},
    {"a copy of rows moves them, nothing between, and decrements once", "75",
     AQ_CAP_COPY, rows_are_copied_and_nothing_between},
    {"a copy of rows that are not its size is refused", NULL, AQ_CAP_COPY,
     rows_of_another_size_are_refused},
    {"each copy engine of info copies, and no other is there", NULL,
     AQ_CAP_COPY, engines_are_those_of_info},
    {"a copy of devices that are not there is refused", NULL, AQ_CAP_COPY,
     places_that_are_not_there_are_refused},
    {"links join existing agents, once", NULL, 0, links_join_agents_once},
    {"UUIDs of devices differ", NULL, 0, uuids_differ},
    {NULL}};
