/* SPDX-License-Identifier: MIT */
/* The transport's table once a capture is attached: it records changes of
 * queues and signals, and waits. Everything else is the inner one's. */
#include "config.h"

#include <stdlib.h>

#include "dropin/hsa/record/capture_writer.h"

static aqdrop_capture *capture_from(const aq_transport *t)
{
  return (aqdrop_capture *)(uintptr_t)t->ops;
}

static void line_begin(aqdrop_line *line, aq_transport *t, const char *event)
{
  aqdrop_line_begin(line, event, capture_from(t)->inner->now(t));
}

static void line_end(aqdrop_line *line, const aq_transport *t)
{
  aqdrop_line_end(line, capture_from(t));
}

static void number(aqdrop_line *line, const char *key, int64_t value)
{
  aqdrop_line_number(line, key, value);
}

static void handles(aqdrop_line *line, const char *key,
                    const aq_signal *signals, uint32_t count)
{
  if (!line->to)
    return;
  fprintf(line->to, ",\"%s\":[", key);
  for (uint32_t i = 0; i < count; i++)
    fprintf(line->to, "%s%lld", i ? "," : "", (long long)signals[i].handle);
  fputc(']', line->to);
}

/* ---- kernels and copies ---- */

static void cost_put(aqdrop_line *line, const aq_cost *cost)
{
  const aq_cost_detail *detail = cost->detail;
  number(line, "cost", cost->kind);
  number(line, "base", cost->base);
  number(line, "per_workgroup", cost->per_workgroup);
  if (!detail || !line->to)
    return;
  number(line, "contained", detail->contained);
  number(line, "flops", (int64_t)detail->flops);
  number(line, "traffic", (int64_t)detail->bytes);
  fputs(",\"latency\":[", line->to);
  for (uint32_t i = 0; i < detail->latency_count; i++)
    fprintf(line->to, "%s%lld", i ? "," : "", (long long)detail->latency[i]);
  fputc(']', line->to);
}

