/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/atomic_file.h"
#include "queue/capture/digest.h"
#include "queue/capture/recorder.h"

/* ---- bytes ---- */

void aq_cap_fail(aq_capture *capture, aq_status status, const char *format, ...)
{
  char text[AQ_DIAG_TEXT_MAX];
  va_list list;
  if (capture->status != AQ_OK)
    return;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  capture->status = aq_diag_set(&capture->cause, status, "capture: %s", text);
}

void aq_cap_no_memory(aq_capture *capture)
{
  aq_cap_fail(capture, AQ_ERR_NO_MEMORY, "%s",
              aq_status_text(AQ_ERR_NO_MEMORY));
}

bool aq_cap_put(aq_capture *capture, const void *bytes, uint64_t size)
{
  aq_cap_bytes *out = &capture->out;
  if (capture->status != AQ_OK)
    return false;
  if (size > SIZE_MAX - out->size ||
      !AQ_ARRAY_RESERVE(out->data, out->capacity, out->size + size)) {
    aq_cap_fail(capture, AQ_ERR_NO_MEMORY, "no memory for %llu bytes",
                (unsigned long long)size);
    return false;
  }
  if (size > 0)
    memcpy(out->data + out->size, bytes, size);
  out->size += size;
  return true;
}

size_t aq_cap_open(aq_capture *capture, aq_cap_kind kind)
{
  const size_t at = capture->out.size;
  aq_cap_put(capture, &(aq_cap_head){.kind = kind}, sizeof(aq_cap_head));
  return at;
}

void aq_cap_close(aq_capture *capture, size_t at)
{
  static const unsigned char zeros[8];
  if (capture->status != AQ_OK)
    return;
  const uint64_t size = capture->out.size - at - sizeof(aq_cap_head);
  if (!aq_cap_put(capture, zeros, aq_cap_round(size) - size))
    return;
  ((aq_cap_head *)(void *)(capture->out.data + at))->size = size;
  capture->records++;
}

/* ---- names by the application ---- */

static void record_put(aq_capture *capture, aq_cap_kind kind, const void *bytes,
                       uint64_t size)
{
  const size_t at = aq_cap_open(capture, kind);
  aq_cap_put(capture, bytes, size);
  aq_cap_close(capture, at);
}

void aq_capture_add_kernel(aq_capture *capture, const char *name,
                           uint64_t object)
{
  pthread_mutex_lock(&capture->lock);
  if (!aq_map_put(&capture->kernels, object, capture->kernel_count))
    aq_cap_no_memory(capture);
  record_put(capture, AQ_CAP_KERNEL, name, strlen(name) + 1);
  capture->kernel_count++;
  pthread_mutex_unlock(&capture->lock);
}

void aq_capture_add_module(aq_capture *capture, const void *image, size_t size)
{
  pthread_mutex_lock(&capture->lock);
  record_put(capture, AQ_CAP_MODULE, image, size);
  pthread_mutex_unlock(&capture->lock);
}

/* ---- life ---- */

aq_status aq_capture_create(aq_context *context, aq_capture **out,
                            aq_diag *diag)
{
  aq_capture *capture = calloc(1, sizeof *capture);
  if (!capture)
    return aq_diag_no_memory(diag);
  capture->context = context;
  capture->transport = aq_context_transport(context);
  capture->hooks = (aq_submit_hooks){capture, aq_cap_begin, aq_cap_end};
  pthread_mutex_init(&capture->lock, NULL);
  aq_cap_put(capture, &(aq_cap_header){.magic = 0}, sizeof(aq_cap_header));
  if (capture->status != AQ_OK) {
    aq_diag_set(diag, capture->status, "%s", capture->cause.text);
    free(capture);
    return AQ_ERR_NO_MEMORY;
  }
  aq_context_submit_hooks(context, &capture->hooks);
  *out = capture;
  return AQ_OK;
}

void aq_capture_destroy(aq_capture *capture)
{
  if (!capture)
    return;
  aq_context_submit_hooks(capture->context, NULL);
  for (uint32_t i = 0; i < capture->semaphore_count; i++)
    aq_semaphore_release(capture->retained[i]);
  aq_map_fini(&capture->queues);
  aq_map_fini(&capture->semaphores);
  aq_map_fini(&capture->kernels);
  free(capture->programs.at);
  free(capture->links.at);
  free(capture->sorted);
  free(capture->memory);
  free(capture->live);
  free(capture->retained);
  free(capture->out.data);
  pthread_mutex_destroy(&capture->lock);
  free(capture);
}

