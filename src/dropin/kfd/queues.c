/* SPDX-License-Identifier: MIT */
/*
 * Queues of copy engines share the calls and the table; their rings are in
 * copy_rings.c. The rest is about AQL.
 *
 * Queues of AQL packets: a ring and indices of the client's, with a packet
 * processor of the simulator. The indices lie in an amd_queue_t, which the
 * client's runtime made; a client that keeps them elsewhere gets one of ours
 * behind the kernels' queue pointer.
 *
 * A queue that a packet stops reports it as the packet processor of a GPU
 * does: by the value of the inactive signal, and its interrupt. An exception of
 * a wave goes to the queue's word of exceptions where the runtime has enabled
 * that.
 *
 * The simulator reports on a thread without locks, and waits for it a second at
 * most when the queue is destroyed (live.h). So a report may come late: it
 * finds its queue's memory, which stays until the driver goes, and by the
 * number of the ring, which no second one has, whether it is that queue still.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "backend_sim/live/live.h"
#include "dropin/kfd/kfd_priv.h"

enum {
  MASK_BITS = 32,
  PERCENTAGE_MASK = 0xff,
  PRIORITY_NORMAL = 7, /* of 0 to 15 */
  DOORBELL_WORDS = AQKFD_DOORBELLS / 8,
};

/* ---- errors ---- */

static void signal_raise(aqkfd_process *process, aq_signal handle,
                         int64_t value)
{
  aq_amd_signal *signal = (void *)(uintptr_t)handle.handle;
  if (!signal || !aqkfd_reaches(handle.handle, sizeof *signal, true))
    return;
  __atomic_store_n(&signal->value, value, __ATOMIC_SEQ_CST);
  if (signal->mailbox &&
      aqkfd_reaches(signal->mailbox, sizeof(uint64_t), true)) {
    __atomic_store_n((uint64_t *)(uintptr_t)signal->mailbox, signal->event_id,
                     __ATOMIC_RELEASE);
    aqkfd_event_interrupt(process, signal->event_id);
  }
}

/* The bit of a queue's word of exceptions for a wave's, or 0: no wave's. */
static int64_t exception_of(uint32_t reason)
{
  enum { TRAP = 2, ILLEGAL = 4, APERTURE = 6 }; /* numbered from 1 */
  return reason & 0x20000000   ? INT64_C(1) << (APERTURE - 1)
         : reason & 0x40000000 ? INT64_C(1) << (ILLEGAL - 1)
         : reason & 0x80000000 ? INT64_C(1) << (TRAP - 1)
                               : 0;
}

/* False: the client has no such word. */
static bool exception_raise(aqkfd_queue *queue, int64_t bits)
{
  const aqkfd_save_header *header = (void *)(uintptr_t)queue->save_area;
  if (!bits || !__atomic_load_n(&queue->process->runtime, __ATOMIC_RELAXED) ||
      !header || !aqkfd_reaches(queue->save_area, sizeof *header, false) ||
      !header->error || !aqkfd_reaches(header->error, sizeof bits, true))
    return false;
  __atomic_fetch_or((int64_t *)(uintptr_t)header->error, bits,
                    __ATOMIC_SEQ_CST);
  aqkfd_event_interrupt(queue->process, header->error_event);
  return true;
}

/* The driver is locked: the queue is not destroyed meanwhile. */
static void error_raise(aqkfd_queue *queue, uint32_t reason)
{
  if (!exception_raise(queue, exception_of(reason)) &&
      aqkfd_reaches((uintptr_t)queue->abi, sizeof *queue->abi, false))
    signal_raise(queue->process, queue->abi->inactive_signal, reason);
}

/* On a thread that holds no lock. */
static void error_notify(const aq_queue_error *error, void *user)
{
  aqkfd_queue *queue = user;
  aqkfd *driver = queue->driver;
  aqkfd_line(driver, "%s", error->text);
  pthread_mutex_lock(&driver->lock);
  if (queue->process && queue->number == error->queue)
    error_raise(queue, error->reason);
  pthread_mutex_unlock(&driver->lock);
}

