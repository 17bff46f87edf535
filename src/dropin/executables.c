/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/executables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KD_LENGTH = 3 /* ".kd" */ };

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

hsa_status_t hsa_executable_create_alt(uint32_t profile, uint32_t rounding,
                                       const char *options,
                                       hsa_executable_t *executable)
{
  AQDROP_ENTER(runtime);
  (void)options;
  if (!executable || profile > HSA_PROFILE_FULL ||
      rounding > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_executable *made = malloc(sizeof *made);
  if (!made)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->lock);
  *made = (aqdrop_executable){.next = runtime->first_executable,
                              .profile = profile,
                              .rounding = rounding,
                              .state = HSA_EXECUTABLE_STATE_UNFROZEN};
  runtime->first_executable = made;
  pthread_mutex_unlock(&runtime->lock);
  executable->handle = (uintptr_t)made;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create(uint32_t profile, uint32_t executable_state,
                                   const char *options,
                                   hsa_executable_t *executable)
{
  AQDROP_ENTER(runtime);
  if (executable_state > HSA_EXECUTABLE_STATE_FROZEN)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = hsa_executable_create_alt(
      profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
  if (status == HSA_STATUS_SUCCESS)
    aqdrop_executable_from(runtime, *executable)->state = executable_state;
  return status;
}

/* A kernel that takes time and computes nothing: its user is told once. */
typedef struct aqdrop_missing {
  struct aqdrop_missing *next;
  bool told;
  char name[];
} aqdrop_missing;

/* Once the transport is closed, it has no kernels. */
static void kernels_unregister(aqdrop *runtime, const aqdrop_image *image)
{
  aq_transport *t = runtime->transport;
  for (size_t i = 0; t && i < image->symbol_count; i++)
    if (image->symbols[i].is_kernel)
      t->ops->kernel_unregister(t, (uintptr_t)image->symbols[i].address);
}

static void loaded_free(aqdrop *runtime, aqdrop_loaded *loaded)
{
  kernels_unregister(runtime, &loaded->image);
  while (loaded->missing) {
    aqdrop_missing *missing = loaded->missing;
    loaded->missing = missing->next;
    free(missing);
  }
  aqdrop_image_unload(&loaded->image);
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
    free(external->image.name);
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
  if (!m->told)
    fprintf(stderr,
            "aqueduct: kernel %s has no host function: it computes nothing\n",
            m->name);
  m->told = true;
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

/* Gives a kernel its host function. One without is not made known, so that
 * dispatching it is a queue error, unless missing kernels are allowed. */
static aq_status kernel_register(aqdrop *runtime, aqdrop_loaded *loaded,
                                 const aqdrop_image_symbol *symbol)
{
  const aq_kernel_descriptor *descriptor = (const void *)symbol->address;
  size_t length = strlen(symbol->name) - KD_LENGTH;
  const aq_kernel_entry *entry =
      aq_kernel_set_find(&runtime->kernels.set, symbol->name, length);
  if (!entry && !runtime->kernels.warn)
    return AQ_OK;
  char *name = strndup(symbol->name, length);
  aqdrop_missing *m = name && !entry ? missing_make(loaded, name) : NULL;
  if (!name || (!entry && !m)) {
    free(name);
    return AQ_ERR_NO_MEMORY;
  }
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(descriptor, &loaded->image.target);
  aq_kernel_desc desc = {.name = name,
                         .kernarg_size = descriptor->kernarg_size,
                         .group_size = descriptor->group_size,
                         .private_size = descriptor->private_size,
                         .vgprs = registers.vgprs,
                         .agprs = registers.agprs,
                         .sgprs = registers.sgprs,
                         .wave_size = registers.wave_size,
                         .object = (uintptr_t)descriptor};
  aq_kernel_entry_describe(entry, &desc);
  if (!entry) {
    desc.function = missing_call;
    desc.user = m;
  }
  aq_kernel_info info;
  aq_status status = runtime->transport->ops->kernel_register(
      runtime->transport, &desc, &info, NULL);
  free(name);
  return status;
}

/* Where code of an agent finds a variable that it does not define itself: what
 * the executable has of the agent, or of the program. */
static uint64_t external_resolve(void *user, const char *name)
{
  const aqdrop_loaded *loaded = user;
  const aqdrop_symbol *found =
      aqdrop_symbol_find(loaded->executable, name, loaded->agent);
  if (!found)
    found = aqdrop_symbol_find(loaded->executable, name, NULL);
  return found ? (uintptr_t)found->image->address : 0;
}

/* Names are there once: of an agent, or of the program. */
static hsa_status_t symbols_make(aqdrop_loaded *loaded)
{
  const aqdrop_image *image = &loaded->image;
  loaded->symbols = calloc(image->symbol_count + 1, sizeof *loaded->symbols);
  if (!loaded->symbols)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (size_t i = 0; i < image->symbol_count; i++) {
    const aqdrop_image_symbol *symbol = &image->symbols[i];
    if (aqdrop_symbol_find(loaded->executable, symbol->name, loaded->agent))
      return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    loaded->symbols[i] =
        (aqdrop_symbol){.agent = loaded->agent,
                        .image = symbol,
                        .segment = HSA_VARIABLE_SEGMENT_GLOBAL};
  }
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t loaded_open(aqdrop *runtime, aqdrop_loaded *loaded)
{
  static const hsa_status_t statuses[] = {
      [AQDROP_IMAGE_OK] = HSA_STATUS_SUCCESS,
      [AQDROP_IMAGE_BAD] = HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
      [AQDROP_IMAGE_FOREIGN] = HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
      [AQDROP_IMAGE_UNDEFINED] = HSA_STATUS_ERROR_VARIABLE_UNDEFINED,
      [AQDROP_IMAGE_NO_MEMORY] = HSA_STATUS_ERROR_OUT_OF_RESOURCES};
  const aqdrop_image_target target = {
      .gfx = loaded->agent ? loaded->agent->info->gfx : NULL,
      .resolve = external_resolve,
      .user = loaded};
  aqdrop_image *image = &loaded->image;
  hsa_status_t status = statuses[aqdrop_image_load(
      loaded->storage, loaded->storage_size, &target, image)];
  if (status == HSA_STATUS_SUCCESS)
    status = symbols_make(loaded);
  for (size_t i = 0; status == HSA_STATUS_SUCCESS && i < image->symbol_count;
       i++)
    if (image->symbols[i].is_kernel &&
        kernel_register(runtime, loaded, &image->symbols[i]) != AQ_OK)
      status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return status;
}

/* The lock is held. */
static void loaded_keep(aqdrop_loaded *loaded)
{
  aqdrop_executable *e = loaded->executable;
  loaded->next = e->first;
  e->first = loaded;
  for (size_t i = loaded->image.symbol_count; i-- > 0;) {
    loaded->symbols[i].next = e->symbols;
    e->symbols = &loaded->symbols[i];
  }
}

hsa_status_t aqdrop_executable_load(aqdrop *runtime,
                                    hsa_executable_t executable,
                                    aqdrop_agent *agent, const void *bytes,
                                    size_t size, hsa_loaded_code_object_t *out)
{
  aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (e->state == HSA_EXECUTABLE_STATE_FROZEN)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  aqdrop_loaded *loaded = malloc(sizeof *loaded);
  if (!loaded)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *loaded = (aqdrop_loaded){
      .executable = e, .agent = agent, .storage = bytes, .storage_size = size};
  hsa_status_t status = loaded_open(runtime, loaded);
  if (status != HSA_STATUS_SUCCESS) {
    loaded_free(runtime, loaded);
    return status;
  }
  pthread_mutex_lock(&runtime->lock);
  loaded_keep(loaded);
  pthread_mutex_unlock(&runtime->lock);
  if (out)
    out->handle = (uintptr_t)loaded;
  return HSA_STATUS_SUCCESS;
}

/* Loads what a reader has; `agent` may be NULL for all devices. */
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
  pthread_mutex_lock(&runtime->lock);
  for (aqdrop_executable *e = runtime->first_executable; e && !found;
       e = e->next)
    for (aqdrop_loaded *l = e->first; l && !found; l = l->next)
      if ((uintptr_t)address - (uintptr_t)l->image.base < l->image.span)
        found = l;
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

const char *aqdrop_kernel_name(aqdrop *runtime, uint64_t object)
{
  const aqdrop_loaded *loaded =
      aqdrop_loaded_at(runtime, (const void *)(uintptr_t)object);
  for (size_t i = 0; loaded && i < loaded->image.symbol_count; i++)
    if ((uintptr_t)loaded->image.symbols[i].address == object)
      return loaded->image.symbols[i].name;
  return NULL;
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
  if (e->state == HSA_EXECUTABLE_STATE_FROZEN)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  e->state = HSA_EXECUTABLE_STATE_FROZEN;
  return HSA_STATUS_SUCCESS;
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
    return aqdrop_put32(value, e->state);
  case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return aqdrop_put32(value, e->rounding);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/* A code object is checked while it is loaded: what is there is valid. */
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
