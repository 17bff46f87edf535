/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/null/null.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_set.h"
#include "backend_sim/transfer/copies.h"
#include "transport/null/null_retire.h"

enum { QUEUES_MAX = 1024, QUEUE_SIZE_MIN = 2, QUEUE_SIZE_MAX = 1 << 20 };

static aqsim_null *null_from(aq_transport *t)
{
  return (aqsim_null *)t;
}

static aqsim_null_queue *queue_from(aq_ring *ring)
{
  return (aqsim_null_queue *)(void *)ring;
}

/* ---- life ---- */

static const aq_device_info null_device = {
    .name = "null",
    .gfx = "none",
    .cus = 1,
    .wave_size = 64,
    .queues_max = QUEUES_MAX,
    .queue_size_min = QUEUE_SIZE_MIN,
    .queue_size_max = QUEUE_SIZE_MAX,
    .timestamp_hz = 1000000000,
    .timestamp_step = AQ_NS,
    .unmap_after = AQ_TIME_MAX,
};

static aq_status devices_open(aqsim_null *n, const char *list, aq_diag *diag)
{
  aq_status status =
      aqsim_device_set_count(list ? list : "null", &n->device_count, diag);
  if (status != AQ_OK)
    return status;
  n->devices = calloc(n->device_count, sizeof *n->devices);
  if (!n->devices)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < n->device_count; i++)
    n->devices[i] = null_device;
  return AQ_OK;
}

static aq_status null_open(const aq_transport_options *options,
                           aq_transport **out, aq_diag *diag)
{
  if (options && options->edits && options->edits[0])
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "edit '%s': the null transport has no device model",
                       options->edits[0]);
  if (options && options->mode != AQ_MODE_VIRTUAL)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "null: live mode is not supported");
  aqsim_null *n = calloc(1, sizeof *n);
  if (!n)
    return aq_diag_no_memory(diag);
  n->base.ops = &aqsim_null_transport_ops;
  n->now = options ? options->epoch : 0;
  aq_status status = devices_open(n, options ? options->device : NULL, diag);
  if (status != AQ_OK) {
    free(n);
    return status;
  }
  *out = &n->base;
  return AQ_OK;
}

static void null_close(aq_transport *t)
{
  aqsim_null *n = null_from(t);
  while (n->queues) {
    aqsim_null_queue *queue = n->queues;
    n->queues = queue->next;
    aqsim_null_queue_free(queue);
  }
  while (n->copies) {
    aqsim_null_copy *copy = n->copies;
    n->copies = copy->next;
    free(copy);
  }
  aqsim_memory_fini(&n->memory);
  aqsim_kernels_fini(&n->kernels);
  aqsim_signals_fini(&n->signals);
  free(n->devices);
  free(n);
}

static void null_info(aq_transport *t, aq_transport_info *out)
{
  const aqsim_null *n = null_from(t);
  *out = (aq_transport_info){.caps = AQ_CAP_VIRTUAL_TIME | AQ_CAP_HOST_KERNELS |
                                     AQ_CAP_COPY | AQ_CAP_BARRIER_VALUE,
                             .device_count = n->device_count,
                             .devices = n->devices,
                             .reproducible = true};
}

static void null_inspect(aq_transport *t,
                         void (*line)(const char *text, void *user), void *user)
{
  (void)t, (void)line, (void)user; /* it prints no lines: caps lacks them */
}

/* ---- memory ---- */

static aq_status device_check(const aqsim_null *n, uint32_t device,
                              aq_diag *diag)
{
  if (device < n->device_count)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; expected less than %u",
                     device, n->device_count);
}

static aq_status null_mem_alloc(aq_transport *t, uint32_t device,
                                aq_memory_kind kind, size_t size, void **out,
                                aq_diag *diag)
{
  (void)kind; /* all memory is host memory */
  aq_status status = device_check(null_from(t), device, diag);
  if (status != AQ_OK)
    return status;
  void *memory =
      aqsim_memory_alloc(&null_from(t)->memory, AQ_DEVICE_HOST, size);
  if (!memory)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for %zu bytes",
                       size);
  *out = memory;
  return AQ_OK;
}

static void null_mem_free(aq_transport *t, void *address)
{
  aqsim_memory_free(&null_from(t)->memory, address);
}

static void null_mem_publish(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size; /* memory is coherent */
}

static aq_status null_mem_lock(aq_transport *t, void *address, size_t size,
                               void **out, aq_diag *diag)
{
  aq_status status =
      aqsim_memory_lock(&null_from(t)->memory, address, size, diag);
  if (status == AQ_OK)
    *out = address;
  return status;
}

static bool null_mem_visible(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size;
  return true;
}

