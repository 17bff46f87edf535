/* SPDX-License-Identifier: MIT */
/*
 * Executing the code of a packet capture with contents: in the order of the
 * file, from the memory that each execution found, at the addresses of the
 * program. The bytes that each leaves are compared with the capture's digests.
 * No transport takes part, so the device model does not matter.
 *
 * Thread rule: one at a time; nothing else executes meanwhile.
 */
#ifndef AQ_QUEUE_CAPTURE_PACKET_MEMORY_H
#define AQ_QUEUE_CAPTURE_PACKET_MEMORY_H

#include "common/executor.h"
#include "queue/capture/packet_capture.h"

enum { AQ_PACKET_WHY_SIZE = 160 };

typedef struct aq_packet_computed {
  uint64_t executions; /* of the capture */
  uint64_t computed;   /* executed here, with the same bytes */
  /* Why the others were not executed; empty: all were. */
  char why[AQ_PACKET_WHY_SIZE];
  /* How long the executor predicts kernels to take, by the number of their
   * packet's event, for aq_packet_file_play; AQ_TIME_NONE: not executed. NULL:
   * it does not predict. The caller frees it. */
  aq_time *durations;
} aq_packet_computed;

/* Executes up to the first execution that the file does not hold enough for,
 * which `why` names. `timeout`: of each execution, in wall time; 0: none.
 *
 * AQ_ERR_DIFFERENT: a kernel left other bytes; the line names kernel, packet
 * and addresses. AQ_ERR_INPUT: bytes outside of the file's allocations, more
 * than one process.
 * AQ_ERR_RESOURCES: this process has something else at one of the addresses.
 * AQ_ERR_UNSUPPORTED: the executor has no allocation map. */
aq_status aq_packet_contents_execute(const aq_packet_file *file,
                                     const aq_executor *executor,
                                     aq_time timeout, aq_packet_computed *out,
                                     aq_diag *diag);

#endif
