/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/fault/fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/fault/fault_core.h"

/* ---- faults ---- */

aq_fault_state *aq_faulty_find(aq_faulty *f, aq_fault_kind kind, uint32_t queue,
                               uint64_t at)
{
  for (size_t i = 0; i < f->schedule.count; i++) {
    const aq_fault *fault = &f->schedule.faults[i];
    if (fault->kind == kind && fault->queue == queue && fault->at == at &&
        f->states[i].stage == AQ_FAULT_AHEAD)
      return &f->states[i];
  }
  return NULL;
}

aq_status aq_faulty_explain(const aq_faulty *f, aq_status status, aq_diag *diag)
{
  char words[AQ_DIAG_TEXT_MAX] = "";
  size_t used = 0;
  if (status != AQ_ERR_DEADLOCK && status != AQ_ERR_QUEUE)
    return status;
  for (size_t i = 0; i < f->schedule.count && used < sizeof words; i++) {
    char one[96];
    if (f->states[i].stage != AQ_FAULT_ACTING)
      continue;
    /* ", doorbell-lost (queue 0, doorbell 3)" */
    const aq_fault *fault = &f->schedule.faults[i];
    const aq_fault_state *state = &f->states[i];
    const aq_fault_text *text = &aq_fault_texts[fault->kind];
    char queue[32] = "";
    if (state->queue)
      snprintf(queue, sizeof queue, "queue %" PRIu32 ", ",
               state->queue->ring.id);
    snprintf(one, sizeof one, "%s (%s%s %" PRIu64 ")", text->name, queue,
             text->counted, fault->at);
    used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                             used ? ", " : "", one);
  }
  if (used == 0)
    return status;
  char text[AQ_DIAG_TEXT_MAX];
  snprintf(text, sizeof text, "%s", diag->text);
  return aq_diag_set(diag, status, "%s; injected: %s", text, words);
}

/* ---- faults inside the device ---- */

static aq_fault_state *device_find(aq_faulty *f, aq_fault_kind kind,
                                   uint64_t at)
{
  return aq_faulty_find(f, kind, 0, at);
}

void aq_faulty_host_polled(aq_faulty *f)
{
  for (size_t i = 0; i < f->schedule.count; i++)
    if (f->schedule.faults[i].kind == AQ_FAULT_INTERRUPT_LOST &&
        f->states[i].stage == AQ_FAULT_ACTING)
      f->states[i].stage = AQ_FAULT_OVER;
}

static bool hook_interrupt(void *user, aq_signal signal)
{
  aq_faulty *f = user;
  if (f->outer && !f->outer->interrupt(f->outer->user, signal))
    return false;
  aq_fault_state *state =
      device_find(f, AQ_FAULT_INTERRUPT_LOST, f->interrupts++);
  if (state)
    state->stage = AQ_FAULT_ACTING;
  return !state;
}

static aq_time hook_copy_start(void *user, size_t size)
{
  aq_faulty *f = user;
  aq_time longer = f->outer ? f->outer->copy_start(f->outer->user, size) : 0;
  aq_fault_state *state = device_find(f, AQ_FAULT_COPY_SLOW, f->copies++);
  if (!state)
    return longer;
  state->stage = AQ_FAULT_OVER;
  return longer + aq_faulty_fault(f, state)->delay;
}

static bool hook_allocation(void *user)
{
  aq_faulty *f = user;
  if (f->outer && !f->outer->allocation(f->outer->user))
    return false;
  aq_fault_state *state =
      device_find(f, AQ_FAULT_OUT_OF_MEMORY, f->allocations++);
  if (state)
    state->stage = AQ_FAULT_OVER;
  return !state;
}

/* ---- life ---- */

/* The request of the settings. */
typedef struct choice {
  const char *file;
  bool seeded;
  uint64_t seed;
} choice;

