/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/live/live.h"

#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/hwqueue/queue_create.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/live/live_handlers.h"
#include "backend_sim/live/live_wait.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/sim.h"
#include "backend_sim/transfer/copies.h"

/* The operations of virtual time, which these ones guard. */
static const aq_transport_ops *const base = &aqsim_transport_ops;

static aqsim_live *enter(aq_transport *t)
{
  aqsim_live *live = aqsim_from(t)->live;
  aqsim_lead_end(&live->leads);
  aqsim_live_enter(live);
  return live;
}

/* The device looks at what changed, whether it drives or sleeps. */
static void leave(aqsim_live *live)
{
  aqsim_live_unlock(live);
  if (aqsim_live_is_free(live))
    aqsim_live_ring(live);
}

bool aqsim_live_is_driver(aq_transport *transport)
{
  return aqsim_live_inside(aqsim_from(transport)->live);
}

void aqsim_live_leave(aq_transport *transport)
{
  aqsim_live_hosts_leave(aqsim_from(transport)->live);
}

void aqsim_live_unmap_begin(aq_transport *transport, const void *address,
                            size_t size)
{
  aqsim *sim = aqsim_from(transport);
  aqsim_live_lock(sim->live);
  aqsim_copies_lose(sim, (uintptr_t)address, size);
}

void aqsim_live_unmap_end(aq_transport *transport)
{
  aqsim_live_unlock(aqsim_from(transport)->live);
}

bool aqsim_live_signal_is_own(aq_transport *transport, aq_signal signal)
{
  return aqsim_signal_is_pooled(&aqsim_from(transport)->signals, signal);
}

bool aqsim_live_queue_is_own(aq_transport *transport, const void *abi)
{
  return aqsim_queue_is_own(aqsim_from(transport), abi);
}

void aqsim_live_serve(aq_transport *transport, const aqsim_client *client)
{
  aqsim_from(transport)->client = client;
  aqsim_from(transport)->signals.trusts =
      aqsim_from(transport)->allocations != NULL;
}

aq_status aqsim_live_queue_place(aq_transport *transport,
                                 const aq_queue_desc *desc,
                                 const aqsim_queue_place *place, aq_ring **out,
                                 aq_diag *diag)
{
  aqsim_queue *queue;
  aqsim_live *live = enter(transport);
  const aq_status status =
      aqsim_queue_create(aqsim_from(transport), desc, place, &queue, diag);
  if (status == AQ_OK)
    *out = &queue->ring;
  aqsim_live_end_lockstep(live);
  leave(live);
  return status;
}

static aqsim_queue *queue_from(aq_ring *ring)
{
  return (aqsim_queue *)(void *)ring;
}

void aqsim_live_queue_suspend(aq_transport *transport, aq_ring *ring,
                              bool suspended)
{
  aqsim_live *live = enter(transport);
  aqsim_queue_suspend(queue_from(ring), suspended);
  leave(live);
}

bool aqsim_live_queue_move(aq_transport *transport, aq_ring *ring,
                           aq_packet *packets)
{
  aqsim_live *live = enter(transport);
  const aqsim_queue *queue = queue_from(ring);
  const bool idle = aqsim_queue_is_idle(queue) &&
                    aq_ring_write_index(ring) == queue->fetch_state.noticed;
  if (idle)
    ring->packets = packets;
  leave(live);
  return idle;
}

aq_status aqsim_live_sdma_create(aq_transport *transport,
                                 const aqsim_sdma_desc *desc, aqsim_sdma **out,
                                 aq_diag *diag)
{
  aqsim_live *live = enter(transport);
  const aq_status status =
      aqsim_sdma_create(aqsim_from(transport), desc, out, diag);
  aqsim_live_end_lockstep(live);
  leave(live);
  return status;
}

void aqsim_live_sdma_destroy(aq_transport *transport, aqsim_sdma *ring)
{
  aqsim_live *live = enter(transport);
  aqsim_sdma_destroy(ring);
  leave(live);
}

void aqsim_live_sdma_suspend(aq_transport *transport, aqsim_sdma *ring,
                             bool suspended)
{
  aqsim_live *live = enter(transport);
  aqsim_sdma_suspend(ring, suspended);
  leave(live);
}

