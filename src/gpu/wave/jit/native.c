/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/native.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/wall.h"
#include "gpu/wave/core/natives.h"
#include "gpu/wave/jit/native_unit.h"

enum {
  LOOK = 1 << 20,  /* instructions after which a built unit is worth loading */
  BUILD = 1 << 27, /* after which one is worth building: about a second */
};

struct aq_wave_native {
  aq_wave_native_options options;
  aq_wave_texts *texts;
  aq_wave_native_counts counts;
  bool broken; /* nothing can be built: the builder said why */
};

aq_wave_native *aq_wave_native_create(const aq_wave_native_options *options,
                                      unsigned level)
{
  aq_wave_native *native = calloc(1, sizeof *native);
  if (!native)
    return NULL;
  native->options = *options;
  native->options.level = level;
  native->texts = aq_wave_texts_create(level);
  if (native->texts)
    return native;
  free(native);
  return NULL;
}

void aq_wave_native_destroy(aq_wave_native *native)
{
  if (!native)
    return;
  aq_wave_texts_destroy(native->texts);
  free(native);
}

void aq_wave_native_put(const aq_wave_native *native,
                        aq_wave_native_counts *out)
{
  *out = native->counts;
}

/* ---- running ---- */

/* Instructions that were interpreted from `from` on. */
static inline void heat_add(aq_wave *w, const aq_wave_op *from, int64_t count)
{
  if (count <= 0)
    return;
  aq_wave_natives *natives = aq_wave_code_natives(from);
  natives->heat += (uint64_t)count;
  natives->root = from;
  if (natives->heat >= w->grid->native_from)
    aq_wave_code_want(from);
}

static const aq_wave_op *rest_run(aq_wave *w, const aq_wave_op *o, int64_t *n)
{
  while (*n > 0) {
    const aq_wave_op *next = o->run(w, o);
    --*n;
    if (!next)
      break;
    o = next;
  }
  return o;
}

const aq_wave_op *aq_wave_native_run(aq_wave *w, const aq_wave_op *o,
                                     int64_t *left)
{
  int64_t n = *left, begun = n;
  const aq_wave_op *from = o;
  while (n > 0) {
    if (!o->entry) {
      const aq_wave_op *next = o->run(w, o);
      n--;
      if (!next)
        break;
      o = next;
      continue;
    }
    heat_add(w, from, begun - n);
    const aq_wave_op *ops = aq_wave_code_ops((aq_wave_op *)(uintptr_t)o);
    const aq_wave_outcome out = aq_wave_code_natives(o)->units[o->entry - 1](
        w, ops, n, (unsigned)(o - ops), aq_wave_reach_slow);
    begun = n = out.left;
    if (!out.next) {
      from = o;
      break;
    }
    from = o = (const aq_wave_op *)(out.next & ~(uintptr_t)1);
    if (out.next & 1) {
      o = rest_run(w, o, &n);
      begun = n;
    }
  }
  heat_add(w, from, begun - n);
  *left = n;
  return o;
}

/* ---- compiling ---- */

static void unit_attach(aq_wave_native *native, const aq_wave_blocks *blocks,
                        aq_wave_op *root, aq_wave_unit_run *run)
{
  aq_wave_natives *natives = aq_wave_code_natives(root);
  aq_wave_op *ops = aq_wave_code_ops(root);
  aq_wave_unit_run **units =
      realloc(natives->units, (natives->count + 1) * sizeof *units);
  if (!units)
    return;
  natives->units = units;
  units[natives->count++] = run;
  native->counts.units++;
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (blocks->is_member[i] && blocks->is_entry[i] && !ops[i].entry)
      ops[i].entry = (uint16_t)natives->count;
}

/* Compiles the code around `root`; `build`: not only if that was done before.
 */
static void unit_make(aq_wave_native *native, aq_wave_code *code,
                      aq_wave_op *root, bool build)
{
  aq_wave_blocks blocks;
  size_t size;
  if (root->entry)
    return;
  aq_wave_blocks_find(code, root, &blocks);
  if (blocks.members == 0)
    return;
  char *text =
      aq_wave_blocks_text(&blocks, aq_wave_code_ops(root), native->texts,
                          aq_wave_code_decoder(code)->wave32, &size);
  const int64_t begin = aq_wall_ns();
  aq_wave_native_function *run = NULL;
  const bool ok =
      text && native->options.build(native->options.user, text, size,
                                    native->options.level, build, &run);
  native->counts.build_ns += aq_wall_ns() - begin;
  free(text);
  native->broken |= !ok;
  if (run)
    unit_attach(native, &blocks, root, (aq_wave_unit_run *)run);
}

void aq_wave_native_begin(aq_wave_native *native, aq_wave_code *code,
                          uint64_t entry)
{
  aq_wave_op *root = native->options.always && !native->broken
                         ? aq_wave_code_at(code, entry)
                         : NULL;
  if (root)
    unit_make(native, code, root, true);
}

uint64_t aq_wave_native_from(const aq_wave_native *native)
{
  return native->broken ? UINT64_MAX : native->options.always ? 1 : LOOK;
}

void aq_wave_native_serve(aq_wave_native *native, aq_wave_code *code)
{
  const aq_wave_op *wanted = aq_wave_code_wanted(code);
  if (!wanted || native->broken)
    return;
  aq_wave_natives *natives = aq_wave_code_natives(wanted);
  const bool build = native->options.always || natives->heat >= BUILD;
  if (!natives->root || (natives->looked && !build))
    return;
  natives->looked = true;
  const unsigned before = natives->count;
  unit_make(native, code, (aq_wave_op *)(uintptr_t)natives->root, build);
  if (build || natives->count > before) {
    natives->heat = 0;
    natives->looked = false;
  }
}
