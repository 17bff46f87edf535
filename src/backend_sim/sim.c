/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/sim.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/modules.h"
#include "backend_sim/completion.h"
#include "backend_sim/core.h"
#include "backend_sim/devices.h"
#include "backend_sim/engine/allocation_publish.h"
#include "backend_sim/event_loop.h"
#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/hwqueue/queue_create.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/live/device_thread.h"
#include "backend_sim/live/live.h"
#include "backend_sim/observe/sampler.h"
#include "backend_sim/observe/state_dump.h"
#include "backend_sim/policy/device_policy.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/transfer/copies.h"

static const aqsim_queue_ops queue_ops = {
    .progress = aqsim_slots_progress,
    .gate_opened = aqsim_slots_gate_opened,
    .unmap = aqsim_queue_unmap,
    .notice = aqsim_doorbells_notice,
};

/* ---- life ---- */

static void sim_close(aq_transport *t)
{
  aqsim *sim = aqsim_from(t);
  aqsim_sampler_finish(sim);
  while (sim->first_queue) {
    sim->first_queue->references = 1; /* of a cooperative one: all end here */
    aqsim_queue_destroy(sim->first_queue);
  }
  aqsim_sdmas_fini(sim);
  aqsim_copies_fini(sim);
  aqsim_handlers_fini(&sim->handlers);
  aqsim_recorder_fini(&sim->recorder);
  aqsim_sampler_destroy(sim);
  aqsim_modules_fini(sim);
  aqsim_memory_fini(&sim->memory);
  aqsim_kernels_fini(&sim->kernels);
  aqsim_signals_fini(&sim->signals);
  aq_slab_fini(&sim->queues);
  aqsim_calendar_fini(&sim->calendar);
  aqsim_devices_close(sim);
  free(sim->waiters);
  free(sim);
}

static aq_status options_check(const aq_transport_options *options,
                               aq_diag *diag)
{
  bool live = options->mode == AQ_MODE_LIVE;
  if (options->policy && live)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "sim: the device half of policy %s needs virtual time",
                       options->policy->ops->name);
  if (!live && options->mode != AQ_MODE_VIRTUAL)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "sim: time mode %d; expected "
                       "virtual or live",
                       (int)options->mode);
  if (options->pace.wall && (!live || !options->pace.virtual_time))
    return aq_diag_set(
        diag, AQ_ERR_INVALID,
        "sim: pace %u/%u; expected live mode and a ratio above 0",
        options->pace.virtual_time, options->pace.wall);
  if (options->counters < 0 ||
      (options->counters &&
       (!options->records || !options->records->put_counters)))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "sim: counters every %lld ps; expected an interval "
                       "above 0 and a sink that takes samples",
                       (long long)options->counters);
  if (options->epoch < -AQ_TIME_MAX / 4 || options->epoch > AQ_TIME_MAX / 4)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "sim: epoch %lld ps; expected -2^61 to 2^61",
                       (long long)options->epoch);
  if (options->executor && options->executor->abi != AQ_EXECUTOR_ABI)
    return aq_diag_set(
        diag, AQ_ERR_UNSUPPORTED, "sim: executor %s has ABI %u; expected %u",
        options->executor->name, options->executor->abi, AQ_EXECUTOR_ABI);
  return options->policy ? aqsim_policy_check(options->policy, diag) : AQ_OK;
}

/* Whether kernels of every device run by their code. */
static bool executes_code(const aqsim *sim)
{
  const aq_executor *executor = sim->executor;
  bool all = executor != NULL;
  for (uint32_t i = 0; all && executor->executes && i < sim->device_count; i++)
    all = executor->executes(executor->user, sim->infos[i].gfx);
  return all;
}

