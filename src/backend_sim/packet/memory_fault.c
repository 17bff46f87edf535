/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/memory_fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>

#include "backend_sim/hwqueue/queues.h"
#include "backend_sim/live/futex.h"
#include "backend_sim/packet/decode.h"

enum {
  WORDS = AQSIM_FAULT_TEXT_MAX + AQSIM_DECODE_MAX + 100,
};

/* One byte of each page is copied by the kernel. */
size_t aqsim_pages_readable(uint64_t page, size_t count)
{
  unsigned char bytes[AQSIM_PAGES_AT_ONCE];
  struct iovec from[AQSIM_PAGES_AT_ONCE], to = {bytes, count};
  for (size_t i = 0; i < count; i++)
    from[i] = (struct iovec){(void *)(uintptr_t)((page + i) * AQSIM_PAGE), 1};
  ssize_t got = process_vm_readv(getpid(), &to, 1, from, count, 0);
  if (got >= 0)
    return (size_t)got;
  return errno == EFAULT ? 0 : count;
}

/* The kernel ORs 0 to a word of the page, atomically, before it wakes nobody
 * who waits for one of ours. */
static bool page_is_writable(uint64_t page)
{
  uint32_t *word = (uint32_t *)(uintptr_t)(page * AQSIM_PAGE), ours = 0;
  return syscall(SYS_futex, &ours, FUTEX_WAKE_OP_PRIVATE, 0, NULL, word,
                 FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
         errno != EFAULT;
}

/* How many pages from the first on can be accessed. */
static uint64_t pages_there(aqsim_access access, uint64_t first, uint64_t count)
{
  uint64_t there = 0;
  while (there < count && access == AQSIM_READ) {
    size_t batch = count - there < AQSIM_PAGES_AT_ONCE ? count - there
                                                       : AQSIM_PAGES_AT_ONCE;
    size_t got = aqsim_pages_readable(first + there, batch);
    there += got;
    if (got < batch)
      break;
  }
  while (there < count && access == AQSIM_WRITE &&
         page_is_writable(first + there))
    there++;
  return there;
}

bool aqsim_memory_hole(aqsim_access access, uint64_t address, uint64_t size,
                       uint64_t *hole)
{
  if (size == 0)
    return false;
  *hole = address;
  if (address < AQSIM_PAGE || size - 1 > UINT64_MAX - address)
    return true;
  uint64_t first = address / AQSIM_PAGE;
  uint64_t count = (address + size - 1) / AQSIM_PAGE - first + 1;
  uint64_t there = pages_there(access, first, count);
  if (there > 0)
    *hole = (first + there) * AQSIM_PAGE;
  return there < count;
}

void aqsim_system_event_tell(const aqsim *sim, const aq_system_event *event)
{
  if (sim->event)
    sim->event(event, sim->event_user);
  else if (sim->report)
    sim->report(event->text, sim->report_user);
  else
    fprintf(stderr, "aqueduct: %s\n", event->text);
}

aqsim_flow aqsim_flight_memory_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t hole, const char *text)
{
  aqsim_queue *queue = flight->queue;
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .device = queue->device->ordinal,
                           .queue = queue->ring.id,
                           .packet_id = flight->id,
                           .address = hole};
  char words[WORDS], decoded[AQSIM_DECODE_MAX];
  aqsim_packet_decode(queue->sim, &flight->packet, decoded);
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s): %s", event.queue,
           event.packet_id, decoded, text);
  event.text = words;
  bool first = queue->state != AQSIM_QUEUE_FAILED;
  if (first)
    queue->failed_packet = flight->id;
  /* A queue that failed already tells no error of its own any more. */
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  aqsim_flow flow = step == AQSIM_STEP_RUN ? aqsim_flight_fault(flight, 0, text)
                                           : aqsim_flight_fail(flight, 0, text);
  if (first)
    aqsim_system_event_tell(queue->sim, &event);
  return queue->destroyed ? AQSIM_GONE : flow;
}
