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

/* Registers that may be read before they are written: scalars, and rows of
 * lanes that EXEC has, and of the others. */
typedef struct life {
  registers on;
  uint64_t off[ROW_WORDS];
} life;

struct aq_wave_lives {
  life before[AQ_WAVE_PAGE_OPS];
  registers after[AQ_WAVE_PAGE_OPS];
};

/* How an instruction changes EXEC. */
typedef enum exec_change {
  EXEC_STAYS,
  EXEC_SHRINKS, /* no lane comes to be on, */
  EXEC_GROWS,   /* or off */
  EXEC_FILLS,   /* all lanes are on */
  EXEC_CHANGES,
} exec_change;

typedef struct effects {
  bool unknown;
  bool crosses; /* lanes read rows of lanes that EXEC does not have */
  bool ends;    /* the wave */
  exec_change exec;
  registers reads, writes; /* writes: of all of a lane's word */
} effects;

typedef struct finding {
  const aq_wave_blocks *blocks;
  const aq_wave_op *ops;
  const aq_wave_texts *texts;
  bool wave32;
  aq_wave_lives *lives;
  effects *effects; /* of the members */
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
  registers_join(&l->on, &other->on);
  for (unsigned i = 0; i < ROW_WORDS; i++)
    l->off[i] |= other->off[i];
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
  e->crosses = aq_wave_text_move(o) != NULL;
  if (t->shape == AQ_WAVE_TEXT_CARRY)
    scalar_add(&e->writes, o->dest2, mask);
}

/* How an instruction that writes EXEC changes it, as far as its sources say. */
static exec_change exec_change_of(const finding *f, const aq_wave_op *o,
                                  const aq_wave_text *t)
{
  static const struct {
    const char *name;
    int sources; /* the first ones, of which one has to be EXEC */
    exec_change change;
  } changes[] = {{"s_and_b", 2, EXEC_SHRINKS},
                 {"s_andn2_b", 1, EXEC_SHRINKS},
                 {"s_or_b", 2, EXEC_GROWS}};
  /* A word of a mask of 64 lanes is half of it. */
  const char *fills = f->wave32 ? "s_mov_b" : "s_mov_b64";
  const uint64_t all = f->wave32 ? UINT32_MAX : UINT64_MAX;
  static const char *const shrink[] = {"s_and_saveexec_", "s_andn1_saveexec_",
                                       "s_andn1_wrexec_"};
  /* A word of 64 lanes' mask that keeps the other word. */
  if (t->shape == AQ_WAVE_TEXT_SAVE && aq_wave_is_exec(o->dest))
    return EXEC_CHANGES;
  if (strncmp(t->name, "s_or_saveexec_", strlen("s_or_saveexec_")) == 0)
    return EXEC_GROWS;
  for (size_t i = 0; i < sizeof shrink / sizeof *shrink; i++)
    if (strncmp(t->name, shrink[i], strlen(shrink[i])) == 0)
      return EXEC_SHRINKS;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    for (int k = 0; k < changes[i].sources; k++)
      if (strncmp(t->name, changes[i].name, strlen(changes[i].name)) == 0 &&
          o->kind[k] == AQ_WAVE_SGPR && o->source[k] == o->dest)
        return changes[i].change;
  return strncmp(t->name, fills, strlen(fills)) == 0 &&
                 o->dest == AQ_ISA_EXEC && o->kind[0] == AQ_WAVE_CONSTANT &&
                 (o->constant[0] & all) == all
             ? EXEC_FILLS
             : EXEC_CHANGES;
}

static void scalar_effects(const finding *f, const aq_wave_op *o,
                           const aq_wave_text *t, effects *e)
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
  if (scalar_has(&e->writes, AQ_ISA_EXEC) ||
      scalar_has(&e->writes, AQ_ISA_EXEC + 1))
    e->exec = exec_change_of(f, o, t);
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
    e->crosses = true;
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

/* An instruction that only its handler executes: its operands, and scalars that
 * it may use without naming them. It writes none of them for sure. False: it
 * may read any register. */
