/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/interconnect.h"

static const aq_link_info *link_find(const aq_transport_info *info, uint32_t a,
                                     uint32_t b)
{
  for (uint32_t i = 0; i < info->link_count; i++) {
    const aq_link_info *link = &info->links[i];
    if ((link->a == a && link->b == b) || (link->a == b && link->b == a))
      return link;
  }
  return NULL;
}

/* `shares`: transfers that have the path's slowest link to themselves or
 * together. */
static aq_status path_take(const aq_transport_info *info, uint32_t a,
                           uint32_t b, double shares, aq_peers *out,
                           aq_diag *diag)
{
  const aq_link_info *link = link_find(info, a, b);
  if (!link || link->bandwidth == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "servers exchange bytes between devices %u and %u, but "
                       "this transport does not know their link",
                       a, b);
  const double each = shares * (double)AQ_S / (double)link->bandwidth;
  out->latency = aq_time_max(out->latency, link->latency);
  out->each = each > out->each ? each : out->each;
  return AQ_OK;
}

/* Other devices that this one reaches over the host: they share its link. */
static uint32_t far_count(const aq_transport_info *info,
                          const uint32_t *devices, uint32_t count, uint32_t a)
{
  uint32_t far = 0;
  for (uint32_t i = 0; i < count; i++) {
    const aq_link_info *link =
        devices[i] == a ? NULL : link_find(info, a, devices[i]);
    far += link && link->hops > 1;
  }
  return far;
}

static double shares_of(const aq_transport_info *info, uint32_t a, uint32_t b,
                        uint32_t far)
{
  const aq_link_info *link = link_find(info, a, b);
  return link && link->hops > 1 && far > 1 ? far : 1;
}

aq_status aq_peers_find(const aq_transport_info *info, const uint32_t *devices,
                        uint32_t count, aq_peers *out, aq_diag *diag)
{
  aq_status status = AQ_OK;
  *out = (aq_peers){.devices = count};
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t far = far_count(info, devices, count, devices[i]);
    for (uint32_t k = 0; k < count && status == AQ_OK; k++)
      if (k != i)
        status =
            path_take(info, devices[i], devices[k],
                      shares_of(info, devices[i], devices[k], far), out, diag);
  }
  return status;
}

/* As many shards as the larger server has devices. */
typedef struct shards {
  const uint32_t *from, *to;
  uint32_t from_count, to_count, count;
} shards;

static shards shards_of(const uint32_t *from, uint32_t from_count,
                        const uint32_t *to, uint32_t to_count)
{
  return (shards){from, to, from_count, to_count,
                  from_count > to_count ? from_count : to_count};
}

static uint32_t shard_from(const shards *s, uint32_t i)
{
  return s->from[i * s->from_count / s->count];
}

static uint32_t shard_to(const shards *s, uint32_t i)
{
  return s->to[i * s->to_count / s->count];
}

/* Shards that leave, or come to, the same device over the host. */
static uint32_t shard_far(const aq_transport_info *info, const shards *s,
                          uint32_t at)
{
  uint32_t leave = 0, come = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const aq_link_info *link =
        link_find(info, shard_from(s, i), shard_to(s, i));
    if (!link || link->hops < 2)
      continue;
    leave += shard_from(s, i) == shard_from(s, at);
    come += shard_to(s, i) == shard_to(s, at);
  }
  return leave > come ? leave : come;
}

aq_status aq_peers_transfer(const aq_transport_info *info, const uint32_t *from,
                            uint32_t from_count, const uint32_t *to,
                            uint32_t to_count, aq_peers *out, aq_diag *diag)
{
  const shards s = shards_of(from, from_count, to, to_count);
  aq_status status = AQ_OK;
  *out = (aq_peers){.devices = s.count};
  for (uint32_t i = 0; i < s.count && status == AQ_OK; i++) {
    const uint32_t a = shard_from(&s, i), b = shard_to(&s, i);
    if (a != b)
      status = path_take(
          info, a, b, shares_of(info, a, b, shard_far(info, &s, i)) / s.count,
          out, diag);
  }
  return status;
}

bool aq_peers_local(const uint32_t *from, uint32_t from_count,
                    const uint32_t *to, uint32_t to_count)
{
  const shards s = shards_of(from, from_count, to, to_count);
  for (uint32_t i = 0; i < s.count; i++)
    if (shard_from(&s, i) != shard_to(&s, i))
      return false;
  return true;
}

double aq_peers_reduce(const aq_peers *peers, double bytes)
{
  const double latency = (double)peers->latency;
  const double once = latency + bytes * peers->each;
  const double twice = 2 * (latency + bytes / peers->devices * peers->each);
  return once < twice ? once : twice;
}