static void null_mem_unlock(aq_transport *t, void *address)
{
  aqsim_memory_unlock(&null_from(t)->memory, address);
}

static aq_status null_copy_submit(aq_transport *t, const aq_copy_desc *desc,
                                  aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  uint32_t count = desc->dependency_count;
  aq_status status = aqsim_copy_desc_check(desc, n->device_count, diag);
  if (status == AQ_OK && desc->engine != AQ_COPY_ENGINE_ANY)
    status = aq_diag_set(diag, AQ_ERR_INVALID,
                         "copy_submit: engine %u; the null transport has none",
                         desc->engine);
  if (status != AQ_OK || desc->size == 0)
    return status;
  aqsim_null_copy *copy =
      malloc(sizeof *copy + count * sizeof *copy->dependencies);
  if (!copy)
    return aq_diag_no_memory(diag);
  *copy = (aqsim_null_copy){.to = desc->to,
                            .from = desc->from,
                            .box = aqsim_copy_rect_of(desc),
                            .completion = desc->completion,
                            .count = count};
  if (count > 0)
    memcpy(copy->dependencies, desc->dependencies,
           count * sizeof *copy->dependencies);
  aqsim_null_copy **link = &n->copies;
  while (*link)
    link = &(*link)->next;
  *link = copy;
  aqsim_null_settle(n);
  return AQ_OK;
}

static aq_status null_copy_async(aq_transport *t, uint32_t device, void *to,
                                 const void *from, size_t size,
                                 const aq_signal *dependencies, uint32_t count,
                                 aq_signal completion, aq_diag *diag)
{
  const aq_copy_desc copy = aq_copy_by_address(device, to, from, size,
                                               dependencies, count, completion);
  return null_copy_submit(t, &copy, diag);
}

static uint32_t null_copy_engines_idle(aq_transport *t, uint32_t device)
{
  (void)t, (void)device;
  return 0; /* there are none to choose */
}

/* ---- code ---- */

static aq_status null_module_load(aq_transport *t, uint32_t device,
                                  const void *image, size_t size,
                                  uint64_t *module, aq_diag *diag)
{
  (void)t, (void)device, (void)image, (void)size, (void)module;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "null: code objects are not executed; register a host "
                     "function instead");
}

static void null_module_unload(aq_transport *t, uint64_t module)
{
  (void)t, (void)module; /* none can be loaded */
}

static aq_status null_kernel_lookup(aq_transport *t, uint64_t module,
                                    const char *name, aq_kernel_info *out,
                                    aq_diag *diag)
{
  const aqsim_kernel *kernel =
      module ? NULL : aqsim_kernel_find(&null_from(t)->kernels, name);
  if (!kernel)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "no kernel '%s' is registered",
                       name);
  aqsim_kernel_describe(kernel, out);
  return AQ_OK;
}

/* No packet outlives the call that runs it. */
static void kernels_collect(aqsim_null *n)
{
  n->recent = NULL;
  if (!n->running)
    aqsim_kernels_sweep(&n->kernels);
}

static aq_status null_kernel_register(aq_transport *t,
                                      const aq_kernel_desc *desc,
                                      aq_kernel_info *out, aq_diag *diag)
{
  aqsim_kernel *kernel;
  aq_status status =
      aqsim_kernel_register(&null_from(t)->kernels, desc, &kernel, diag);
  kernels_collect(null_from(t)); /* it may have taken the place of another */
  if (status == AQ_OK)
    aqsim_kernel_describe(kernel, out);
  return status;
}

static void null_kernel_unregister(aq_transport *t, uint64_t object)
{
  aqsim_null *n = null_from(t);
  aqsim_kernel_unregister(&n->kernels, object);
  kernels_collect(n);
}

static bool null_kernel_describe(aq_transport *t, uint64_t object,
                                 aq_kernel_info *out)
{
  const aqsim_kernel *kernel = aqsim_null_kernel(null_from(t), object);
  if (kernel)
    aqsim_kernel_describe(kernel, out);
  return kernel != NULL;
}

/* ---- signals ---- */

static aq_status null_signal_create(aq_transport *t, const aq_signal_desc *desc,
                                    aq_signal *out, aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  aq_status status = aqsim_signal_check(desc, n->device_count, diag);
  if (status != AQ_OK)
    return status;
  aqsim_signal *signal = aqsim_signal_create(&n->signals, desc);
  if (!signal)
    return aq_diag_no_memory(diag);
  *out = aqsim_signal_handle(signal);
  return AQ_OK;
}

static void null_signal_destroy(aq_transport *t, aq_signal signal)
{
  if (signal.handle)
    aqsim_signal_destroy(&null_from(t)->signals, aqsim_signal_from(signal));
}

