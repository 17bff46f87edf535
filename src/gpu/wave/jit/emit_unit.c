/* SPDX-License-Identifier: MIT */
/*
 * Machine code of a unit.
 *
 * A unit is a function (aq_wave_unit_run) that begins at one of its entries,
 * the first instructions of its blocks. A block takes its instructions from the
 * budget, all at once; if the budget does not cover them, it leaves the unit
 * before the first, with the lowest bit of the next instruction's address set.
 * Within a block lie
 *
 *   runs      vector instructions that have a rule (strip.c), as a loop over
 *             strips of eight lanes
 *   scalars   one after the other (scalar_code.c), on the wave's registers
 *   transfers of scalars, and to memory in rows (memory_code.c), behind the run
 *             before them
 *   calls     handlers of all others. One that returns another instruction
 *             than the next, or none, leaves the unit; the instructions behind
 *             it go back to the budget
 *
 * and last a branch. A scalar instruction that shares no register with the
 * pending run goes before it, so runs are long.
 *
 * A strip. It is skipped where none of its lanes is on. The first read of a row
 * loads it into a register of the host, results stay in registers, and where
 * there are none left, the value that is read last is kept in the frame. The
 * wave's rows do not change before the strip's end; there the rows that may be
 * read later are written, blended where a lane is off. The first masks are
 * collected in registers, which turn by a byte a strip, the others in the
 * frame, and all go to the scalars behind the last strip: a host waits long for
 * eight bytes that were stored apart and are loaded as one. So
 * until its end a strip has no effect, and may leave: where a result is a NaN,
 * MODE wants f64 otherwise than f32. Then the handlers execute the whole run
 * for the lanes of this strip and the next ones (aq_strip_rest_run), and the
 * unit continues behind the run. They fault where the interpreter does: of a
 * lane that is on, the run's instruction, whose rest goes back to the budget.
 *
 * Exits leave in rax the next instruction, or 0 where the wave stopped (its
 * state says why), in rdx the budget's rest; all registers of the wave are in
 * the wave. Rows that no later instruction of the unit reads may be stale.
 *
 * The thread that executes a page's code owns its units. Code memory is the
 * emitter's, and all units live until it ends: a page that was read anew only
 * forgets them. One thread emits at a time, under the lock of jit.c.
 *
 * Failure: a unit that does not fit a buffer is not made; its page is
 * interpreted. Without code memory no unit is made any more: jit.c reports it.
 */
#include "config.h"

#include "gpu/wave/jit/emit_unit.h"

#include <stddef.h>
#include <stdlib.h>

#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/code_memory.h"
#include "gpu/wave/jit/jit_liveness.h"
#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/scalar_code.h"
#include "gpu/wave/jit/strip.h"

enum { CODE_MAX = 1 << 19, JUMPS = 4096 };

/* A jump out of a block: to an instruction of the unit, or out of it. */
typedef struct jump {
  uint32_t at;
  uint16_t op;
  uint16_t rest; /* of the budget, of a handler's return */
  enum { TO_BLOCK, TO_OP, TO_OP_SHORT, RETURNED } kind;
} jump;

struct aq_emitter {
  aq_code_memory *memory;
  aq_x86 x;
  aq_strip strip;
  const aq_wave_blocks *blocks;
  const aq_wave_op *ops;
  const aq_wave_texts *texts;
  bool wave32;
  uint32_t labels[AQ_WAVE_PAGE_OPS]; /* of blocks */
  jump jumps[JUMPS];
  unsigned jump_count;
  uint8_t code[CODE_MAX];
};

aq_emitter *aq_emitter_create(const char **why)
{
  aq_emitter *e = NULL;
#if defined(__x86_64__)
  if (aq_wave_level_count() < 2) {
    *why = "the processor has no AVX2";
    return NULL;
  }
  e = malloc(sizeof *e);
  *why = "out of memory";
  if (!e)
    return NULL;
  e->memory = aq_code_memory_create();
  if (e->memory)
    return e;
  *why = "the system gives no memory that can be executed";
  free(e);
  return NULL;
#else
  *why = "the processor is not x86-64";
  return e;
#endif
}

const char *aq_emitter_refusal(void)
{
  const char *why = NULL;
  aq_emitter *e = aq_emitter_create(&why);
  if (!e)
    return why;
  aq_emitter_destroy(e);
  return NULL;
}

void aq_emitter_destroy(aq_emitter *emitter)
{
  if (!emitter)
    return;
  aq_code_memory_destroy(emitter->memory);
  free(emitter);
}

/* ---- jumps ---- */

