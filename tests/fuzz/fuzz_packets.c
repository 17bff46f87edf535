/* SPDX-License-Identifier: MIT */
/* Packet captures: accepted files are counted, and replayed on the null
 * transport. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "queue/capture/packet_summary.h"
#include "transport/null/null.h"

enum { SIZE_MAX_PLAYED = 1 << 16, EVENTS_MAX = 512 };

/* Leaves out files that would only be slow. */
static bool is_small(const aq_packet_file *file)
{
  if (file->count > EVENTS_MAX)
    return false;
  for (size_t i = 0; i < file->count; i++)
    if (file->events[i].n[AQ_PACKET_N_SIZE] > SIZE_MAX_PLAYED)
      return false;
  return true;
}

static void file_count(const aq_packet_file *file)
{
  aq_packet_summary summary;
  aq_diag diag = AQ_DIAG_INIT;
  uint64_t dispatches = 0;
  if (aq_packet_summary_make(file, &summary, &diag) != AQ_OK)
    abort();
  for (size_t i = 0; i < summary.kernel_count; i++)
    dispatches += summary.kernels[i].dispatches;
  if (dispatches != summary.packets[AQ_PACKET_KERNEL_DISPATCH])
    abort();
  aq_packet_summary_fini(&summary);
}

static void file_play(const aq_packet_file *file)
{
  aq_transport *transport;
  aq_cap_played played;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_transport_options open = {.size = sizeof open};
  if (aqsim_null_transport_ops.open(&open, &transport, &diag) != AQ_OK)
    abort();
  for (int i = 0; i < 2; i++)
    aq_packet_file_play(file, transport, NULL, 0, &played, &diag);
  transport->ops->close(transport);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_packet_file *file;
  aq_diag diag = AQ_DIAG_INIT;
  FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
  if (!in)
    return 0;
  if (aq_packet_file_read("fuzz", in, &file, &diag) == AQ_OK) {
    file_count(file);
    if (is_small(file))
      file_play(file);
    aq_packet_file_close(file);
  }
  fclose(in);
  return 0;
}
