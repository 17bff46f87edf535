/* SPDX-License-Identifier: MIT */
/*
 * A client for the tests of `aqueduct exec`: barrier packets, each waited for.
 * Compiled by the test, linked with the drop-in.
 *
 *   once N   N packets, then the end
 *   leave N  the same without hsa_shut_down, by _exit
 *   twice N  the same with HSA opened twice
 *   fork N   the same, then a child with N + 1 of its own
 *   die N    the same, then SIGKILL
 *   loop     packets until it is killed; tells when the first is done
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/aql.h"
#include "common/ring.h"
#include "dropin/hsa.h"

static hsa_status_t device_note(hsa_agent_t agent, void *data)
{
  uint32_t type = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)data = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_queue_t *queue_open(void)
{
  hsa_agent_t device = {0};
  hsa_queue_t *queue = NULL;
  if (hsa_init() != HSA_STATUS_SUCCESS ||
      hsa_iterate_agents(device_note, &device) != HSA_STATUS_SUCCESS ||
      hsa_queue_create(device, 64, 0, NULL, NULL, UINT32_MAX, UINT32_MAX,
                       &queue) != HSA_STATUS_SUCCESS)
    exit(10);
  return queue;
}

static void packet_run(hsa_queue_t *queue)
{
  hsa_signal_t done;
  if (hsa_signal_create(1, 0, NULL, &done) != HSA_STATUS_SUCCESS)
    exit(11);
  uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  memset(&slot->qword[1], 0, sizeof *slot - sizeof slot->qword[0]);
  slot->barrier.completion_signal = done;
  aq_packet_publish(slot, AQ_PACKET_BARRIER_AND, 0);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  hsa_signal_destroy(done);
}

static void packets_run(int count)
{
  hsa_queue_t *queue = queue_open();
  for (int i = 0; i < count; i++)
    packet_run(queue);
  hsa_queue_destroy(queue);
}

static void loop(void)
{
  hsa_queue_t *queue = queue_open();
  for (bool first = true;; first = false) {
    packet_run(queue);
    if (first) {
      puts("ready");
      fflush(stdout);
    }
    usleep(1000);
  }
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "once";
  int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(how, "loop") == 0)
    loop();
  packets_run(count);
  if (strcmp(how, "leave") == 0)
    _exit(3);
  if (strcmp(how, "die") == 0)
    kill(getpid(), SIGKILL);
  for (int i = 0; strcmp(how, "nested") == 0 && i < 100; i++)
    if (hsa_init() != HSA_STATUS_SUCCESS ||
        hsa_shut_down() != HSA_STATUS_SUCCESS)
      exit(13);
  if (strcmp(how, "twice") == 0) {
    hsa_shut_down();
    packets_run(count);
  }
  if (strcmp(how, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      packets_run(count + 1);
      hsa_shut_down();
      exit(0);
    }
    waitpid(child, NULL, 0);
  }
  return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 12;
}
