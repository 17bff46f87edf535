/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/times.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/opcodes.h"
#include "queue/context_priv.h"
#include "queue/operation_rows.h"

enum { TIMES = 256 /* packets of a part, at most */ };

struct aq_times {
  aq_queue *queue;
  uint64_t number;
  bool pending, last; /* a part has not retired; it is the task's last */
  aq_walk_log log;
  uint32_t flag_count;
  aq_flag *flags[TIMES];
  aq_signal signals[TIMES];
  aq_walk_entry entries[TIMES];
  int64_t builtins[AQ_OP_LIMIT]; /* names of commands that dispatch no kernel */
  const aq_op **ops;             /* by index of the command */
  int64_t kernels[];             /* names, by ordinal */
};

static aq_status flags_take(aq_times *t, uint32_t count, aq_diag *diag)
{
  aq_status status = AQ_OK;
  while (t->flag_count < count && status == AQ_OK) {
    aq_flag **flag = &t->flags[t->flag_count];
    status = aq_flag_take(t->queue->hub, flag, diag);
    if (status == AQ_OK)
      t->signals[t->flag_count++] = (*flag)->signal;
  }
  return status;
}

static aq_status names_take(aq_times *t, const aq_program *program,
                            aq_diag *diag)
{
  static const aq_opcode transfers[] = {AQ_OP_FILL, AQ_OP_COPY, AQ_OP_UPDATE};
  aq_operation_rows *rows = t->queue->context->rows;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < program->kernel_count && status == AQ_OK; i++)
    status = aq_operation_rows_name(rows, program->kernel_names[i],
                                    &t->kernels[i], diag);
  for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
    if (status == AQ_OK)
      status = aq_operation_rows_name(rows, aq_op_infos[transfers[i]].name,
                                      &t->builtins[transfers[i]], diag);
  return status;
}

static void ops_find(const aq_times *t, const aq_program *program)
{
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
}

aq_status aq_times_make(aq_queue *queue, const aq_link *link, aq_times **out,
                        aq_diag *diag)
{
  const aq_program *program = link->program;
  aq_times *t = calloc(1, sizeof *t + program->kernel_count * sizeof(int64_t));
  if (!t)
    return aq_diag_no_memory(diag);
  t->queue = queue;
  t->log = (aq_walk_log){.signals = t->signals, .entries = t->entries};
  t->ops = calloc(program->commands + 1, sizeof *t->ops);
  aq_status status = t->ops ? AQ_OK : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = flags_take(
        t, program->packets < TIMES ? (uint32_t)program->packets : TIMES, diag);
  if (status == AQ_OK)
    status = names_take(t, program, diag);
  if (status != AQ_OK) {
    aq_times_free(t);
    return status;
  }
  t->log.capacity = t->flag_count;
  ops_find(t, program);
  *out = t;
  return AQ_OK;
}

void aq_times_free(aq_times *t)
{
  for (uint32_t i = 0; i < t->flag_count; i++)
    aq_flag_release(t->queue->hub, t->flags[i]);
  free(t->ops);
  free(t);
}

aq_walk aq_times_fill(aq_times *t, aq_processor *processor, uint64_t number,
                      aq_packet_span *span)
{
  t->number = number;
  t->log.used = 0;
  span->log = &t->log;
  const aq_walk walk = aq_processor_fill_times(processor, span);
  t->pending = true;
  t->last = walk == AQ_WALK_END;
  return walk;
}

void aq_times_packet(aq_times *t, uint64_t id)
{
  for (uint32_t i = 0; i < t->log.used; i++)
    t->entries[i].packet = id;
}

aq_flag *aq_times_first(const aq_times *t)
{
  return t->flags[0];
}

/* ---- rows ---- */

static void row_fill(const aq_times *t, const aq_op *op, aq_record *row)
{
  const aq_op_dispatch *d = aq_op_as_dispatch(op);
  row->name = d ? t->kernels[d->kernel] : t->builtins[op->code];
  if (!d)
    return;
  row->grid_x = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[0];
  row->grid_y = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[1];
  row->grid_z = d->op.code == AQ_OP_DISPATCH_PARAMS ? AQ_NONE : d->grid[2];
  row->wg_x = d->workgroup[0];
  row->wg_y = d->workgroup[1];
  row->wg_z = d->workgroup[2];
  row->lds = d->group_size;
  row->scratch = d->private_size;
}

static void entry_put(const aq_times *t, const aq_walk_entry *entry)
{
  const aq_queue *queue = t->queue;
  aq_record row;
  aq_time start, end;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_NONE;
  row.device = queue->row_device;
  row.queue = queue->row_queue;
  row.correlation = (int64_t)t->number;
  row.packet = (int64_t)entry->packet;
  if (queue->ops->dispatch_times(queue->transport, t->signals[entry->signal],
                                 &start, &end) == AQ_OK) {
    row.start = start;
    row.end = end;
  }
  row_fill(t, t->ops[entry->command], &row);
  aq_operation_rows_put(queue->context->rows, &row);
}

/* A part that was cut off by an error retires after the refusal. */
void aq_times_over(aq_status status, const char *cause, void *times)
{
  aq_times *t = times;
  const aq_queue *queue = t->queue;
  const bool pending = t->pending;
  (void)cause;
  t->pending = false;
  for (uint32_t i = 0; i < t->log.used && pending && status == AQ_OK; i++)
    entry_put(t, &t->entries[i]);
  if (!pending || t->last) {
    aq_times_free(t);
    return;
  }
  for (uint32_t i = 0; i < t->log.used && status == AQ_OK; i++)
    queue->ops->signal_store(queue->transport, t->signals[i], 1, AQ_RELEASE);
}