static bool seed_read(const char *text, uint64_t *out)
{
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

static aq_status settings_read(const char *const *settings, choice *out,
                               aq_diag *diag)
{
  *out = (choice){NULL, false, 0};
  for (; *settings; settings++) {
    const char *text = *settings;
    if (out->file || out->seeded)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "fault: '%s' after another schedule; expected one of "
                         "file=PATH and seed=N",
                         text);
    if (strncmp(text, "file=", 5) == 0) {
      out->file = text + 5;
    } else if (strncmp(text, "seed=", 5) == 0) {
      out->seeded = seed_read(text + 5, &out->seed);
      if (!out->seeded)
        return aq_diag_set(diag, AQ_ERR_INVALID,
                           "fault: '%s'; expected a whole number below 2^64",
                           text);
    } else {
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "fault: '%s'; expected file=PATH or seed=N", text);
    }
  }
  return AQ_OK;
}

static void fault_close(aq_transport *t)
{
  aq_faulty *f = aq_faulty_from(t);
  while (f->first)
    aq_faulty_queue_destroy(t, &f->first->ring);
  if (f->inner)
    f->ops->close(f->inner);
  aq_fault_schedule_fini(&f->schedule);
  free(f->states);
  aq_arena_fini(&f->arena);
  free(f);
}

/* Device faults need a device that asks. */
static aq_status schedule_check(const aq_faulty *f, bool hooks, aq_diag *diag)
{
  for (size_t i = 0; i < f->schedule.count; i++) {
    const aq_fault_text *text = &aq_fault_texts[f->schedule.faults[i].kind];
    if (text->device && !hooks)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "fault: %s needs device hooks, which transport %s "
                         "does not have",
                         text->name, f->ops->name);
  }
  return AQ_OK;
}

static aq_status schedule_load(aq_faulty *f, const choice *chosen,
                               aq_diag *diag)
{
  aq_transport_info info;
  f->ops->info(f->inner, &info);
  const bool hooks = info.caps & AQ_CAP_DEVICE_HOOKS;
  aq_status status = AQ_OK;
  if (chosen->file)
    status = aq_fault_schedule_read(chosen->file, &f->schedule, diag);
  else if (chosen->seeded)
    status = aq_fault_schedule_random(chosen->seed, hooks, &f->schedule, diag);
  if (status == AQ_OK)
    status = schedule_check(f, hooks, diag);
  if (status != AQ_OK || f->schedule.count == 0)
    return status;
  f->states = calloc(f->schedule.count, sizeof *f->states);
  if (!f->states)
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

static aq_status inner_open(aq_faulty *f, const aq_transport_options *given,
                            const aq_transport_layer *inner, aq_diag *diag)
{
  aq_transport_options options = *given;
  f->outer = options.hooks;
  f->hooks = (aq_device_hooks){.size = sizeof f->hooks,
                               .user = f,
                               .interrupt = hook_interrupt,
                               .copy_start = hook_copy_start,
                               .allocation = hook_allocation};
  options.hooks = &f->hooks;
  options.layer = inner;
  f->ops = inner->ops;
  return inner->ops->open(&options, &f->inner, diag);
}

static aq_status fault_open(const aq_transport_options *given,
                            aq_transport **out, aq_diag *diag)
{
  aq_transport_options options = {0};
  choice chosen;
  if (given)
    memcpy(&options, given,
           given->size < sizeof options ? given->size : sizeof options);
  options.size = sizeof options;
  const aq_transport_layer *layer = options.layer;
  if (!layer || !layer->inner)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "fault wraps another transport; expected fault+NAME");
  if (options.mode != AQ_MODE_VIRTUAL)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "fault: live mode is not supported");
  aq_status status = settings_read(layer->settings, &chosen, diag);
  if (status != AQ_OK)
    return status;
  aq_faulty *f = calloc(1, sizeof *f);
  if (!f)
    return aq_diag_no_memory(diag);
  f->base.ops = &aq_fault_transport_ops;
  status = inner_open(f, &options, layer->inner, diag);
  if (status == AQ_OK)
    status = schedule_load(f, &chosen, diag);
  if (status != AQ_OK) {
    fault_close(&f->base);
    return status;
  }
  *out = &f->base;
  return AQ_OK;
}

