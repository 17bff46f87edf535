/* SPDX-License-Identifier: MIT */
/*
 * Which hardware queue a stream goes to.
 *
 * Streams take the device's queues in turn, in the order in which they are
 * first used, as HIP spreads its streams over GPU_MAX_HW_QUEUES queues; with at
 * least as many queues as streams each has its own. Streams that share a queue
 * run in submission order. One thread at a time.
 */
#ifndef AQ_SCHEDULER_QUEUE_MAP_H
#define AQ_SCHEDULER_QUEUE_MAP_H

#include <stdint.h>

#include "common/diag.h"

typedef struct aq_queue_map aq_queue_map;

/* One hardware queue for all streams of each device. */
aq_status aq_queue_map_create(uint32_t device_count, aq_queue_map **out,
                              aq_diag *diag);
void aq_queue_map_destroy(aq_queue_map *map);

/* Hardware queues that the streams of a device share, at least 1. Streams that
 * are mapped already stay where they are. */
void aq_queue_map_limit(aq_queue_map *map, uint32_t device, uint32_t queues);

/* The queue of a stream within its device: 0, 1, 2… in order of first use. */
aq_status aq_queue_map_find(aq_queue_map *map, uint32_t device, int64_t stream,
                            uint32_t *queue, aq_diag *diag);

#endif
