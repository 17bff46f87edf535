/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/loader.h"

#include <string.h>
#include <sys/mman.h>

/* ---- private pages ---- */

static void *pages_allocate(void *user, size_t size, size_t align)
{
  (void)user;
  const size_t page = 4096;
  const size_t room = size + (align > page ? align : 0);
  char *base = mmap(NULL, room, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return NULL;
  const size_t before = -(uintptr_t)base & (align - 1);
  if (before > 0)
    munmap(base, before);
  if (room - before > size)
    munmap(base + before + size, room - before - size);
  return base + before;
}

static void pages_release(void *user, void *base, size_t size)
{
  (void)user;
  munmap(base, size);
}

static const aq_code_memory pages = {pages_allocate, pages_release, NULL};

/* ---- segments ---- */

static uint64_t page_up(uint64_t size)
{
  return (size + 4095) & ~UINT64_C(4095);
}

/* Addresses keep their place within what segments are aligned to. */
static aq_status segments_load(aq_code_image *image, const void *bytes,
                               aq_diag *diag)
{
  const aq_codeobj *code = &image->code;
  const uint64_t low = code->low & ~(code->align - 1);
  const uint64_t span = page_up(code->high - low);
  image->base =
      image->memory.allocate(image->memory.user, span, (size_t)code->align);
  if (!image->base)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "out of memory for a code object of %llu bytes",
                       (unsigned long long)span);
  image->span = span;
  image->bias = (uintptr_t)image->base - low;
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    if (s->file_size > 0)
      memcpy(image->base + (s->address - low), (const char *)bytes + s->offset,
             s->file_size);
  }
  return AQ_OK;
}

/* ---- relocations ---- */

static aq_status reloc_value(const aq_code_image *image,
                             const aq_code_image_options *options,
                             const aq_code_relocation *r, uint64_t *out,
                             aq_diag *diag)
{
  *out = r->value + (r->is_absolute ? 0 : image->bias);
  if (!r->undefined)
    return AQ_OK;
  *out = options->resolve
             ? options->resolve(options->resolve_user, r->undefined)
             : 0;
  return *out || r->is_weak
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                           "code object: it needs the variable %.100s, which "
                           "nothing defines",
                           r->undefined);
}

static aq_status reloc_overflow(const aq_code_image *image,
                                const aq_code_relocation *r, uint64_t value,
                                aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "code object: relocation of %s at 0x%llx: %lld does not "
                     "fit",
                     r->type == AQ_RELOC_ABS32   ? "R_AMDGPU_ABS32"
                     : r->type == AQ_RELOC_REL32 ? "R_AMDGPU_REL32"
                                                 : "R_AMDGPU_REL16",
                     (unsigned long long)r->address + image->bias,
                     (long long)value);
}

/* Little-endian places of any alignment. */
static void place_put(char *place, uint64_t value, size_t size)
{
  for (size_t i = 0; i < size; i++)
    place[i] = (char)(value >> 8 * i);
}

static aq_status relocate(const aq_code_image *image,
                          const aq_code_relocation *r, uint64_t symbol,
                          aq_diag *diag)
{
  const uint64_t at = r->address + image->bias;
  const uint64_t absolute = symbol + (uint64_t)r->addend;
  const uint64_t relative = absolute - at;
  char *place = image->base + (at - (uintptr_t)image->base);
  switch (r->type) {
  case AQ_RELOC_ABS32_LO:
    place_put(place, absolute, 4);
    return AQ_OK;
  case AQ_RELOC_ABS32_HI:
    place_put(place, absolute >> 32, 4);
    return AQ_OK;
  case AQ_RELOC_ABS64:
    place_put(place, absolute, 8);
    return AQ_OK;
  case AQ_RELOC_REL32:
    place_put(place, relative, 4);
    return (int64_t)relative == (int32_t)relative
               ? AQ_OK
               : reloc_overflow(image, r, relative, diag);
  case AQ_RELOC_REL64:
    place_put(place, relative, 8);
    return AQ_OK;
  case AQ_RELOC_ABS32:
    place_put(place, absolute, 4);
    return absolute >> 32 == 0 ? AQ_OK
                               : reloc_overflow(image, r, absolute, diag);
  case AQ_RELOC_REL32_LO:
    place_put(place, relative, 4);
    return AQ_OK;
  case AQ_RELOC_REL32_HI:
    place_put(place, relative >> 32, 4);
    return AQ_OK;
  case AQ_RELOC_RELATIVE64:
    place_put(place, image->bias + (uint64_t)r->addend, 8);
    return AQ_OK;
  case AQ_RELOC_REL16: {
    const int64_t words = ((int64_t)relative - 4) / 4;
    place_put(place, (uint64_t)words, 2);
    return words == (int16_t)words
               ? AQ_OK
               : reloc_overflow(image, r, (uint64_t)words, diag);
  }
  }
  return aq_diag_set(diag, AQ_ERR_INPUT, "code object: relocation type %d",
                     (int)r->type);
}

