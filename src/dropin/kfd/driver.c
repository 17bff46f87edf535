/* SPDX-License-Identifier: MIT */
/*
 * A driver and its processes.
 *
 * AMD's libraries libhsakmt and libdrm run as they are, and above them any
 * runtime. They see a device through four things: files that describe it
 * (topology.c), calls (calls.def), memory that they map from the driver's file,
 * and the device's own changes of that memory.
 *
 * States:
 *
 *   driver    made, with the transport; has a process; made; gone
 *   process   open; closed. A fork's child has none: the door forgets it, for
 *             the device thread and the locks are the parent's
 *   block     allocated; mapped for some devices; allocated; freed
 *   queue     runs; suspended, by 0 percent or without a ring; runs; stopped,
 *             by a packet. It keeps its id until it is destroyed
 *   event     not signaled, signaled; destroyed, which fails its waiters
 *
 * Memory. The process has one file without bounds (a memfd). Blocks are parts
 * of it, given out upwards and never twice; freed ones have no pages. A client
 * maps a block where it wants to have it, and devices see it at the same
 * address; so packets, signals and kernels' loads need no translation. A block
 * whose address the client has not mapped for itself (VRAM that is not visible,
 * memory of the program under another address) is reached through `host`, and
 * the allocation map knows the distance; packets and signals cannot lie there.
 * Mapping a block for a device publishes it in that map, which alone decides
 * about a kernel's accesses. Memory of another process is a block with pages
 * in that one's file (sharing.c).
 *
 * Queues lie in the client's memory (backend_sim/client.h). A doorbell is a
 * word of a page of the file, so ringing needs no call, and the device notices
 * it when it looks (doc/live.md); a call that is about to wait makes it look.
 *
 * Owners. The opener owns driver and process. The process owns blocks, queues,
 * events and ranges; the transport owns rings' processors. The client owns the
 * memory that calls point to, for the call, and rings until they are destroyed.
 *
 * Locks, outermost first: process->lock, driver->lock, the simulator's, then
 * the leaves: process->event_lock, driver->kernel_lock, the allocation map's.
 * The functions of aqsim_client run under the simulator's lock: `interrupt`
 * takes event_lock alone, `kernel` takes kernel_lock. Callbacks of errors and
 * events come without a lock and take driver->lock, under which process and
 * queue do not end. A wait for events holds event_lock alone, so that all other
 * calls continue. aqkfd_unmapping tries process->lock, for its thread may be
 * the simulator's, or have it; it waits only for memory that devices have,
 * which clients alone unmap. Else it leaves a note, which aqkfd_process_lock
 * and aqkfd_process_unlock look at: before the client registers anything at
 * such an address anew, its queues and blocks of before have gone. The doors of
 * mmap and munmap take process->lock. The doors of open and fopen may wait for
 * the dynamic loader's lock, whose thread may wait for process->lock. So the
 * driver maps files and reads /proc/self/maps by the system's calls.
 *
 * Failures, as clients see them:
 *
 *   cause                                  answer
 *   unknown call                           ENOTTY
 *   a call that is refused                 the errno of calls.def
 *   a pointer that leads nowhere           EFAULT
 *   an unknown gpu_id, handle or event     EINVAL; in a call that maps, ENOMEM
 *   an unknown queue                       EINVAL or EFAULT, as the kernel's
 *   an update of a queue that ended        EIO
 *   an address of no whole pages, or one   EINVAL; of a range of SVM:
 *   that another block has                 EADDRINUSE
 *   freeing mapped memory                  EBUSY
 *   the device's memory is full            ENOMEM
 *   a kernel's access fails                the memory event, with address and
 *                                          kind; the queue ends
 *   a queue's ring, indices or             the memory event, with the address;
 *   amd_queue_t are unmapped               the queue ends
 *   the client unmaps a block for itself   devices keep it, but signals in it
 *                                          are gone: the memory event
 *   a bad packet                           the queue's inactive signal; of a
 *                                          ring of a copy engine, the event of
 *                                          hardware exceptions
 *   a wave's exception                     the queue's word of exceptions, or
 *                                          its inactive signal; it ends
 *   the client closes with queues left     they end, and their packets
 *   the client is killed                   the file goes with it
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "backend_sim/sim.h"
#include "dropin/kfd/kfd_priv.h"

/* ---- the driver ---- */

static aqkfd_process *process_get(aqkfd *driver)
{
  pthread_mutex_lock(&driver->lock);
  aqkfd_process *process = driver->process;
  pthread_mutex_unlock(&driver->lock);
  return process;
}

/* Under the simulator's lock, which closing takes before the process goes. */
static void interrupt(void *user, uint32_t event)
{
  const aqkfd *driver = user;
  aqkfd_process *process = __atomic_load_n(&driver->process, __ATOMIC_ACQUIRE);
  if (process)
    aqkfd_event_interrupt(process, event);
}

static void event_notify(const aq_system_event *event, void *user)
{
  aqkfd *driver = user;
  aqkfd_line(driver, "%s", event->text);
  pthread_mutex_lock(&driver->lock);
  if (driver->process && event->kind == AQSIM_EVENT_STOPPED)
    aqkfd_event_hang(driver->process, event->device);
  else if (driver->process)
    aqkfd_event_fault(driver->process, event->device, event->address,
                      event->reasons);
  pthread_mutex_unlock(&driver->lock);
}

