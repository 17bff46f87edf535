/* SPDX-License-Identifier: MIT */
#include "dropin/hsa/client.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/ring.h"

enum { PATIENCE_S = 120 };

static hsa_status_t agent_note(hsa_agent_t agent, void *data)
{
  client *c = data;
  uint32_t type;
  ck_assert_done(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_CPU)
    c->host = agent;
  else
    c->device = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t host_pool_note(hsa_amd_memory_pool_t pool, void *data)
{
  client *c = data;
  uint32_t flags;
  ck_assert_done(hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
    c->host_kernarg = pool;
  else if (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED)
    c->host_fine = pool;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t device_pool_note(hsa_amd_memory_pool_t pool, void *data)
{
  client *c = data;
  uint32_t flags, segment;
  ck_assert_done(hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  ck_assert_done(hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment != HSA_REGION_SEGMENT_GLOBAL)
    return HSA_STATUS_SUCCESS;
  if (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED)
    c->device_fine = pool;
  else
    c->device_coarse = pool;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t region_note(hsa_region_t region, void *data)
{
  client *c = data;
  uint32_t flags;
  ck_assert_done(
      hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  if (flags != HSA_REGION_GLOBAL_FLAG_FINE_GRAINED)
    return HSA_STATUS_SUCCESS;
  c->region = region;
  return HSA_STATUS_INFO_BREAK;
}

void client_open(client *c)
{
  *c = (client){0};
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_iterate_agents(agent_note, c));
  ck_assert_uint_ne(c->host.handle, 0);
  ck_assert_uint_ne(c->device.handle, 0);
  ck_assert_done(
      hsa_amd_agent_iterate_memory_pools(c->host, host_pool_note, c));
  ck_assert_done(
      hsa_amd_agent_iterate_memory_pools(c->device, device_pool_note, c));
  ck_assert_hsa(hsa_agent_iterate_regions(c->host, region_note, c),
                HSA_STATUS_INFO_BREAK);
}

hsa_signal_t client_signal(int64_t value)
{
  hsa_signal_t signal;
  ck_assert_done(hsa_signal_create(value, 0, NULL, &signal));
  return signal;
}

void client_wait_zero(hsa_signal_t signal)
{
  const uint64_t minute = UINT64_C(60000000000);
  ck_assert_int_eq(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0,
                                             minute, HSA_WAIT_STATE_BLOCKED),
                   0);
}

hsa_queue_t *client_queue(const client *c, uint32_t size)
{
  hsa_queue_t *queue;
  ck_assert_done(hsa_queue_create(c->device, size, HSA_QUEUE_TYPE_MULTI, NULL,
                                  NULL, UINT32_MAX, UINT32_MAX, &queue));
  return queue;
}

uint64_t client_submit(hsa_queue_t *queue, const aq_packet *packet,
                       uint16_t header)
{
  uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  for (int i = 1; i < 8; i++)
    slot->qword[i] = packet->qword[i];
  slot->kernel.workgroup_size[0] = packet->kernel.workgroup_size[0];
  slot->kernel.workgroup_size[1] = packet->kernel.workgroup_size[1];
  aq_packet_publish(slot, header, packet->setup);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
  return id;
}

client_fault client_queue_fault(hsa_queue_t *queue)
{
  client_fault fault = {true, 1, 1};
  ck_assert_done(hsa_amd_queue_get_info(
      queue, HSA_AMD_QUEUE_INFO_VM_FAULT_STATUS, &fault.faulted));
  ck_assert_done(hsa_amd_queue_get_info(
      queue, HSA_AMD_QUEUE_INFO_VM_FAULT_REASON, &fault.reasons));
  ck_assert_done(hsa_amd_queue_get_info(
      queue, HSA_AMD_QUEUE_INFO_VM_FAULT_ADDRESS, &fault.address));
  return fault;
}

int client_child(void (*body)(void))
{
  int status;
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE_S);
    body();
    sleep(PATIENCE_S); /* the exit may be under way */
    exit(99);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}
