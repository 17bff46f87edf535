/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/link.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/kernel_check.h"
#include "cmdbuf/opcodes.h"

/* The result of aq_link_create: the link and its own memory. */
typedef struct owned_link {
  aq_link link; /* first */
  aq_program program;
  aq_transport *transport;
  bool builtins_made; /* for this link alone */
  uint64_t *kernels;
  aq_binding *statics;
  uint64_t *published;
  unsigned char *memory; /* of the transport */
  uint64_t size;         /* bytes */
} owned_link;

static aq_status buffer_check(const char *what, uint32_t ordinal,
                              const aq_binding *buffer, uint64_t needed,
                              aq_diag *diag)
{
  if (needed == 0 || (buffer->address && buffer->size >= needed))
    return AQ_OK;
  return aq_diag_set(
      diag, AQ_ERR_INVALID, "%s %u has %llu bytes; the program touches %llu",
      what, ordinal, (unsigned long long)(buffer->address ? buffer->size : 0),
      (unsigned long long)needed);
}

aq_status aq_link_check_slots(const aq_link *link, const aq_binding *slots,
                              uint32_t count, aq_diag *diag)
{
  const aq_program *program = link->program;
  if (count < program->slot_count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u buffers are bound; the program has %u slots", count,
                       program->slot_count);
  for (uint32_t i = 0; i < program->slot_count; i++) {
    aq_status status =
        buffer_check("slot", i, &slots[i], program->slot_sizes[i], diag);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

static aq_status statics_check(const aq_program *program,
                               const aq_binding *statics, aq_diag *diag)
{
  if (program->static_count > 0 && !statics)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "the program has %u static buffers; none were given",
                       program->static_count);
  for (uint32_t i = 0; i < program->static_count; i++) {
    aq_status status = buffer_check("static buffer", i, &statics[i],
                                    program->static_sizes[i], diag);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

/* Without a patch kernel the host reads indirect grids, but does not fill. */
static aq_status builtins_check(const aq_program *program,
                                const aq_builtins *builtins, aq_diag *diag)
{
  if (program->flags & AQ_PROGRAM_ATOMICS &&
      !(builtins && builtins->objects[AQ_BUILTIN_ATOMIC]))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the program has atomics; the transport has no kernel "
                       "for that");
  if (program->flags & AQ_PROGRAM_WAITS &&
      !(builtins && builtins->wait != AQ_VALUE_CHOOSE))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the program waits for values in memory; the transport "
                       "has no packets or kernel for that");
  if (!(program->flags & AQ_PROGRAM_BUILTINS) ||
      (builtins && builtins->objects[AQ_BUILTIN_FILL] &&
       builtins->objects[AQ_BUILTIN_COPY] &&
       builtins->objects[AQ_BUILTIN_UPDATE]))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "the program fills, copies or updates; the transport has "
                     "no kernels for that");
}

aq_status aq_link_init(aq_link *link, const aq_program *program,
                       const aq_builtins *builtins, aq_diag *diag)
{
  if (program->flags & AQ_PROGRAM_RODATA)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "the program is reusable; a link of it expected");
  aq_status status = statics_check(program, program->statics, diag);
  if (status == AQ_OK)
    status = builtins_check(program, builtins, diag);
  if (status != AQ_OK)
    return status;
  *link = (aq_link){.program = program,
                    .kernels = program->kernel_objects,
                    .statics = program->statics};
  if (builtins)
    link->builtins = *builtins;
  return AQ_OK;
}

/* ---- kernels ---- */

/* The dispatches of a program mostly come in runs of one kernel. */
typedef struct kernel_memo {
  uint32_t ordinal;
  bool known; /* to the transport */
  aq_kernel_info info;
} kernel_memo;

static aq_status dispatch_check(const aq_link *link, aq_transport *t,
                                const aq_op_dispatch *dispatch,
                                kernel_memo *memo, aq_diag *diag)
{
  const aq_kernel_given given = {dispatch->workgroup, dispatch->kernarg_size,
                                 dispatch->group_size, dispatch->private_size};
  if (memo->ordinal != dispatch->kernel) {
    memo->ordinal = dispatch->kernel;
    memo->known = t->ops->kernel_describe(t, link->kernels[dispatch->kernel],
                                          &memo->info);
  }
  aq_status status =
      memo->known ? aq_kernel_check(&memo->info, &given, diag) : AQ_OK;
  return status == AQ_OK ? status
                         : aq_diag_prefix(diag, "command %u",
                                          ((const aq_op *)dispatch)->index);
}

aq_status aq_link_check_kernels(const aq_link *link, aq_transport *transport,
                                aq_diag *diag)
{
  const aq_program *program = link->program;
  kernel_memo memo = {.ordinal = UINT32_MAX};
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < program->block_count && status == AQ_OK; i++) {
    const aq_block *block = program->blocks[i];
    const unsigned char *at = aq_block_at(block, block->header_size);
    for (uint32_t j = 0; j < block->commands && status == AQ_OK; j++) {
      const aq_op *op = (const aq_op *)at;
      const aq_op_dispatch *dispatch = aq_op_as_dispatch(op);
      if (dispatch)
        status = dispatch_check(link, transport, dispatch, &memo, diag);
      at += op->size * 8u;
    }
  }
  return status;
}

/* ---- owned links ---- */

