/* SPDX-License-Identifier: MIT */
#include "fixed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const aq_device_info device = {
    .name = "fixed",
    .gfx = "none",
    .cus = 1,
    .wave_size = 64,
    .queues_max = FIXED_QUEUES,
    .queue_size_min = FIXED_QUEUE_MIN,
    .queue_size_max = FIXED_QUEUE_MAX,
    .timestamp_hz = 1000000000,
    .timestamp_step = AQ_NS,
    .unmap_after = AQ_TIME_MAX,
};

/* ---- life ---- */

/* ns=N: how long everything takes; without it 1 us. */
static aq_status settings_read(const aq_transport_layer *layer, aq_time *takes,
                               aq_diag *diag)
{
  *takes = AQ_US;
  for (size_t i = 0; layer && layer->settings[i]; i++) {
    const char *text = layer->settings[i];
    char *end = NULL;
    long long ns = 0;
    if (strncmp(text, "ns=", 3) == 0)
      ns = strtoll(text + 3, &end, 10);
    if (!end || end == text + 3 || *end || ns < 0 || ns > AQ_S)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "fixed: '%s'; expected ns=N, 0 to 10^12", text);
    *takes = ns * AQ_NS;
  }
  return AQ_OK;
}

static void fixed_close(aq_transport *t);
static const aq_transport_ops ops;

static aq_status fixed_open(const aq_transport_options *given,
                            aq_transport **out, aq_diag *diag)
{
  aq_transport_options options = {0};
  if (given) /* callers may be older or newer than this */
    memcpy(&options, given,
           given->size < sizeof options ? given->size : sizeof options);
  if (options.edits && options.edits[0])
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "edit '%s': fixed has no device model",
                       options.edits[0]);
  if (options.mode != AQ_MODE_VIRTUAL)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "fixed: live mode is not supported");
  aq_time takes;
  aq_status status = settings_read(options.layer, &takes, diag);
  if (status != AQ_OK)
    return status;
  fixed *f = calloc(1, sizeof *f);
  if (!f)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  f->base.ops = &ops;
  f->now = options.epoch;
  f->takes = takes;
  f->signals.next = f->signals.previous = &f->signals;
  f->blocks.next = f->blocks.previous = &f->blocks;
  f->records = options.records;
  f->record_device = AQ_NONE;
  if (f->records) {
    aq_run_device row = {0, device.name, device.gfx, device.cus};
    status = f->records->device(f->records, &row, &f->record_device, diag);
  }
  if (status == AQ_OK)
    *out = &f->base;
  else
    fixed_close(&f->base);
  return status;
}

static void fixed_close(aq_transport *t)
{
  fixed *f = fixed_from(t);
  fixed_engine_close(f);
  for (fixed_signal *s = f->signals.next, *next; s != &f->signals; s = next) {
    next = s->next;
    free(s);
  }
  for (fixed_block *b = f->blocks.next, *next; b != &f->blocks; b = next) {
    next = b->next;
    free(b);
  }
  for (fixed_locked *l = f->locked, *next; l; l = next) {
    next = l->next;
    free(l);
  }
  for (fixed_kernel *k = f->kernels, *next; k; k = next) {
    next = k->next;
    free(k->name);
    free(k);
  }
  free(f->done);
  free(f);
}

static void fixed_info(aq_transport *t, aq_transport_info *out)
{
  (void)t;
  *out = (aq_transport_info){
      .caps = AQ_CAP_VIRTUAL_TIME | AQ_CAP_RECORDS | AQ_CAP_HOST_KERNELS |
              AQ_CAP_COPY,
      .device_count = 1,
      .devices = &device,
      .reproducible = true,
  };
}

static void fixed_inspect(aq_transport *t,
                          void (*line)(const char *text, void *user),
                          void *user)
{
  (void)t, (void)line, (void)user; /* it prints no lines: caps lacks them */
}

/* ---- memory ---- */

static aq_status fixed_mem_alloc(aq_transport *t, uint32_t which,
                                 aq_memory_kind kind, size_t size, void **out,
                                 aq_diag *diag)
{
  fixed *f = fixed_from(t);
  (void)kind; /* all memory is host memory */
  if (which != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; expected 0", which);
  size_t whole = sizeof(fixed_block) + size;
  whole = (whole + 63) & ~(size_t)63;
  fixed_block *block = whole > size ? aligned_alloc(64, whole) : NULL;
  if (!block)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for %zu bytes",
                       size);
  memset(block, 0, whole);
  block->previous = &f->blocks;
  block->next = f->blocks.next;
  block->next->previous = block->previous->next = block;
  *out = block->bytes;
  return AQ_OK;
}