/* ---- life ---- */

/* One of the driver's, or a new one, that begins as given; NULL: out of memory.
 */
static aqkfd_queue *queue_take(const aqkfd_queue *as)
{
  aqkfd *driver = as->driver;
  pthread_mutex_lock(&driver->lock);
  aqkfd_queue *queue = driver->queues_free;
  if (queue)
    driver->queues_free = queue->next_free;
  else
    queue = aligned_alloc(64, (sizeof *queue + 63) & ~(size_t)63);
  if (queue)
    *queue = *as;
  pthread_mutex_unlock(&driver->lock);
  return queue;
}

/* No process has it any more; a late report may still look at it. */
static void queue_drop(aqkfd_queue *queue)
{
  aqkfd *driver = queue->driver;
  pthread_mutex_lock(&driver->lock);
  queue->process = NULL;
  queue->next_free = driver->queues_free;
  driver->queues_free = queue;
  pthread_mutex_unlock(&driver->lock);
}

void aqkfd_queues_release(aqkfd *driver)
{
  while (driver->queues_free) {
    aqkfd_queue *queue = driver->queues_free;
    driver->queues_free = queue->next_free;
    free(queue);
  }
}

static aqkfd_queue *queue_find(const aqkfd_process *process, uint32_t id)
{
  return id < AQKFD_QUEUES ? process->queues[id] : NULL;
}

/* False: it ended, and waits to be destroyed. */
static bool has_ring(const aqkfd_queue *queue)
{
  return queue->ring || queue->copies;
}

/* Ends it; from here on it has no process to report to. Twice is no error. */
static void queue_end(aqkfd_queue *queue)
{
  aqkfd *driver = queue->driver;
  aq_transport *t = driver->transport;
  pthread_mutex_lock(&driver->lock);
  queue->process = NULL;
  pthread_mutex_unlock(&driver->lock);
  if (queue->ring)
    t->ops->queue_destroy(t, queue->ring);
  if (queue->copies)
    aqsim_live_sdma_destroy(t, queue->copies);
  queue->ring = NULL;
  queue->copies = NULL;
}

/* Out of the process's table; the process is locked, or closes. */
static void queue_remove(aqkfd_process *process, aqkfd_queue *queue)
{
  __atomic_store_n(&process->queues[queue->id], NULL, __ATOMIC_RELEASE);
  queue_end(queue);
  queue_drop(queue);
}

void aqkfd_queues_fini(aqkfd_process *process)
{
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++)
    if (process->queues[i])
      queue_remove(process, process->queues[i]);
}

/* ---- memory that goes ---- */

/* The first byte in [first, end) that the queue's processor touches, and its
 * part of the queue; 0: none. */
static uint64_t memory_find(const aqkfd_queue *queue, uint64_t first,
                            uint64_t end, const char **what)
{
  const struct {
    const char *what;
    uint64_t at, size;
  } parts[] = {{"ring", queue->base, queue->bytes},
               {"read index", queue->indices[0], sizeof(uint64_t)},
               {"write index", queue->indices[1], sizeof(uint64_t)},
               {"amd_queue_t", (uintptr_t)queue->abi, sizeof *queue->abi}};
  for (size_t i = queue->ringless ? 1 : 0; i < sizeof parts / sizeof *parts;
       i++)
    if (parts[i].at < end && first < parts[i].at + parts[i].size) {
      *what = parts[i].what;
      return parts[i].at > first ? parts[i].at : first;
    }
  return 0;
}

/* A queue's memory stays, though another queue may get it meanwhile: then it
 * answers for either. */
bool aqkfd_queues_have(const aqkfd_process *process, uint64_t first,
                       uint64_t end)
{
  const char *what;
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++) {
    const aqkfd_queue *queue =
        __atomic_load_n(&process->queues[i], __ATOMIC_ACQUIRE);
    if (queue && has_ring(queue) && memory_find(queue, first, end, &what))
      return true;
  }
  return false;
}