uint64_t aqkfd_host_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static aq_status driver_open(aqkfd *driver, aq_diag *diag)
{
  const aqkfd_options *given = &driver->options;
  const char *device = given->device ? given->device : AQSIM_DEFAULT_DEVICE;
  const aq_transport_options options = {.size = sizeof options,
                                        .device = device,
                                        .edits = given->edits,
                                        .mode = AQ_MODE_LIVE,
                                        .records = given->records,
                                        .epoch = given->epoch,
                                        .executor = given->executor,
                                        .order = given->order,
                                        .event = event_notify,
                                        .event_user = driver};
  aq_status status =
      aqsim_device_set_load(device, given->edits, &driver->models, diag);
  if (status == AQ_OK)
    status = aqsim_transport_ops.open(&options, &driver->transport, diag);
  if (status != AQ_OK)
    return status;
  driver->transport->ops->info(driver->transport, &driver->info);
  for (uint32_t i = 0; i < driver->info.device_count; i++)
    driver->personas[i] = aqdrop_identity_find(driver->info.devices[i].name,
                                               driver->info.devices[i].gfx);
  driver->client = (aqsim_client){
      .user = driver, .interrupt = interrupt, .kernel = aqkfd_kernel_describe};
  aqsim_live_serve(driver->transport, &driver->client);
  return AQ_OK;
}

aq_status aqkfd_create(const aqkfd_options *options, aqkfd **out, aq_diag *diag)
{
  aqkfd *driver = calloc(1, sizeof *driver);
  if (!driver)
    return aq_diag_no_memory(diag);
  driver->options = *options;
  driver->allocations = options->executor->allocations;
  driver->system_base = driver->read_host = aqkfd_host_ns();
  pthread_mutex_init(&driver->lock, NULL);
  pthread_mutex_init(&driver->kernel_lock, NULL);
  const aq_status status = driver_open(driver, diag);
  driver->options.device = NULL;
  driver->options.edits = NULL;
  if (status == AQ_OK)
    *out = driver;
  else
    aqkfd_destroy(driver);
  return status;
}

void aqkfd_destroy(aqkfd *driver)
{
  if (!driver)
    return;
  if (driver->process)
    aqkfd_process_close(driver->process);
  if (driver->transport)
    driver->transport->ops->close(driver->transport);
  aqkfd_queues_release(driver);
  aqsim_device_set_fini(&driver->models);
  free(driver->kernels);
  pthread_mutex_destroy(&driver->kernel_lock);
  pthread_mutex_destroy(&driver->lock);
  free(driver);
}

aq_transport *aqkfd_transport(const aqkfd *driver)
{
  return driver->transport;
}

/* ---- processes ---- */

static aq_status process_make(aqkfd *driver, aqkfd_process **out, aq_diag *diag)
{
  aqkfd_process *process = calloc(1, sizeof *process);
  if (!process)
    return aq_diag_no_memory(diag);
  process->driver = driver;
  process->file_end = AQKFD_DOORBELLS; /* an offset is never 0 */
  process->imports_end = AQKFD_IMPORTS_BEGIN;
  process->file = memfd_create("aqueduct-driver", MFD_CLOEXEC);
  if (process->file < 0 ||
      ftruncate(process->file, (off_t)AQKFD_FILE_BYTES) != 0) {
    const aq_status status = aq_diag_set(
        diag, AQ_ERR_RESOURCES, "the driver's file: %s", strerror(errno));
    if (process->file >= 0)
      close(process->file);
    free(process);
    return status;
  }
  pthread_mutexattr_t checked;
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&process->lock, &checked);
  pthread_mutexattr_destroy(&checked);
  aqkfd_events_init(process);
  *out = process;
  return AQ_OK;
}

aq_status aqkfd_process_open(aqkfd *driver, aqkfd_process **out, aq_diag *diag)
{
  aqkfd_process *process = NULL;
  if (process_get(driver))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "a second process of one driver; expected one at a "
                       "time, for it has the machine's addresses");
  const aq_status status = process_make(driver, &process, diag);
  if (status != AQ_OK)
    return status;
  pthread_mutex_lock(&driver->lock);
  __atomic_store_n(&driver->process, process, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&driver->lock);
  *out = process;
  return AQ_OK;
}

void aqkfd_process_close(aqkfd_process *process)
{
  aqkfd *driver = process->driver;
  aqkfd_queues_fini(process);
  pthread_mutex_lock(&driver->lock);
  __atomic_store_n(&driver->process, NULL, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&driver->lock);
  /* An interrupt that found it has returned. */
  aqsim_live_unmap_begin(driver->transport, NULL, 0);
  aqsim_live_unmap_end(driver->transport);
  aqkfd_ranges_fini(process);
  aqkfd_memory_fini(process);
  if (process->xnack)
    aq_allocations_open(driver->allocations, false);
  aqkfd_events_fini(process);
  pthread_mutex_destroy(&process->lock);
  close(process->file);
  free(process);
}

int aqkfd_process_file(const aqkfd_process *process)
{
  return process->file;
}
