/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_liveness.h"

#include <stdlib.h>

#include "gpu/isa/control_flow.h"

enum { ROW_WORDS = AQ_WAVE_ROWS / 64, WORDS = ROW_WORDS + 3 };

/* Registers: rows, then scalars by their codes. */
typedef struct registers {
  uint64_t bits[WORDS];
} registers;

_Static_assert(AQ_WAVE_ROWS % 64 == 0 && AQ_WAVE_SCALARS <= 3 * 64, "words");

typedef struct life {
  registers alive; /* may be read before they are written */
  registers read;  /* may be read, also after they are written */
} life;

struct aq_wave_lives {
  life before[AQ_WAVE_PAGE_OPS];
  registers after[AQ_WAVE_PAGE_OPS];
};

/* The effects of an instruction. */
typedef struct effects {
  bool unknown;
  bool exec; /* EXEC changes */
  bool ends; /* the wave */
  registers reads, writes;
} effects;

typedef struct finding {
  const aq_wave_blocks *blocks;
  const aq_wave_op *ops;
  const aq_wave_texts *texts;
  bool wave32;
  aq_wave_lives *lives;
} finding;

/* ---- registers ---- */

static void row_add(registers *r, unsigned row, unsigned count)
{
  for (unsigned i = row; i < row + count && i < AQ_WAVE_ROWS; i++)
    r->bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void scalar_add(registers *r, unsigned code, unsigned count)
{
  for (unsigned i = code; i < code + count && i < AQ_WAVE_SCALARS; i++)
    r->bits[ROW_WORDS + i / 64] |= (uint64_t)1 << i % 64;
}

static bool scalar_has(const registers *r, unsigned code)
{
  return r->bits[ROW_WORDS + code / 64] >> code % 64 & 1;
}

static void all_add(life *l)
{
  memset(l, 0xff, sizeof *l);
}

static void registers_join(registers *r, const registers *other)
{
  for (unsigned i = 0; i < WORDS; i++)
    r->bits[i] |= other->bits[i];
}

static void life_join(life *l, const life *other)
{
  registers_join(&l->alive, &other->alive);
  registers_join(&l->read, &other->read);
}

/* ---- effects ---- */

static void source_add(effects *e, const aq_wave_op *o, int i, unsigned words)
{
  if (o->kind[i] == AQ_WAVE_VGPR)
    row_add(&e->reads, o->source[i], words);
  else if (o->kind[i] == AQ_WAVE_SGPR)
    scalar_add(&e->reads, o->source[i], words);
}

static void vector_effects(const finding *f, const aq_wave_op *o,
                           const aq_wave_text *t, effects *e)
{
  const unsigned mask = f->wave32 ? 1 : 2;
  for (int i = 0; i < 3; i++)
    source_add(e, o, i, aq_wave_type_words(t->sources[i]));
  if (t->shape == AQ_WAVE_TEXT_PICK || t->carry_in)
    scalar_add(&e->reads, o->source[2], mask);
  if (t->shape == AQ_WAVE_TEXT_COMPARE)
    scalar_add(&e->writes, o->dest, mask);
  else
    row_add(&e->writes, o->dest, aq_wave_type_words(t->result));
  if (aq_wave_text_keeps(o))
    row_add(&e->reads, o->dest, aq_wave_type_words(t->result));
  if (t->shape == AQ_WAVE_TEXT_CARRY)
    scalar_add(&e->writes, o->dest2, mask);
}

static void scalar_effects(const aq_wave_op *o, const aq_wave_text *t,
                           effects *e)
{
  const unsigned to = aq_wave_type_words(t->result);
  for (int i = 0; i < 2; i++)
    source_add(e, o, i, aq_wave_type_words(t->sources[i]));
  if (t->reads_old || t->immediate)
    scalar_add(&e->reads, o->dest, to ? to : 1);
  if (to)
    scalar_add(&e->writes, o->dest, to);
  if (t->shape == AQ_WAVE_TEXT_SAVE)
    scalar_add(&e->writes, AQ_ISA_EXEC, to);
  e->exec = scalar_has(&e->writes, AQ_ISA_EXEC) ||
            scalar_has(&e->writes, AQ_ISA_EXEC + 1);
}

static void ruled_effects(const finding *f, const aq_wave_op *o,
                          const aq_wave_ruled *h, effects *e)
{
  for (int i = 0; i < h->sources; i++)
    source_add(e, o, i, 1);
  if (h->loads) {
    row_add(&e->reads, o->source[1], o->dest2 == AQ_WAVE_NONE ? 2 : 1);
    if (o->dest2 != AQ_WAVE_NONE)
      scalar_add(&e->reads, o->dest2, 2);
  } else if (h->sources == 0) {
    row_add(&e->reads, o->decoded->address, 1);
    row_add(&e->reads, o->decoded->data, 1);
  }
  if (h->reads_vcc)
    scalar_add(&e->reads, AQ_ISA_VCC, 2);
  if (h->writes_mask)
    scalar_add(&e->writes, o->dest2, f->wave32 ? 1 : 2);
  if (aq_wave_ruled_part(o))
    row_add(&e->reads, o->dest, 1);
  row_add(&e->writes, o->dest, 1);
}

static void transfer_effects(const aq_wave_op *o, const aq_wave_transfer *t,
                             effects *e)
{
  const unsigned words = t->words * (t->scale && !t->store ? 2u : 1u);
  if (t->scalar) {
    scalar_add(&e->reads, o->source[0], 2);
    if (o->decoded->scalar != AQ_WAVE_NONE)
      scalar_add(&e->reads, o->decoded->scalar, 1);
    scalar_add(&e->writes, o->dest, o->decoded->bytes / 4u);
    return;
  }
  row_add(&e->reads, o->source[1],
          !t->shared && o->dest2 == AQ_WAVE_NONE ? 2 : 1);
  if (!t->shared && o->dest2 != AQ_WAVE_NONE)
    scalar_add(&e->reads, o->dest2, 2);
  row_add(t->store ? &e->reads : &e->writes, t->store ? o->source[2] : o->dest,
          words);
  if (t->store && t->scale)
    row_add(&e->reads, o->decoded->data2, words);
}

/* Instructions that touch no register that is looked at here, except the one
 * that a branch's condition reads. */
static bool control_effects(const aq_wave_op *o, effects *e)
{
  static const char *const plain[] = {"s_nop",      "s_barrier", "s_sleep",
                                      "s_clause",   "s_setprio", "s_endpgm",
                                      "s_delay_alu"};
  const char *name = o->decoded->inst.row->name;
  const aq_wave_condition *condition = aq_wave_condition_of(o);
  if (condition && condition->of == AQ_WAVE_IF_VCC)
    scalar_add(&e->reads, AQ_ISA_VCC, 2);
  if (condition)
    return true;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(plain[i], name) == 0)
      return true;
  return strncmp(name, "s_wait", 6) == 0;
}

