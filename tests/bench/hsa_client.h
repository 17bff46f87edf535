/* SPDX-License-Identifier: MIT */
/*
 * What benchmarks of the drop-in share: a client that submits barrier packets
 * through HSA. An error ends the program.
 */
#ifndef AQ_TESTS_BENCH_HSA_CLIENT_H
#define AQ_TESTS_BENCH_HSA_CLIENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/aql.h"
#include "common/ring.h"
#include "dropin/hsa/base/hsa.h"

static inline void client_check(hsa_status_t status)
{
  if (status == HSA_STATUS_SUCCESS)
    return;
  fprintf(stderr, "bench: an HSA call returned %#x\n", status);
  exit(1);
}

static hsa_status_t client_agent_note(hsa_agent_t agent, void *data)
{
  uint32_t type;
  client_check(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)data = agent;
  return HSA_STATUS_SUCCESS;
}

static inline hsa_queue_t *client_queue(uint32_t size)
{
  hsa_agent_t device = {0};
  hsa_queue_t *queue;
  client_check(hsa_iterate_agents(client_agent_note, &device));
  client_check(hsa_queue_create(device, size, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
                                UINT32_MAX, UINT32_MAX, &queue));
  return queue;
}

/* A barrier packet and its doorbell; there is room. */
static inline void client_submit(const hsa_queue_t *queue, hsa_signal_t done)
{
  const uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  memset((char *)slot + sizeof slot->header_setup, 0,
         sizeof *slot - sizeof slot->header_setup);
  slot->barrier.completion_signal = done;
  aq_packet_publish(slot,
                    aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                                     AQ_SCOPE_SYSTEM),
                    0);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
}

#endif