void aqkfd_queues_fault(aqkfd_process *process, uint64_t first, uint64_t end)
{
  const char *what;
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++) {
    aqkfd_queue *queue = process->queues[i];
    const uint64_t at =
        queue && has_ring(queue) ? memory_find(queue, first, end, &what) : 0;
    if (!at)
      continue;
    queue_end(queue);
    aqkfd_line(process->driver,
               "queue %" PRIu32 " of device %" PRIu32
               " ended: its %s at %#" PRIx64 " was unmapped, a memory fault",
               queue->id, queue->device, what, at);
    aqkfd_event_fault(process, queue->device, at, AQ_FAULT_NOT_PRESENT);
  }
}

/* What creating and updating have in common: 0, or a negative errno. The upper
 * bits of the percentage are of PM4's. */
static int ring_check(uint64_t address, uint64_t size, uint32_t percentage,
                      uint32_t priority)
{
  if ((percentage & PERCENTAGE_MASK) > AQKFD_QUEUE_PERCENTAGE_MAX ||
      priority > AQKFD_QUEUE_PRIORITY_MAX || (size & (size - 1)) ||
      address % AQ_PACKET_SIZE)
    return -EINVAL;
  return address == 0 || aqkfd_reaches(address, size, true) ? 0 : -EFAULT;
}

static bool is_copies(const aqkfd_create_queue_args *args)
{
  return args->queue_type == AQKFD_QUEUE_SDMA ||
         args->queue_type == AQKFD_QUEUE_SDMA_XGMI;
}

static int create_check(const aqkfd_create_queue_args *args)
{
  const int result = ring_check(args->ring_base_address, args->ring_size,
                                args->queue_percentage, args->queue_priority);
  if (result == -EINVAL ||
      (args->queue_type != AQKFD_QUEUE_AQL && !is_copies(args)) ||
      args->ring_size < AQ_PACKET_SIZE || args->read_pointer_address % 8 ||
      args->write_pointer_address % 8)
    return -EINVAL;
  return result == 0 && args->ring_base_address &&
                 aqkfd_reaches(args->read_pointer_address, 8, true) &&
                 aqkfd_reaches(args->write_pointer_address, 8, true)
             ? 0
             : -EFAULT;
}

/* The amd_queue_t that both indices lie in, or ours. */
static aq_amd_queue *abi_of(const aqkfd_create_queue_args *args,
                            aq_amd_queue *own)
{
  const uint64_t at =
      args->read_pointer_address - offsetof(aq_amd_queue, read_dispatch_id);
  return at % 64 == 0 && args->write_pointer_address ==
                             at + offsetof(aq_amd_queue, write_dispatch_id)
             ? (aq_amd_queue *)(uintptr_t)at
             : own;
}

/* Its place in the table, and in the page of its device; false: none is free.
 */
static bool queue_name(aqkfd_process *process, aqkfd_queue *queue)
{
  bool taken[DOORBELL_WORDS] = {false};
  uint32_t id = 0;
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++)
    if (process->queues[i] && process->queues[i]->device == queue->device)
      taken[process->queues[i]->doorbell] = true;
  while (id < AQKFD_QUEUES && process->queues[id])
    id++;
  queue->id = id;
  queue->doorbell = 0;
  while (queue->doorbell < DOORBELL_WORDS && taken[queue->doorbell])
    queue->doorbell++;
  return id < AQKFD_QUEUES && queue->doorbell < DOORBELL_WORDS;
}

static int priority_set(const aqkfd_queue *queue, uint32_t priority)
{
  aq_transport *t = queue->driver->transport;
  const aq_queue_control_args args = {.value = priority < PRIORITY_NORMAL ? -1
                                               : priority > PRIORITY_NORMAL
                                                   ? 1
                                                   : 0};
  return t->ops->queue_control(t, queue->ring, AQ_CONTROL_PRIORITY, &args,
                               NULL) == AQ_OK
             ? 0
             : -EINVAL;
}