void aqsim_live_look(aq_transport *transport)
{
  aqsim_live_ring(aqsim_from(transport)->live);
}

static void live_close(aq_transport *t)
{
  aqsim_live_stop(aqsim_from(t));
  base->close(t);
}

static void live_info(aq_transport *t, aq_transport_info *out)
{
  base->info(t, out);
  out->caps &= ~(uint32_t)(AQ_CAP_VIRTUAL_TIME | AQ_CAP_DEVICE_HOOKS);
  out->caps |= AQ_CAP_LIVE;
  out->reproducible = !aqsim_live_is_free(aqsim_from(t)->live);
}

/* Only looks: no client of the lockstep. */
static void live_inspect(aq_transport *t,
                         void (*line)(const char *text, void *user), void *user)
{
  aqsim_live *live = aqsim_from(t)->live;
  aqsim_live_lock(live);
  base->inspect(t, line, user);
  aqsim_live_unlock(live);
}

/* ---- memory and code ---- */

static aq_status live_mem_alloc(aq_transport *t, uint32_t device,
                                aq_memory_kind kind, size_t size, void **out,
                                aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->mem_alloc(t, device, kind, size, out, diag);
  leave(live);
  return status;
}

static void live_mem_free(aq_transport *t, void *address)
{
  aqsim_live *live = enter(t);
  base->mem_free(t, address);
  leave(live);
}

static void live_mem_publish(aq_transport *t, const void *address, size_t size)
{
  base->mem_publish(t, address, size);
}

static aq_status live_mem_lock(aq_transport *t, void *address, size_t size,
                               void **out, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->mem_lock(t, address, size, out, diag);
  leave(live);
  return status;
}

static bool live_mem_visible(aq_transport *t, const void *address, size_t size)
{
  return base->mem_visible(t, address, size);
}

static void live_mem_unlock(aq_transport *t, void *address)
{
  aqsim_live *live = enter(t);
  base->mem_unlock(t, address);
  leave(live);
}

static aq_status live_copy_async(aq_transport *t, uint32_t device, void *to,
                                 const void *from, size_t size,
                                 const aq_signal *dependencies, uint32_t count,
                                 aq_signal completion, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->copy_async(t, device, to, from, size, dependencies,
                                      count, completion, diag);
  leave(live);
  return status;
}

static aq_status live_copy_submit(aq_transport *t, const aq_copy_desc *copy,
                                  aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->copy_submit(t, copy, diag);
  leave(live);
  return status;
}

static uint32_t live_copy_engines_idle(aq_transport *t, uint32_t device)
{
  aqsim_live *live = enter(t);
  uint32_t idle = base->copy_engines_idle(t, device);
  leave(live);
  return idle;
}

static aq_status live_module_load(aq_transport *t, uint32_t device,
                                  const void *image, size_t size,
                                  uint64_t *module, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->module_load(t, device, image, size, module, diag);
  leave(live);
  return status;
}

static void live_module_unload(aq_transport *t, uint64_t module)
{
  aqsim_live *live = enter(t);
  base->module_unload(t, module);
  leave(live);
}

static aq_status live_kernel_lookup(aq_transport *t, uint64_t module,
                                    const char *name, aq_kernel_info *out,
                                    aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->kernel_lookup(t, module, name, out, diag);
  leave(live);
  return status;
}

static aq_status live_kernel_register(aq_transport *t,
                                      const aq_kernel_desc *kernel,
                                      aq_kernel_info *out, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->kernel_register(t, kernel, out, diag);
  leave(live);
  return status;
}

static void live_kernel_unregister(aq_transport *t, uint64_t object)
{
  aqsim_live *live = enter(t);
  base->kernel_unregister(t, object);
  leave(live);
}

static bool live_kernel_describe(aq_transport *t, uint64_t object,
                                 aq_kernel_info *out)
{
  aqsim_live *live = enter(t);
  const bool known = base->kernel_describe(t, object, out);
  leave(live);
  return known;
}

/* ---- signals ---- */

