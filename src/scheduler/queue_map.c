/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "scheduler/queue_map.h"

#include <assert.h>
#include <stdlib.h>

#include "common/map.h"

typedef struct device_map {
  aq_map streams; /* stream → queue */
  uint32_t queues;
} device_map;

struct aq_queue_map {
  uint32_t device_count;
  device_map devices[];
};

aq_status aq_queue_map_create(uint32_t device_count, aq_queue_map **out,
                              aq_diag *diag)
{
  aq_queue_map *map =
      calloc(1, sizeof *map + device_count * sizeof *map->devices);
  if (!map)
    return aq_diag_no_memory(diag);
  map->device_count = device_count;
  for (uint32_t i = 0; i < device_count; i++)
    map->devices[i].queues = 1;
  *out = map;
  return AQ_OK;
}

void aq_queue_map_destroy(aq_queue_map *map)
{
  if (!map)
    return;
  for (uint32_t i = 0; i < map->device_count; i++)
    aq_map_fini(&map->devices[i].streams);
  free(map);
}

void aq_queue_map_limit(aq_queue_map *map, uint32_t device, uint32_t queues)
{
  assert(device < map->device_count && queues > 0);
  map->devices[device].queues = queues;
}

aq_status aq_queue_map_find(aq_queue_map *map, uint32_t device, int64_t stream,
                            uint32_t *queue, aq_diag *diag)
{
  assert(device < map->device_count);
  device_map *on = &map->devices[device];
  uint64_t found;
  if (!aq_map_get(&on->streams, (uint64_t)stream, &found)) {
    found = on->streams.count % on->queues;
    if (!aq_map_put(&on->streams, (uint64_t)stream, found))
      return aq_diag_no_memory(diag);
  }
  *queue = (uint32_t)found;
  return AQ_OK;
}
