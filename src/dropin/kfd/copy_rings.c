/* SPDX-License-Identifier: MIT */
/*
 * Queues of copy engines (SDMA): rings of the client's, which the simulator's
 * engines read (backend_sim/sdma). Each device has as many as its model has
 * engines, times rings of an engine; a new one gets the lowest place that is
 * free, and places go round the engines, as with the kernel's driver.
 *
 * A packet that stops a ring is a line for people, and the event of hardware
 * exceptions; its fault in memory is the memory event, as of a kernel.
 */
#include "config.h"

#include "dropin/kfd/kfd_priv.h"

/* The lowest place that no ring of the device's engines of that kind has. */
static uint32_t place_find(const aqkfd_process *process,
                           const aqkfd_queue *queue)
{
  bool taken[AQKFD_QUEUES] = {false}; /* one is left for this queue */
  uint32_t place = 0;
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++) {
    const aqkfd_queue *q = process->queues[i];
    if (q && q->copies && q->device == queue->device &&
        q->peers == queue->peers)
      taken[q->place] = true;
  }
  while (taken[place])
    place++;
  return place;
}

int aqkfd_copy_ring_open(aqkfd_process *process, aqkfd_queue *queue,
                         const aqkfd_create_queue_args *args)
{
  aqkfd *driver = queue->driver;
  const aqsim_model *model = driver->models.models[queue->device];
  aq_diag diag = AQ_DIAG_INIT;
  queue->peers = args->queue_type == AQKFD_QUEUE_SDMA_XGMI;
  queue->place = place_find(process, queue);
  const uint32_t own = (uint32_t)model->copy_engines,
                 engines =
                     queue->peers ? (uint32_t)model->copy_engines_peer : own;
  if (queue->place >= engines * (uint64_t)model->copy_rings) {
    aqkfd_line(driver,
               "the driver makes no ring of a copy engine%s: device %s has %u "
               "with %u each%s",
               queue->peers ? " for other devices" : "", model->name, engines,
               (uint32_t)model->copy_rings,
               engines ? ", and all are taken" : "");
    return -ENOMEM;
  }
  const aqsim_sdma_desc desc = {
      .device = queue->device,
      .engine = (queue->peers ? own : 0) + queue->place % engines,
      .words = (uint32_t *)(uintptr_t)args->ring_base_address,
      .size = args->ring_size,
      .read_index = (uint64_t *)(uintptr_t)args->read_pointer_address,
      .doorbell = &process->doorbell_pages[queue->device][queue->doorbell]};
  const aq_status status =
      aqsim_live_sdma_create(driver->transport, &desc, &queue->copies, &diag);
  if (status == AQ_OK)
    return 0;
  aqkfd_line(driver, "the driver makes no queue: %s", diag.text);
  return status == AQ_ERR_NO_MEMORY ? -ENOMEM : -EINVAL;
}