static aq_status kernel_register(aq_transport *t, const aq_kernel_desc *desc,
                                 aq_kernel_info *out, aq_diag *diag)
{
  aqdrop_capture *capture = capture_from(t);
  aq_status status = capture->inner->kernel_register(t, desc, out, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_line line;
  line_begin(&line, t, "kernel");
  number(&line, "object", (int64_t)out->object);
  aqdrop_line_text(&line, "name", desc->name);
  number(&line, "kernarg_size", desc->kernarg_size);
  number(&line, "group_size", desc->group_size);
  number(&line, "private_size", desc->private_size);
  number(&line, "vgprs", desc->vgprs);
  number(&line, "agprs", desc->agprs);
  number(&line, "sgprs", desc->sgprs);
  number(&line, "wave_size", desc->wave_size);
  number(&line, "code", desc->code && !desc->function);
  cost_put(&line, &desc->cost);
  line_end(&line, t);
  aqdrop_capture_kernel_add(capture, out->object, desc);
  return status;
}

static void kernel_unregister(aq_transport *t, uint64_t object)
{
  aqdrop_capture *capture = capture_from(t);
  aqdrop_capture_kernel_drop(capture, object);
  capture->inner->kernel_unregister(t, object);
}

/* The signals that a copy names. */
static void copy_refer(aqdrop_capture *capture, const aq_copy_desc *copy,
                       aq_time time)
{
  aqdrop_capture_quiet_lock(capture);
  aqdrop_capture_scan_locked(capture, time);
  for (uint32_t i = 0; i < copy->dependency_count; i++)
    aqdrop_capture_refer_locked(capture, copy->dependencies[i], time);
  aqdrop_capture_refer_locked(capture, copy->completion, time);
  pthread_mutex_unlock(&capture->lock);
}

static aq_status copy_submit(aq_transport *t, const aq_copy_desc *copy,
                             aq_diag *diag)
{
  aqdrop_line line;
  copy_refer(capture_from(t), copy, capture_from(t)->inner->now(t));
  line_begin(&line, t, "copy");
  number(&line, "device", copy->device);
  number(&line, "engine", copy->engine);
  number(&line, "to_device", copy->to_device);
  number(&line, "from_device", copy->from_device);
  number(&line, "size", (int64_t)copy->size);
  handles(&line, "after", copy->dependencies, copy->dependency_count);
  number(&line, "signal", (int64_t)copy->completion.handle);
  line_end(&line, t);
  return capture_from(t)->inner->copy_submit(t, copy, diag);
}

static aq_status copy_async(aq_transport *t, uint32_t device, void *to,
                            const void *from, size_t size,
                            const aq_signal *dependencies, uint32_t count,
                            aq_signal completion, aq_diag *diag)
{
  const aq_copy_desc copy = aq_copy_by_address(device, to, from, size,
                                               dependencies, count, completion);
  return copy_submit(t, &copy, diag);
}

/* ---- signals ---- */

/* One that the host may not wait on is polled. */
static uint32_t flags_of(const aq_signal_desc *desc)
{
  for (uint32_t i = 0; i < desc->consumer_count; i++)
    if (desc->consumers[i] == AQ_DEVICE_HOST)
      return desc->flags;
  return desc->flags | (desc->consumer_count > 0 ? AQ_SIGNAL_GPU_ONLY : 0);
}

static aq_status signal_create(aq_transport *t, const aq_signal_desc *desc,
                               aq_signal *out, aq_diag *diag)
{
  aq_status status = capture_from(t)->inner->signal_create(t, desc, out, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_line line;
  line_begin(&line, t, "signal");
  number(&line, "signal", (int64_t)out->handle);
  number(&line, "value", desc->value);
  number(&line, "flags", flags_of(desc));
  line_end(&line, t);
  aqdrop_capture_signal_add(capture_from(t), *out, desc->value,
                            capture_from(t)->inner->now(t));
  return status;
}

static void signal_destroy(aq_transport *t, aq_signal signal)
{
  aqdrop_line line;
  line_begin(&line, t, "signal-end");
  number(&line, "signal", (int64_t)signal.handle);
  line_end(&line, t);
  aqdrop_capture_signal_drop(capture_from(t), signal);
  capture_from(t)->inner->signal_destroy(t, signal);
  if (signal.handle)
    aqdrop_capture_handlers_drop(capture_from(t), signal);
}

static void update_record(aq_transport *t, aq_signal signal, aq_signal_op op,
                          int64_t operand, int64_t expected)
{
  aqdrop_line line;
  line_begin(&line, t, "update");
  number(&line, "signal", (int64_t)signal.handle);
  number(&line, "op", op);
  number(&line, "operand", operand);
  number(&line, "expected", expected);
  line_end(&line, t);
}

/* Brackets a change by a call. */
static void change_record(aq_transport *t, aq_signal signal, bool done)
{
  aqdrop_capture *capture = capture_from(t);
  aqdrop_capture_change(capture, signal, capture->inner->now(t), done);
}

static void signal_store(aq_transport *t, aq_signal signal, int64_t value,
                         aq_order order)
{
  change_record(t, signal, false);
  update_record(t, signal, AQ_UPDATE_EXCHANGE, value, 0);
  capture_from(t)->inner->signal_store(t, signal, value, order);
  change_record(t, signal, true);
}

static int64_t signal_update(aq_transport *t, aq_signal signal, aq_signal_op op,
                             int64_t operand, int64_t expected, aq_order order)
{
  change_record(t, signal, false);
  update_record(t, signal, op, operand, expected);
  const int64_t before = capture_from(t)->inner->signal_update(
      t, signal, op, operand, expected, order);
  change_record(t, signal, true);
  return before;
}

/* ---- waits ---- */

/* Recorded at its end; `began` is when the host came to it. Of several signals,
 * any of which was enough, the host waited for the one that held. */
static void wait_record(aq_transport *t, const aq_wait_request *request,
                        uint32_t held, aq_time began)
{
  const bool any = request->mode == AQ_WAIT_ANY;
  aqdrop_capture *capture = capture_from(t);
  const aq_time end = capture->inner->now(t);
  aqdrop_line line;
  aqdrop_capture_quiet_lock(capture);
  aqdrop_capture_scan_locked(capture, end);
  pthread_mutex_unlock(&capture->lock);
  aqdrop_line_begin(&line, "wait", began);
  number(&line, "end", end);
  number(&line, "deadline", request->deadline);
  number(&line, "hint", request->hint);
  for (uint32_t i = any ? held : 0; line.to && i < request->count; i++) {
    const aq_wait_item *item = &request->items[i];
    fprintf(line.to, "%s[%lld,%d,%lld]", i > 0 && !any ? "," : ",\"items\":[",
            (long long)item->signal.handle, item->condition,
            (long long)item->value);
    if (any)
      break;
  }
  if (line.to)
    fputc(']', line.to);
  line_end(&line, t);
}

static aq_status wait_pass(aq_transport *t, const aq_wait_request *request,
                           aq_wait_result *out, aq_diag *diag)
{
  const aq_transport_ops *inner = capture_from(t)->inner;
  const aq_time began = inner->now(t);
  aq_wait_result result = {0};
  aq_status status = inner->wait(t, request, &result, diag);
  if (status == AQ_OK)
    wait_record(t, request, result.index, began);
  if (out)
    *out = result;
  return status;
}

/* Takes it out; the lock is held. */
static void handler_unlink(aqdrop_capture *capture,
                           const aqdrop_captured_handler *h)
{
  aqdrop_captured_handler **link = &capture->handlers;
  while (*link != h)
    link = &(*link)->next;
  *link = h->next;
}

/* A handler is a host that has waited, without an interrupt between. It may
 * destroy its signal, or close the runtime. */
static bool handler_call(int64_t value, void *user)
{
  aqdrop_captured_handler *h = user;
  aqdrop_capture *capture = capture_from(h->transport);
  const aq_wait_request request = {.items = &h->item,
                                   .count = 1,
                                   .mode = AQ_WAIT_ALL,
                                   .hint = AQ_WAIT_ACTIVE,
                                   .deadline = AQ_TIME_MAX};
  wait_record(h->transport, &request, 0, capture->inner->now(h->transport));
  pthread_mutex_lock(&capture->lock);
  h->running = true;
  pthread_mutex_unlock(&capture->lock);
  bool again = h->function(value, h->user);
  if (__atomic_load_n(&h->dropped, __ATOMIC_ACQUIRE)) {
    free(h);
    return false;
  }
  pthread_mutex_lock(&capture->lock);
  again = again && !h->dropped;
  h->running = false;
  if (!again && !h->dropped)
    handler_unlink(capture, h);
  pthread_mutex_unlock(&capture->lock);
  if (!again)
    free(h);
  return again;
}

static aq_status signal_handler(aq_transport *t, aq_signal signal,
                                aq_condition condition, int64_t value,
                                aq_signal_function *function, void *user,
                                aq_diag *diag)
{
  aqdrop_capture *capture = capture_from(t);
  aqdrop_captured_handler *h = malloc(sizeof *h);
  if (!h)
    return aq_diag_no_memory(diag);
  *h = (aqdrop_captured_handler){.transport = t,
                                 .item = {signal, condition, value},
                                 .function = function,
                                 .user = user};
  pthread_mutex_lock(&capture->lock);
  h->next = capture->handlers;
  capture->handlers = h;
  pthread_mutex_unlock(&capture->lock);
  aq_status status = capture->inner->signal_handler(t, signal, condition, value,
                                                    handler_call, h, diag);
  if (status != AQ_OK) {
    pthread_mutex_lock(&capture->lock);
    handler_unlink(capture, h);
    pthread_mutex_unlock(&capture->lock);
    free(h);
  }
  return status;
}

/* ---- queues ---- */

static aq_status queue_create(aq_transport *t, const aq_queue_desc *desc,
                              aq_ring **out, aq_diag *diag)
{
  aqdrop_capture *capture = capture_from(t);
  aq_status status = capture->inner->queue_create(t, desc, out, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_line line;
  line_begin(&line, t, "queue");
  number(&line, "queue", (*out)->id);
  number(&line, "device", desc->device);
  number(&line, "size", (*out)->size);
  number(&line, "kind", desc->type);
  number(&line, "doorbell", (int64_t)desc->doorbell.handle);
  line_end(&line, t);
  aqdrop_capture_queue_add(capture, *out);
  return status;
}

static void queue_destroy(aq_transport *t, aq_ring *queue)
{
  aqdrop_capture *capture = capture_from(t);
  aqdrop_line line;
  line_begin(&line, t, "queue-end");
  number(&line, "queue", queue->id);
  line_end(&line, t);
  aqdrop_capture_queue_drop(capture, queue->id);
  capture->inner->queue_destroy(t, queue);
}

static void queue_doorbell(aq_transport *t, aq_ring *queue, uint64_t id)
{
  aqdrop_capture *capture = capture_from(t);
  aqdrop_capture_rung(capture, queue, id, capture->inner->now(t));
  capture->inner->queue_doorbell(t, queue, id);
}

static aq_status queue_control(aq_transport *t, aq_ring *queue,
                               aq_queue_control control,
                               const aq_queue_control_args *args, aq_diag *diag)
{
  aqdrop_line line;
  line_begin(&line, t, "control");
  number(&line, "queue", queue->id);
  number(&line, "control", control);
  number(&line, "value", args ? args->value : 0);
  if (args && args->count > 0)
    aqdrop_line_hex(&line, "mask", args->mask, args->count / 8);
  line_end(&line, t);
  return capture_from(t)->inner->queue_control(t, queue, control, args, diag);
}

void aqdrop_capture_table(const aq_transport_ops *inner,
                          aq_transport_ops *table)
{
  *table = *inner;
  table->kernel_register = kernel_register;
  table->kernel_unregister = kernel_unregister;
  table->copy_async = copy_async;
  table->copy_submit = copy_submit;
  table->signal_create = signal_create;
  table->signal_destroy = signal_destroy;
  table->signal_store = signal_store;
  table->signal_update = signal_update;
  table->signal_handler = signal_handler;
  table->wait = wait_pass;
  table->queue_create = queue_create;
  table->queue_destroy = queue_destroy;
  table->queue_doorbell = queue_doorbell;
  table->queue_control = queue_control;
}
