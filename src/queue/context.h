/* SPDX-License-Identifier: MIT */
/*
 * A context: the state that the queues and semaphores of one open transport
 * share.
 *
 * It decides how a queue of each device waits for another queue, and connects
 * waiting host threads. Ownership: the transport is borrowed and has to outlive
 * it; queues and semaphores are destroyed first. Thread rule: any thread where
 * the transport is live, else the one that drives the transport.
 */
#ifndef AQ_QUEUE_CONTEXT_H
#define AQ_QUEUE_CONTEXT_H

#include "common/devices.h"
#include "common/export.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

typedef struct aq_context aq_context;

/* How a queue is made to wait for an epoch of another one. */
typedef enum aq_edge_way {
  AQ_EDGE_CHOOSE,        /* by instruction set and capabilities */
  AQ_EDGE_BARRIER_AND,   /* packets of five signals each */
  AQ_EDGE_BARRIER_VALUE, /* AMD's vendor packet, one an epoch */
  AQ_EDGE_PM4,           /* one indirect buffer of WAIT_REG_MEM64 */
  AQ_EDGE_DEFER,         /* the host submits when it is time */
  AQ_EDGE_WAY_COUNT
} aq_edge_way;

typedef struct aq_context_options {
  uint32_t size; /* sizeof(aq_context_options) of the caller */
  aq_transport *transport;
  aq_edge_way way; /* of all devices; CHOOSE: each as its model is */
  /* A row for each operation, NULL: none. Its queues are profiled where the
   * transport can. Borrowed until destroy; on the thread that retires, one at a
   * time: no other may drive it then, in live mode not even the transport.
   */
  aq_record_sink *records;
  /* Rows of the packets of command buffers too, with their times, where the
   * transport has timestamps and makes no rows itself. Costs a signal a packet,
   * and a wait every 256 packets. Programs that the device walks have none.
   * On every transport with timestamps, the markers of command buffers become
   * rows of kind "range" with the device's times, at that cost for programs
   * that have some. */
  bool packets;
  /* The logical device whose queues these are, borrowed: queues are placed by
   * their affinity. NULL: queues name devices of the transport. */
  const aq_logical_device *devices;
} aq_context_options;

/* AQ_ERR_UNSUPPORTED: a device cannot wait in that way. */
AQ_API aq_status aq_context_create(const aq_context_options *options,
                                   aq_context **out, aq_diag *diag);
AQ_API void aq_context_destroy(aq_context *context);

/* Hands over the rows of all retired operations; returns any earlier failure
 * with them, too. Destroying the context does the same without a report. */
AQ_API aq_status aq_context_records_flush(aq_context *context, aq_diag *diag);

/* The one it was created with; borrowed. */
AQ_API aq_transport *aq_context_transport(const aq_context *context);

/* How queues of a device wait; never CHOOSE. */
AQ_API aq_edge_way aq_context_edge_way(const aq_context *context,
                                       uint32_t device);

/* "barrier-and" and so on; NULL outside of the enumeration. */
AQ_API const char *aq_edge_way_name(aq_edge_way way);

AQ_END_DECLS

#endif