static bool handler_effects(const aq_isa_inst *inst, effects *e)
{
  static const char *const any[] = {"movrel", "gpr_idx", "swaprel", "set_vgpr",
                                    "setreg", "trap",    "sendmsg"};
  const uint8_t encoding = inst->row->encoding;
  const char *name = inst->row->name;
  if (encoding == AQ_ISA_SOPP || encoding == AQ_ISA_TENSOR ||
      encoding >= AQ_ISA_MIMG || inst->target & AQ_ISA_GFX1250 ||
      aq_isa_flow_of(inst) != AQ_ISA_FLOW_NEXT)
    return false;
  for (size_t i = 0; i < sizeof any / sizeof *any; i++)
    if (strstr(name, any[i]))
      return false;
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *o = &inst->operands[i];
    const unsigned words = o->bits == 1632 ? 1 : (o->bits + 31u) / 32;
    if (o->file == 'v' || o->file == 'a')
      row_add(&e->reads, o->code + (o->file == 'a' ? AQ_WAVE_ACC : 0), words);
    else if (o->file == 's' && o->code < AQ_ISA_INT_0)
      scalar_add(&e->reads, o->code, words);
    if (o->file == 's' && (o->role == 'D' || o->role == 'E') &&
        o->code < AQ_ISA_INT_0 && o->code + words > AQ_ISA_EXEC)
      e->exec = EXEC_CHANGES;
  }
  /* Lanes that are off have no bit in its result. */
  if (strncmp(name, "v_cmpx", strlen("v_cmpx")) == 0)
    e->exec = EXEC_SHRINKS;
  else if (strstr(name, "exec"))
    e->exec = EXEC_CHANGES;
  scalar_add(&e->reads, AQ_ISA_FLAT_SCRATCH,
             AQ_ISA_INT_0 - AQ_ISA_FLAT_SCRATCH);
  e->crosses = true;
  return true;
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
    scalar_effects(f, o, text, &e);
  else if (ruled)
    ruled_effects(f, o, ruled, &e);
  else
    e.unknown =
        !control_effects(o, &e) && !handler_effects(&o->decoded->inst, &e);
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

/* From what lives after an instruction to what lives before it changed EXEC. */
static void exec_undo(life *l, exec_change change)
{
  for (unsigned k = 0; change != EXEC_STAYS && k < ROW_WORDS; k++) {
    const uint64_t on = l->on.bits[k], off = l->off[k];
    /* Lanes that were on may be off now; lanes that were off may be on. */
    if (change == EXEC_SHRINKS || change == EXEC_CHANGES)
      l->on.bits[k] |= off;
    if (change == EXEC_FILLS)
      l->off[k] = on;
    else if (change != EXEC_SHRINKS)
      l->off[k] |= on;
  }
}

/* True: what lives before the instruction grew. */
static bool step(const finding *f, unsigned i)
{
  const effects *e = &f->effects[i];
  life l = {0};
  if (!e->ends)
    l = life_after(f, &f->ops[i]);
  f->lives->after[i] = l.on;
  exec_undo(&l, e->exec);
  for (unsigned k = 0; k < WORDS; k++)
    l.on.bits[k] = (l.on.bits[k] & ~e->writes.bits[k]) | e->reads.bits[k];
  for (unsigned k = 0; e->crosses && k < ROW_WORDS; k++)
    l.off[k] |= e->reads.bits[k];
  if (e->unknown)
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
  f.effects = malloc(AQ_WAVE_PAGE_OPS * sizeof *f.effects);
  if (!f.lives || !f.effects) {
    free(f.lives);
    free(f.effects);
    return NULL;
  }
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (blocks->is_member[i])
      f.effects[i] = effects_of(&f, &ops[i]);
  for (bool again = true; again;) {
    again = false;
    for (unsigned i = AQ_WAVE_PAGE_OPS; i-- > 0;)
      if (blocks->is_member[i])
        again |= step(&f, i);
  }
  free(f.effects);
  return f.lives;
}

void aq_wave_lives_free(aq_wave_lives *lives)
{
  free(lives);
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