static aq_status sim_open(const aq_transport_options *given, aq_transport **out,
                          aq_diag *diag)
{
  aq_transport_options options = {0};
  if (given)
    memcpy(&options, given,
           given->size < sizeof options ? given->size : sizeof options);
  aq_status status = options_check(&options, diag);
  if (status != AQ_OK)
    return status;
  aqsim *sim = calloc(1, sizeof *sim);
  if (!sim)
    return aq_diag_no_memory(diag);
  sim->base.ops = &aqsim_transport_ops;
  sim->queue_ops = &queue_ops;
  sim->now = options.epoch;
  sim->sample_at = AQ_TIME_MAX;
  sim->semantics = options.semantics;
  sim->report = options.report;
  sim->report_user = options.report_user;
  sim->event = options.event;
  sim->event_user = options.event_user;
  sim->dep_waits = (aqsim_dep_waits){
      .calendar = &sim->calendar, .signals = &sim->signals, .now = &sim->now};
  sim->handlers =
      (aqsim_handlers){.calendar = &sim->calendar, .now = &sim->now};
  sim->hooks = options.hooks;
  sim->dep_waits.hooks = sim->hooks;
  sim->executor = options.executor;
  sim->order = options.order;
  if (sim->executor && sim->executor->allocations) {
    aq_allocations_open(sim->executor->allocations, false);
    sim->allocations = sim->executor->allocations;
    sim->memory.allocations = sim->signals.allocations = sim->allocations;
  }
  for (int i = 0; i < AQSIM_DIRECTIONS; i++)
    sim->copy_names[i] = AQ_NONE;
  status = aqsim_recorder_init(&sim->recorder, options.records, diag);
  if (status == AQ_OK)
    status = aqsim_devices_open(sim, &options, diag);
  if (status == AQ_OK && options.counters)
    status = aqsim_sampler_create(sim, options.counters, diag);
  if (status == AQ_OK && options.mode == AQ_MODE_LIVE) {
    sim->base.ops = &aqsim_live_ops;
    status = aqsim_live_start(sim, options.pace, diag);
  }
  if (status != AQ_OK) {
    sim->base.ops->close(&sim->base);
    return status;
  }
  sim->plain = !sim->live && !sim->hooks && !sim->order;
  sim->executes = executes_code(sim);
  *out = &sim->base;
  return AQ_OK;
}

static void sim_info(aq_transport *t, aq_transport_info *out)
{
  const aqsim *sim = aqsim_from(t);
  *out = (aq_transport_info){
      .caps = AQ_CAP_VIRTUAL_TIME | AQ_CAP_RECORDS | AQ_CAP_TIMING |
              AQ_CAP_HOST_KERNELS | AQ_CAP_CODE_OBJECTS | AQ_CAP_COPY |
              AQ_CAP_PROFILING | AQ_CAP_CU_MASK | AQ_CAP_PRIORITY |
              AQ_CAP_BARRIER_VALUE | AQ_CAP_PM4 | AQ_CAP_HANDLERS |
              AQ_CAP_COOPERATIVE | AQ_CAP_AGENT_QUEUES | AQ_CAP_INSPECT |
              AQ_CAP_DEVICE_HOOKS | AQ_CAP_EVENTS | AQ_CAP_COUNTERS |
              (sim->executes ? AQ_CAP_EXECUTES : 0) |
              (sim->live ? 0 : AQ_CAP_DEVICE_POLICY),
      .device_count = sim->device_count,
      .devices = sim->infos,
      .reproducible = true,
      .links = sim->links.infos,
      .link_count = sim->links.info_count};
}

static void sim_inspect(aq_transport *t,
                        void (*line)(const char *text, void *user), void *user)
{
  aqsim_inspect(aqsim_from(t), line, user);
}

/* Every operation that allocates asks here first. */
static aq_status may_allocate(const aqsim *sim, const char *what, aq_diag *diag)
{
  if (!sim->hooks || sim->hooks->allocation(sim->hooks->user))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for %s", what);
}

/* ---- memory ---- */

static aq_status device_check(const aqsim *sim, uint32_t device, aq_diag *diag)
{
  if (device < sim->device_count)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; expected less than %u",
                     device, sim->device_count);
}