static void jump_keep(aq_emitter *e, uint32_t at, int kind, const aq_wave_op *o,
                      unsigned rest)
{
  if (e->jump_count == JUMPS)
    e->x.full = true;
  else
    e->jumps[e->jump_count++] = (jump){.at = at,
                                       .kind = kind,
                                       .op = (uint16_t)(o - e->ops),
                                       .rest = (uint16_t)rest};
}

static bool is_block(const aq_emitter *e, const aq_wave_op *o)
{
  const ptrdiff_t i = o - e->ops;
  return i >= 0 && i < AQ_WAVE_PAGE_OPS && e->blocks->is_member[i] &&
         e->blocks->is_entry[i];
}

/* Continues at an instruction; `at`: a jump that was written, or 0. */
static void go_to(aq_emitter *e, uint32_t at, const aq_wave_op *to)
{
  jump_keep(e, at ? at : aq_x86_jump(&e->x), is_block(e, to) ? TO_BLOCK : TO_OP,
            to, 0);
}

static int32_t op_at(const aq_emitter *e, const aq_wave_op *o)
{
  return (int32_t)((o - e->ops) * (ptrdiff_t)sizeof *o);
}

/* ---- instructions ---- */

static void handler_call(aq_emitter *e, const aq_wave_op *o)
{
  aq_x86 *x = &e->x;
  aq_x86_address(x, AQ_RSI, AQ_R12, op_at(e, o));
  aq_x86_registers(x, 0x89, AQ_RBX, AQ_RDI, true);
  aq_x86_memory(x, 0xff, 2, false, AQ_RSI, (int32_t)offsetof(aq_wave_op, run));
}

/* With `rest` instructions of the block behind it. */
static void call_write(aq_emitter *e, const aq_wave_op *o, unsigned rest)
{
  aq_x86 *x = &e->x;
  handler_call(e, o);
  aq_x86_address(x, AQ_RCX, AQ_R12, op_at(e, aq_wave_next(o)));
  aq_x86_registers(x, 0x39, AQ_RCX, AQ_RAX, true);
  jump_keep(e, aq_x86_jump_if(x, AQ_X86_NE), RETURNED, o, rest);
}

/* False: it is no scalar instruction whose effects are known. */
static bool scalar_add(aq_emitter *e, const aq_wave_op *o)
{
  const aq_wave_text *t = aq_wave_text_for(e->texts, o);
  aq_scalar_effects effects;
  if (!t || aq_wave_text_is_vector(t))
    return false;
  aq_scalar_effects_of(o, t, &effects);
  if (effects.exec ||
      !aq_strip_lets_pass(&e->strip, (const uint16_t(*)[2])effects.reads,
                          effects.read_count, effects.write_first,
                          effects.write_count))
    aq_strip_flush(&e->strip);
  if (!aq_scalar_write(&e->x, o, t, e->wave32))
    handler_call(e, o);
  return true;
}

/* False: it is no transfer that has code. */
static bool memory_add(aq_emitter *e, const aq_wave_op *o, unsigned rest)
{
  aq_x86 *x = &e->x;
  const aq_wave_transfer *t = aq_wave_transfer_for(e->texts, o);
  aq_memory_misses misses;
  if (!t)
    return false;
  const bool is_row = t->store && !t->shared && t->words != 3;
  const uint32_t behind =
      aq_strip_flush_before(&e->strip, is_row ? o : NULL, t->words);
  if (!aq_memory_write(x, o, t, e->ops, e->wave32, &misses))
    return false;
  const uint32_t done = aq_x86_jump(x);
  for (unsigned i = 0; i < misses.count; i++)
    aq_x86_land_here(x, misses.at[i]);
  if (t->store)
    aq_strip_vzeroupper(x);
  call_write(e, o, rest);
  aq_x86_land_here(x, done);
  if (t->store)
    aq_strip_vzeroupper(x);
  if (behind)
    aq_x86_land_here(x, behind);
  return true;
}

static void op_write(aq_emitter *e, const aq_wave_op *o, unsigned rest)
{
  if (aq_wave_op_is_nothing(o) || aq_strip_add(&e->strip, o, rest))
    return;
  if (aq_strip_rule_of(e->texts, o)) {
    aq_strip_flush(&e->strip);
    if (aq_strip_add(&e->strip, o, rest))
      return;
  }
  if (scalar_add(e, o) || memory_add(e, o, rest))
    return;
  aq_strip_flush(&e->strip);
  call_write(e, o, rest);
}

/* ---- blocks ---- */