static void fault_info(aq_transport *t, aq_transport_info *out)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->info(f->inner, out);
  /* Packets that code publishes in a shadow ring would not be noticed. */
  out->caps &= ~(uint32_t)(AQ_CAP_LIVE | AQ_CAP_EXECUTES);
}

static void fault_inspect(aq_transport *t,
                          void (*line)(const char *text, void *user),
                          void *user)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->inspect(f->inner, line, user);
}

/* ---- kernels: their publications are noticed when they return ---- */

typedef struct faulty_kernel {
  aq_faulty *owner;
  void (*function)(const aq_kernel_call *call);
  void *user;
} faulty_kernel;

static void kernel_run(const aq_kernel_call *call)
{
  const faulty_kernel *kernel = call->user;
  aq_kernel_call own = *call;
  own.user = kernel->user;
  aq_faulty_settle(kernel->owner);
  kernel->function(&own);
  aq_faulty_notice(kernel->owner);
}

static aq_status fault_kernel_register(aq_transport *t,
                                       const aq_kernel_desc *desc,
                                       aq_kernel_info *out, aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_kernel_desc own = *desc;
  if (desc->function) {
    faulty_kernel *kernel = aq_arena_alloc(&f->arena, sizeof *kernel);
    if (!kernel)
      return aq_diag_no_memory(diag);
    *kernel = (faulty_kernel){f, desc->function, desc->user};
    own.function = kernel_run;
    own.user = kernel;
  }
  return f->ops->kernel_register(f->inner, &own, out, diag);
}

/* ---- operations that are passed on unchanged ---- */

static aq_status fault_mem_alloc(aq_transport *t, uint32_t device,
                                 aq_memory_kind kind, size_t size, void **out,
                                 aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->mem_alloc(f->inner, device, kind, size, out, diag);
}

static void fault_mem_free(aq_transport *t, void *address)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->mem_free(f->inner, address);
}

static void fault_mem_publish(aq_transport *t, const void *address, size_t size)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->mem_publish(f->inner, address, size);
}

static aq_status fault_mem_lock(aq_transport *t, void *address, size_t size,
                                void **out, aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->mem_lock(f->inner, address, size, out, diag);
}

static void fault_mem_unlock(aq_transport *t, void *address)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->mem_unlock(f->inner, address);
}

static bool fault_mem_visible(aq_transport *t, const void *address, size_t size)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->mem_visible(f->inner, address, size);
}

static aq_status fault_copy_async(aq_transport *t, uint32_t device, void *to,
                                  const void *from, size_t size,
                                  const aq_signal *dependencies, uint32_t count,
                                  aq_signal completion, aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_status status = f->ops->copy_async(f->inner, device, to, from, size,
                                        dependencies, count, completion, diag);
  aq_faulty_settle(f);
  return status;
}

static aq_status fault_copy_submit(aq_transport *t, const aq_copy_desc *copy,
                                   aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_status status = f->ops->copy_submit(f->inner, copy, diag);
  aq_faulty_settle(f);
  return status;
}

static uint32_t fault_copy_engines_idle(aq_transport *t, uint32_t device)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->copy_engines_idle(f->inner, device);
}

static aq_status fault_module_load(aq_transport *t, uint32_t device,
                                   const void *image, size_t size,
                                   uint64_t *module, aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->module_load(f->inner, device, image, size, module, diag);
}

static void fault_module_unload(aq_transport *t, uint64_t module)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->module_unload(f->inner, module);
}

static void fault_kernel_unregister(aq_transport *t, uint64_t object)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->kernel_unregister(f->inner, object);
}

static bool fault_kernel_describe(aq_transport *t, uint64_t object,
                                  aq_kernel_info *out)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->kernel_describe(f->inner, object, out);
}

static aq_status fault_kernel_lookup(aq_transport *t, uint64_t module,
                                     const char *name, aq_kernel_info *out,
                                     aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->kernel_lookup(f->inner, module, name, out, diag);
}