aq_status aq_capture_check(aq_capture *capture, aq_diag *diag)
{
  pthread_mutex_lock(&capture->lock);
  const aq_status status =
      capture->status == AQ_OK
          ? AQ_OK
          : aq_diag_set(diag, capture->status, "%s", capture->cause.text);
  pthread_mutex_unlock(&capture->lock);
  return status;
}

/* ---- the end ---- */

static void queues_finish(aq_capture *capture)
{
  aq_diag diag = AQ_DIAG_INIT;
  for (uint32_t i = 0; i < capture->queue_count; i++) {
    aq_queue *queue = capture->live[i];
    if (!queue)
      continue;
    const aq_status status = aq_queue_wait_idle(queue, AQ_TIME_MAX, &diag);
    aq_queue_stats stats;
    aq_queue_stats_get(queue, &stats);
    if (status != AQ_OK)
      aq_cap_fail(capture, status, "queue %u: %s", i, diag.text);
    else if (stats.failed > 0)
      aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                  "queue %u: operations failed, which is not captured", i);
  }
  for (uint32_t i = 0; i < capture->semaphore_count; i++)
    if (aq_semaphore_query(capture->retained[i], NULL, &diag) != AQ_OK)
      aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                  "semaphore %u failed, which is not captured: %s", i,
                  diag.text);
}

static void digest_put(aq_capture *capture, uint32_t number)
{
  const aq_cap_known *m = &capture->memory[number];
  const aq_cap_digest digest = {number, aq_capture_chunks(m->size)};
  uint32_t *sums = malloc((digest.count + 1) * sizeof *sums);
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = AQ_ERR_NO_MEMORY;
  if (sums)
    status = aq_capture_digest(capture->transport, m->device, m->kind,
                               m->address, m->size, sums, &diag);
  if (status != AQ_OK) {
    aq_cap_fail(capture, status, "memory %u: %s", number, diag.text);
  } else {
    const size_t at = aq_cap_open(capture, AQ_CAP_DIGEST);
    aq_cap_put(capture, &digest, sizeof digest);
    aq_cap_put(capture, sums, digest.count * sizeof *sums);
    aq_cap_close(capture, at);
  }
  free(sums);
}

/* Checksums are of the final records. */
static void header_finish(aq_capture *capture)
{
  unsigned char *data = capture->out.data;
  size_t at = sizeof(aq_cap_header);
  while (at < capture->out.size) {
    aq_cap_head *head = (aq_cap_head *)(void *)(data + at);
    head->checksum = aq_capture_checksum(head + 1, head->size);
    at += sizeof *head + aq_cap_round(head->size);
  }
  aq_cap_header *header = (aq_cap_header *)(void *)data;
  *header = (aq_cap_header){.magic = AQ_CAP_MAGIC,
                            .version = AQ_CAP_VERSION,
                            .header_size = sizeof *header,
                            .order = AQ_CAP_ORDER,
                            .devices = capture->devices,
                            .file_size = capture->out.size,
                            .records = capture->records};
  header->checksum =
      aq_capture_checksum(header, offsetof(aq_cap_header, checksum));
}

static aq_status file_write(const aq_cap_bytes *out, const char *path,
                            aq_diag *diag)
{
  aq_atomic_file part;
  aq_status status = aq_atomic_file_open(&part, path, diag);
  if (status != AQ_OK)
    return status;
  if (fwrite(out->data, out->size, 1, part.file) == 1)
    return aq_atomic_file_commit(&part, path, diag);
  const int error = errno;
  aq_atomic_file_discard(&part);
  return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(error));
}

aq_status aq_capture_finish(aq_capture *capture, const char *path,
                            aq_diag *diag)
{
  aq_context_submit_hooks(capture->context, NULL);
  queues_finish(capture);
  for (uint32_t i = 0; i < capture->memory_count; i++)
    if (capture->memory[i].there &&
        (capture->memory[i].policy == AQ_CAPTURE_ALL ||
         capture->memory[i].policy == AQ_CAPTURE_RANGES))
      digest_put(capture, i);
  aq_status status = aq_capture_check(capture, diag);
  if (status != AQ_OK)
    return status;
  header_finish(capture);
  return file_write(&capture->out, path, diag);
}
