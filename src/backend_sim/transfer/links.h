/* SPDX-License-Identifier: MIT */
/*
 * Links: how the host and the devices of a transport reach each other's
 * memory (doc/topology.md).
 *
 * The memory of a device is a direction of its own: whatever reads or writes it
 * passes it.
 *
 * Each link has two directions, which are independent. Devices are connected
 * to the host each, and to their neighbours by xGMI: with `peer_links` = N,
 * devices 0 to N are neighbours of each other, then N+1 to 2N+1, and so on. All
 * others reach each other over their links to the host. Made once; read only
 * afterwards.
 */
#ifndef AQSIM_LINKS_H
#define AQSIM_LINKS_H

#include "backend_sim/model/device_set.h"
#include "common/transport.h"

enum {
  /* Directions of links that a copy may use: from a third device to a fourth
   * over the host, twice; and two memories. */
  AQSIM_ROUTE_MAX = 6,
};

/* The links and memories that the bytes of a copy pass. */
typedef struct aqsim_route {
  uint32_t directions[AQSIM_ROUTE_MAX];
  uint32_t count;
  aq_time latency;
} aqsim_route;

typedef struct aqsim_links {
  uint32_t devices;
  uint32_t direction_count;
  int64_t *bandwidth; /* of each direction, bytes a second */
  aq_time *latency;
  aq_link_info *infos;
  uint32_t info_count;
} aqsim_links;

aq_status aqsim_links_init(aqsim_links *links, const aqsim_device_set *set,
                           aq_diag *diag);
void aqsim_links_fini(aqsim_links *links);

/* Adds the memory of a device; the host's is without limit. */
void aqsim_links_memory(const aqsim_links *links, uint32_t device,
                        aqsim_route *route);

/* Adds what bytes pass from the memory of `from` to that of `to`, ordinals or
 * AQ_DEVICE_HOST; nothing within one memory. */
void aqsim_links_route(const aqsim_links *links, uint32_t from, uint32_t to,
                       aqsim_route *route);

#endif
