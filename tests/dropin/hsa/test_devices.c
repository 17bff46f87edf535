/* SPDX-License-Identifier: MIT */
/* Several devices behind the drop-in: agents, links, peers, visible devices. */
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/client.h"

enum { AGENTS = 5, SIZE = 64000 /* 1 us at 64 GB/s */ };

typedef struct site {
  hsa_agent_t host, devices[AGENTS];
  hsa_amd_memory_pool_t pools[AGENTS]; /* coarse, of each device */
  uint32_t count;
} site;

static hsa_status_t pool_note(hsa_amd_memory_pool_t pool, void *data)
{
  *(hsa_amd_memory_pool_t *)data = pool;
  return HSA_STATUS_INFO_BREAK; /* the first is coarse grained */
}

static hsa_status_t agent_note(hsa_agent_t agent, void *data)
{
  site *s = data;
  uint32_t type;
  ck_assert_done(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_CPU) {
    s->host = agent;
    return HSA_STATUS_SUCCESS;
  }
  ck_assert_hsa(
      hsa_amd_agent_iterate_memory_pools(agent, pool_note, &s->pools[s->count]),
      HSA_STATUS_INFO_BREAK);
  s->devices[s->count++] = agent;
  return HSA_STATUS_SUCCESS;
}

static void site_open(site *s, const char *devices, const char *visible)
{
  memset(s, 0, sizeof *s);
  setenv("AQUEDUCT_DEVICE", devices, 1);
  if (visible)
    setenv("ROCR_VISIBLE_DEVICES", visible, 1);
  else
    unsetenv("ROCR_VISIBLE_DEVICES");
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_iterate_agents(agent_note, s));
}

static void site_close(void)
{
  ck_assert_done(hsa_shut_down());
  unsetenv("AQUEDUCT_DEVICE");
  unsetenv("AQUEDUCT_SET");
  unsetenv("ROCR_VISIBLE_DEVICES");
}

static char *memory(const site *s, uint32_t device)
{
  void *address;
  ck_assert_done(
      hsa_amd_memory_pool_allocate(s->pools[device], SIZE, 0, &address));
  return address;
}

static const char *uuid(hsa_agent_t agent)
{
  static char text[2][21];
  static int turn;
  char *out = text[turn ^= 1];
  ck_assert_done(hsa_agent_get_info(agent, HSA_AMD_AGENT_INFO_UUID, out));
  return out;
}

START_TEST(each_device_is_an_agent_of_its_own)
{
  site s;
  setenv("AQUEDUCT_SET", "1:cus=104", 1);
  site_open(&s, "mi300x*3", NULL);
  ck_assert_uint_eq(s.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t cus, node, bdf, engines, peers;
    hsa_agent_t near;
    ck_assert_done(hsa_agent_get_info(
        s.devices[i], HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cus));
    ck_assert_uint_eq(cus, i == 1 ? 104 : 304);
    ck_assert_done(
        hsa_agent_get_info(s.devices[i], HSA_AGENT_INFO_NODE, &node));
    ck_assert_uint_eq(node, i + 1);
    ck_assert_done(
        hsa_agent_get_info(s.devices[i], HSA_AMD_AGENT_INFO_BDFID, &bdf));
    ck_assert_uint_eq(bdf, (i + 1) << 8);
    ck_assert_done(hsa_agent_get_info(
        s.devices[i], HSA_AMD_AGENT_INFO_NUM_SDMA_ENG, &engines));
    ck_assert_done(hsa_agent_get_info(
        s.devices[i], HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG, &peers));
    ck_assert_uint_eq(engines, 2);
    ck_assert_uint_eq(peers, 14);
    ck_assert_done(hsa_agent_get_info(s.devices[i],
                                      HSA_AMD_AGENT_INFO_NEAREST_CPU, &near));
    ck_assert_uint_eq(near.handle, s.host.handle);
    ck_assert_uint_eq(strlen(uuid(s.devices[i])), 20);
  }
  ck_assert_str_ne(uuid(s.devices[0]), uuid(s.devices[1]));
  site_close();
}
END_TEST