static void fixed_mem_free(aq_transport *t, void *address)
{
  (void)t;
  if (!address)
    return;
  fixed_block *block = (void *)((char *)address - offsetof(fixed_block, bytes));
  block->next->previous = block->previous;
  block->previous->next = block->next;
  free(block);
}

static void fixed_mem_publish(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size; /* memory is coherent */
}

/* Devices reach all memory of the host. */
static aq_status fixed_mem_lock(aq_transport *t, void *address, size_t size,
                                void **out, aq_diag *diag)
{
  fixed *f = fixed_from(t);
  for (const fixed_locked *l = f->locked; size > 0 && l; l = l->next)
    size = l->address == address ? 0 : size;
  fixed_locked *locked = size > 0 ? malloc(sizeof *locked) : NULL;
  if (!locked)
    return aq_diag_set(diag, size > 0 ? AQ_ERR_NO_MEMORY : AQ_ERR_INVALID,
                       size > 0 ? "out of memory"
                                : "no bytes to lock, or they are locked");
  *locked = (fixed_locked){f->locked, address};
  f->locked = locked;
  *out = address;
  return AQ_OK;
}

/* Its devices have memory of the host. */
static bool fixed_mem_visible(aq_transport *t, const void *address, size_t size)
{
  (void)t, (void)address, (void)size;
  return true;
}

static void fixed_mem_unlock(aq_transport *t, void *address)
{
  fixed_locked **link = &fixed_from(t)->locked;
  while (*link && (*link)->address != address)
    link = &(*link)->next;
  fixed_locked *locked = *link;
  if (!locked)
    return;
  *link = locked->next;
  free(locked);
}

/* ---- code ---- */

static aq_status fixed_module_load(aq_transport *t, uint32_t which,
                                   const void *image, size_t size,
                                   uint64_t *module, aq_diag *diag)
{
  (void)t, (void)which, (void)image, (void)size, (void)module;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "fixed: code objects are not executed");
}

static void fixed_module_unload(aq_transport *t, uint64_t module)
{
  (void)t, (void)module; /* none can be loaded */
}

static void kernel_describe(const fixed_kernel *kernel, aq_kernel_info *out)
{
  *out = (aq_kernel_info){.object = (uint64_t)(uintptr_t)kernel,
                          .kernarg_size = kernel->desc.kernarg_size,
                          .group_size = kernel->desc.group_size,
                          .private_size = kernel->desc.private_size,
                          .workgroup_max = kernel->desc.workgroup_max,
                          .workgroup = {kernel->desc.workgroup[0],
                                        kernel->desc.workgroup[1],
                                        kernel->desc.workgroup[2]},
                          .name = kernel->name};
}

static aq_status fixed_kernel_lookup(aq_transport *t, uint64_t module,
                                     const char *name, aq_kernel_info *out,
                                     aq_diag *diag)
{
  for (fixed_kernel *k = fixed_from(t)->kernels; k && !module; k = k->next)
    if (strcmp(k->name, name) == 0) {
      kernel_describe(k, out);
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "no kernel '%s' is registered",
                     name);
}

static aq_status fixed_kernel_register(aq_transport *t,
                                       const aq_kernel_desc *desc,
                                       aq_kernel_info *out, aq_diag *diag)
{
  fixed *f = fixed_from(t);
  if (!desc->name)
    return aq_diag_set(diag, AQ_ERR_INVALID, "a kernel needs a name");
  fixed_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel)
    kernel->name = strdup(desc->name);
  if (!kernel || !kernel->name) {
    free(kernel);
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a kernel");
  }
  kernel->desc = *desc;
  kernel->record_name = AQ_NONE;
  kernel->next = f->kernels;
  f->kernels = kernel;
  aq_status status = AQ_OK;
  if (f->records)
    status = f->records->name(f->records, desc->name, strlen(desc->name),
                              &kernel->record_name, diag);
  if (status == AQ_OK)
    kernel_describe(kernel, out);
  return status;
}