/* The device has nothing to look at. */
static aq_status live_signal_create(aq_transport *t, const aq_signal_desc *desc,
                                    aq_signal *out, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->signal_create(t, desc, out, diag);
  aqsim_live_unlock(live);
  return status;
}

static void live_signal_destroy(aq_transport *t, aq_signal signal)
{
  if (!signal.handle)
    return;
  aqsim_live_handlers_drop(aqsim_from(t)->live, aqsim_signal_from(signal));
  aqsim_live *live = enter(t);
  const bool watched = aqsim_signal_is_watched(aqsim_signal_from(signal));
  base->signal_destroy(t, signal);
  if (watched)
    leave(live);
  else
    aqsim_live_unlock(live);
}

static int64_t live_signal_load(aq_transport *t, aq_signal signal,
                                aq_order order)
{
  aqsim_lead_end(&aqsim_from(t)->live->leads);
  return base->signal_load(t, signal, order);
}

/* Whether a change goes through the simulator: the lockstep holds, an event
 * makes it, or it is a completion that drain() reports. Then it is locked. */
static bool change_begin(aqsim_live *live, aqsim_signal *signal)
{
  if (aqsim_live_is_free(live) && !aqsim_signal_has(signal, AQ_SIGNAL_DRAIN) &&
      !aqsim_live_inside(live))
    return false;
  aqsim_live_enter(live);
  return true;
}

static int64_t live_signal_update(aq_transport *t, aq_signal handle,
                                  aq_signal_op op, int64_t operand,
                                  int64_t expected, aq_order order)
{
  aqsim_live *live = aqsim_from(t)->live;
  aqsim_signal *signal = aqsim_signal_from(handle);
  (void)order;
  aqsim_lead_end(&live->leads);
  if (change_begin(live, signal)) {
    int64_t before =
        base->signal_update(t, handle, op, operand, expected, order);
    leave(live);
    return before;
  }
  int64_t before = aqsim_signal_change(signal, op, operand, expected);
  if (__atomic_load_n(&signal->sleepers, __ATOMIC_SEQ_CST))
    aqsim_live_wake_hosts(live, aqsim_signal_bit(signal));
  aqsim_live_ring(live);
  return before;
}

static void live_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                              aq_order order)
{
  live_signal_update(t, signal, AQ_UPDATE_EXCHANGE, value, 0, order);
}

static aq_status live_signal_handler(aq_transport *t, aq_signal handle,
                                     aq_condition condition, int64_t value,
                                     aq_signal_function *function, void *user,
                                     aq_diag *diag)
{
  aqsim_signal *signal = aqsim_signal_from(handle);
  if (!signal || !function)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal_handler: expected a signal and a function");
  aq_wait_item item = {handle, condition, value};
  return aqsim_live_handler_add(aqsim_from(t)->live, signal, &item, function,
                                user, diag);
}

/* ---- queues ---- */

static aq_status live_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                   aq_ring **out, aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->queue_create(t, desc, out, diag);
  leave(live);
  return status;
}

static void error_ignore(const aq_queue_error *error, void *user)
{
  (void)error, (void)user;
}

/* First nothing calls back any more, then the queue goes. */
static void live_queue_destroy(aq_transport *t, aq_ring *ring)
{
  aqsim_queue *queue = queue_from(ring);
  if (!ring)
    return;
  aqsim_live *live = enter(t);
  aqsim_live_outside_wait(live, queue);
  const bool last = queue->references == 1;
  if (last && queue->error.tell)
    queue->error.tell = error_ignore;
  leave(live);
  if (last)
    aqsim_live_errors_drop(live, ring);
  enter(t);
  base->queue_destroy(t, ring);
  leave(live);
}

static void live_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  aqsim_live *live = aqsim_from(t)->live;
  aqsim_queue *queue = queue_from(ring);
  if (queue->bell) {
    live_signal_store(t, aqsim_signal_handle(queue->bell), (int64_t)id,
                      AQ_RELEASE);
    return;
  }
  aqsim_lead_begin(&live->leads);
  if (!aqsim_live_is_free(live) || aqsim_live_inside(live)) {
    aqsim_live_enter(live);
    if (!live->free || aqsim_live_inside(live)) {
      base->queue_doorbell(t, ring, id);
      aqsim_live_unlock(live);
      return;
    }
    aqsim_live_unlock(live);
  }
  aqsim_queue_announce(queue, id);
  /* Sequentially consistent: the device looks at it after it said `asleep`. */
  __atomic_store_n(ring->doorbell, id, __ATOMIC_SEQ_CST);
  aqsim_live_ring(live);
}

