/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/transports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/hsa.h"
#include "backend_sim/sim.h"
#include "common/arena.h"
#include "common/plugin.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/jit_builder.h"
#include "transport/fault/fault.h"
#include "transport/null/null.h"

static const aq_transport_ops *const transports[] = {
    &aqsim_transport_ops, &aqsim_null_transport_ops, &aqhsa_transport_ops,
    &aq_fault_transport_ops, NULL};

typedef enum transport_kind {
  KIND_SIMULATES, /* or retires at once */
  KIND_HARDWARE,  /* devices are real, or another library's */
  KIND_WRAPS,     /* another transport */
} transport_kind;

/* Of a row of `transports`; plug-ins do not say. */
static const struct {
  const aq_transport_ops *ops;
  transport_kind kind;
} kinds[] = {{&aqhsa_transport_ops, KIND_HARDWARE},
             {&aq_fault_transport_ops, KIND_WRAPS}};

static transport_kind kind_of(const aq_transport_ops *ops)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].ops == ops)
      return kinds[i].kind;
  return KIND_SIMULATES;
}

const aq_transport_ops *const *aq_transports(void)
{
  return transports;
}

static const aq_plugin_kind plugins = {
    .what = "transport",
    .folder = "transports",
    .symbol = "aq_transport_plugin",
    .abi = AQ_TRANSPORT_ABI,
    .size = sizeof(aq_transport_ops),
};

/* ---- stacks ---- */

struct aq_transport_stack {
  aq_transport_layer *top;
  aq_plugin plugin; /* the innermost, or all NULL */
  const char *name;
  aq_arena arena;           /* layers and texts */
  aq_jit_builder *builder;  /* of the machine; NULL: all is interpreted */
  aq_wave_machine *machine; /* runs the code of kernels, outlives transports */
};

static const aq_transport_ops *find_built_in(const char *name, size_t length)
{
  for (size_t i = 0; transports[i]; i++)
    if (strlen(transports[i]->name) == length &&
        memcmp(transports[i]->name, name, length) == 0)
      return transports[i];
  return NULL;
}

static bool is_wrapper(const aq_transport_ops *ops)
{
  return kind_of(ops) == KIND_WRAPS;
}

/* "a=1,b=2" as a list of texts; NULL when out of memory. */
static const char *const *settings_split(aq_arena *arena, const char *text,
                                         size_t length)
{
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += text[i] == ',';
  const char **settings = aq_arena_alloc(arena, (count + 2) * sizeof *settings);
  if (!settings)
    return NULL;
  for (size_t i = 0; length > 0; i++) {
    const char *comma = memchr(text, ',', length);
    size_t part = comma ? (size_t)(comma - text) : length;
    settings[i] = aq_arena_text(arena, text, part);
    if (!settings[i])
      return NULL;
    text += part + (comma != NULL);
    length -= part + (comma != NULL);
  }
  return settings;
}

static aq_status settings_check(const aq_transport_layer *layer, aq_diag *diag)
{
  for (size_t i = 0; layer->settings[i]; i++) {
    const char *text = layer->settings[i], *equals = strchr(text, '=');
    if (!equals || equals == text)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "transport %s: '%s'; expected KEY=VALUE",
                         layer->ops->name, text);
  }
  const aq_transport_ops *ops = layer->ops;
  bool takes = ops != &aqsim_transport_ops && ops != &aqsim_null_transport_ops;
  if (layer->settings[0] && !takes)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "transport %s takes no settings, so not '%s'", ops->name,
                       layer->settings[0]);
  return AQ_OK;
}

/* `name` and its settings: `length` bytes that begin with a comma. */
static aq_status layer_add(aq_transport_stack *stack,
                           aq_transport_layer **outer,
                           const aq_transport_ops *ops, const char *settings,
                           size_t length, aq_diag *diag)
{
  aq_transport_layer *layer = aq_arena_alloc(&stack->arena, sizeof *layer);
  if (!layer)
    return aq_diag_no_memory(diag);
  size_t comma = length > 0;
  layer->ops = ops;
  layer->settings =
      settings_split(&stack->arena, settings + comma, length - comma);
  if (!layer->settings)
    return aq_diag_no_memory(diag);
  if (*outer)
    (*outer)->inner = layer;
  else
    stack->top = layer;
  *outer = layer;
  return settings_check(layer, diag);
}