static int error_of(aq_status status)
{
  return status == AQ_ERR_NO_MEMORY   ? -ENOMEM
         : status == AQ_ERR_RESOURCES ? -ENOSPC
                                      : -EINVAL;
}

/* Its share of the device: whole, or none. It runs while it has one, and a
 * ring.
 */
static void share_set(aqkfd_queue *queue, uint32_t percentage, bool ring)
{
  aq_transport *t = queue->driver->transport;
  const bool suspended = !ring || (percentage & PERCENTAGE_MASK) == 0;
  if (queue->copies)
    aqsim_live_sdma_suspend(t, queue->copies, suspended);
  else
    aqsim_live_queue_suspend(t, queue->ring, suspended);
}

static int aql_open(aqkfd_process *process, aqkfd_queue *queue,
                    const aqkfd_create_queue_args *args)
{
  aqkfd *driver = queue->driver;
  aq_diag diag = AQ_DIAG_INIT;
  const aqsim_queue_place place = {
      .packets = (aq_packet *)(uintptr_t)args->ring_base_address,
      .read_index = (uint64_t *)(uintptr_t)args->read_pointer_address,
      .write_index = (uint64_t *)(uintptr_t)args->write_pointer_address,
      .doorbell = &process->doorbell_pages[queue->device][queue->doorbell],
      .abi = queue->abi};
  const aq_queue_desc desc = {.device = queue->device,
                              .size = args->ring_size / AQ_PACKET_SIZE,
                              .type = AQ_QUEUE_MULTI,
                              .error = error_notify,
                              .user = queue,
                              .private_segment_hint = AQ_SEGMENT_NO_HINT,
                              .group_segment_hint = AQ_SEGMENT_NO_HINT};
  const aq_status status = aqsim_live_queue_place(driver->transport, &desc,
                                                  &place, &queue->ring, &diag);
  if (status != AQ_OK) {
    aqkfd_line(driver, "the driver makes no queue: %s", diag.text);
    return error_of(status);
  }
  pthread_mutex_lock(&driver->lock);
  queue->number = queue->ring->id;
  queue->process = process;
  pthread_mutex_unlock(&driver->lock);
  share_set(queue, args->queue_percentage, true);
  return priority_set(queue, args->queue_priority);
}

/* A place in the tables, and a ring. */
static int queue_open(aqkfd_process *process, aqkfd_queue *queue,
                      const aqkfd_create_queue_args *args)
{
  if (!queue_name(process, queue))
    return -ENOSPC;
  if (!is_copies(args))
    return aql_open(process, queue, args);
  const int result = aqkfd_copy_ring_open(process, queue, args);
  if (result == 0)
    share_set(queue, args->queue_percentage, true);
  return result;
}

int aqkfd_call_queue_create(aqkfd_process *process, void *arguments)
{
  aqkfd_create_queue_args *args = arguments;
  uint32_t device;
  int result = create_check(args);
  if (result == 0 && !aqkfd_device_find(process->driver, args->gpu_id, &device))
    result = -EINVAL;
  if (result != 0)
    return result;
  aqkfd_queue *queue = queue_take(&(aqkfd_queue){
      .driver = process->driver,
      .device = device,
      .base = args->ring_base_address,
      .bytes = args->ring_size,
      .indices = {args->read_pointer_address, args->write_pointer_address},
      .save_area = args->ctx_save_restore_address});
  if (!queue)
    return -ENOMEM;
  queue->abi = abi_of(args, &queue->own);
  aqkfd_process_lock(process);
  result = aqkfd_doorbells_take(process, device);
  if (result == 0)
    result = queue_open(process, queue, args);
  if (result == 0) {
    __atomic_store_n(&process->queues[queue->id], queue, __ATOMIC_RELEASE);
    args->queue_id = queue->id;
    args->doorbell_offset = process->doorbells[device] + queue->doorbell * 8;
  } else {
    queue_end(queue);
  }
  aqkfd_process_unlock(process);
  if (result != 0)
    queue_drop(queue);
  return result;
}