static aq_status sim_mem_alloc(aq_transport *t, uint32_t device,
                               aq_memory_kind kind, size_t size, void **out,
                               aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = device_check(sim, device, diag);
  if (status == AQ_OK)
    status = may_allocate(sim, "device memory", diag);
  if (status != AQ_OK)
    return status;
  /* All memory is host memory; copies know the place it stands for. */
  void *memory = aqsim_memory_alloc(
      &sim->memory, kind == AQ_MEMORY_DEVICE ? device : AQ_DEVICE_HOST, size);
  if (!memory)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for %zu bytes",
                       size);
  *out = memory;
  return AQ_OK;
}

static void sim_mem_free(aq_transport *t, void *address)
{
  aqsim_memory_free(&aqsim_from(t)->memory, address);
}

static void sim_mem_publish(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size; /* memory is coherent */
}

static aq_status sim_mem_lock(aq_transport *t, void *address, size_t size,
                              void **out, aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = may_allocate(sim, "locked memory", diag);
  if (status == AQ_OK)
    status = aqsim_memory_lock(&sim->memory, address, size, diag);
  if (status == AQ_OK)
    *out = address;
  return status;
}

/* Simulated devices have the host's memory. */
static bool sim_mem_visible(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size;
  return true;
}

static void sim_mem_unlock(aq_transport *t, void *address)
{
  aqsim_memory_unlock(&aqsim_from(t)->memory, address);
}

static aq_status sim_copy_submit(aq_transport *t, const aq_copy_desc *copy,
                                 aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = may_allocate(sim, "a copy", diag);
  return status == AQ_OK ? aqsim_copy_submit(sim, copy, diag) : status;
}

static aq_status sim_copy_async(aq_transport *t, uint32_t device, void *to,
                                const void *from, size_t size,
                                const aq_signal *dependencies, uint32_t count,
                                aq_signal completion, aq_diag *diag)
{
  const aq_copy_desc copy = aq_copy_by_address(device, to, from, size,
                                               dependencies, count, completion);
  return sim_copy_submit(t, &copy, diag);
}

static uint32_t sim_copy_engines_idle(aq_transport *t, uint32_t device)
{
  const aqsim *sim = aqsim_from(t);
  return device < sim->device_count
             ? aqsim_copy_engines_idle(&sim->devices[device])
             : 0;
}

/* ---- code ---- */

static aq_status sim_module_load(aq_transport *t, uint32_t device,
                                 const void *image, size_t size,
                                 uint64_t *module, aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = device_check(sim, device, diag);
  if (status == AQ_OK)
    status = may_allocate(sim, "a code object", diag);
  return status == AQ_OK
             ? aqsim_module_load(sim, device, image, size, module, diag)
             : status;
}

static void sim_module_unload(aq_transport *t, uint64_t module)
{
  aqsim_module_unload(aqsim_from(t), module);
}

static aq_status sim_kernel_lookup(aq_transport *t, uint64_t module,
                                   const char *name, aq_kernel_info *out,
                                   aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  if (module)
    return aqsim_module_kernel(sim, module, name, out, diag);
  const aqsim_kernel *kernel = aqsim_kernel_find(&sim->kernels, name);
  if (!kernel)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "no kernel '%s' is registered",
                       name);
  aqsim_kernel_describe(kernel, out);
  return AQ_OK;
}

static aq_status sim_kernel_register(aq_transport *t,
                                     const aq_kernel_desc *desc,
                                     aq_kernel_info *out, aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = may_allocate(sim, "a kernel", diag);
  return status == AQ_OK ? aqsim_kernel_add(sim, desc, out, diag) : status;
}

static void sim_kernel_unregister(aq_transport *t, uint64_t object)
{
  aqsim_kernel_forget(aqsim_from(t), object);
}