/* Every slot is filled, whoever made the table. */
static aq_status ops_check(const aq_plugin *plugin, aq_diag *diag)
{
  static const size_t first = offsetof(aq_transport_ops, open);
  for (size_t at = first; at < sizeof(aq_transport_ops); at += sizeof(void *)) {
    void *slot;
    memcpy(&slot, (const char *)plugin->table + at, sizeof slot);
    if (!slot)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: transport %s: operation %zu of its table is not "
                         "filled",
                         plugin->path, plugin->table->name,
                         (at - first) / sizeof slot);
  }
  return AQ_OK;
}

static aq_status innermost_add(aq_transport_stack *stack,
                               aq_transport_layer *outer, const char *text,
                               aq_diag *diag)
{
  size_t length = strcspn(text, ",");
  const aq_transport_ops *ops = find_built_in(text, length);
  aq_status status = AQ_OK;
  if (!ops) {
    const char *name = aq_arena_text(&stack->arena, text, length);
    if (!name)
      return aq_diag_no_memory(diag);
    if (length == 0)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "a transport without a name; expected NAME or a path");
    status = aq_plugin_open(&plugins, name, &stack->plugin, diag);
    if (status == AQ_OK)
      status = ops_check(&stack->plugin, diag);
    ops = (const aq_transport_ops *)(const void *)stack->plugin.table;
  }
  if (status != AQ_OK)
    return status;
  return layer_add(stack, &outer, ops, text + length, strlen(text + length),
                   diag);
}

static aq_status stack_parse(aq_transport_stack *stack, const char *text,
                             aq_diag *diag)
{
  aq_transport_layer *outer = NULL;
  for (;;) {
    size_t length = strcspn(text, "+,");
    const aq_transport_ops *ops = find_built_in(text, length);
    size_t end = length + strcspn(text + length, "+");
    if (!ops || (!is_wrapper(ops) && text[end] != '+'))
      return innermost_add(stack, outer, text, diag);
    if (!is_wrapper(ops))
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "transport %s wraps nothing, so '%s' cannot follow it",
                         ops->name, text + end);
    if (text[end] != '+')
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "transport %s wraps another; expected %s+NAME",
                         ops->name, ops->name);
    aq_status status =
        layer_add(stack, &outer, ops, text + length, end - length, diag);
    if (status != AQ_OK)
      return status;
    text += end + 1;
  }
}

/* Gives a schedule to the fault wrapper, outermost. */
static aq_status stack_fault(aq_transport_stack *stack, const char *faults,
                             aq_diag *diag)
{
  aq_transport_layer *fault = stack->top;
  if (fault->ops != &aq_fault_transport_ops || fault->settings[0]) {
    fault = aq_arena_alloc(&stack->arena, sizeof *fault);
    if (!fault)
      return aq_diag_no_memory(diag);
    *fault = (aq_transport_layer){.ops = &aq_fault_transport_ops,
                                  .inner = stack->top};
    stack->top = fault;
  }
  const char **settings = aq_arena_alloc(&stack->arena, 2 * sizeof *settings);
  const char *key = strncmp(faults, "seed=", 5) == 0 ? "" : "file=";
  char *text = aq_arena_alloc(&stack->arena, strlen(key) + strlen(faults) + 1);
  if (!settings || !text)
    return aq_diag_no_memory(diag);
  sprintf(text, "%s%s", key, faults);
  settings[0] = text;
  fault->settings = settings;
  return AQ_OK;
}

static aq_status stack_name(aq_transport_stack *stack, aq_diag *diag)
{
  size_t size = 1;
  for (const aq_transport_layer *l = stack->top; l; l = l->inner)
    size += strlen(l->ops->name) + 1;
  char *name = aq_arena_alloc(&stack->arena, size), *end = name;
  if (!name)
    return aq_diag_no_memory(diag);
  for (const aq_transport_layer *l = stack->top; l; l = l->inner)
    end += sprintf(end, "%s%s", l->ops->name, l->inner ? "+" : "");
  stack->name = name;
  return AQ_OK;
}

