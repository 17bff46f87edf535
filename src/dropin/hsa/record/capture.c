/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/record/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backend_sim/queue_state.h"
#include "common/allocations.h"
#include "dropin/hsa/base/runtime.h"
#include "dropin/hsa/record/capture_writer.h"

enum { KERNARG_MAX = 64 * 1024, CAPTURE_VERSION = 3 };

/* ---- lines ---- */

void aqdrop_line_begin(aqdrop_line *line, const char *event, aq_time time)
{
  *line = (aqdrop_line){.to = NULL};
  line->to = open_memstream(&line->text, &line->size);
  if (!line->to)
    return;
  fprintf(line->to, "{\"pid\":%ld,\"event\":\"%s\"", (long)getpid(), event);
  aqdrop_line_number(line, "t", time);
}

void aqdrop_line_number(aqdrop_line *line, const char *key, int64_t value)
{
  if (line->to)
    fprintf(line->to, ",\"%s\":%" PRId64, key, value);
}

void aqdrop_line_hex(aqdrop_line *line, const char *key, const void *bytes,
                     size_t size)
{
  const unsigned char *at = bytes;
  if (!line->to)
    return;
  fprintf(line->to, ",\"%s\":\"", key);
  for (size_t i = 0; i < size; i++)
    fprintf(line->to, "%02x", at[i]);
  fputc('"', line->to);
}

/* Names may hold any byte but 0. */
void aqdrop_line_text(aqdrop_line *line, const char *key, const char *text)
{
  if (!line->to)
    return;
  fprintf(line->to, ",\"%s\":\"", key);
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7f)
      fprintf(line->to, "\\u%04x", c);
    else
      fputc(c, line->to);
  }
  fputc('"', line->to);
}

static bool line_write(int fd, const char *text, size_t size)
{
  return text && write(fd, text, size) == (ssize_t)size;
}

void aqdrop_line_put(aqdrop_capture *capture, aqdrop_line *line)
{
  bool whole = line->to != NULL;
  if (line->to) {
    fputs("}\n", line->to);
    whole = fclose(line->to) == 0;
  }
  if (capture->fd >= 0 &&
      !(whole && line_write(capture->fd, line->text, line->size))) {
    fprintf(stderr, "aqueduct: the capture ends here: it cannot be written\n");
    close(capture->fd);
    capture->fd = -1;
  }
  free(line->text);
}

void aqdrop_line_end(aqdrop_line *line, aqdrop_capture *capture)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_line_put(capture, line);
  pthread_mutex_unlock(&capture->lock);
}

/* ---- packets ---- */

/* The arguments may lie where nothing is: the kernel copies them. */
static void kernarg_put(aqdrop_line *line, uint64_t address, uint32_t size)
{
  const aqdrop *runtime = aqdrop_runtime();
  const aq_allocations *map = runtime ? runtime->allocations : NULL;
  char bytes[512], *copy = size > sizeof bytes ? malloc(size) : bytes;
  void *const arguments = (void *)(uintptr_t)aq_allocations_reach(map, address);
  struct iovec own = {copy, size}, from = {arguments, size};
  if (copy && process_vm_readv(getpid(), &own, 1, &from, 1, 0) == (ssize_t)size)
    aqdrop_line_hex(line, "kernarg", copy, size);
  if (copy != bytes)
    free(copy);
}

static void kernel_put(aqdrop_line *line, const aqdrop_capture *capture,
                       const aq_kernel_packet *packet)
{
  uint64_t found = 0;
  if (!aq_map_get(&capture->kernels, packet->kernel_object, &found))
    return;
  const aqdrop_captured_kernel *kernel = (const void *)(uintptr_t)found;
  aqdrop_line_text(line, "kernel", kernel->name);
  if (kernel->kernarg_size > 0 && kernel->kernarg_size <= KERNARG_MAX)
    kernarg_put(line, packet->kernarg_address, kernel->kernarg_size);
}