/* The order of the list is the order of the agents. */
START_TEST(parts_of_one_instruction_set_have_their_own_memory)
{
  static const struct {
    const char *device;
    size_t gib;
    uint32_t chip;
  } parts[] = {{"r9700", 32, 0x7551},
               {"rx9070xt", 16, 0x7550},
               {"mi300x", 192, 0x74a1},
               {"mi300a", 128, 0x74a0},
               {"mi325x", 256, 0x74a5}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    site s;
    size_t size = 0;
    uint32_t chip = 0;
    site_open(&s, parts[i].device, NULL);
    ck_assert_done(hsa_amd_memory_pool_get_info(
        s.pools[0], HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
    ck_assert_done(
        hsa_agent_get_info(s.devices[0], HSA_AMD_AGENT_INFO_CHIP_ID, &chip));
    ck_assert_msg(size == parts[i].gib << 30 && chip == parts[i].chip,
                  "%s: %zu GiB, chip %#x", parts[i].device, size >> 30, chip);
    site_close();
  }
}
END_TEST

START_TEST(only_visible_devices_are_agents)
{
  static const struct {
    const char *list, *nodes;
  } rows[] = {{"2,0", "31"}, {"", ""}, {"1,7,0", "2"}, {"3,3", "4"}};
  site s;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    site_open(&s, "mi300x*4", rows[i].list);
    ck_assert_uint_eq(s.count, strlen(rows[i].nodes));
    for (uint32_t j = 0; j < s.count; j++) {
      uint32_t node;
      ck_assert_done(
          hsa_agent_get_info(s.devices[j], HSA_AGENT_INFO_NODE, &node));
      ck_assert_uint_eq(node, (uint32_t)(rows[i].nodes[j] - '0'));
    }
    site_close();
  }
  char name[21];
  site_open(&s, "mi300x*4", NULL);
  strcpy(name, uuid(s.devices[2]));
  site_close();
  site_open(&s, "mi300x*4", name);
  ck_assert_uint_eq(s.count, 1);
  ck_assert_str_eq(uuid(s.devices[0]), name);
  site_close();
}
END_TEST

START_TEST(links_are_those_of_the_model)
{
  site s;
  uint32_t hops;
  hsa_amd_memory_pool_link_info_t link[2];
  setenv("AQUEDUCT_SET", "peer_links=1;peer_link_bandwidth=50 GB/s", 1);
  site_open(&s, "mi300x*3", NULL);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      s.devices[0], s.pools[1], HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
      &hops));
  ck_assert_uint_eq(hops, 1);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      s.devices[0], s.pools[1], HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
      link));
  ck_assert_uint_eq(link[0].link_type, 4); /* xGMI */
  ck_assert_uint_eq(link[0].max_bandwidth, 50000);
  ck_assert_uint_eq(link[0].min_latency, 700);
  ck_assert_uint_eq(link[0].numa_distance, 15);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      s.devices[2], s.pools[1], HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
      &hops));
  ck_assert_uint_eq(hops, 2);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      s.devices[2], s.pools[1], HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
      link));
  for (int i = 0; i < 2; i++) {
    ck_assert_uint_eq(link[i].link_type, 2); /* PCIe */
    ck_assert_uint_eq(link[i].max_bandwidth, 64000);
    ck_assert_uint_eq(link[i].numa_distance, 40);
  }
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      s.devices[1], s.pools[1], HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
      &hops));
  ck_assert_uint_eq(hops, 0);
  site_close();
}
END_TEST

/* Copies and returns its time on the engine, ns. */
static uint64_t copy(hsa_agent_t to_agent, char *to, hsa_agent_t from_agent,
                     const char *from, uint32_t engine)
{
  hsa_amd_profiling_async_copy_time_t time;
  hsa_signal_t done = client_signal(1);
  if (engine)
    ck_assert_done(hsa_amd_memory_async_copy_on_engine(
        to, to_agent, from, from_agent, SIZE, 0, NULL, done, engine, false));
  else
    ck_assert_done(hsa_amd_memory_async_copy(to, to_agent, from, from_agent,
                                             SIZE, 0, NULL, done));
  client_wait_zero(done);
  ck_assert_done(hsa_amd_profiling_get_async_copy_time(done, &time));
  ck_assert_done(hsa_signal_destroy(done));
  return time.end - time.start;
}

