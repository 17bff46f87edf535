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
 *   kernel F loads the code object F and dispatches its kernel aq_fill
 *   raw N    packets that wait for a signal and complete another, which are
 *            stored and read without calls: the second is the client's own
 *   box      copies 3 slices of 5 rows of 8 bytes
 *   loop     packets until it is killed; prints a line when the first is done
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
#include "dropin/hsa/base/hsa.h"
#include "gpu/devlib/device_args.h"

static hsa_status_t device_note(hsa_agent_t agent, void *data)
{
  uint32_t type = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)data = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_agent_t device;

static hsa_queue_t *queue_open(void)
{
  hsa_queue_t *queue = NULL;
  if (hsa_init() != HSA_STATUS_SUCCESS ||
      hsa_iterate_agents(device_note, &device) != HSA_STATUS_SUCCESS ||
      hsa_queue_create(device, 64, 0, NULL, NULL, UINT32_MAX, UINT32_MAX,
                       &queue) != HSA_STATUS_SUCCESS)
    exit(10);
  return queue;
}

/* All of a packet but its completion signal, which is made here. */
static void submit_wait(hsa_queue_t *queue, aq_packet packet, uint16_t type)
{
  hsa_signal_t done;
  if (hsa_signal_create(1, 0, NULL, &done) != HSA_STATUS_SUCCESS)
    exit(11);
  uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  const uint16_t setup = packet.setup;
  packet.header = AQ_PACKET_INVALID;
  packet.kernel.completion_signal = done;
  *slot = packet;
  aq_packet_publish(slot, type, setup);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  hsa_signal_destroy(done);
}

static void packet_run(hsa_queue_t *queue)
{
  submit_wait(queue, (aq_packet){0}, AQ_PACKET_BARRIER_AND);
}

static uint64_t kernel_load(const char *path)
{
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t symbol;
  uint64_t object;
  FILE *file = fopen(path, "rb");
  if (!file || hsa_code_object_reader_create_from_file(fileno(file), &reader) ||
      hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &executable) ||
      hsa_executable_load_agent_code_object(executable, device, reader, NULL,
                                            NULL) ||
      hsa_executable_freeze(executable, NULL) ||
      hsa_executable_get_symbol_by_name(executable, "aq_fill.kd", &device,
                                        &symbol) ||
      hsa_executable_symbol_get_info(
          symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object))
    exit(13);
  fclose(file);
  return object;
}

static void kernel_run(const char *path)
{
  hsa_queue_t *queue = queue_open();
  char target[16];
  aq_fill_args args = {target, sizeof target, 1, 1};
  aq_packet packet = {.kernel = {.setup = 1,
                                 .workgroup_size = {AQ_DEVLIB_WORKGROUP, 1, 1},
                                 .grid_size = {AQ_DEVLIB_WORKGROUP, 1, 1},
                                 .kernel_object = kernel_load(path),
                                 .kernarg_address = (uintptr_t)&args}};
  submit_wait(queue, packet, AQ_PACKET_KERNEL_DISPATCH);
  hsa_queue_destroy(queue);
}

static void box_run(void)
{
  static char from[240], to[240];
  hsa_queue_t *queue = queue_open();
  hsa_signal_t done;
  const hsa_pitched_ptr_t source = {from, 16, 80}, target = {to, 16, 80};
  const hsa_dim3_t origin = {0, 0, 0}, range = {8, 5, 3};
  if (hsa_signal_create(1, 0, NULL, &done) != HSA_STATUS_SUCCESS ||
      hsa_amd_memory_async_copy_rect(&target, &origin, &source, &origin, &range,
                                     device, 0, 0, NULL,
                                     done) != HSA_STATUS_SUCCESS)
    exit(14);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  hsa_signal_destroy(done);
  hsa_queue_destroy(queue);
}

static void barrier_submit(hsa_queue_t *queue, hsa_signal_t dependency,
                           hsa_signal_t done)
{
  const uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  aq_packet packet = {.header_setup = 0};
  packet.header = AQ_PACKET_INVALID;
  packet.barrier.dependency[0] = dependency;
  packet.barrier.completion_signal = done;
  *slot = packet;
  aq_packet_publish(slot, AQ_PACKET_BARRIER_AND, 0);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
}

/* A device that waits, then a store that no call makes. */
static void raw_run(int count)
{
  static aq_amd_signal own;
  hsa_queue_t *queue = queue_open();
  hsa_signal_t gate, last;
  own = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER};
  if (hsa_signal_create(1, 0, NULL, &gate) != HSA_STATUS_SUCCESS ||
      hsa_signal_create(1, 0, NULL, &last) != HSA_STATUS_SUCCESS)
    exit(15);
  int64_t *value = &((aq_amd_signal *)(uintptr_t)gate.handle)->value;
  for (int i = 0; i < count; i++) {
    __atomic_store_n(value, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&own.value, 1, __ATOMIC_SEQ_CST);
    barrier_submit(queue, gate, (hsa_signal_t){(uintptr_t)&own});
    usleep(2000);
    __atomic_store_n(value, 0, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&own.value, __ATOMIC_SEQ_CST) != 0)
      usleep(100);
  }
  barrier_submit(queue, (hsa_signal_t){0}, last);
  hsa_signal_wait_scacquire(last, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
  hsa_signal_destroy(last);
  hsa_signal_destroy(gate);
  hsa_queue_destroy(queue);
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
  if (strcmp(how, "kernel") == 0)
    kernel_run(argv[2]);
  else if (strcmp(how, "box") == 0)
    box_run();
  else if (strcmp(how, "raw") == 0)
    raw_run(count);
  else
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
