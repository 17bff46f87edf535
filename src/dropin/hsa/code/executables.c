/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/executables.h"

#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/fidelity.h"
#include "dropin/hsa/base/published.h"
#include "gpu/wave/core/wave.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- executables ---- */

/* The link to an executable, to NULL for an unknown one. The lock is held. */
static aqdrop_executable **executable_link(aqdrop *runtime,
                                           hsa_executable_t handle)
{
  aqdrop_executable **link = &runtime->first_executable;
  while (*link && (uintptr_t)*link != handle.handle)
    link = &(*link)->next;
  return link;
}

aqdrop_executable *aqdrop_executable_from(aqdrop *runtime,
                                          hsa_executable_t executable)
{
  pthread_mutex_lock(&runtime->lock);
  aqdrop_executable *found = *executable_link(runtime, executable);
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

static hsa_status_t executable_create(aqdrop *runtime, uint32_t profile,
                                      uint32_t rounding, uint32_t state,
                                      hsa_executable_t *executable)
{
  if (!executable || profile > HSA_PROFILE_FULL ||
      rounding > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR ||
      state > HSA_EXECUTABLE_STATE_FROZEN)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_executable *made = malloc(sizeof *made);
  if (!made)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->lock);
  *made = (aqdrop_executable){.next = runtime->first_executable,
                              .profile = profile,
                              .rounding = rounding,
                              .state = state};
  runtime->first_executable = made;
  pthread_mutex_unlock(&runtime->lock);
  executable->handle = (uintptr_t)made;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create_alt(uint32_t profile, uint32_t rounding,
                                       const char *options,
                                       hsa_executable_t *executable)
{
  AQDROP_ENTER(runtime);
  (void)options;
  return executable_create(runtime, profile, rounding,
                           HSA_EXECUTABLE_STATE_UNFROZEN, executable);
}

hsa_status_t hsa_executable_create(uint32_t profile, uint32_t executable_state,
                                   const char *options,
                                   hsa_executable_t *executable)
{
  AQDROP_ENTER(runtime);
  (void)options;
  return executable_create(runtime, profile,
                           HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                           executable_state, executable);
}

/* A kernel that takes time and computes nothing: warns its user once. */
typedef struct aqdrop_missing {
  struct aqdrop_missing *next;
  bool reported;
  char name[];
} aqdrop_missing;

/* Once the transport is closed, it has no kernels. */
static void kernels_unregister(aqdrop *runtime, const aq_code_image *image)
{
  aq_transport *t = runtime->transport;
  for (size_t i = 0; t && i < image->code.kernel_count; i++)
    t->ops->kernel_unregister(
        t, aq_code_image_object(image, &image->code.kernels[i]));
}

/* The owner of published code. */
typedef struct publishing {
  aqdrop *runtime;
  const aqdrop_agent *agent; /* NULL: all */
} publishing;

static uint64_t publishing_agents(const publishing *p)
{
  return p->agent ? aqdrop_agent_bit(p->runtime, p->agent)
                  : aqdrop_agents_all(p->runtime);
}

static bool text_publish(void *user, const void *base, size_t size)
{
  const publishing *p = user;
  return aqdrop_publish(p->runtime, base, size, AQ_ALLOCATION_TEXT, p->agent,
                        publishing_agents(p), AQDROP_EXECUTABLE);
}

static bool text_withdraw(void *user, const void *base, size_t size)
{
  const publishing *p = user;
  (void)size;
  aqdrop_withdraw(p->runtime, base, AQ_ALLOCATION_TEXT);
  return true;
}

static void loaded_free(aqdrop *runtime, aqdrop_loaded *loaded)
{
  kernels_unregister(runtime, &loaded->image);
  aqdrop_check_code_gone(runtime, &loaded->image);
  while (loaded->missing) {
    aqdrop_missing *missing = loaded->missing;
    loaded->missing = missing->next;
    free(missing);
  }
  publishing p = {runtime, loaded->agent};
  aq_code_image_texts(&loaded->image, text_withdraw, &p);
  aqdrop_withdraw(runtime, loaded->image.base, AQ_ALLOCATION_CODE);
  aq_code_image_unload(&loaded->image);
  free(loaded->symbols);
  free(loaded);
}

static void executable_free(aqdrop *runtime, aqdrop_executable *executable)
{
  while (executable->first) {
    aqdrop_loaded *loaded = executable->first;
    executable->first = loaded->next;
    loaded_free(runtime, loaded);
  }
  while (executable->externals) {
    aqdrop_external *external = executable->externals;
    executable->externals = external->next;
    free((char *)(uintptr_t)external->code.name);
    free(external);
  }
  free(executable);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable)
{
  AQDROP_ENTER(runtime);
  pthread_mutex_lock(&runtime->lock);
  aqdrop_executable **link = executable_link(runtime, executable);
  aqdrop_executable *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&runtime->lock);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  executable_free(runtime, found);
  return HSA_STATUS_SUCCESS;
}