START_TEST(peers_copy_over_their_own_link)
{
  site s;
  setenv("AQUEDUCT_SET", "peer_link_bandwidth=16 GB/s", 1);
  site_open(&s, "mi300x*2", NULL);
  ck_assert_done(hsa_amd_profiling_async_copy_enable(true));
  char *a = memory(&s, 0), *b = memory(&s, 1);
  static char host[SIZE];
  strcpy(host, "there and back");
  ck_assert_uint_eq(copy(s.devices[0], a, s.host, host, 0), 1000);
  ck_assert_uint_eq(copy(s.devices[1], b, s.devices[0], a, 0), 4000);
  ck_assert_str_eq(b, "there and back");
  memset(a, 0, SIZE);
  ck_assert_uint_eq(copy(s.devices[0], a, s.devices[1], b, 1 << 9), 4000);
  ck_assert_str_eq(a, "there and back");
  ck_assert_uint_eq(copy(s.devices[0], a + 1, s.devices[0], a, 0), 1000);
  hsa_signal_t done = client_signal(1);
  ck_assert_hsa(hsa_amd_memory_async_copy_on_engine(a, s.devices[0], b,
                                                    s.devices[1], SIZE, 0, NULL,
                                                    done, 1 << 16, false),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_signal_destroy(done));
  site_close();
}
END_TEST

START_TEST(engines_are_told_by_path)
{
  site s;
  uint32_t mask;
  site_open(&s, "mi300x*2", NULL);
  ck_assert_done(
      hsa_amd_memory_copy_engine_status(s.devices[0], s.devices[1], &mask));
  ck_assert_uint_eq(mask, 0xffff);
  ck_assert_done(hsa_amd_memory_get_preferred_copy_engine(s.devices[0],
                                                          s.devices[1], &mask));
  ck_assert_uint_eq(mask, 0xfffc);
  ck_assert_done(
      hsa_amd_memory_get_preferred_copy_engine(s.devices[0], s.host, &mask));
  ck_assert_uint_eq(mask, 3);
  site_close();
}
END_TEST

START_TEST(access_is_allowed_to_the_agents_that_are_named)
{
  site s;
  uint32_t count;
  hsa_agent_t *agents;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  site_open(&s, "mi300x*3", NULL);
  char *a = memory(&s, 0);
  const hsa_agent_t both[] = {s.devices[0], s.devices[2]};
  ck_assert_done(hsa_amd_agents_allow_access(2, both, NULL, a));
  ck_assert_done(hsa_amd_pointer_info(a, &info, malloc, &count, &agents));
  ck_assert_uint_eq(info.owner.handle, s.devices[0].handle);
  ck_assert_uint_eq(count, 2);
  ck_assert_uint_eq(agents[0].handle, s.devices[0].handle);
  ck_assert_uint_eq(agents[1].handle, s.devices[2].handle);
  free(agents);
  site_close();
}
END_TEST

/* Queues belong to their agent, and edges cross devices. */
START_TEST(queues_of_two_devices_depend_on_each_other)
{
  site s;
  site_open(&s, "mi300x*2", NULL);
  client on[2] = {{.device = s.devices[0]}, {.device = s.devices[1]}};
  hsa_queue_t *first = client_queue(&on[0], 64);
  hsa_queue_t *second = client_queue(&on[1], 64);
  hsa_signal_t go = client_signal(1), edge = client_signal(1);
  hsa_signal_t done = client_signal(1);
  const uint16_t header =
      aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_NONE, AQ_SCOPE_NONE);
  aq_packet packet = {.barrier = {.completion_signal = done}};
  packet.barrier.dependency[0] = edge;
  client_submit(second, &packet, header);
  packet = (aq_packet){.barrier = {.completion_signal = edge}};
  packet.barrier.dependency[0] = go;
  client_submit(first, &packet, header);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  hsa_signal_store_screlease(go, 0);
  client_wait_zero(done);
  ck_assert_int_eq(hsa_signal_load_scacquire(edge), 0);
  ck_assert_done(hsa_queue_destroy(first));
  ck_assert_done(hsa_queue_destroy(second));
  site_close();
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/devices", each_device_is_an_agent_of_its_own,
             parts_of_one_instruction_set_have_their_own_memory,
             only_visible_devices_are_agents, links_are_those_of_the_model,
             peers_copy_over_their_own_link, engines_are_told_by_path,
             access_is_allowed_to_the_agents_that_are_named,
             queues_of_two_devices_depend_on_each_other)
