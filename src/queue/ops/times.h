/* SPDX-License-Identifier: MIT */
/*
 * The times of an execution's packets and markers, as rows of the record: each
 * packet completes a signal of its own, whose timestamps are read when its part
 * has retired. A part ends where the signals do, and the next one waits for it.
 *
 * Ownership: of the task, until aq_times_over() frees it; the link is borrowed.
 */
#ifndef AQ_QUEUE_OPS_TIMES_H
#define AQ_QUEUE_OPS_TIMES_H

#include "queue/core/queue_priv.h"

typedef struct aq_times aq_times;

/* Whether an execution has rows of packets or markers. */
bool aq_times_wanted(const aq_queue *queue, const aq_program *program);

/* Of one such execution. Not with the lock. */
aq_status aq_times_make(aq_queue *queue, const aq_link *link, aq_times **out,
                        aq_diag *diag);
void aq_times_free(aq_times *times);

/* Fills a part as aq_processor_fill() does. `number`: of the operation. */
aq_walk aq_times_fill(aq_times *times, aq_processor *processor, uint64_t number,
                      aq_packet_span *span);

/* All packets of the part are inside that one. */
void aq_times_packet(aq_times *times, uint64_t id);

/* The signal of the part's first packet. */
aq_flag *aq_times_first(const aq_times *times);

/* An aq_task_over for each part, and for a task that is refused. */
void aq_times_over(aq_status status, const char *cause, void *times);

#endif