void aqdrop_executables_fini(aqdrop *runtime)
{
  while (runtime->first_executable) {
    aqdrop_executable *executable = runtime->first_executable;
    runtime->first_executable = executable->next;
    executable_free(runtime, executable);
  }
}

/* ---- loading ---- */

static void missing_call(const aq_kernel_call *call)
{
  aqdrop_missing *m = call->user;
  if (!m->reported)
    fprintf(stderr,
            "aqueduct: kernel %s has no host function: it computes nothing\n",
            m->name);
  m->reported = true;
}

static aqdrop_missing *missing_make(aqdrop_loaded *loaded, const char *name)
{
  const size_t size = strlen(name) + 1;
  aqdrop_missing *m = malloc(sizeof *m + size);
  if (!m)
    return NULL;
  *m = (aqdrop_missing){.next = loaded->missing};
  memcpy(m->name, name, size);
  loaded->missing = m;
  return m;
}

/* Whether a host function reads the arguments of the metadata. */
static bool host_function_fits(const aqdrop_loaded *loaded,
                               const aq_code_kernel *kernel,
                               const aq_kernel_entry *entry)
{
  aq_codeobj code;
  if (!aqdrop_kernel_yields(entry) ||
      aq_codeobj_read(loaded->storage, loaded->storage_size, &code, NULL) !=
          AQ_OK)
    return true;
  const aq_code_kernel *full = aq_codeobj_kernel(&code, kernel->name);
  const bool fits =
      !full || aqdrop_blit_fits(entry, full->args, full->arg_count);
  aq_codeobj_fini(&code);
  return fits;
}

/* Registers a kernel with its executor: a host function, or its code. One
 * with neither is not registered, so that dispatching it is a queue error,
 * unless missing kernels are allowed. */
static aq_status kernel_register(aqdrop *runtime, aqdrop_loaded *loaded,
                                 const aq_code_kernel *kernel)
{
  const aqdrop_kernels *kernels = &runtime->kernels;
  const aq_kernel_entry *entry =
      kernels->from == AQ_KERNELS_FROM_ISA
          ? NULL
          : aq_host_kernels_find(&kernels->set, kernel->name,
                                 strlen(kernel->name));
  const bool executes =
      kernels->from != AQ_KERNELS_FROM_HOST &&
      (!entry || aqdrop_kernel_yields(entry)) &&
      aq_wave_machine_executes(loaded->image.code.target.processor->name);
  if (executes || (entry && !host_function_fits(loaded, kernel, entry)))
    entry = NULL;
  if (!entry && !executes && !kernels->warn)
    return AQ_OK;
  aqdrop_missing *m =
      entry || executes ? NULL : missing_make(loaded, kernel->name);
  if (!entry && !executes && !m)
    return AQ_ERR_NO_MEMORY;
  if (!executes)
    aqdrop_fidelity_host(runtime, kernel->name, entry);
  aq_kernel_desc desc = aq_code_image_kernel(&loaded->image, kernel);
  aq_kernel_entry_describe(entry, &desc);
  desc.scope = &loaded->scope;
  if (m) {
    desc.function = missing_call;
    desc.user = m;
  }
  aq_kernel_info info;
  return runtime->transport->ops->kernel_register(runtime->transport, &desc,
                                                  &info, NULL);
}

static uint64_t external_resolve(void *user, const char *name)
{
  const aqdrop_symbol *found = aqdrop_symbol_resolve(user, name);
  return found ? found->address : 0;
}

