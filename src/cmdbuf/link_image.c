/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/link_image.h"

#include <string.h>

/* Takes memory off the front of an image; without an image it counts. */
typedef struct taker {
  unsigned char *base; /* NULL: only the size is wanted */
  size_t used;
} taker;

/* The address of `size` bytes, a copy of `from` where that is not NULL. */
static void *take(taker *t, const void *from, size_t size)
{
  void *to = t->base ? t->base + t->used : NULL;
  if (to && from && size > 0)
    memcpy(to, from, size);
  t->used += (size + 15) & ~(size_t)15;
  return to;
}

static aq_program *program_take(taker *t, const aq_program *program)
{
  const uint32_t count = program->block_count;
  aq_program *copy = take(t, program, sizeof *program);
  const aq_block **blocks = take(t, NULL, count * sizeof *blocks);
  for (uint32_t i = 0; i < count; i++) {
    const aq_block *block =
        take(t, program->blocks[i], program->blocks[i]->size);
    if (blocks)
      blocks[i] = block;
  }
  if (!copy)
    return NULL;
  copy->blocks = blocks;
  copy->kernel_names = NULL;
  copy->kernel_objects = NULL;
  copy->slot_sizes = copy->static_sizes = NULL;
  copy->statics = NULL;
  return copy;
}

static aq_link *link_take(taker *t, const aq_link *link)
{
  const aq_program *program = link->program;
  aq_link *copy = take(t, link, sizeof *link);
  const aq_link filled = {
      .program = program_take(t, program),
      .kernels =
          take(t, link->kernels, program->kernel_count * sizeof *link->kernels),
      .statics =
          take(t, link->statics, program->static_count * sizeof *link->statics),
      .published = link->published
                       ? take(t, link->published,
                              program->block_count * sizeof(uint64_t))
                       : NULL,
      .builtins = link->builtins,
      .checked = link->checked};
  if (copy)
    *copy = filled;
  return copy;
}

aq_status aq_link_image_make(const aq_link *link, aq_transport *transport,
                             uint32_t device, aq_link_image *out, aq_diag *diag)
{
  taker t = {.base = NULL};
  void *memory;
  link_take(&t, link);
  aq_status status = transport->ops->mem_alloc(
      transport, device, AQ_MEMORY_HOST, t.used, &memory, diag);
  if (status != AQ_OK)
    return status;
  t = (taker){.base = memory};
  *out = (aq_link_image){link_take(&t, link), memory};
  transport->ops->mem_publish(transport, memory, t.used);
  return AQ_OK;
}

void aq_link_image_free(aq_transport *transport, aq_link_image *image)
{
  if (image->memory)
    transport->ops->mem_free(transport, image->memory);
  *image = (aq_link_image){NULL, NULL};
}

/* ---- visible values ---- */

static bool all_visible(aq_transport *t, const aq_binding *buffers,
                        const uint64_t *sizes, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (sizes[i] > 0 && !t->ops->mem_visible(t, buffers[i].address, sizes[i]))
      return false;
  return true;
}

bool aq_link_is_visible(const aq_link *link, const aq_binding *slots,
                        aq_transport *transport)
{
  const aq_program *program = link->program;
  return !(program->flags & AQ_PROGRAM_DRAINS) ||
         (all_visible(transport, slots, program->slot_sizes,
                      program->slot_count) &&
          all_visible(transport, link->statics, program->static_sizes,
                      program->static_count));
}
