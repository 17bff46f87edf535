/* SPDX-License-Identifier: MIT */
/*
 * The contents of a packet capture, counted: of all its processes together. One
 * thread.
 */
#ifndef AQ_QUEUE_CAPTURE_PACKET_SUMMARY_H
#define AQ_QUEUE_CAPTURE_PACKET_SUMMARY_H

#include "queue/capture/packet_capture.h"

/* By the type in the header of a packet; the last is whatever else it says. */
enum { AQ_PACKET_TYPES = AQ_PACKET_BARRIER_OR + 2 };

typedef struct aq_packet_dispatched {
  const char *name; /* of the file; "?" where no event made the kernel */
  uint64_t dispatches;
} aq_packet_dispatched;

typedef struct aq_packet_summary {
  uint64_t events[AQ_PACKET_EVENTS];
  uint64_t packets[AQ_PACKET_TYPES];
  uint64_t copied; /* bytes */
  uint64_t processes;
  aq_time first, last;           /* of the host, over all events */
  aq_packet_dispatched *kernels; /* by name; owned */
  size_t kernel_count;
} aq_packet_summary;

/* "kernel-dispatch" and so on. */
const char *aq_packet_type_name(size_t type);

/* Lives as long as the file. AQ_ERR_NO_MEMORY. */
aq_status aq_packet_summary_make(const aq_packet_file *file,
                                 aq_packet_summary *out, aq_diag *diag);
void aq_packet_summary_fini(aq_packet_summary *summary);

#endif