static effects effects_of(const finding *f, const aq_wave_op *o)
{
  effects e = {.unknown = false};
  const aq_wave_transfer *transfer = aq_wave_transfer_for(f->texts, o);
  const aq_wave_text *text = transfer ? NULL : aq_wave_text_for(f->texts, o);
  const aq_wave_ruled *ruled =
      transfer || text ? NULL : aq_wave_ruled_for(f->texts, o);
  if (transfer)
    transfer_effects(o, transfer, &e);
  else if (text && aq_wave_text_is_vector(text))
    vector_effects(f, o, text, &e);
  else if (text)
    scalar_effects(o, text, &e);
  else if (ruled)
    ruled_effects(f, o, ruled, &e);
  else
    e.unknown = !control_effects(o, &e);
  e.ends = strcmp(o->decoded->inst.row->name, "s_endpgm") == 0;
  return e;
}

/* ---- flow ---- */

const aq_wave_op *aq_wave_branch_near(const aq_wave_op *ops,
                                      const aq_wave_op *o)
{
  const ptrdiff_t to = (o - ops) + 1 + (int16_t)o->imm;
  return to >= 0 && to < AQ_WAVE_PAGE_OPS ? aq_wave_code_past_waits(ops + to)
                                          : NULL;
}

static void follow(const finding *f, const aq_wave_op *to, life *after)
{
  const ptrdiff_t i = to ? to - f->ops : -1;
  if (i < 0 || i >= AQ_WAVE_PAGE_OPS || !f->blocks->is_member[i])
    all_add(after);
  else
    life_join(after, &f->lives->before[i]);
}

static life life_after(const finding *f, const aq_wave_op *o)
{
  life after = {0};
  switch (aq_isa_flow_of(&o->decoded->inst)) {
  case AQ_ISA_FLOW_NEXT:
    follow(f, aq_wave_next(o), &after);
    break;
  case AQ_ISA_FLOW_BRANCH:
    follow(f, aq_wave_next(o), &after);
    follow(f, aq_wave_branch_near(f->ops, o), &after);
    break;
  case AQ_ISA_FLOW_JUMP:
    follow(f, aq_wave_branch_near(f->ops, o), &after);
    break;
  default:
    all_add(&after);
  }
  return after;
}

/* True: what lives before the instruction grew. */
static bool step(const finding *f, unsigned i)
{
  const aq_wave_op *o = &f->ops[i];
  const effects e = effects_of(f, o);
  life l = {0};
  if (!e.ends)
    l = life_after(f, o);
  f->lives->after[i] = l.alive;
  for (unsigned k = 0; e.exec && k < ROW_WORDS; k++)
    l.alive.bits[k] = l.read.bits[k];
  for (unsigned k = 0; k < WORDS; k++)
    l.alive.bits[k] &= ~e.writes.bits[k];
  registers_join(&l.alive, &e.reads);
  registers_join(&l.read, &e.reads);
  if (e.unknown)
    all_add(&l);
  if (memcmp(&l, &f->lives->before[i], sizeof l) == 0)
    return false;
  f->lives->before[i] = l;
  return true;
}

aq_wave_lives *aq_wave_lives_find(const aq_wave_blocks *blocks,
                                  const aq_wave_op *ops,
                                  const aq_wave_texts *texts, bool wave32)
{
  finding f = {.blocks = blocks, .ops = ops, .texts = texts, .wave32 = wave32};
  f.lives = calloc(1, sizeof *f.lives);
  for (bool again = f.lives; again;) {
    again = false;
    for (unsigned i = AQ_WAVE_PAGE_OPS; i-- > 0;)
      if (blocks->is_member[i])
        again |= step(&f, i);
  }
  return f.lives;
}

void aq_wave_lives_free(aq_wave_lives *lives)
{
  free(lives);
}

bool aq_wave_lives_row(const aq_wave_lives *lives, unsigned at, unsigned row)
{
  return lives->after[at].bits[row / 64] >> row % 64 & 1;
}

const uint64_t *aq_wave_lives_rows(const aq_wave_lives *lives, unsigned at)
{
  return lives->after[at].bits;
}

bool aq_wave_lives_scalar(const aq_wave_lives *lives, unsigned at,
                          unsigned code)
{
  return code == AQ_ISA_EXEC || code == AQ_ISA_EXEC + 1 ||
         scalar_has(&lives->after[at], code);
}