static hsa_status_t symbols_make(aqdrop_loaded *loaded)
{
  const aq_codeobj *code = &loaded->image.code;
  loaded->symbols = calloc(code->symbol_count + 1, sizeof *loaded->symbols);
  if (!loaded->symbols)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (size_t i = 0; i < code->symbol_count; i++)
    loaded->symbols[i] = (aqdrop_symbol){
        .agent = loaded->agent,
        .code = &code->symbols[i],
        .address = aq_code_image_symbol(&loaded->image, &code->symbols[i]),
        .segment = HSA_VARIABLE_SEGMENT_GLOBAL};
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t load_status(aq_status status)
{
  switch (status) {
  case AQ_OK:
    return HSA_STATUS_SUCCESS;
  case AQ_ERR_UNSUPPORTED:
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  case AQ_ERR_NOT_FOUND:
    return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
  case AQ_ERR_NO_MEMORY:
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  default:
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
}

static bool image_publish(aqdrop *runtime, const aqdrop_loaded *loaded)
{
  publishing p = {runtime, loaded->agent};
  return aqdrop_publish(runtime, loaded->image.base, loaded->image.span,
                        AQ_ALLOCATION_CODE, loaded->agent,
                        publishing_agents(&p), 0) &&
         aq_code_image_texts(&loaded->image, text_publish, &p);
}

static hsa_status_t loaded_open(aqdrop *runtime, aqdrop_loaded *loaded)
{
  aq_target device;
  aq_code_image_options options = {.depth = AQ_CODEOBJ_DESCRIPTORS,
                                   .resolve = external_resolve,
                                   .resolve_user = loaded};
  if (loaded->agent) {
    const char *isa = loaded->agent->isa.name;
    if (aq_target_parse(isa, strlen(isa), &device, NULL) != AQ_OK)
      return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    options.device = &device;
  }
  hsa_status_t status = load_status(aq_code_image_load(
      loaded->storage, loaded->storage_size, &options, &loaded->image, NULL));
  const aq_codeobj *code = &loaded->image.code;
  if (status == HSA_STATUS_SUCCESS && !image_publish(runtime, loaded))
    status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (status == HSA_STATUS_SUCCESS)
    status = symbols_make(loaded);
  for (size_t i = 0; status == HSA_STATUS_SUCCESS && i < code->kernel_count;
       i++)
    if (kernel_register(runtime, loaded, &code->kernels[i]) != AQ_OK)
      status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (status == HSA_STATUS_SUCCESS)
    aqdrop_recording_code(runtime->recording, loaded->storage,
                          loaded->storage_size);
  return status;
}

/* Names are there once: of an agent, or of the program. */
static hsa_status_t keep_check(const aqdrop_loaded *loaded)
{
  const aqdrop_executable *e = loaded->executable;
  const aq_codeobj *code = &loaded->image.code;
  if (e->state == HSA_EXECUTABLE_STATE_FROZEN)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  for (size_t i = 0; i < code->symbol_count; i++)
    if (code->symbols[i].is_object &&
        aqdrop_symbol_find_locked(e, code->symbols[i].name, loaded->agent))
      return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t loaded_keep(aqdrop *runtime, aqdrop_loaded *loaded)
{
  aqdrop_executable *e = loaded->executable;
  pthread_mutex_lock(&runtime->lock);
  hsa_status_t status = keep_check(loaded);
  if (status == HSA_STATUS_SUCCESS) {
    loaded->next = e->first;
    e->first = loaded;
    for (size_t i = loaded->image.code.symbol_count; i-- > 0;)
      if (loaded->symbols[i].code->is_object) {
        loaded->symbols[i].next = e->symbols;
        e->symbols = &loaded->symbols[i];
      }
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

static bool executable_is_frozen(aqdrop *runtime, const aqdrop_executable *e)
{
  pthread_mutex_lock(&runtime->lock);
  const bool frozen = e->state == HSA_EXECUTABLE_STATE_FROZEN;
  pthread_mutex_unlock(&runtime->lock);
  return frozen;
}

hsa_status_t aqdrop_executable_load(aqdrop *runtime,
                                    hsa_executable_t executable,
                                    aqdrop_agent *agent, const void *bytes,
                                    size_t size, hsa_loaded_code_object_t *out)
{
  aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (executable_is_frozen(runtime, e))
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  aqdrop_loaded *loaded = malloc(sizeof *loaded);
  if (!loaded)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *loaded = (aqdrop_loaded){.scope = {aqdrop_scope_variable},
                            .runtime = runtime,
                            .executable = e,
                            .agent = agent,
                            .storage = bytes,
                            .storage_size = size};
  hsa_status_t status = loaded_open(runtime, loaded);
  if (status == HSA_STATUS_SUCCESS)
    status = loaded_keep(runtime, loaded);
  if (status != HSA_STATUS_SUCCESS) {
    loaded_free(runtime, loaded);
    return status;
  }
  aqdrop_check_code(runtime, &loaded->image, bytes, size);
  if (out)
    out->handle = (uintptr_t)loaded;
  return HSA_STATUS_SUCCESS;
}

/* Loads a reader's code object; `agent` may be NULL for all devices. */
static hsa_status_t reader_load(aqdrop *runtime, hsa_executable_t executable,
                                aqdrop_agent *agent,
                                hsa_code_object_reader_t handle,
                                hsa_loaded_code_object_t *out)
{
  const aqdrop_reader *reader = aqdrop_reader_from(runtime, handle);
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!reader)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  return aqdrop_executable_load(runtime, executable, agent, reader->bytes,
                                reader->size, out);
}

hsa_status_t hsa_executable_load_agent_code_object(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_code_object_reader_t code_object_reader, const char *options,
    hsa_loaded_code_object_t *loaded_code_object)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  (void)options;
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return reader_load(runtime, executable, a, code_object_reader,
                     loaded_code_object);
}

hsa_status_t hsa_executable_load_program_code_object(
    hsa_executable_t executable, hsa_code_object_reader_t code_object_reader,
    const char *options, hsa_loaded_code_object_t *loaded_code_object)
{
  AQDROP_ENTER(runtime);
  (void)options;
  return reader_load(runtime, executable, NULL, code_object_reader,
                     loaded_code_object);
}

aqdrop_loaded *aqdrop_loaded_at(aqdrop *runtime, const void *address)
{
  aqdrop_loaded *found = NULL;
  for (aqdrop_executable *e = runtime->first_executable; e && !found;
       e = e->next)
    for (aqdrop_loaded *l = e->first; l && !found; l = l->next)
      if (aq_code_image_has(&l->image, (uintptr_t)address))
        found = l;
  return found;
}

bool aqdrop_kernel_missing_report(aqdrop *runtime, uint64_t object,
                                  uint32_t queue)
{
  const char *symbol = NULL;
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_loaded *loaded =
      aqdrop_loaded_at(runtime, (const void *)(uintptr_t)object);
  for (size_t i = 0; loaded && i < loaded->image.code.kernel_count; i++) {
    const aq_code_kernel *kernel = &loaded->image.code.kernels[i];
    if (aq_code_image_object(&loaded->image, kernel) == object)
      symbol = kernel->symbol;
  }
  if (symbol) {
    enum { KD_LENGTH = 3 /* ".kd" */ };
    const size_t length = strlen(symbol) - KD_LENGTH;
    fprintf(stderr,
            "aqueduct: queue %" PRIu32
            ": kernel %.*s has no host function; name "
            "a plug-in that has it in AQUEDUCT_KERNELS, or set "
            "AQUEDUCT_MISSING_KERNELS=warn for timing only\n",
            queue, (int)length, symbol);
    aqdrop_fidelity_missing(runtime, symbol, length);
    aqdrop_recording_missing(runtime->recording, symbol, length,
                             loaded->storage, loaded->storage_size);
  }
  pthread_mutex_unlock(&runtime->lock);
  return symbol != NULL;
}

/* ---- state ---- */

hsa_status_t hsa_executable_freeze(hsa_executable_t executable,
                                   const char *options)
{
  AQDROP_ENTER(runtime);
  aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  (void)options;
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  pthread_mutex_lock(&runtime->lock);
  const bool again = e->state == HSA_EXECUTABLE_STATE_FROZEN;
  e->state = HSA_EXECUTABLE_STATE_FROZEN;
  pthread_mutex_unlock(&runtime->lock);
  return again ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable,
                                     uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
  case HSA_EXECUTABLE_INFO_PROFILE:
    return aqdrop_put32(value, e->profile);
  case HSA_EXECUTABLE_INFO_STATE:
    return aqdrop_put32(value, executable_is_frozen(runtime, e)
                                   ? HSA_EXECUTABLE_STATE_FROZEN
                                   : HSA_EXECUTABLE_STATE_UNFROZEN);
  case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return aqdrop_put32(value, e->rounding);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/* A code object is checked while it is loaded: loaded ones are valid. */
hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable,
                                         const char *options, uint32_t *result)
{
  AQDROP_ENTER(runtime);
  (void)options;
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!result)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put32(result, 0);
}

hsa_status_t hsa_executable_validate(hsa_executable_t executable,
                                     uint32_t *result)
{
  return hsa_executable_validate_alt(executable, NULL, result);
}
