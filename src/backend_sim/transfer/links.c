/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/transfer/links.h"

#include <stdlib.h>

/* ---- directions, by number ---- */

static uint32_t from_host(uint32_t device)
{
  return 2 * device;
}

static uint32_t to_host(uint32_t device)
{
  return 2 * device + 1;
}

/* Bandwidth 0: there is no such link. */
static uint32_t between(const aqsim_links *links, uint32_t from, uint32_t to)
{
  return 2 * links->devices + from * links->devices + to;
}

static uint32_t memory_of(const aqsim_links *links, uint32_t device)
{
  return 2 * links->devices + links->devices * links->devices + device;
}

static void direction_add(const aqsim_links *links, uint32_t direction,
                          aqsim_route *route)
{
  route->directions[route->count++] = direction;
  route->latency += links->latency[direction];
}

void aqsim_links_memory(const aqsim_links *links, uint32_t device,
                        aqsim_route *route)
{
  if (device != AQ_DEVICE_HOST)
    direction_add(links, memory_of(links, device), route);
}

void aqsim_links_route(const aqsim_links *links, uint32_t from, uint32_t to,
                       aqsim_route *route)
{
  if (from == to)
    return;
  if (from != AQ_DEVICE_HOST && to != AQ_DEVICE_HOST &&
      links->bandwidth[between(links, from, to)] > 0) {
    direction_add(links, between(links, from, to), route);
    return;
  }
  if (from != AQ_DEVICE_HOST)
    direction_add(links, to_host(from), route);
  if (to != AQ_DEVICE_HOST)
    direction_add(links, from_host(to), route);
}

/* ---- making ---- */

static void host_link_make(aqsim_links *links, const aqsim_model *model,
                           uint32_t device)
{
  const uint32_t both[] = {from_host(device), to_host(device)};
  for (int i = 0; i < 2; i++) {
    links->bandwidth[both[i]] = model->host_link_bandwidth;
    links->latency[both[i]] = model->host_link_latency;
  }
  links->infos[links->info_count++] =
      (aq_link_info){.a = device,
                     .b = AQ_DEVICE_HOST,
                     .type = (aq_link_type)model->host_link,
                     .hops = 1,
                     .latency = model->host_link_latency,
                     .bandwidth = (uint64_t)model->host_link_bandwidth};
}

static bool are_neighbours(const aqsim_model *a, uint32_t i,
                           const aqsim_model *b, uint32_t j)
{
  uint64_t in_a = (uint64_t)a->peer_links + 1;
  uint64_t in_b = (uint64_t)b->peer_links + 1;
  return i / in_a == j / in_a && i / in_b == j / in_b;
}

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Describes the path between two devices. */
static void peers_describe(aqsim_links *links, const aqsim_device_set *set,
                           uint32_t i, uint32_t j)
{
  aqsim_route route = {.count = 0};
  aqsim_links_route(links, i, j, &route);
  int64_t bandwidth = INT64_MAX;
  for (uint32_t k = 0; k < route.count; k++)
    bandwidth = smaller(bandwidth, links->bandwidth[route.directions[k]]);
  bool pcie = route.count > 1 && (set->models[i]->host_link == AQ_LINK_PCIE ||
                                  set->models[j]->host_link == AQ_LINK_PCIE);
  links->infos[links->info_count++] =
      (aq_link_info){.a = i,
                     .b = j,
                     .type = pcie ? AQ_LINK_PCIE : AQ_LINK_XGMI,
                     .hops = route.count,
                     .latency = route.latency,
                     .bandwidth = (uint64_t)bandwidth};
}

aq_status aqsim_links_init(aqsim_links *links, const aqsim_device_set *set,
                           aq_diag *diag)
{
  uint32_t n = set->count, directions = 2 * n + n * n + n;
  *links = (aqsim_links){
      .devices = n,
      .direction_count = directions,
      .bandwidth = calloc(directions, sizeof *links->bandwidth),
      .latency = calloc(directions, sizeof *links->latency),
      .infos = calloc(n + n * (n - 1) / 2, sizeof *links->infos),
  };
  if (!links->bandwidth || !links->latency || !links->infos)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < n; i++) {
    host_link_make(links, set->models[i], i);
    links->bandwidth[memory_of(links, i)] = set->models[i]->memory_bandwidth;
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++) {
      if (are_neighbours(set->models[i], i, set->models[j], j)) {
        const aqsim_model *a = set->models[i], *b = set->models[j];
        const uint32_t both[] = {between(links, i, j), between(links, j, i)};
        for (int k = 0; k < 2; k++) {
          links->bandwidth[both[k]] =
              smaller(a->peer_link_bandwidth, b->peer_link_bandwidth);
          links->latency[both[k]] =
              aq_time_max(a->peer_link_latency, b->peer_link_latency);
        }
      }
      peers_describe(links, set, i, j);
    }
  return AQ_OK;
}

void aqsim_links_fini(aqsim_links *links)
{
  free(links->bandwidth);
  free(links->latency);
  free(links->infos);
}