static aq_status live_queue_wait_space(aq_transport *t, aq_ring *ring,
                                       uint32_t count, aq_time deadline,
                                       aq_diag *diag)
{
  return aqsim_live_wait_space(aqsim_from(t)->live, queue_from(ring), count,
                               deadline, diag);
}

static aq_status live_queue_control(aq_transport *t, aq_ring *queue,
                                    aq_queue_control control,
                                    const aq_queue_control_args *args,
                                    aq_diag *diag)
{
  aqsim_live *live = enter(t);
  aq_status status = base->queue_control(t, queue, control, args, diag);
  leave(live);
  return status;
}

/* ---- time ---- */

static aq_time live_now(aq_transport *t)
{
  const aqsim_live *live = aqsim_from(t)->live;
  return aqsim_live_inside(live) ? base->now(t) : aqsim_live_now(live);
}

static void live_clock_correlate(aq_transport *t, uint32_t device,
                                 aq_clock_pair *out)
{
  aqsim_live *live = aqsim_from(t)->live;
  aqsim_live_lock(live);
  base->clock_correlate(t, device, out);
  aqsim_live_unlock(live);
}

static aq_status live_wait(aq_transport *t, const aq_wait_request *request,
                           aq_wait_result *out, aq_diag *diag)
{
  return aqsim_live_wait(aqsim_from(t)->live, request, out, diag);
}

static uint32_t live_drain(aq_transport *t, aq_completion *out,
                           uint32_t capacity)
{
  if (!__atomic_load_n(&aqsim_from(t)->signals.drain_count, __ATOMIC_RELAXED))
    return 0;
  aqsim_live *live = enter(t);
  uint32_t count = base->drain(t, out, capacity);
  leave(live);
  return count;
}

static aq_status live_sleep_until(aq_transport *t, aq_time until, bool wake,
                                  aq_diag *diag)
{
  return aqsim_live_sleep(aqsim_from(t)->live, until, wake, diag);
}

static aq_status live_dispatch_times(aq_transport *t, aq_signal signal,
                                     aq_time *start, aq_time *end)
{
  return base->dispatch_times(t, signal, start, end);
}

static aq_status live_open(const aq_transport_options *options,
                           aq_transport **out, aq_diag *diag)
{
  return base->open(options, out, diag);
}

const aq_transport_ops aqsim_live_ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "sim",
    .summary = "the simulator, for many threads",
    .open = live_open,
    .close = live_close,
    .info = live_info,
    .inspect = live_inspect,
    .mem_alloc = live_mem_alloc,
    .mem_free = live_mem_free,
    .mem_publish = live_mem_publish,
    .mem_lock = live_mem_lock,
    .mem_unlock = live_mem_unlock,
    .mem_visible = live_mem_visible,
    .copy_async = live_copy_async,
    .copy_submit = live_copy_submit,
    .copy_engines_idle = live_copy_engines_idle,
    .module_load = live_module_load,
    .module_unload = live_module_unload,
    .kernel_lookup = live_kernel_lookup,
    .kernel_register = live_kernel_register,
    .kernel_unregister = live_kernel_unregister,
    .kernel_describe = live_kernel_describe,
    .signal_create = live_signal_create,
    .signal_destroy = live_signal_destroy,
    .signal_load = live_signal_load,
    .signal_store = live_signal_store,
    .signal_update = live_signal_update,
    .signal_handler = live_signal_handler,
    .queue_create = live_queue_create,
    .queue_destroy = live_queue_destroy,
    .queue_doorbell = live_queue_doorbell,
    .queue_wait_space = live_queue_wait_space,
    .queue_control = live_queue_control,
    .now = live_now,
    .clock_correlate = live_clock_correlate,
    .wait = live_wait,
    .drain = live_drain,
    .sleep_until = live_sleep_until,
    .dispatch_times = live_dispatch_times,
};