static aq_status fault_signal_create(aq_transport *t,
                                     const aq_signal_desc *desc, aq_signal *out,
                                     aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->signal_create(f->inner, desc, out, diag);
}

static void fault_signal_destroy(aq_transport *t, aq_signal signal)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->signal_destroy(f->inner, signal);
}

static int64_t fault_signal_load(aq_transport *t, aq_signal signal,
                                 aq_order order)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->signal_load(f->inner, signal, order);
}

static void fault_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                               aq_order order)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->signal_store(f->inner, signal, value, order);
  aq_faulty_settle(f);
}

static int64_t fault_signal_update(aq_transport *t, aq_signal signal,
                                   aq_signal_op op, int64_t operand,
                                   int64_t expected, aq_order order)
{
  aq_faulty *f = aq_faulty_from(t);
  int64_t before =
      f->ops->signal_update(f->inner, signal, op, operand, expected, order);
  aq_faulty_settle(f);
  return before;
}

static aq_status fault_signal_handler(aq_transport *t, aq_signal signal,
                                      aq_condition condition, int64_t value,
                                      aq_signal_function *function, void *user,
                                      aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->signal_handler(f->inner, signal, condition, value, function,
                                user, diag);
}

static aq_status fault_queue_control(aq_transport *t, aq_ring *ring,
                                     aq_queue_control control,
                                     const aq_queue_control_args *args,
                                     aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_faulty_queue *queue = (aq_faulty_queue *)(void *)ring;
  return f->ops->queue_control(f->inner, queue->inner, control, args, diag);
}

static aq_time fault_now(aq_transport *t)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->now(f->inner);
}

static void fault_clock_correlate(aq_transport *t, uint32_t device,
                                  aq_clock_pair *out)
{
  aq_faulty *f = aq_faulty_from(t);
  f->ops->clock_correlate(f->inner, device, out);
}

static uint32_t fault_drain(aq_transport *t, aq_completion *out,
                            uint32_t capacity)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_faulty_catch_up(f);
  return f->ops->drain(f->inner, out, capacity);
}

static aq_status fault_dispatch_times(aq_transport *t, aq_signal signal,
                                      aq_time *start, aq_time *end)
{
  aq_faulty *f = aq_faulty_from(t);
  return f->ops->dispatch_times(f->inner, signal, start, end);
}

const aq_transport_ops aq_fault_transport_ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "fault",
    .summary = "injects faults into the transport that it wraps",
    .open = fault_open,
    .close = fault_close,
    .info = fault_info,
    .inspect = fault_inspect,
    .mem_alloc = fault_mem_alloc,
    .mem_free = fault_mem_free,
    .mem_publish = fault_mem_publish,
    .mem_lock = fault_mem_lock,
    .mem_unlock = fault_mem_unlock,
    .mem_visible = fault_mem_visible,
    .copy_async = fault_copy_async,
    .copy_submit = fault_copy_submit,
    .copy_engines_idle = fault_copy_engines_idle,
    .module_load = fault_module_load,
    .module_unload = fault_module_unload,
    .kernel_lookup = fault_kernel_lookup,
    .kernel_register = fault_kernel_register,
    .kernel_unregister = fault_kernel_unregister,
    .kernel_describe = fault_kernel_describe,
    .signal_create = fault_signal_create,
    .signal_destroy = fault_signal_destroy,
    .signal_load = fault_signal_load,
    .signal_store = fault_signal_store,
    .signal_update = fault_signal_update,
    .signal_handler = fault_signal_handler,
    .queue_create = aq_faulty_queue_create,
    .queue_destroy = aq_faulty_queue_destroy,
    .queue_doorbell = aq_faulty_queue_doorbell,
    .queue_wait_space = aq_faulty_queue_wait_space,
    .queue_control = fault_queue_control,
    .now = fault_now,
    .clock_correlate = fault_clock_correlate,
    .wait = aq_faulty_wait,
    .drain = fault_drain,
    .sleep_until = aq_faulty_sleep_until,
    .dispatch_times = fault_dispatch_times,
};