static bool sim_kernel_describe(aq_transport *t, uint64_t object,
                                aq_kernel_info *out)
{
  const aqsim_kernel *kernel =
      aqsim_kernel_from(&aqsim_from(t)->kernels, object);
  if (kernel)
    aqsim_kernel_describe(kernel, out);
  return kernel != NULL;
}

/* ---- signals ---- */

static aq_status sim_signal_create(aq_transport *t, const aq_signal_desc *desc,
                                   aq_signal *out, aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aq_status status = aqsim_signal_check(desc, sim->device_count, diag);
  if (status == AQ_OK)
    status = may_allocate(sim, "a signal", diag);
  if (status != AQ_OK)
    return status;
  aqsim_signal *signal = aqsim_signal_create(&sim->signals, desc);
  if (!signal)
    return aq_diag_no_memory(diag);
  *out = aqsim_signal_handle(signal);
  return AQ_OK;
}

static void sim_signal_destroy(aq_transport *t, aq_signal signal)
{
  aqsim *sim = aqsim_from(t);
  aqsim_signal *s = aqsim_signal_from(signal);
  if (!s)
    return;
  aqsim_handlers_drop(&sim->handlers, s);
  aqsim_signal_destroy(&sim->signals, s);
}

/* Every order is served by the strongest that is needed: acquire loads, release
 * stores, acquire-release updates. */
static int64_t sim_signal_load(aq_transport *t, aq_signal signal,
                               aq_order order)
{
  (void)t, (void)order;
  return aqsim_signal_load(aqsim_signal_from(signal));
}

static void sim_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                             aq_order order)
{
  (void)order;
  aqsim_signal_store(&aqsim_from(t)->signals, aqsim_signal_from(signal), value);
}

static int64_t sim_signal_update(aq_transport *t, aq_signal signal,
                                 aq_signal_op op, int64_t operand,
                                 int64_t expected, aq_order order)
{
  aqsim *sim = aqsim_from(t);
  (void)order;
  return aqsim_signal_update(&sim->signals, aqsim_signal_from(signal), op,
                             operand, expected, sim->now);
}

static aq_status sim_signal_handler(aq_transport *t, aq_signal signal,
                                    aq_condition condition, int64_t value,
                                    aq_signal_function *function, void *user,
                                    aq_diag *diag)
{
  aqsim *sim = aqsim_from(t);
  aqsim_signal *s = aqsim_signal_from(signal);
  if (!s || !function)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal_handler: expected a signal and a function");
  aq_wait_item item = {signal, condition, value};
  aq_time delay = s->polled ? 0 : sim->devices[0].model->interrupt_to_host;
  return aqsim_handler_add(&sim->handlers, s, &item, function, user, delay,
                           diag);
}

/* ---- queues ---- */

static aq_status sim_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                  aq_ring **out, aq_diag *diag)
{
  aqsim_queue *queue;
  aq_status status = may_allocate(aqsim_from(t), "a queue", diag);
  if (status == AQ_OK)
    status = aqsim_queue_create(aqsim_from(t), desc, NULL, &queue, diag);
  if (status == AQ_OK)
    *out = &queue->ring;
  return status;
}

static aqsim_queue *queue_from(aq_ring *ring)
{
  return (aqsim_queue *)(void *)ring;
}

static void sim_queue_destroy(aq_transport *t, aq_ring *ring)
{
  (void)t;
  aqsim_queue_destroy(queue_from(ring));
}

static void sim_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  aqsim_queue *queue = queue_from(ring);
  (void)t;
  if (queue->bell) {
    aqsim_signal_store(&queue->sim->signals, queue->bell, (int64_t)id);
    return;
  }
  aqsim_queue_ring_bell(queue, id);
}

static aq_status sim_queue_wait_space(aq_transport *t, aq_ring *ring,
                                      uint32_t count, aq_time deadline,
                                      aq_diag *diag)
{
  return aqsim_loop_wait_space(aqsim_from(t), queue_from(ring), count, deadline,
                               diag);
}