static void packet_put(aqdrop_capture *capture, const aq_ring *ring,
                       uint64_t id, const aq_packet *packet, aq_time time)
{
  aqdrop_line line;
  /* The signals that a packet names. */
  const unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_BARRIER_AND || type == AQ_PACKET_BARRIER_OR)
    for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
      aqdrop_capture_refer_locked(capture, packet->barrier.dependency[i], time);
  if (type == AQ_PACKET_VENDOR &&
      packet->barrier_value.format == AQ_AMD_FORMAT_BARRIER_VALUE)
    aqdrop_capture_refer_locked(capture, packet->barrier_value.signal, time);
  aqdrop_capture_refer_locked(capture, packet->kernel.completion_signal, time);
  aqdrop_line_begin(&line, "packet", time);
  aqdrop_line_number(&line, "queue", ring->id);
  aqdrop_line_number(&line, "packet", (int64_t)id);
  aqdrop_line_number(&line, "type", aq_header_type(packet->header));
  aqdrop_line_hex(&line, "bytes", packet, sizeof *packet);
  if (aq_header_type(packet->header) == AQ_PACKET_KERNEL_DISPATCH)
    kernel_put(&line, capture, &packet->kernel);
  aqdrop_line_put(capture, &line);
}

static aqdrop_captured_queue *queue_find(aqdrop_capture *capture, uint32_t id)
{
  aqdrop_captured_queue *queue = capture->queues;
  while (queue && queue->id != id)
    queue = queue->next;
  return queue;
}

void aqdrop_capture_rung(aqdrop_capture *capture, const aq_ring *ring,
                         uint64_t id, aq_time time)
{
  aqdrop_capture_quiet_lock(capture);
  aqdrop_capture_scan_locked(capture, time);
  aqdrop_captured_queue *queue = queue_find(capture, ring->id);
  /* A packet without a header so far is reported when the device reads it. */
  for (; queue && queue->reported <= id; queue->reported++) {
    aq_packet packet = *aq_ring_slot(ring, queue->reported);
    packet.header_setup =
        aq_packet_load_header(aq_ring_slot(ring, queue->reported));
    if (aq_header_type(packet.header) == AQ_PACKET_INVALID)
      break;
    packet_put(capture, ring, queue->reported, &packet, time);
  }
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_packet(aqdrop_capture *capture, uint32_t number,
                           uint64_t id, const aq_packet *packet)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_captured_queue *queue = queue_find(capture, number);
  if (queue && queue->reported <= id) {
    const aqsim_queue *q = (const aqsim_queue *)(const void *)queue->ring;
    const aq_time time = q->fetch_state.submitted[id & (queue->ring->size - 1)];
    aqdrop_capture_scan_locked(capture, time);
    packet_put(capture, queue->ring, id, packet, time);
    queue->reported = id + 1;
  }
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_completing(aqdrop_capture *capture, aq_signal signal,
                               aq_time now, bool done)
{
  aqdrop_capture_change(capture, signal, now, done);
  if (done)
    aqdrop_capture_noticed(capture, now);
}

void aqdrop_capture_noticed(aqdrop_capture *capture, aq_time now)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_capture_scan_locked(capture, now);
  pthread_mutex_unlock(&capture->lock);
}

/* ---- what packets refer to ---- */

/* A cooperative queue is made more than once. */
void aqdrop_capture_queue_add(aqdrop_capture *capture, const aq_ring *ring)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_captured_queue *queue = queue_find(capture, ring->id);
  if (queue) {
    queue->references++;
  } else if ((queue = malloc(sizeof *queue))) {
    *queue = (aqdrop_captured_queue){capture->queues, ring, ring->id, 1, 0};
    capture->queues = queue;
  }
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_queue_drop(aqdrop_capture *capture, uint32_t id)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_captured_queue **at = &capture->queues;
  while (*at && (*at)->id != id)
    at = &(*at)->next;
  aqdrop_captured_queue *queue = *at;
  if (queue && --queue->references == 0) {
    *at = queue->next;
    free(queue);
  }
  pthread_mutex_unlock(&capture->lock);
}

