/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/digest.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

uint32_t aq_capture_checksum(const void *bytes, uint64_t size)
{
  const unsigned char *at = bytes;
  uLong sum = crc32(0, NULL, 0);
  while (size > 0) {
    const uInt part = size < (1u << 30) ? (uInt)size : 1u << 30;
    sum = crc32(sum, at, part);
    at += part;
    size -= part;
  }
  return (uint32_t)sum;
}

static aq_status engine_move(aq_transport *transport, uint32_t device, void *to,
                             const void *from, uint64_t size, aq_diag *diag)
{
  const aq_transport_ops *ops = transport->ops;
  aq_signal done;
  aq_status status =
      ops->signal_create(transport, &(aq_signal_desc){.value = 1}, &done, diag);
  if (status != AQ_OK)
    return status;
  status =
      ops->copy_async(transport, device, to, from, size, NULL, 0, done, diag);
  const aq_wait_item item = {done, AQ_LT, 1};
  if (status == AQ_OK)
    status = ops->wait(transport,
                       &(aq_wait_request){.items = &item,
                                          .count = 1,
                                          .mode = AQ_WAIT_ALL,
                                          .deadline = AQ_TIME_MAX},
                       NULL, diag);
  ops->signal_destroy(transport, done);
  return status;
}

aq_status aq_capture_move(aq_transport *transport, uint32_t device,
                          aq_memory_kind kind, void *to, const void *from,
                          uint64_t size, aq_diag *diag)
{
  aq_transport_info info;
  transport->ops->info(transport, &info);
  /* A simulated device's memory is mostly the host's: no time passes for it. */
  if (kind == AQ_MEMORY_DEVICE && info.caps & AQ_CAP_COPY &&
      (info.devices[device].memory_hidden ||
       !(info.caps & AQ_CAP_HOST_KERNELS)))
    return engine_move(transport, device, to, from, size, diag);
  memcpy(to, from, size);
  return AQ_OK;
}

aq_status aq_capture_digest(aq_transport *transport, uint32_t device,
                            aq_memory_kind kind, const void *address,
                            uint64_t size, uint32_t *out, aq_diag *diag)
{
  const unsigned char *from = address;
  unsigned char *chunk = malloc(AQ_CAP_CHUNK);
  aq_status status = AQ_OK;
  if (!chunk)
    return aq_diag_no_memory(diag);
  for (uint64_t at = 0; at < size && status == AQ_OK; at += AQ_CAP_CHUNK) {
    const uint64_t part = size - at < AQ_CAP_CHUNK ? size - at : AQ_CAP_CHUNK;
    status =
        aq_capture_move(transport, device, kind, chunk, from + at, part, diag);
    if (status == AQ_OK)
      *out++ = aq_capture_checksum(chunk, part);
  }
  free(chunk);
  return status;
}
