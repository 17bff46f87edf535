/* SPDX-License-Identifier: MIT */
/* Code objects and bundles: every reported range lies within the bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "gpu/codeobj/bundle.h"
#include "gpu/codeobj/frames.h"
#include "gpu/codeobj/line_table.h"
#include "gpu/codeobj/loader.h"

static void segments_check(const aq_codeobj *code, size_t size)
{
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    if (s->offset > size || s->file_size > size - s->offset ||
        s->file_size > s->memory_size)
      abort();
  }
}

static void kernels_check(const aq_codeobj *code)
{
  for (size_t i = 0; i < code->kernel_count; i++) {
    const aq_code_kernel *k = &code->kernels[i];
    if (!k->name || !k->symbol || !aq_codeobj_kernel(code, k->name))
      abort();
    for (size_t j = 0; j < k->arg_count; j++)
      if ((uint64_t)k->args[j].offset + k->args[j].size > k->kernarg_size)
        abort();
  }
}

/* Large images are refused here: a file of any size may claim 4 GiB. */
static void *small_allocate(void *user, size_t size, size_t align)
{
  (void)user;
  void *memory = NULL;
  if (size > 1 << 20 || posix_memalign(&memory, align, size) != 0)
    return NULL;
  return memset(memory, 0, size);
}

static void small_release(void *user, void *base, size_t size)
{
  (void)user, (void)size;
  free(base);
}

/* Somewhere, for half of the names. */
static uint64_t resolve(void *user, const char *name)
{
  (void)user;
  return name[0] % 2 ? 0x1000 : 0;
}

static void image_check(const uint8_t *data, size_t size)
{
  const aq_code_memory memory = {small_allocate, small_release, NULL};
  const aq_code_image_options options = {
      .memory = &memory, .depth = AQ_CODEOBJ_DESCRIPTORS, .resolve = resolve};
  aq_code_image image;
  unsigned total = 0;
  if (aq_code_image_load(data, size, &options, &image, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < image.code.symbol_count; i++) {
    const aq_code_symbol *s = &image.code.symbols[i];
    const char *at = (const char *)aq_code_image_symbol(&image, s);
    if (aq_codeobj_symbol(&image.code, s->name)->name == NULL)
      abort();
    if (s->size > 0)
      total += (unsigned)(at[0] + at[s->size - 1]);
  }
  for (size_t i = 0; i < image.code.kernel_count; i++)
    if (!aq_code_image_has(
            &image, aq_code_image_object(&image, &image.code.kernels[i])))
      abort();
  if (total == 1) /* uses the bytes */
    aq_code_image_has(&image, total);
  aq_code_image_unload(&image);
}

/* Objects of a frame lie in order, apart, and have names. */
static void frames_check(const uint8_t *data, size_t size)
{
  aq_code_frames frames;
  if (aq_code_frames_read(data, size, &frames, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < frames.count; i++) {
    const aq_code_frame *f = &frames.list[i];
    if (f->address >= f->end || f->first + f->count > frames.object_count)
      abort();
    for (size_t k = f->first; k < f->first + f->count; k++) {
      const aq_code_frame_object *o = &frames.objects[k];
      if (o->size == 0 ||
          (k > f->first && o->offset < o[-1].offset + o[-1].size))
        abort();
    }
  }
  aq_code_frames_fini(&frames);
}

/* Entries lie in order, and each is found by its address. */
static void lines_check(const aq_codeobj *code, const uint8_t *data,
                        size_t size)
{
  aq_code_lines lines;
  if (aq_code_lines_read(data, size, code, &lines, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < lines.count; i++) {
    const aq_code_line *l = &lines.list[i];
    if (l->end <= l->address || (i > 0 && l->address < l[-1].address) ||
        (l->line > 0 && !aq_names_text(&lines.files, l->file)))
      abort();
    aq_code_lines_find(&lines, l->address);
  }
  for (size_t i = 0; i < lines.inlined_count; i++) {
    const aq_code_inlined *c = &lines.inlined[i];
    uint32_t line;
    if (c->end <= c->address || !aq_names_text(&lines.files, c->file))
      abort();
    aq_code_lines_user(&lines, c->address, &line);
  }
  aq_code_lines_fini(&lines);
}

static void bundle_check(const uint8_t *data, size_t size)
{
  aq_bundle bundle;
  size_t total = 0;
  if (aq_bundle_read(data, size, &bundle, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < bundle.count; i++) {
    const aq_bundle_entry *entry = &bundle.entries[i];
    total += strlen(entry->id);
    if (entry->size > 0)
      total += entry->bytes[0] + entry->bytes[entry->size - 1];
  }
  if (total == SIZE_MAX) /* uses the bytes */
    abort();
  aq_bundle_fini(&bundle);
}

/* Bundles behind each other, and the bundles of an executable. */
static void bundles_check(const uint8_t *data, size_t size)
{
  aq_bundles bundles;
  size_t total = 0;
  if (!aq_bundles_are(data, size) ||
      aq_bundles_read(data, size, &bundles, NULL) != AQ_OK)
    return;
  if (bundles.count == 0 || bundles.count > size / 8)
    abort();
  for (size_t i = 0; i < bundles.count; i++)
    for (size_t j = 0; j < bundles.list[i].count; j++) {
      const aq_bundle_entry *entry = &bundles.list[i].entries[j];
      total += strlen(entry->id);
      if (entry->size > 0)
        total += entry->bytes[0] + entry->bytes[entry->size - 1];
    }
  if (total == SIZE_MAX) /* uses the bytes */
    abort();
  aq_bundles_fini(&bundles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_codeobj code;
  /* Compressed data may legitimately be large: 64 KiB are enough. */
  if (size > 65536)
    return 0;
  bundles_check(data, size);
  lines_check(NULL, data, size);
  frames_check(data, size);
  if (aq_bundle_is(data, size)) {
    bundle_check(data, size);
  } else if (aq_codeobj_read(data, size, &code, NULL) == AQ_OK) {
    segments_check(&code, size);
    kernels_check(&code);
    lines_check(&code, data, size);
    aq_codeobj_fini(&code);
    image_check(data, size);
  }
  return 0;
}