static aq_status kernels_find(owned_link *own, const aq_link_options *options,
                              aq_diag *diag)
{
  const aq_program *program = &own->program;
  aq_transport *t = options->transport;
  for (uint32_t i = 0; i < program->kernel_count; i++) {
    if (options->kernels)
      own->kernels[i] = options->kernels[i];
    else if (program->kernel_objects)
      own->kernels[i] = program->kernel_objects[i];
    if (own->kernels[i] != 0)
      continue;
    aq_kernel_info info;
    aq_status status = t->ops->kernel_lookup(
        t, options->module, program->kernel_names[i], &info, diag);
    if (status != AQ_OK)
      return status;
    own->kernels[i] = info.object;
  }
  return AQ_OK;
}

static uint64_t rodata_size(const aq_block *block)
{
  return block->size - block->rodata;
}

/* Refs become addresses; slots of templates wait for their submission. */
static void refs_publish(const owned_link *own, uint64_t *words, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    const aq_ref ref = words[i];
    words[i] = 0;
    if (ref & AQ_REF_STATIC)
      words[i] =
          (uint64_t)(uintptr_t)own->statics[aq_ref_ordinal(ref)].address +
          aq_ref_offset(ref);
  }
}

static void block_publish(const owned_link *own, const aq_block *block,
                          unsigned char *to)
{
  memcpy(to, aq_block_at(block, block->rodata), rodata_size(block));
  const unsigned char *at = aq_block_at(block, block->header_size);
  for (uint32_t i = 0; i < block->commands; i++) {
    const aq_op *op = (const aq_op *)at;
    const uint32_t refs = aq_op_rodata_refs(op);
    if (refs > 0)
      refs_publish(own,
                   (uint64_t *)(to + ((const aq_op_dispatch *)op)->rodata -
                                block->rodata),
                   refs);
    at += op->size * 8u;
  }
}

static aq_status rodata_publish(owned_link *own, uint32_t device, aq_diag *diag)
{
  const aq_program *program = &own->program;
  const aq_transport_ops *ops = own->transport->ops;
  for (uint32_t i = 0; i < program->block_count; i++)
    own->size += rodata_size(program->blocks[i]);
  if (own->size == 0)
    return AQ_OK;
  void *memory;
  aq_status status = ops->mem_alloc(own->transport, device, AQ_MEMORY_KERNARG,
                                    own->size, &memory, diag);
  if (status != AQ_OK)
    return status;
  own->memory = memory;
  unsigned char *to = own->memory;
  for (uint32_t i = 0; i < program->block_count; i++) {
    const aq_block *block = program->blocks[i];
    own->published[i] = (uint64_t)(uintptr_t)to - block->rodata;
    if (rodata_size(block) > 0)
      block_publish(own, block, to);
    to += rodata_size(block);
  }
  ops->mem_publish(own->transport, own->memory, own->size);
  return AQ_OK;
}

static aq_status link_fill(owned_link *own, const aq_link_options *options,
                           aq_diag *diag)
{
  const aq_program *program = &own->program;
  own->kernels = calloc(program->kernel_count + 1, sizeof *own->kernels);
  own->statics = calloc(program->static_count + 1, sizeof *own->statics);
  own->published = calloc(program->block_count + 1, sizeof *own->published);
  if (!own->kernels || !own->statics || !own->published)
    return aq_diag_no_memory(diag);
  const aq_binding *statics =
      options->statics ? options->statics : program->statics;
  aq_status status = statics_check(program, statics, diag);
  if (status != AQ_OK)
    return status;
  if (program->static_count > 0)
    memcpy(own->statics, statics, program->static_count * sizeof *statics);
  if (options->builtins)
    own->link.builtins = *options->builtins;
  else if (program->flags & AQ_PROGRAM_NEEDS)
    status = aq_builtins_register(options->transport, options->device,
                                  &own->link.builtins, diag);
  own->builtins_made = !options->builtins;
  if (status == AQ_OK)
    status = builtins_check(program, &own->link.builtins, diag);
  if (status == AQ_OK)
    status = kernels_find(own, options, diag);
  if (status == AQ_OK)
    status = rodata_publish(own, options->device, diag);
  return status;
}

aq_status aq_link_create(const aq_program *program,
                         const aq_link_options *options, aq_link **out,
                         aq_diag *diag)
{
  owned_link *own = calloc(1, sizeof *own);
  if (!own)
    return aq_diag_no_memory(diag);
  own->program = *program;
  own->transport = options->transport;
  aq_status status = link_fill(own, options, diag);
  if (status != AQ_OK) {
    aq_link_destroy(&own->link);
    return status;
  }
  own->link.program = &own->program;
  own->link.kernels = own->kernels;
  own->link.statics = own->statics;
  own->link.published = own->published;
  status = aq_link_check_kernels(&own->link, own->transport, diag);
  if (status != AQ_OK) {
    aq_link_destroy(&own->link);
    return status;
  }
  own->link.checked = true;
  *out = &own->link;
  return AQ_OK;
}

void aq_link_destroy(aq_link *link)
{
  owned_link *own = (owned_link *)link;
  if (!own)
    return;
  if (own->memory)
    own->transport->ops->mem_free(own->transport, own->memory);
  if (own->builtins_made)
    aq_builtins_release(own->transport, &own->link.builtins);
  free(own->published);
  free(own->statics);
  free(own->kernels);
  free(own);
}
