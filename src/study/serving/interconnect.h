/* SPDX-License-Identifier: MIT */
/*
 * How the devices of servers reach each other, from the links that the
 * transport describes (doc/topology.md). Pure functions.
 */
#ifndef AQ_STUDY_SERVING_INTERCONNECT_H
#define AQ_STUDY_SERVING_INTERCONNECT_H

#include "common/diag.h"
#include "common/time.h"
#include "common/transport.h"

/* Devices that exchange bytes, all pairs at once. */
typedef struct aq_peers {
  uint32_t devices;
  aq_time latency; /* of the longest path */
  double each;     /* ps a byte that goes from one device to another */
} aq_peers;

/* A device alone has nothing to exchange. */
static const aq_peers AQ_ALONE = {.devices = 1};

/* Every device sends to every other one. AQ_ERR_INVALID: the transport does not
 * know a path. */
aq_status aq_peers_find(const aq_transport_info *info, const uint32_t *devices,
                        uint32_t count, aq_peers *out, aq_diag *diag);

/* What one server's devices hold goes to another's, in equal shards; `each` is
 * ps a byte of all. Shards that stay on their device take no time. */
aq_status aq_peers_transfer(const aq_transport_info *info, const uint32_t *from,
                            uint32_t from_count, const uint32_t *to,
                            uint32_t to_count, aq_peers *out, aq_diag *diag);

/* Whether they all stay. */
bool aq_peers_local(const uint32_t *from, uint32_t from_count,
                    const uint32_t *to, uint32_t to_count);

/* Until each of the devices has the sum of `bytes` of all: the sooner one of
 * reading all bytes of every other device, and of adding up a part on each
 * device and reading these sums. In ps. */
double aq_peers_reduce(const aq_peers *peers, double bytes);

#endif