/* The last instruction of a block. */
static void end_write(aq_emitter *e, const aq_wave_op *o)
{
  aq_x86 *x = &e->x;
  static const int32_t places[] = {
      [AQ_WAVE_IF_SCC] = (int32_t)offsetof(aq_wave, scc),
      [AQ_WAVE_IF_VCC] = (int32_t)offsetof(aq_wave, s) + 4 * AQ_ISA_VCC,
      [AQ_WAVE_IF_EXEC] = (int32_t)offsetof(aq_wave, s) + 4 * AQ_ISA_EXEC};
  const aq_wave_condition *c = aq_wave_condition_of(o);
  const aq_wave_op *to = c ? aq_wave_branch_near(e->ops, o) : NULL;
  if (to && c->of == AQ_WAVE_IF_ANY) {
    go_to(e, 0, to);
  } else if (to) {
    const bool wide = c->of != AQ_WAVE_IF_SCC && !e->wave32;
    aq_x86_wave(x, 0x83, 7, wide, places[c->of]);
    aq_x86_byte(x, 0);
    go_to(e, aq_x86_jump_if(x, c->is_set ? AQ_X86_NE : AQ_X86_E), to);
    go_to(e, 0, aq_wave_next(o));
  } else {
    handler_call(e, o);
    if (aq_wave_op_goes_on(o) && is_block(e, aq_wave_next(o))) {
      aq_x86_address(x, AQ_RCX, AQ_R12, op_at(e, aq_wave_next(o)));
      aq_x86_registers(x, 0x39, AQ_RCX, AQ_RAX, true);
      go_to(e, aq_x86_jump_if(x, AQ_X86_E), aq_wave_next(o));
    }
    jump_keep(e, aq_x86_jump(x), RETURNED, o, 0);
  }
}

/* Whether the block ends with this instruction. */
static bool is_last(const aq_emitter *e, const aq_wave_op *o)
{
  const ptrdiff_t i = aq_wave_next(o) - e->ops;
  return aq_wave_op_ends_block(o) || i >= AQ_WAVE_PAGE_OPS ||
         !e->blocks->is_member[i] || e->blocks->is_entry[i];
}

static void block_write(aq_emitter *e, const aq_wave_op *o)
{
  aq_x86 *x = &e->x;
  unsigned count = 1;
  for (const aq_wave_op *p = o; !is_last(e, p); p = aq_wave_next(p))
    count++;
  e->labels[o - e->ops] = x->size;
  aq_x86_number(x, 7, AQ_R13, true, (int32_t)count);
  jump_keep(e, aq_x86_jump_if(x, AQ_X86_L), TO_OP_SHORT, o, 0);
  aq_x86_number(x, 5, AQ_R13, true, (int32_t)count);
  for (;; o = aq_wave_next(o)) {
    count--;
    if (aq_wave_op_ends_block(o)) {
      aq_strip_flush(&e->strip);
      end_write(e, o);
      return;
    }
    op_write(e, o, count);
    if (is_last(e, o)) {
      aq_strip_flush(&e->strip);
      go_to(e, 0, aq_wave_next(o));
      return;
    }
  }
}

/* ---- the unit ---- */

static const int saved[] = {AQ_RBX, AQ_RBP, AQ_R12, AQ_R13, AQ_R14, AQ_R15};
enum { SAVED = sizeof saved / sizeof *saved };

static void push_or_pop(aq_x86 *x, unsigned op, int reg)
{
  if (reg >= 8)
    aq_x86_byte(x, 0x41);
  aq_x86_byte(x, op + (unsigned)(reg & 7));
}

/* The distance of the table of entries is returned: it follows the code. */
static uint32_t begin_write(aq_emitter *e, unsigned first)
{
  aq_x86 *x = &e->x;
  for (int i = 0; i < SAVED; i++)
    push_or_pop(x, 0x50, saved[i]);
  aq_x86_registers(x, 0x89, AQ_RSP, AQ_RAX, true);
  aq_x86_number(x, 5, AQ_RSP, true, AQ_STRIP_FRAME + 64);
  aq_x86_number(x, 4, AQ_RSP, true, -32);
  aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, AQ_STRIP_FRAME);
  aq_x86_registers(x, 0x89, AQ_RDI, AQ_RBX, true);
  aq_x86_registers(x, 0x89, AQ_RSI, AQ_R12, true);
  aq_x86_registers(x, 0x89, AQ_RDX, AQ_R13, true);
  const uint32_t table = aq_x86_code_address(x, AQ_RAX);
  /* An argument of 32 bits may leave the upper half of its register dirty. */
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RCX, false);
  aq_x86_byte(x, 0x48); /* movsxd rcx, dword [rax + 4 rcx - 4 first] */
  aq_x86_byte(x, 0x63);
  aq_x86_byte(x, 0x8c);
  aq_x86_byte(x, 0x88);
  aq_x86_word(x, (uint32_t)-4 * first);
  aq_x86_registers(x, 0x01, AQ_RCX, AQ_RAX, true);
  aq_x86_registers(x, 0xff, 4, AQ_RAX, false); /* jmp rax */
  return table;
}

