/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/ops/host_operation.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/ops/staging.h"

/* ---- its life ---- */

static void work_release(aq_host_operation *work)
{
  if (__atomic_sub_fetch(&work->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  aq_epoch_signal_release(work->context->sync_domain, work->done_signal);
  work->free(work);
}

/* Release: the outcome is there when the done signal is seen open. */
static void gate_open(aq_host_operation *work, aq_status status,
                      const char *cause)
{
  work->status = status;
  if (status != AQ_OK)
    aq_diag_set(&work->cause, status, "%s", cause);
  work->context->ops->signal_store(work->context->transport,
                                   work->done_signal->signal, 0, AQ_RELEASE);
}

void aq_host_operation_publish(aq_host_operation *work, const void *address,
                               size_t size)
{
  work->context->ops->mem_publish(work->context->transport, address, size);
  work->published++;
}

void aq_host_operation_end(aq_host_operation *work, aq_status status,
                           const char *cause)
{
  aq_context *context = work->context;
  gate_open(work, status, cause);
  work_release(work);
  aq_staging_release(context);
}

/* ---- the first task ---- */

static aq_status work_turn(void *user, aq_diag *diag)
{
  aq_host_operation *work = user;
  aq_diag own = AQ_DIAG_INIT;
  (void)diag; /* told by the second task */
  if (__atomic_load_n(&work->refused, __ATOMIC_ACQUIRE))
    return AQ_OK; /* no signal would report it */
  __atomic_fetch_add(&work->refs, 1, __ATOMIC_RELAXED);
  aq_staging_hold(work->context);
  const aq_status status = work->start(work, &own);
  if (status != AQ_ERR_AGAIN)
    aq_host_operation_end(work, status, own.text);
  return AQ_OK;
}

static void work_turned(aq_status status, const char *cause, void *user)
{
  aq_host_operation *work = user;
  if (status != AQ_OK) /* it never started */
    gate_open(work, status, cause);
  work_release(work);
}

static const aq_task_class turn_class = {.size = sizeof(aq_task)};

/* ---- the second task ---- */

typedef struct gate_task {
  aq_task task; /* first */
  aq_host_operation *work;
} gate_task;

static void gate_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                        uint32_t *kernargs)
{
  (void)task, (void)most;
  *packets = 1;
  *kernargs = 0;
}

static aq_walk gate_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  aq_barrier_packet *packet =
      &aq_ring_slot(span->ring, span->first + span->packets)->barrier;
  memset((unsigned char *)packet + sizeof(uint32_t), 0,
         sizeof *packet - sizeof(uint32_t));
  packet->dependency[0] = ((gate_task *)task)->work->done_signal->signal;
  (void)carry; /* nothing is wider than this */
  span->headers[span->packets++] = aq_packet_header(
      AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  return AQ_WALK_END;
}

static aq_status gate_outcome(void *user, aq_diag *diag)
{
  const aq_host_operation *work = user;
  return work->status == AQ_OK
             ? AQ_OK
             : aq_diag_set(diag, work->status, "%s", work->cause.text);
}

static void done_signal_done(aq_status status, const char *cause, void *user)
{
  aq_host_operation *work = user;
  (void)cause;
  if (status != AQ_OK)
    __atomic_store_n(&work->refused, true, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(&work->queue->published, work->published,
                       __ATOMIC_RELAXED);
  work_release(work);
}

#define GATE_CLASS(KIND)                                                       \
  [AQ_OPERATION_##KIND] = {.kind = AQ_OPERATION_##KIND,                        \
                           .size = sizeof(gate_task),                          \
                           .demand = gate_demand,                              \
                           .fill = gate_fill}

/* By the kind of operation. */
static const aq_task_class gate_classes[AQ_OPERATION_COUNT] = {
    GATE_CLASS(FILL), GATE_CLASS(COPY),  GATE_CLASS(UPDATE),
    GATE_CLASS(READ), GATE_CLASS(WRITE), GATE_CLASS(HOST_CALL),
};

aq_status aq_host_operation_submit(aq_host_operation *work, const aq_sync *sync,
                                   aq_diag *diag)
{
  aq_task turn = aq_task_init(&turn_class, sync);
  gate_task done_signal = {aq_task_init(&gate_classes[work->kind], sync), work};
  aq_status status = aq_epoch_signal_acquire(work->context->sync_domain,
                                             &work->done_signal, diag);
  if (status != AQ_OK)
    return status;
  work->refs = 2;
  work->status = AQ_OK;
  turn.action = work_turn;
  turn.on_done = work_turned;
  done_signal.task.action = gate_outcome;
  done_signal.task.on_done = done_signal_done;
  turn.action_user = turn.on_done_user = work;
  done_signal.task.action_user = done_signal.task.on_done_user = work;
  done_signal.task.bytes = work->bytes;
  done_signal.task.way = work->way;
  turn.sync.signals = NULL;
  turn.sync.signal_count = 0;
  turn.sync.release = NULL;
  done_signal.task.sync.waits = NULL;
  done_signal.task.sync.wait_count = 0;
  turn.then = &done_signal.task;
  status = aq_task_submit(work->queue, &turn, diag);
  if (status != AQ_OK)
    aq_epoch_signal_release(work->context->sync_domain, work->done_signal);
  return status;
}

/* ---- host calls ---- */

typedef struct call_work {
  aq_host_operation work; /* first */
  aq_host_call call;
} call_work;

static aq_status call_start(aq_host_operation *work, aq_diag *diag)
{
  const aq_host_call *call = &((call_work *)work)->call;
  const aq_status status = call->function(call->user, diag);
  if (call->target)
    aq_host_operation_publish(work, call->target, call->target_size);
  if (status == AQ_ERR_AGAIN)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a host call has to end with its function");
  return status;
}

static void call_free(aq_host_operation *work)
{
  free(work);
}

static aq_status call_submit(aq_queue *queue, const aq_sync *sync,
                             const aq_host_call *call, aq_diag *diag)
{
  call_work *c = calloc(1, sizeof *c);
  if (!c)
    return aq_diag_no_memory(diag);
  c->work = (aq_host_operation){.queue = queue,
                                .context = queue->context,
                                .kind = AQ_OPERATION_HOST_CALL,
                                .start = call_start,
                                .free = call_free};
  c->call = *call;
  aq_status status = aq_host_operation_submit(&c->work, sync, diag);
  if (status != AQ_OK)
    free(c);
  return status;
}

aq_status aq_queue_host_call(aq_queue *queue, const aq_sync *sync,
                             const aq_host_call *call, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_HOST_CALL, sync, call);
  return aq_submit_hooks_end(queue->context, token,
                             call_submit(queue, sync, call, diag));
}