static void fixed_kernel_unregister(aq_transport *t, uint64_t object)
{
  fixed_kernel **link = &fixed_from(t)->kernels, *kernel;
  while ((kernel = *link) && (uint64_t)(uintptr_t)kernel != object)
    link = &kernel->next;
  if (!kernel)
    return;
  *link = kernel->next;
  free(kernel->name);
  free(kernel);
}

static bool fixed_kernel_describe(aq_transport *t, uint64_t object,
                                  aq_kernel_info *out)
{
  for (fixed_kernel *k = fixed_from(t)->kernels; k; k = k->next)
    if ((uint64_t)(uintptr_t)k == object) {
      kernel_describe(k, out);
      return true;
    }
  return false;
}

/* ---- signals ---- */

/* The host and device 0 are all there is, and each is named once. */
static aq_status consumers_check(const aq_signal_desc *desc, aq_diag *diag)
{
  bool host = false, device = false;
  for (uint32_t i = 0; i < desc->consumer_count; i++) {
    uint32_t consumer = desc->consumers[i];
    bool *named = consumer == AQ_DEVICE_HOST ? &host : &device;
    if (*named || (named == &device && consumer != 0))
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "signal_create: consumer %u; expected each of host "
                         "and device 0 at most once",
                         consumer);
    *named = true;
  }
  return AQ_OK;
}

static aq_status fixed_signal_create(aq_transport *t,
                                     const aq_signal_desc *desc, aq_signal *out,
                                     aq_diag *diag)
{
  fixed *f = fixed_from(t);
  aq_status status = consumers_check(desc, diag);
  if (status != AQ_OK)
    return status;
  fixed_signal *signal = aligned_alloc(64, (sizeof *signal + 63) & ~63ul);
  if (!signal)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for signals");
  *signal =
      (fixed_signal){.abi = {.kind = AQ_AMD_SIGNAL_USER, .value = desc->value},
                     .flags = desc->flags,
                     .user = desc->user,
                     .previous = &f->signals,
                     .next = f->signals.next};
  signal->next->previous = signal->previous->next = signal;
  out->handle = (uint64_t)(uintptr_t)signal;
  return AQ_OK;
}

static void fixed_signal_destroy(aq_transport *t, aq_signal handle)
{
  fixed_signal *signal = signal_from(handle);
  (void)t;
  if (!signal)
    return;
  signal->next->previous = signal->previous;
  signal->previous->next = signal->next;
  free(signal);
}

/* Every order is served by the strongest that is needed. */
static int64_t fixed_signal_load(aq_transport *t, aq_signal signal,
                                 aq_order order)
{
  (void)t, (void)order;
  return __atomic_load_n(&signal_from(signal)->abi.value, __ATOMIC_ACQUIRE);
}

static void fixed_signal_store(aq_transport *t, aq_signal signal, int64_t value,
                               aq_order order)
{
  (void)order;
  __atomic_store_n(&signal_from(signal)->abi.value, value, __ATOMIC_RELEASE);
  fixed_start_all(fixed_from(t));
}

/* Notes that a drain signal was decremented. */
static void completion_note(fixed *f, fixed_signal *signal)
{
  if (f->done_first > 0 && f->done_first + f->done_count == f->done_capacity) {
    memmove(f->done, f->done + f->done_first, f->done_count * sizeof *f->done);
    f->done_first = 0;
  }
  if (f->done_count == f->done_capacity) {
    size_t capacity = f->done_capacity ? 2 * f->done_capacity : 256;
    aq_completion *grown = realloc(f->done, capacity * sizeof *grown);
    if (!grown) {
      aq_diag_set(&f->failure, AQ_ERR_NO_MEMORY,
                  "out of memory for completions");
      return;
    }
    f->done = grown;
    f->done_capacity = capacity;
  }
  f->done[f->done_first + f->done_count++] =
      (aq_completion){{(uint64_t)(uintptr_t)signal}, signal->user, f->now};
}

int64_t fixed_signal_change(fixed *f, fixed_signal *signal, int64_t value)
{
  int64_t before =
      __atomic_fetch_add(&signal->abi.value, value, __ATOMIC_ACQ_REL);
  if (value < 0 && (signal->flags & AQ_SIGNAL_DRAIN))
    completion_note(f, signal);
  return before;
}

