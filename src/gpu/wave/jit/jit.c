/* SPDX-License-Identifier: MIT */
/*
 * When code is compiled, and how a unit takes the interpreter's place.
 *
 * By the thread that interprets it, at once, when EMIT instructions of a page
 * were interpreted since its last unit and a taken branch, or the begin of a
 * wave, leads out of all units. `looked`: that failed, and is not tried again.
 * Instructions within a block have the entry INSIDE: a budget's end there makes
 * no new unit.
 *
 * A page whose bytes changed loses its units and its heat (page_fill in
 * decode/code.c). `broken` is final for the machine: nothing is emitted.
 *
 * A unit belongs to its page: instructions that it begins at have op->entry,
 * its number, and its page's `units` the function. Both are the thread's.
 *
 * A unit does the same as the interpreter: it ends a block with the same
 * budget left, faults at the same instruction, and leaves `pc`, `at` and the
 * registers as handlers would. It stops before a block that its budget does not
 * cover (the lowest bit of `next`), and the interpreter executes the rest.
 * tests/gpu/wave/test_native compares both on generated programs.
 */
#include "config.h"

#include "gpu/wave/core/jit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "gpu/wave/core/jit_page.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/jit/emit_unit.h"
#include "gpu/wave/jit/jit_unit.h"
#include "gpu/wave/jit/strip.h"

enum { EMIT = 1000 /* instructions after which a unit is worth emitting */ };

enum { INSIDE = UINT16_MAX /* op->entry within a block of a unit */ };

struct aq_jit {
  aq_jit_options options;
  aq_wave_texts *texts;
  aq_emitter *emitter;      /* NULL: not needed so far */
  pthread_mutex_t emitting; /* held while a thread emits; of all else then */
  atomic_bool broken;       /* nothing can be built, which was reported */
};

aq_jit *aq_jit_create(const aq_jit_options *options, unsigned level)
{
  aq_jit *native = calloc(1, sizeof *native);
  if (!native)
    return NULL;
  native->options = *options;
  native->options.level = level;
  pthread_mutex_init(&native->emitting, NULL);
  return native;
}

void aq_jit_destroy(aq_jit *native)
{
  if (!native)
    return;
  aq_emitter_destroy(native->emitter);
  pthread_mutex_destroy(&native->emitting);
  aq_wave_texts_destroy(native->texts);
  free(native);
}

/* ---- compiling ---- */

static inline bool is_entry(const aq_wave_op *o)
{
  return o->entry && o->entry != INSIDE;
}

static void unit_attach(const aq_wave_blocks *blocks, aq_wave_op *root,
                        aq_wave_unit_run *run)
{
  aq_jit_page *jit_page = aq_wave_code_jit_page(root);
  aq_wave_op *ops = aq_wave_code_ops(root);
  aq_wave_unit_run **units =
      realloc(jit_page->units, (jit_page->count + 1) * sizeof *units);
  if (!units)
    return;
  jit_page->units = units;
  units[jit_page->count++] = run;
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (blocks->is_member[i] && blocks->is_entry[i] && !is_entry(&ops[i]))
      ops[i].entry = (uint16_t)jit_page->count;
    else if (blocks->is_member[i] && !ops[i].entry)
      ops[i].entry = INSIDE;
}

static void unit_emit(aq_jit *native, aq_wave_code *code, aq_wave_op *root,
                      const aq_wave_blocks *blocks)
{
  aq_wave_unit_run *run = NULL;
  const char *why = NULL;
  pthread_mutex_lock(&native->emitting);
  if (!native->texts &&
      (native->texts = aq_wave_texts_create(native->options.level)))
    aq_strip_rules_give(native->texts);
  if (native->texts && !native->emitter && !native->broken)
    native->emitter = aq_emitter_create(&why);
  if (native->emitter && !native->broken)
    run = aq_emitter_unit(native->emitter, blocks, aq_wave_code_ops(root),
                          native->texts, aq_wave_code_decoder(code)->wave32,
                          &why);
  if (why)
    native->broken = true;
  pthread_mutex_unlock(&native->emitting);
  if (why && native->options.tell)
    native->options.tell(native->options.user, why);
  aq_wave_code_jit_page(root)->looked = !run; /* it would fail again */
  if (run)
    unit_attach(blocks, root, run);
}

