/* SPDX-License-Identifier: MIT */
/* Kernels as registers. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/pm4_priv.h"
#include "gpu/codeobj/descriptor.h"

/* Bits of a descriptor's properties. */
enum {
  ASKS_QUEUE = 1 << 2,
  WAVE32 = AQ_KERNEL_WAVE32,
};

static aq_status kernel_read(const aq_kernel_info *info, aq_pm4_kernel *out,
                             aq_diag *diag)
{
  aq_kernel_descriptor d;
  const void *object = (const void *)(uintptr_t)info->object;
  memcpy(&d, object, sizeof d);
  if (aq_kernel_code_is(object))
    d = aq_kernel_code_descriptor(object);
  if (info->private_size > 0 || d.private_size > 0)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel %s needs private memory, which PM4 commands do "
                       "not give it",
                       info->name);
  if (d.properties & ASKS_QUEUE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel %s asks for the address of its queue, which PM4 "
                       "commands do not give it",
                       info->name);
  *out = (aq_pm4_kernel){.object = info->object,
                         .entry = info->object + (uint64_t)d.entry_offset,
                         .rsrc1 = d.rsrc1,
                         .rsrc2 = d.rsrc2,
                         .rsrc3 = d.rsrc3,
                         .asks = d.properties,
                         .wave32 = d.properties & WAVE32};
  return AQ_OK;
}

/* A host function gets its arguments in the first two words. */
static aq_status kernel_add(aq_pm4_code *code, aq_transport *t, uint64_t object,
                            const char *name, aq_diag *diag)
{
  aq_kernel_info info;
  uint64_t known;
  aq_status status = AQ_OK;
  if (object == 0 || aq_map_get(&code->by_object, object, &known))
    return AQ_OK;
  aq_pm4_kernel *kernel = &code->kernels[code->count];
  if (!t->ops->kernel_describe(t, object, &info))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "kernel %s: %s does not know its code, which PM4 "
                       "commands name",
                       name, t->ops->name);
  if (info.code)
    status = kernel_read(&info, kernel, diag);
  else
    *kernel = (aq_pm4_kernel){
        .object = object, .entry = object, .asks = AQ_PM4_ASKS_ARGS};
  if (status == AQ_OK && kernel->entry & 0xff)
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "kernel %s: its code at %#llx is not aligned to 256 "
                         "bytes, as PM4 commands name it",
                         name, (unsigned long long)kernel->entry);
  if (status == AQ_OK && !aq_map_put(&code->by_object, object, code->count + 1))
    status = aq_diag_no_memory(diag);
  code->count += status == AQ_OK;
  return status;
}

static aq_status kernels_add(aq_pm4_code *code, const aq_link *link,
                             aq_transport *t, aq_diag *diag)
{
  const aq_program *program = link->program;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < program->kernel_count && status == AQ_OK; i++)
    status =
        kernel_add(code, t, link->kernels[i], program->kernel_names[i], diag);
  if (!(program->flags & AQ_PROGRAM_NEEDS))
    return status;
  for (int i = 0; i < AQ_BUILTIN_COUNT && status == AQ_OK; i++)
    if (i != AQ_BUILTIN_PATCH)
      status = kernel_add(code, t, link->builtins.objects[i],
                          "of the device library", diag);
  return status;
}

aq_status aq_pm4_code_make(const aq_link *link, aq_transport *transport,
                           uint32_t device, aq_pm4_code **out, aq_diag *diag)
{
  aq_transport_info info;
  transport->ops->info(transport, &info);
  const char *gfx = info.devices[device].gfx;
  const unsigned generation = aq_pm4_generation(gfx);
  if (!(info.caps & AQ_CAP_PM4) || generation == 0)
    return aq_diag_set(
        diag, AQ_ERR_UNSUPPORTED, "%s: device %u%s%s takes no PM4 commands",
        transport->ops->name, device, gfx ? ", " : "", gfx ? gfx : "");
  aq_pm4_code *code = calloc(1, sizeof *code + (link->program->kernel_count +
                                                (size_t)AQ_BUILTIN_COUNT) *
                                                   sizeof *code->kernels);
  if (!code)
    return aq_diag_no_memory(diag);
  code->references = 1;
  code->generation = generation;
  code->lds_granule = aq_pm4_lds_granule(gfx);
  code->builtins = link->builtins;
  aq_status status = kernels_add(code, link, transport, diag);
  if (status == AQ_OK)
    *out = code;
  else
    aq_pm4_code_release(code);
  return status;
}

aq_pm4_code *aq_pm4_code_retain(aq_pm4_code *code)
{
  __atomic_fetch_add(&code->references, 1, __ATOMIC_RELAXED);
  return code;
}

void aq_pm4_code_release(aq_pm4_code *code)
{
  /* Release and acquire: the last reader frees it. */
  if (__atomic_sub_fetch(&code->references, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  aq_map_fini(&code->by_object);
  free(code);
}