aq_status aq_transport_stack_create(const char *names, const char *faults,
                                    aq_transport_stack **out, aq_diag *diag)
{
  aq_transport_stack *stack = calloc(1, sizeof *stack);
  if (!stack)
    return aq_diag_no_memory(diag);
  aq_status status = stack_parse(stack, names, diag);
  if (status == AQ_OK && faults)
    status = stack_fault(stack, faults, diag);
  if (status == AQ_OK)
    status = stack_name(stack, diag);
  if (status == AQ_OK)
    status = aq_wave_machine_create(&stack->machine, diag);
  if (status == AQ_OK)
    *out = stack;
  else
    aq_transport_stack_destroy(stack);
  return status;
}

void aq_transport_stack_destroy(aq_transport_stack *stack)
{
  if (!stack)
    return;
  aq_wave_machine_destroy(stack->machine);
  aq_jit_builder_destroy(stack->builder);
  aq_plugin_close(&stack->plugin);
  aq_arena_fini(&stack->arena);
  free(stack);
}

const aq_transport_layer *
aq_transport_stack_top(const aq_transport_stack *stack)
{
  return stack->top;
}

bool aq_transport_stack_is_hardware(const aq_transport_stack *stack)
{
  const aq_transport_layer *layer = stack->top;
  while (layer->inner)
    layer = layer->inner;
  return kind_of(layer->ops) == KIND_HARDWARE;
}

const char *aq_transport_stack_name(const aq_transport_stack *stack)
{
  return stack->name;
}

aq_status aq_transport_stack_open(const aq_transport_stack *stack,
                                  const aq_transport_options *options,
                                  aq_transport **out, aq_diag *diag)
{
  aq_transport_options own = {0};
  memcpy(&own, options,
         options->size < sizeof own ? options->size : sizeof own);
  own.size = sizeof own;
  own.layer = stack->top;
  if (!own.executor)
    own.executor = aq_wave_machine_executor(stack->machine);
  return stack->top->ops->open(&own, out, diag);
}

const aq_executor *aq_transport_stack_executor(const aq_transport_stack *stack)
{
  return aq_wave_machine_executor(stack->machine);
}

aq_status aq_transport_stack_profile(aq_transport_stack *stack, aq_diag *diag)
{
  return aq_wave_machine_profile(stack->machine, diag);
}

aq_status aq_transport_stack_profile_put(const aq_transport_stack *stack,
                                         aq_record_sink *sink, aq_diag *diag)
{
  return aq_wave_machine_profile_put(stack->machine, sink, diag);
}

aq_status aq_transport_stack_count(aq_transport_stack *stack,
                                   const aq_transport_counting *counting,
                                   aq_diag *diag)
{
  const aq_wave_counting_options options = {.xccs = counting->xccs,
                                            .sampled = counting->sampled,
                                            .repeats = counting->repeats,
                                            .time = counting->time,
                                            .user = counting->user};
  return aq_wave_machine_count(stack->machine, &options, diag);
}

aq_status aq_transport_stack_counted_put(const aq_transport_stack *stack,
                                         aq_record_sink *sink, aq_diag *diag)
{
  return aq_wave_machine_counted_put(stack->machine, sink, diag);
}

aq_status
aq_transport_stack_compile(aq_transport_stack *stack, const char *mode,
                           void (*print)(const char *line, void *user),
                           void *user, aq_diag *diag)
{
  aq_jit_mode read;
  aq_status status = aq_jit_mode_read(mode, &read, diag);
  if (status == AQ_OK && !stack->builder)
    status = aq_jit_builder_create(read, print, user, &stack->builder, diag);
  return status == AQ_OK
             ? aq_jit_builder_use(stack->builder, stack->machine, diag)
             : status;
}

aq_status aq_transport_stack_trace(aq_transport_stack *stack, const char *wave,
                                   aq_diag *diag)
{
  aq_wave_trace_options options = {.to = stderr};
  aq_status status = aq_wave_trace_read(wave, &options, diag);
  return status == AQ_OK ? aq_wave_machine_trace(stack->machine, &options, diag)
                         : status;
}