/* Compiles the code around `root`. */
static void unit_make(aq_jit *native, aq_wave_code *code, aq_wave_op *root)
{
  aq_wave_blocks blocks;
  if (is_entry(root))
    return;
  aq_wave_blocks_find(code, root, &blocks);
  if (blocks.members > 0)
    unit_emit(native, code, root, &blocks);
}

/* ---- running ---- */

/* Instructions that were interpreted from `from` on. */
static inline void heat_add(const aq_wave_op *from, int64_t count)
{
  if (count <= 0)
    return;
  aq_wave_code_jit_page(from)->heat += (uint64_t)count;
}

/* Emits a unit that begins at `o`, if its page is hot: a taken branch leads
 * there, or a wave begins. */
static void hot_emit(aq_wave *w, const aq_wave_op *o)
{
  aq_jit *native = w->grid->native;
  aq_jit_page *jit_page = aq_wave_code_jit_page(o);
  if (o->entry || jit_page->looked || jit_page->heat < w->grid->native_from ||
      native->broken)
    return;
  jit_page->heat = 0;
  unit_make(native, w->grid->code, (aq_wave_op *)(uintptr_t)o);
}

/* Interprets the rest of a budget that ends within a block. False: the wave
 * stopped before that, at *o. */
static bool rest_run(aq_wave *w, const aq_wave_op **o, int64_t *n)
{
  while (*n > 0) {
    const aq_wave_op *next = (*o)->run(w, *o);
    --*n;
    if (!next)
      return false;
    *o = next;
  }
  return true;
}

const aq_wave_op *aq_jit_run(aq_wave *w, const aq_wave_op *o, int64_t *left)
{
  int64_t n = *left, begun = n;
  const aq_wave_op *from = o;
  if (w->issued == 0)
    hot_emit(w, o);
  while (n > 0) {
    if (!is_entry(o)) {
      const aq_wave_op *next = o->run(w, o), *behind = aq_wave_next(o);
      n--;
      if (!next)
        break;
      o = next;
      if (next == behind)
        continue;
      heat_add(from, begun - n);
      begun = n;
      from = o;
      hot_emit(w, o);
      continue;
    }
    heat_add(from, begun - n);
    const aq_wave_op *ops = aq_wave_code_ops((aq_wave_op *)(uintptr_t)o);
    const aq_wave_outcome out = aq_wave_code_jit_page(o)->units[o->entry - 1](
        w, ops, n, (unsigned)(o - ops));
    begun = n = out.left;
    if (!out.next) {
      from = o;
      break;
    }
    from = o = (const aq_wave_op *)(out.next & ~(uintptr_t)1);
    if (out.next & 1) {
      const bool goes_on = rest_run(w, &o, &n);
      begun = n;
      if (!goes_on)
        break;
    }
  }
  heat_add(from, begun - n);
  *left = n;
  return o;
}

void aq_jit_repeat(aq_wave *w)
{
  const aq_strip_rest *rest = w->strip.rest;
  aq_wave_mode_enter(w);
  aq_strip_rest_run(w, aq_wave_code_ops(w->at), rest,
                    (unsigned)w->strip.number);
}

void aq_jit_begin(aq_jit *native, aq_wave_code *code, uint64_t entry)
{
  aq_wave_op *root = native->options.always && !native->broken
                         ? aq_wave_code_at(code, entry)
                         : NULL;
  if (root)
    unit_make(native, code, root);
}

uint64_t aq_jit_from(const aq_jit *native)
{
  return native->broken ? UINT64_MAX : native->options.always ? 1 : EMIT;
}