/* Takes the kernel of an object out and frees it; the lock is held. */
static void kernel_drop(aqdrop_capture *capture, uint64_t object)
{
  uint64_t found;
  if (!aq_map_remove(&capture->kernels, object, &found))
    return;
  aqdrop_captured_kernel **link = &capture->first_kernel, *kernel;
  while ((uintptr_t)*link != found)
    link = &(*link)->next;
  kernel = *link;
  *link = kernel->next;
  free(kernel);
}

void aqdrop_capture_kernel_add(aqdrop_capture *capture, uint64_t object,
                               const aq_kernel_desc *desc)
{
  const size_t size = strlen(desc->name) + 1;
  aqdrop_captured_kernel *kernel = malloc(sizeof *kernel + size);
  if (!kernel)
    return; /* packets go without name and arguments */
  kernel->object = object;
  kernel->kernarg_size = desc->kernarg_size;
  memcpy(kernel->name, desc->name, size);
  pthread_mutex_lock(&capture->lock);
  kernel_drop(capture, object); /* which it replaces */
  const bool kept = aq_map_put(&capture->kernels, object, (uintptr_t)kernel);
  if (kept) {
    kernel->next = capture->first_kernel;
    capture->first_kernel = kernel;
  }
  pthread_mutex_unlock(&capture->lock);
  if (!kept)
    free(kernel);
}

void aqdrop_capture_kernel_drop(aqdrop_capture *capture, uint64_t object)
{
  pthread_mutex_lock(&capture->lock);
  kernel_drop(capture, object);
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_handlers_drop(aqdrop_capture *capture, aq_signal signal)
{
  pthread_mutex_lock(&capture->lock);
  aqdrop_captured_handler **link = &capture->handlers, *h;
  while ((h = *link)) {
    if (signal.handle && h->item.signal.handle != signal.handle) {
      link = &h->next;
      continue;
    }
    *link = h->next;
    if (h->running)
      __atomic_store_n(&h->dropped, true, __ATOMIC_RELEASE);
    else
      free(h);
  }
  pthread_mutex_unlock(&capture->lock);
}

/* ---- life ---- */

aq_status aqdrop_capture_create(const char *path, aqdrop_capture **out,
                                aq_diag *diag)
{
  aqdrop_capture *capture = calloc(1, sizeof *capture);
  if (!capture)
    return aq_diag_no_memory(diag);
  capture->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (capture->fd < 0) {
    free(capture);
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  }
  pthread_mutex_init(&capture->lock, NULL);
  *out = capture;
  return AQ_OK;
}

void aqdrop_capture_end(aqdrop_capture *capture, aq_time time)
{
  aqdrop_line line;
  pthread_mutex_lock(&capture->lock);
  aqdrop_line_begin(&line, "close", time);
  aqdrop_line_put(capture, &line);
  if (capture->fd >= 0)
    close(capture->fd);
  capture->fd = -1;
  pthread_mutex_unlock(&capture->lock);
}

void aqdrop_capture_destroy(aqdrop_capture *capture)
{
  if (!capture)
    return;
  while (capture->queues)
    aqdrop_capture_queue_drop(capture, capture->queues->id);
  if (capture->fd >= 0)
    close(capture->fd);
  aqdrop_capture_handlers_drop(capture, (aq_signal){0});
  while (capture->first_kernel)
    kernel_drop(capture, capture->first_kernel->object);
  aq_map_fini(&capture->kernels);
  aqdrop_capture_signals_fini(capture);
  pthread_mutex_destroy(&capture->lock);
  free(capture);
}

void aqdrop_capture_attach(aqdrop_capture *capture, aq_transport *transport)
{
  aq_transport_info info;
  transport->ops->info(transport, &info);
  aqdrop_line line;
  aqdrop_line_begin(&line, "open", transport->ops->now(transport));
  aqdrop_line_number(&line, "version", CAPTURE_VERSION);
  aqdrop_line_number(&line, "devices", info.device_count);
  aqdrop_line_text(&line, "device", info.devices[0].model);
  aqdrop_line_end(&line, capture);
  capture->inner = transport->ops;
  aqdrop_capture_table(capture->inner, &capture->table);
  transport->ops = &capture->table;
}