static int64_t null_signal_load(aq_transport *t, aq_signal signal,
                                aq_order order)
{
  (void)t, (void)order;
  return aqsim_signal_load(aqsim_signal_from(signal));
}

static void signal_changed(aqsim_null *n)
{
  n->changed = true;
  if (n->waiting)
    aqsim_null_settle(n);
}

static void null_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                              aq_order order)
{
  (void)order;
  aqsim_signal_store(&null_from(t)->signals, aqsim_signal_from(signal), value);
  signal_changed(null_from(t));
}

static int64_t null_signal_update(aq_transport *t, aq_signal signal,
                                  aq_signal_op op, int64_t operand,
                                  int64_t expected, aq_order order)
{
  aqsim_null *n = null_from(t);
  (void)order;
  int64_t before = aqsim_signal_update(&n->signals, aqsim_signal_from(signal),
                                       op, operand, expected, n->now);
  signal_changed(n);
  return before;
}

static aq_status null_signal_handler(aq_transport *t, aq_signal signal,
                                     aq_condition condition, int64_t value,
                                     aq_signal_function *function, void *user,
                                     aq_diag *diag)
{
  (void)t, (void)signal, (void)condition, (void)value, (void)function;
  (void)user;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "null: signal handlers are not supported");
}

/* ---- queues ---- */

static aq_status queue_check(const aqsim_null *n, const aq_queue_desc *desc,
                             aq_diag *diag)
{
  aq_status status = device_check(n, desc->device, diag);
  if (status != AQ_OK)
    return status;
  if (desc->size < QUEUE_SIZE_MIN || (desc->size & (desc->size - 1)))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: size %u; expected a power of two, at "
                       "least %d",
                       desc->size, QUEUE_SIZE_MIN);
  if (desc->size > QUEUE_SIZE_MAX)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "queue_create: size %u; expected at most %d", desc->size,
                       QUEUE_SIZE_MAX);
  if (n->queue_count == QUEUES_MAX)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "queue_create: there are %d queues, the most there may "
                       "be",
                       QUEUES_MAX);
  if (desc->type != AQ_QUEUE_MULTI && desc->type != AQ_QUEUE_SINGLE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "queue_create: type %d; expected MULTI or SINGLE",
                       (int)desc->type);
  return AQ_OK;
}

static aq_status null_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                   aq_ring **out, aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  aq_status status = queue_check(n, desc, diag);
  if (status != AQ_OK)
    return status;
  aqsim_null_queue *queue = calloc(1, sizeof *queue);
  aq_packet *packets =
      aligned_alloc(AQ_PACKET_SIZE, (size_t)desc->size * AQ_PACKET_SIZE);
  if (!queue || !packets) {
    free(packets);
    free(queue);
    return aq_diag_no_memory(diag);
  }
  memset(packets, 0, (size_t)desc->size * AQ_PACKET_SIZE);
  for (uint32_t i = 0; i < desc->size; i++)
    packets[i].header = AQ_PACKET_INVALID;
  queue->ring = (aq_ring){packets,
                          desc->size,
                          n->queues_created++,
                          &queue->write_index,
                          &queue->read_index,
                          &queue->doorbell};
  queue->doorbell = UINT64_MAX;
  queue->active = true;
  queue->error = desc->error;
  queue->user = desc->user;
  queue->next = n->queues;
  n->queues = queue;
  n->queue_count++;
  *out = &queue->ring;
  return AQ_OK;
}

static void null_queue_destroy(aq_transport *t, aq_ring *ring)
{
  aqsim_null *n = null_from(t);
  aqsim_null_queue *queue = queue_from(ring);
  queue->active = false;
  queue->destroyed = true;
  n->queue_count--;
  n->destroyed = true;
  if (!n->running)
    aqsim_null_stop(n);
}

static void null_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  aqsim_null *n = null_from(t);
  /* Release: a reader of the cell sees the packets up to id. */
  __atomic_store_n(ring->doorbell, id, __ATOMIC_RELEASE);
  if (n->running)
    return; /* the loop that runs will come to it */
  n->running = true;
  n->changed = false;
  bool waited = n->waiting;
  aqsim_null_queue_run(n, queue_from(ring));
  aqsim_null_stop(n);
  if (n->changed && waited)
    aqsim_null_settle(n);
}

static aq_status null_stuck(aq_time deadline, aqsim_null *n, const char *what,
                            aq_diag *diag)
{
  if (deadline == AQ_TIME_MAX)
    return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                       "%s never ends: nothing is left to happen", what);
  n->now = aq_time_max(n->now, deadline);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT, "%s: the deadline passed", what);
}

