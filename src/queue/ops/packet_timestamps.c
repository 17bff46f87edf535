/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/ops/packet_timestamps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/opcodes.h"
#include "queue/core/operation_rows.h"
#include "queue/ops/marker_ranges.h"
#include "queue/sync/context_priv.h"

enum { TIMES = 256 /* packets of a part, at most */ };

struct aq_packet_timestamps {
  aq_queue *queue;
  uint64_t number;
  uint32_t refs; /* atomic: the part in flight, and the rest behind it */
  bool last;     /* the part is the task's last */
  aq_walk_log log;
  uint32_t flag_count;
  aq_epoch_signal *flags[TIMES];
  aq_signal signals[TIMES];
  aq_walk_entry entries[TIMES];
  aq_walk_marker marks_seen[TIMES];
  aq_marker_ranges marks;
  int64_t builtins[AQ_OP_LIMIT]; /* names of commands that dispatch no kernel */
  const aq_op **ops;             /* by index of the command */
  int64_t kernels[];             /* names, by ordinal */
};

static aq_status names_take(aq_packet_timestamps *t, const aq_program *program,
                            aq_diag *diag)
{
  /* Commands, and the kernels that do their work. */
  static const struct {
    aq_opcode code;
    const char *kernel;
  } transfers[] = {{AQ_OP_FILL, "aq_fill"},
                   {AQ_OP_COPY, "aq_copy"},
                   {AQ_OP_UPDATE, "aq_update"},
                   {AQ_OP_ATOMIC, "aq_atomic"},
                   {AQ_OP_WAIT_VALUE, "aq_wait"}};
  aq_operation_rows *rows = t->queue->context->rows;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < program->kernel_count && status == AQ_OK; i++)
    status = aq_operation_rows_name(rows, program->kernel_names[i],
                                    &t->kernels[i], diag);
  for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
    if (status == AQ_OK)
      status = aq_operation_rows_name(rows, transfers[i].kernel,
                                      &t->builtins[transfers[i].code], diag);
  return status;
}

bool aq_packet_timestamps_wanted(const aq_queue *queue,
                                 const aq_program *program)
{
  bool marks = false;
  if (!queue->context->marked || queue->context->timed)
    return queue->context->timed;
  for (uint32_t i = 0; i < program->block_count && !marks; i++)
    marks = program->blocks[i]->markers > 0;
  return marks;
}

aq_status aq_packet_timestamps_make(aq_queue *queue, const aq_link *link,
                                    aq_packet_timestamps **out, aq_diag *diag)
{
  const aq_program *program = link->program;
  aq_packet_timestamps *t =
      calloc(1, sizeof *t + program->kernel_count * sizeof(int64_t));
  if (!t)
    return aq_diag_no_memory(diag);
  t->queue = queue;
  t->refs = 1;
  t->log = (aq_walk_log){.signals = t->signals,
                         .entries = t->entries,
                         .markers = t->marks_seen,
                         .marker_capacity = TIMES};
  aq_marker_ranges_init(&t->marks, queue->context->rows, queue->row_device,
                        queue->row_queue);
  t->ops = calloc(program->commands + 1, sizeof *t->ops);
  aq_status status = t->ops ? AQ_OK : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    const uint32_t count =
        program->packets < TIMES ? (uint32_t)program->packets : TIMES;
    status = AQ_OK;
    while (t->flag_count < count && status == AQ_OK) {
      aq_epoch_signal **flag = &t->flags[t->flag_count];
      status = aq_epoch_signal_acquire(t->queue->sync_domain, flag, diag);
      if (status == AQ_OK)
        t->signals[t->flag_count++] = (*flag)->signal;
    }
  }
  if (status == AQ_OK)
    status = names_take(t, program, diag);
  if (status != AQ_OK) {
    aq_packet_timestamps_free(t);
    return status;
  }
  t->log.capacity = t->flag_count;
  for (uint32_t i = 0; i < program->block_count; i++) {
    const aq_block *block = program->blocks[i];
    const unsigned char *at = aq_block_at(block, block->header_size);
    for (uint32_t j = 0; j < block->commands; j++) {
      const aq_op *op = (const aq_op *)at;
      if (op->index < program->commands)
        t->ops[op->index] = op;
      at += op->size * 8u;
    }
  }
  *out = t;
  return AQ_OK;
}

void aq_packet_timestamps_free(aq_packet_timestamps *t)
{
  for (uint32_t i = 0; i < t->flag_count; i++)
    aq_epoch_signal_release(t->queue->sync_domain, t->flags[i]);
  aq_marker_ranges_fini(&t->marks);
  free(t->ops);
  free(t);
}