/* ---- the whole ---- */

aq_status aq_code_image_load(const void *bytes, size_t size,
                             const aq_code_image_options *options,
                             aq_code_image *out, aq_diag *diag)
{
  aq_code_image image = {.memory = options->memory ? *options->memory : pages};
  aq_status status =
      aq_codeobj_read_to(bytes, size, options->depth, &image.code, diag);
  if (status != AQ_OK)
    return status;
  if (options->device)
    status = aq_target_check(&image.code.target, options->device, diag);
  if (status == AQ_OK)
    status = segments_load(&image, bytes, diag);
  if (status == AQ_OK) {
    for (size_t i = 0; i < image.code.relocation_count && status == AQ_OK;
         i++) {
      const aq_code_relocation *r = &image.code.relocations[i];
      uint64_t symbol = 0;
      if (r->type != AQ_RELOC_RELATIVE64)
        status = reloc_value(&image, options, r, &symbol, diag);
      if (status == AQ_OK)
        status = relocate(&image, r, symbol, diag);
    }
  }
  if (status == AQ_OK)
    *out = image;
  else
    aq_code_image_unload(&image);
  return status;
}

void aq_code_image_unload(aq_code_image *image)
{
  if (image->base)
    image->memory.release(image->memory.user, image->base, image->span);
  aq_codeobj_fini(&image->code);
  *image = (aq_code_image){0};
}

bool aq_code_image_has(const aq_code_image *image, uint64_t address)
{
  return address - (uintptr_t)image->base < image->span;
}

aq_kernel_desc aq_code_image_kernel(const aq_code_image *image,
                                    const aq_code_kernel *kernel)
{
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(&kernel->descriptor, &image->code.target);
  return (aq_kernel_desc){
      .name = kernel->name,
      .kernarg_size = kernel->kernarg_size,
      .group_size = kernel->group_size,
      .private_size = aq_code_kernel_private(kernel),
      .vgprs = registers.vgprs,
      .agprs = registers.agprs,
      .sgprs = registers.sgprs,
      .wave_size = registers.wave_size,
      .object = aq_code_image_object(image, kernel),
      .code = true,
      .entry = aq_code_image_object(image, kernel) +
               (uint64_t)kernel->descriptor.entry_offset,
      .kernarg_word = aq_kernel_descriptor_args(&kernel->descriptor),
      .workgroup_max = kernel->workgroup_max,
      .workgroup = {kernel->workgroup[0], kernel->workgroup[1],
                    kernel->workgroup[2]}};
}

bool aq_code_image_texts(const aq_code_image *image,
                         bool (*text)(void *user, const void *base,
                                      size_t size),
                         void *user)
{
  for (size_t i = 0; i < image->code.segment_count; i++) {
    const aq_code_segment *s = &image->code.segments[i];
    if (s->executable && s->memory_size > 0 &&
        !text(user, (const void *)(uintptr_t)(image->bias + s->address),
              s->memory_size))
      return false;
  }
  return true;
}