static aq_status null_queue_wait_space(aq_transport *t, aq_ring *ring,
                                       uint32_t count, aq_time deadline,
                                       aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  aqsim_null_settle(n);
  if (aq_ring_space(ring) >= count)
    return AQ_OK;
  if (!queue_from(ring)->active)
    return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u is inactive", ring->id);
  return null_stuck(deadline, n, "the wait for room in a ring", diag);
}

static aq_status null_queue_control(aq_transport *t, aq_ring *ring,
                                    aq_queue_control control,
                                    const aq_queue_control_args *args,
                                    aq_diag *diag)
{
  (void)t, (void)args;
  if (control != AQ_CONTROL_INACTIVATE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "null: queue %u: only INACTIVATE is served", ring->id);
  queue_from(ring)->active = false;
  return AQ_OK;
}

/* ---- time ---- */

static aq_time null_now(aq_transport *t)
{
  return null_from(t)->now;
}

static void null_clock_correlate(aq_transport *t, uint32_t device,
                                 aq_clock_pair *out)
{
  (void)device;
  *out = (aq_clock_pair){null_from(t)->now, null_from(t)->now};
}

static bool item_holds(const aq_wait_item *item)
{
  return aq_condition_holds(item->condition,
                            aqsim_signal_load(aqsim_signal_from(item->signal)),
                            item->value);
}

static aq_status null_wait(aq_transport *t, const aq_wait_request *request,
                           aq_wait_result *out, aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  aqsim_null_settle(n);
  uint32_t held = 0, first = 0, missing = 0;
  for (uint32_t i = request->count; i-- > 0;)
    if (item_holds(&request->items[i])) {
      held++;
      first = i;
    } else {
      missing = i;
    }
  aq_status status = AQ_OK;
  bool all = request->mode == AQ_WAIT_ALL;
  if (all ? held < request->count : held == 0)
    status = null_stuck(request->deadline, n, "the wait for a signal", diag);
  if (!out || status == AQ_ERR_DEADLOCK)
    return status;
  out->index = status == AQ_ERR_TIMEOUT ? missing : all ? 0 : first;
  aq_signal signal = request->items[out->index].signal;
  out->value = aqsim_signal_load(aqsim_signal_from(signal));
  return status;
}

static uint32_t null_drain(aq_transport *t, aq_completion *out,
                           uint32_t capacity)
{
  return aqsim_signals_drain(&null_from(t)->signals, out, capacity);
}

static aq_status null_sleep_until(aq_transport *t, aq_time until, bool wake,
                                  aq_diag *diag)
{
  aqsim_null *n = null_from(t);
  if (n->running)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "time cannot be moved from inside a kernel or a "
                       "callback");
  aqsim_null_settle(n);
  if (until != AQ_TIME_MAX && !(wake && n->signals.drain_count > 0))
    n->now = aq_time_max(n->now, until);
  return AQ_OK;
}

static aq_status null_dispatch_times(aq_transport *t, aq_signal signal,
                                     aq_time *start, aq_time *end)
{
  (void)t, (void)signal, (void)start, (void)end;
  return AQ_ERR_UNSUPPORTED; /* it has no timing */
}

const aq_transport_ops aqsim_null_transport_ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "null",
    .summary = "retires packets at once, to measure host cost",
    .open = null_open,
    .close = null_close,
    .info = null_info,
    .inspect = null_inspect,
    .mem_alloc = null_mem_alloc,
    .mem_free = null_mem_free,
    .mem_publish = null_mem_publish,
    .mem_lock = null_mem_lock,
    .mem_unlock = null_mem_unlock,
    .mem_visible = null_mem_visible,
    .copy_async = null_copy_async,
    .copy_submit = null_copy_submit,
    .copy_engines_idle = null_copy_engines_idle,
    .module_load = null_module_load,
    .module_unload = null_module_unload,
    .kernel_lookup = null_kernel_lookup,
    .kernel_register = null_kernel_register,
    .kernel_unregister = null_kernel_unregister,
    .kernel_describe = null_kernel_describe,
    .signal_create = null_signal_create,
    .signal_destroy = null_signal_destroy,
    .signal_load = null_signal_load,
    .signal_store = null_signal_store,
    .signal_update = null_signal_update,
    .signal_handler = null_signal_handler,
    .queue_create = null_queue_create,
    .queue_destroy = null_queue_destroy,
    .queue_doorbell = null_queue_doorbell,
    .queue_wait_space = null_queue_wait_space,
    .queue_control = null_queue_control,
    .now = null_now,
    .clock_correlate = null_clock_correlate,
    .wait = null_wait,
    .drain = null_drain,
    .sleep_until = null_sleep_until,
    .dispatch_times = null_dispatch_times,
};