static void exit_write(aq_emitter *e)
{
  aq_x86 *x = &e->x;
  aq_x86_registers(x, 0x89, AQ_R13, AQ_RDX, true);
  aq_x86_memory(x, 0x8b, AQ_RSP, true, AQ_RSP, AQ_STRIP_FRAME);
  for (int i = SAVED; i-- > 0;)
    push_or_pop(x, 0x58, saved[i]);
  aq_x86_byte(x, 0xc3);
}

/* Jumps that leave get their ways to the exit. */
static void jumps_land(aq_emitter *e)
{
  aq_x86 *x = &e->x;
  const uint32_t exit = x->size;
  exit_write(e);
  for (unsigned i = 0; i < e->strip.out_count; i++)
    aq_x86_land(x, e->strip.outs[i], exit);
  for (unsigned i = 0; i < e->jump_count; i++) {
    const jump *j = &e->jumps[i];
    if (j->kind == TO_BLOCK || (j->kind == RETURNED && j->rest == 0)) {
      aq_x86_land(x, j->at, j->kind == TO_BLOCK ? e->labels[j->op] : exit);
      continue;
    }
    aq_x86_land_here(x, j->at);
    if (j->kind == RETURNED)
      aq_x86_number(x, 0, AQ_R13, true, j->rest);
    else
      aq_x86_address(x, AQ_RAX, AQ_R12,
                     op_at(e, e->ops + j->op) + (j->kind == TO_OP_SHORT));
    aq_x86_land(x, aq_x86_jump(x), exit);
  }
}

/* Writes the blocks from `first` up to `end`, and the table of their labels. */
static void unit_write(aq_emitter *e, aq_wave_lives *lives, unsigned first,
                       unsigned end, bool plain)
{
  aq_x86 *x = &e->x;
  const aq_wave_blocks *blocks = e->blocks;
  x->bytes = e->code;
  x->size = x->vector_count = x->reference_count = 0;
  x->room = CODE_MAX;
  x->full = false;
  e->jump_count = 0;
  aq_strip_begin(&e->strip, x, e->texts, e->ops, lives, e->wave32);
  e->strip.plain = plain;
  const uint32_t table = begin_write(e, first);
  for (unsigned i = first; i < end; i++)
    if (blocks->is_entry[i] && blocks->is_member[i])
      block_write(e, e->ops + i);
  jumps_land(e);
  while (x->size % 4 != 0 && !x->full)
    aq_x86_byte(x, 0xcc);
  const uint32_t at = x->size;
  aq_x86_land_here(x, table);
  for (unsigned i = first; i < end; i++)
    aq_x86_word(
        x, blocks->is_entry[i] && blocks->is_member[i] ? e->labels[i] - at : 0);
  aq_x86_finish(x);
}

aq_wave_unit_run *aq_emitter_unit(aq_emitter *emitter,
                                  const aq_wave_blocks *blocks,
                                  const aq_wave_op *ops,
                                  const aq_wave_texts *texts, bool wave32,
                                  const char **why)
{
  aq_emitter *e = emitter;
  aq_x86 *x = &e->x;
  unsigned first = AQ_WAVE_PAGE_OPS, end = 0;
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (blocks->is_member[i] && blocks->is_entry[i]) {
      first = first < i ? first : i;
      end = i + 1;
    }
  e->blocks = blocks;
  e->ops = ops;
  e->texts = texts;
  e->wave32 = wave32;
  *why = NULL;
  aq_wave_lives *lives = aq_wave_lives_find(blocks, ops, texts, wave32);
  if (!lives)
    return NULL;
  unit_write(e, lives, first, end, false);
  if (x->full) /* of a long page only one form of each run fits */
    unit_write(e, lives, first, end, true);
  aq_wave_lives_free(lives);
  const void *code =
      x->full || e->strip.failed
          ? NULL
          : aq_code_memory_keep(e->memory, e->code, x->size, why);
  aq_wave_unit_run *run = NULL;
  memcpy(&run, &code, sizeof run);
  return run;
}