aq_status aq_transport_stack_steps(aq_transport_stack *stack, const char *wave,
                                   int64_t (*clock)(uint32_t device,
                                                    void *user),
                                   void *user, aq_diag *diag)
{
  aq_wave_trace_options options = {.to = stderr};
  const aq_wave_clocks clocks = {clock, user};
  aq_status status = aq_wave_trace_read(wave, &options, diag);
  return status == AQ_OK
             ? aq_wave_machine_steps(stack->machine, &options, &clocks, diag)
             : status;
}

aq_status aq_transport_stack_steps_put(const aq_transport_stack *stack,
                                       aq_record_sink *sink, aq_diag *diag)
{
  return aq_wave_machine_steps_put(stack->machine, sink, diag);
}

void aq_transport_stack_report_at(aq_transport_stack *stack, int64_t time,
                                  void (*tell)(const char *line, void *user),
                                  void *user)
{
  aq_wave_machine_report_at(stack->machine, time, tell, user);
}

bool aq_transport_executes(const char *gfx)
{
  return aq_wave_machine_executes(gfx);
}

/* ---- what there is ---- */

static void caps_write(uint32_t caps, char to[AQ_TRANSPORT_CAPS_SIZE])
{
  size_t used = 0;
  to[0] = 0;
  for (uint32_t left = caps; left; left &= left - 1) {
    const char *name = aq_transport_cap_name(left & (~left + 1));
    if (name)
      used += (size_t)snprintf(to + used, AQ_TRANSPORT_CAPS_SIZE - used, "%s%s",
                               used ? ", " : "", name);
  }
}

/* Opens the transport to read its capabilities. */
static void caps_probe(const char *names, aq_transport_entry *entry)
{
  const aq_transport_options options = {.size = sizeof options};
  aq_transport_stack *stack;
  aq_transport *t;
  aq_transport_info info;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = aq_transport_stack_create(names, NULL, &stack, &diag);
  if (status == AQ_OK) {
    status = aq_transport_stack_open(stack, &options, &t, &diag);
    if (status == AQ_OK) {
      t->ops->info(t, &info);
      caps_write(info.caps, entry->caps);
      t->ops->close(t);
    }
    aq_transport_stack_destroy(stack);
  }
  if (status != AQ_OK)
    snprintf(entry->caps, sizeof entry->caps, "unusable: %.*s",
             (int)sizeof entry->caps - 16, diag.text);
}

typedef void report_function(const aq_transport_entry *entry, void *user);

static void report_built_in(const aq_transport_ops *ops, report_function *tell,
                            void *user)
{
  aq_transport_entry entry = {
      .name = ops->name, .summary = ops->summary, .kind = "built in"};
  if (is_wrapper(ops)) {
    entry.kind = "wrapper";
    snprintf(entry.caps, sizeof entry.caps, "of the wrapped transport");
  } else {
    caps_probe(ops->name, &entry);
  }
  tell(&entry, user);
}

static void report_plugin(const aq_plugin_file *file, report_function *tell,
                          void *user)
{
  aq_transport_entry entry = {
      .name = file->name, .summary = "", .kind = "plug-in", .path = file->path};
  aq_plugin plugin = {NULL, NULL, NULL};
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_plugin_open(&plugins, file->path, &plugin, &diag) == AQ_OK)
    entry.summary = plugin.table->summary;
  caps_probe(file->path, &entry);
  tell(&entry, user);
  aq_plugin_close(&plugin);
}

aq_status aq_transport_each(report_function *tell, void *user, aq_diag *diag)
{
  aq_plugin_list list;
  aq_status status = aq_plugin_list_make(&plugins, &list, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; transports[i]; i++)
    if (!is_wrapper(transports[i]))
      report_built_in(transports[i], tell, user);
  for (size_t i = 0; transports[i]; i++)
    if (is_wrapper(transports[i]))
      report_built_in(transports[i], tell, user);
  for (size_t i = 0; i < list.count; i++)
    report_plugin(&list.files[i], tell, user);
  aq_plugin_list_fini(&list);
  return AQ_OK;
}
