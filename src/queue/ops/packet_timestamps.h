/* SPDX-License-Identifier: MIT */
/*
 * The times of an execution's packets and markers, as rows of the record: each
 * packet completes a signal of its own, whose timestamps are read when its part
 * has retired. A part ends where the signals do, and the next one waits for it.
 *
 * Ownership: of the task, until aq_packet_timestamps_done() frees it; the link
 * is borrowed.
 */
#ifndef AQ_QUEUE_OPS_PACKET_TIMESTAMPS_H
#define AQ_QUEUE_OPS_PACKET_TIMESTAMPS_H

#include "queue/core/queue_priv.h"

typedef struct aq_packet_timestamps aq_packet_timestamps;

/* Whether an execution has rows of packets or markers. */
bool aq_packet_timestamps_wanted(const aq_queue *queue,
                                 const aq_program *program);

/* Of one such execution. Not with the lock. */
aq_status aq_packet_timestamps_make(aq_queue *queue, const aq_link *link,
                                    aq_packet_timestamps **out, aq_diag *diag);
void aq_packet_timestamps_free(aq_packet_timestamps *times);

/* Fills a part as aq_processor_fill() does. `number`: of the operation. */
aq_walk aq_packet_timestamps_fill(aq_packet_timestamps *times,
                                  aq_processor *processor, uint64_t number,
                                  aq_packet_span *span);

/* All packets of the part are inside that one. */
void aq_packet_timestamps_packet(aq_packet_timestamps *times, uint64_t id);

/* The signal of the part's first packet. */
aq_epoch_signal *aq_packet_timestamps_first(const aq_packet_timestamps *times);

/* An aq_task_done for each part, and for a task that is refused. */
void aq_packet_timestamps_done(aq_status status, const char *cause,
                               void *times);

#endif