int aqkfd_call_queue_destroy(aqkfd_process *process, void *arguments)
{
  const aqkfd_destroy_queue_args *args = arguments;
  aqkfd_process_lock(process);
  aqkfd_queue *queue = queue_find(process, args->queue_id);
  if (queue)
    queue_remove(process, queue);
  aqkfd_process_unlock(process);
  return queue ? 0 : -EINVAL;
}

/* ---- changes ---- */

/* Another ring of the same size takes the place of one without packets: 0, or a
 * negative errno. */
static int ring_change(aqkfd_queue *queue, uint64_t address, uint64_t size)
{
  if (address == queue->base && size == queue->bytes)
    return 0;
  if (size != queue->bytes) {
    aqkfd_line(queue->driver,
               "the driver keeps the size of queue %u, %" PRIu64
               " bytes; its client asks for %" PRIu64,
               queue->id, queue->bytes, size);
    return -EINVAL;
  }
  if (queue->copies)
    return -EBUSY; /* it has packets at any time */
  if (!aqsim_live_queue_move(queue->driver->transport, queue->ring,
                             (aq_packet *)(uintptr_t)address))
    return -EBUSY;
  queue->base = address;
  return 0;
}

/* Without a ring, or without a share, it is suspended. One that ended has
 * nothing to change: EIO. */
static int queue_change(aqkfd_queue *queue, const aqkfd_update_queue_args *args)
{
  if (!has_ring(queue))
    return -EIO;
  const bool ring = args->ring_base_address && args->ring_size;
  const int result =
      ring ? ring_change(queue, args->ring_base_address, args->ring_size) : 0;
  if (result != 0)
    return result;
  queue->ringless = !ring;
  if (queue->ring) /* engines serve their rings in turn */
    priority_set(queue, args->queue_priority); /* one that failed has none */
  share_set(queue, args->queue_percentage, ring);
  return 0;
}

int aqkfd_call_queue_update(aqkfd_process *process, void *arguments)
{
  const aqkfd_update_queue_args *args = arguments;
  int result = ring_check(args->ring_base_address, args->ring_size,
                          args->queue_percentage, args->queue_priority);
  if (result != 0)
    return result;
  aqkfd_process_lock(process);
  aqkfd_queue *queue = queue_find(process, args->queue_id);
  result = queue ? queue_change(queue, args) : -EFAULT;
  aqkfd_process_unlock(process);
  return result;
}

int aqkfd_call_queue_mask(aqkfd_process *process, void *arguments)
{
  const aqkfd_set_cu_mask_args *args = arguments;
  const uint32_t *mask = (void *)(uintptr_t)args->cu_mask_ptr;
  aq_transport *t = process->driver->transport;
  int result = -EFAULT; /* as the driver says of an unknown queue */
  if (args->num_cu_mask == 0 || args->num_cu_mask % MASK_BITS ||
      args->num_cu_mask > 1024)
    return -EINVAL;
  if (!aqkfd_reaches(args->cu_mask_ptr, args->num_cu_mask / 8, false))
    return -EFAULT;
  aqkfd_process_lock(process);
  const aqkfd_queue *queue = queue_find(process, args->queue_id);
  if (queue && !queue->ring) {
    result = -EINVAL; /* copy engines have no compute units */
  } else if (queue) {
    const aq_queue_control_args control = {.count = args->num_cu_mask,
                                           .mask = mask};
    const aq_status status = t->ops->queue_control(
        t, queue->ring, AQ_CONTROL_CU_MASK, &control, NULL);
    result = status == AQ_OK || status == AQ_REDUCED ? 0 : -EINVAL;
  }
  aqkfd_process_unlock(process);
  return result;
}

int aqkfd_call_queue_gws(aqkfd_process *process, void *arguments)
{
  aqkfd_alloc_queue_gws_args *args = arguments;
  aqkfd_process_lock(process);
  const aqkfd_queue *queue = queue_find(process, args->queue_id);
  const bool known = queue && queue->ring;
  aqkfd_process_unlock(process);
  args->first_gws = 0;
  return known ? 0 : -EINVAL;
}