static int64_t updated(aq_signal_op op, int64_t before, int64_t operand,
                       int64_t expected)
{
  switch (op) {
  case AQ_UPDATE_AND:
    return before & operand;
  case AQ_UPDATE_OR:
    return before | operand;
  case AQ_UPDATE_XOR:
    return before ^ operand;
  case AQ_UPDATE_CAS:
    return before == expected ? operand : before;
  default:
    return operand;
  }
}

static int64_t fixed_signal_update(aq_transport *t, aq_signal handle,
                                   aq_signal_op op, int64_t operand,
                                   int64_t expected, aq_order order)
{
  fixed *f = fixed_from(t);
  fixed_signal *signal = signal_from(handle);
  int64_t before = fixed_signal_load(t, handle, order);
  if (op == AQ_UPDATE_ADD)
    fixed_signal_change(f, signal, operand);
  else if (op == AQ_UPDATE_SUB)
    fixed_signal_change(f, signal, -operand);
  else
    __atomic_store_n(&signal->abi.value, updated(op, before, operand, expected),
                     __ATOMIC_RELEASE);
  fixed_start_all(f);
  return before;
}

static aq_status fixed_signal_handler(aq_transport *t, aq_signal signal,
                                      aq_condition condition, int64_t value,
                                      aq_signal_function *function, void *user,
                                      aq_diag *diag)
{
  (void)t, (void)signal, (void)condition, (void)value, (void)function;
  (void)user;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "fixed: signal handlers are not supported");
}

/* ---- time that does not move ---- */

static aq_time fixed_now(aq_transport *t)
{
  return fixed_from(t)->now;
}

static void fixed_clock_correlate(aq_transport *t, uint32_t which,
                                  aq_clock_pair *out)
{
  (void)which; /* one clock for all */
  *out = (aq_clock_pair){fixed_from(t)->now, fixed_from(t)->now};
}

static uint32_t fixed_drain(aq_transport *t, aq_completion *out,
                            uint32_t capacity)
{
  fixed *f = fixed_from(t);
  uint32_t count =
      f->done_count < capacity ? (uint32_t)f->done_count : capacity;
  if (count == 0)
    return 0;
  memcpy(out, f->done + f->done_first, count * sizeof *out);
  f->done_first += count;
  f->done_count -= count;
  return count;
}

static aq_status fixed_dispatch_times(aq_transport *t, aq_signal handle,
                                      aq_time *start, aq_time *end)
{
  const fixed_signal *signal = signal_from(handle);
  (void)t;
  if (!signal || !(signal->flags & AQ_SIGNAL_PROFILE))
    return AQ_ERR_INVALID;
  *start = signal->start;
  *end = signal->end;
  return AQ_OK;
}

static const aq_transport_ops ops = {
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
    .name = "fixed",
    .summary = "every packet takes the same virtual time (ns=N)",
    .open = fixed_open,
    .close = fixed_close,
    .info = fixed_info,
    .inspect = fixed_inspect,
    .mem_alloc = fixed_mem_alloc,
    .mem_free = fixed_mem_free,
    .mem_publish = fixed_mem_publish,
    .mem_lock = fixed_mem_lock,
    .mem_unlock = fixed_mem_unlock,
    .mem_visible = fixed_mem_visible,
    .copy_async = fixed_copy_async,
    .copy_submit = fixed_copy_submit,
    .copy_engines_idle = fixed_copy_engines_idle,
    .module_load = fixed_module_load,
    .module_unload = fixed_module_unload,
    .kernel_lookup = fixed_kernel_lookup,
    .kernel_register = fixed_kernel_register,
    .kernel_unregister = fixed_kernel_unregister,
    .kernel_describe = fixed_kernel_describe,
    .signal_create = fixed_signal_create,
    .signal_destroy = fixed_signal_destroy,
    .signal_load = fixed_signal_load,
    .signal_store = fixed_signal_store,
    .signal_update = fixed_signal_update,
    .signal_handler = fixed_signal_handler,
    .queue_create = fixed_queue_create,
    .queue_destroy = fixed_queue_destroy,
    .queue_doorbell = fixed_queue_doorbell,
    .queue_wait_space = fixed_queue_wait_space,
    .queue_control = fixed_queue_control,
    .now = fixed_now,
    .clock_correlate = fixed_clock_correlate,
    .wait = fixed_wait,
    .drain = fixed_drain,
    .sleep_until = fixed_sleep_until,
    .dispatch_times = fixed_dispatch_times,
};

const aq_transport_ops *aq_transport_plugin(void)
{
  return &ops;
}