static aq_status sim_queue_control(aq_transport *t, aq_ring *ring,
                                   aq_queue_control control,
                                   const aq_queue_control_args *args,
                                   aq_diag *diag)
{
  (void)t;
  return aqsim_queue_control(queue_from(ring), control, args, diag);
}

/* ---- time ---- */

static aq_time sim_now(aq_transport *t)
{
  return aqsim_from(t)->now;
}

static void sim_clock_correlate(aq_transport *t, uint32_t device,
                                aq_clock_pair *out)
{
  const aqsim *sim = aqsim_from(t);
  const aqsim_device *d =
      &sim->devices[device < sim->device_count ? device : 0];
  *out = (aq_clock_pair){sim->now,
                         aqsim_clock_time(d, aqsim_clock_ticks(d, sim->now))};
}

static aq_status sim_wait(aq_transport *t, const aq_wait_request *request,
                          aq_wait_result *out, aq_diag *diag)
{
  return aqsim_loop_wait(aqsim_from(t), request, out, diag);
}

static uint32_t sim_drain(aq_transport *t, aq_completion *out,
                          uint32_t capacity)
{
  aqsim *sim = aqsim_from(t);
  sim->drain_lost = 0; /* the host looks */
  return aqsim_signals_drain(&sim->signals, out, capacity);
}

static aq_status sim_sleep_until(aq_transport *t, aq_time until, bool wake,
                                 aq_diag *diag)
{
  return aqsim_loop_sleep(aqsim_from(t), until, wake, diag);
}

static aq_status sim_dispatch_times(aq_transport *t, aq_signal handle,
                                    aq_time *start, aq_time *end)
{
  const aqsim *sim = aqsim_from(t);
  const aqsim_signal *signal = aqsim_signal_from(handle);
  /* Nothing was kept for it, or nothing is complete. */
  if (!signal || signal->abi.end_ts == 0)
    return AQ_ERR_INVALID;
  const aqsim_device *device = &sim->devices[signal->device];
  *start = aqsim_clock_time(device, (int64_t)signal->abi.start_ts);
  *end = aqsim_clock_time(device, (int64_t)signal->abi.end_ts);
  return AQ_OK;
}

void aqsim_queues_poll(aq_transport *t)
{
  aqsim_from(t)->polls = true;
}

const aq_transport_ops aqsim_transport_ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "sim",
    .summary = "cycle-approximate simulator in virtual time",
    .open = sim_open,
    .close = sim_close,
    .info = sim_info,
    .inspect = sim_inspect,
    .mem_alloc = sim_mem_alloc,
    .mem_free = sim_mem_free,
    .mem_publish = sim_mem_publish,
    .mem_lock = sim_mem_lock,
    .mem_unlock = sim_mem_unlock,
    .mem_visible = sim_mem_visible,
    .copy_async = sim_copy_async,
    .copy_submit = sim_copy_submit,
    .copy_engines_idle = sim_copy_engines_idle,
    .module_load = sim_module_load,
    .module_unload = sim_module_unload,
    .kernel_lookup = sim_kernel_lookup,
    .kernel_register = sim_kernel_register,
    .kernel_unregister = sim_kernel_unregister,
    .kernel_describe = sim_kernel_describe,
    .signal_create = sim_signal_create,
    .signal_destroy = sim_signal_destroy,
    .signal_load = sim_signal_load,
    .signal_store = sim_signal_store,
    .signal_update = sim_signal_update,
    .signal_handler = sim_signal_handler,
    .queue_create = sim_queue_create,
    .queue_destroy = sim_queue_destroy,
    .queue_doorbell = sim_queue_doorbell,
    .queue_wait_space = sim_queue_wait_space,
    .queue_control = sim_queue_control,
    .now = sim_now,
    .clock_correlate = sim_clock_correlate,
    .wait = sim_wait,
    .drain = sim_drain,
    .sleep_until = sim_sleep_until,
    .dispatch_times = sim_dispatch_times,
};