aq_walk aq_packet_timestamps_fill(aq_packet_timestamps *t,
                                  aq_processor *processor, uint64_t number,
                                  aq_packet_span *span)
{
  t->number = number;
  t->log.used = t->log.marker_used = 0;
  span->log = &t->log;
  const aq_walk walk = aq_processor_fill_times(processor, span);
  t->last = walk == AQ_WALK_END;
  if (!t->last)
    aq_refs_add(t->queue->sync_domain, &t->refs);
  return walk;
}

void aq_packet_timestamps_packet(aq_packet_timestamps *t, uint64_t id)
{
  for (uint32_t i = 0; i < t->log.used; i++)
    t->entries[i].packet = id;
}

aq_epoch_signal *aq_packet_timestamps_first(const aq_packet_timestamps *t)
{
  return t->flags[0];
}

/* ---- rows ---- */

/* The row of a packet, where the transport makes none. */
static void kernel_put(const aq_packet_timestamps *t,
                       const aq_walk_entry *entry, aq_time start, aq_time end)
{
  const aq_queue *queue = t->queue;
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_NONE;
  row.device = queue->row_device;
  row.queue = queue->row_queue;
  row.correlation = (int64_t)t->number;
  row.packet = (int64_t)entry->packet;
  if (start != AQ_TIME_NONE) {
    row.start = start;
    row.end = end;
  }
  const aq_op *op = t->ops[entry->command];
  const aq_op_dispatch *d = aq_op_as_dispatch(op);
  row.name = d ? t->kernels[d->kernel] : t->builtins[op->code];
  if (d) {
    row.grid_x = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[0];
    row.grid_y = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[1];
    row.grid_z = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[2];
    row.wg_x = d->workgroup[0];
    row.wg_y = d->workgroup[1];
    row.wg_z = d->workgroup[2];
    row.lds = d->group_size;
    row.scratch = d->private_size;
  }
  aq_operation_rows_put(queue->context->rows, &row);
}

/* One without a name is named by its value. */
static void marker_put(aq_packet_timestamps *t, const aq_walk_marker *marker)
{
  aq_operation_rows *rows = t->queue->context->rows;
  const char *name = aq_marker_name(t->ops[marker->command]);
  aq_diag diag = AQ_DIAG_INIT;
  char number[32];
  int64_t id = AQ_NONE;
  snprintf(number, sizeof number, "marker %" PRIu64, marker->value);
  aq_status status =
      aq_operation_rows_name(rows, name ? name : number, &id, &diag);
  if (status == AQ_OK)
    status =
        aq_marker_ranges_put(&t->marks, marker->kind, marker->value, id, &diag);
  if (status != AQ_OK)
    aq_operation_rows_fail(rows, &diag);
}

/* Packets and markers of a part, in the order of the program. */
static void part_put(aq_packet_timestamps *t)
{
  uint32_t marker = 0;
  t->marks.number = (int64_t)t->number;
  for (uint32_t i = 0; i <= t->log.used; i++) {
    while (marker < t->log.marker_used && t->marks_seen[marker].entry == i)
      marker_put(t, &t->marks_seen[marker++]);
    if (i < t->log.used) {
      const aq_queue *queue = t->queue;
      aq_time start, end;
      if (queue->ops->dispatch_times(queue->transport,
                                     t->signals[t->entries[i].signal], &start,
                                     &end) != AQ_OK)
        start = end = AQ_TIME_NONE;
      if (queue->context->timed)
        kernel_put(t, &t->entries[i], start, end);
      aq_marker_ranges_packet(&t->marks, t->entries[i].packet, start, end);
    }
  }
  if (t->last)
    aq_marker_ranges_end(&t->marks);
}

/* Of a part that has retired, or of the rest that is refused, perhaps by
 * another thread at the same time. When the queue has failed, packets that the
 * device had begun may still decrement the signals: they stay as they are until
 * the context ends. */
void aq_packet_timestamps_done(aq_status status, const char *cause, void *times)
{
  aq_packet_timestamps *t = times;
  const aq_queue *queue = t->queue;
  (void)cause;
  if (status == AQ_OK)
    part_put(t);
  for (uint32_t i = 0; i < t->log.used && status == AQ_OK && !t->last; i++)
    queue->ops->signal_store(queue->transport, t->signals[i], 1, AQ_RELEASE);
  if (aq_refs_sub(queue->sync_domain, &t->refs) > 0)
    return;
  if (aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER)
    t->flag_count = 0;
  aq_packet_timestamps_free(t);
}
