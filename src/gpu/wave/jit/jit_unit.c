/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_unit.h"

#include <stdlib.h>

#include "gpu/isa/control_flow.h"
#include "gpu/wave/jit/jit_emit.h"

enum { UNIT_MAX = 700 /* instructions: the compiler's time grows with them */ };

/* ---- blocks ---- */

bool aq_wave_op_ends_block(const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  return aq_isa_flow_of(inst) != AQ_ISA_FLOW_NEXT ||
         (aq_isa_class_of(inst) == AQ_ISA_CLASS_WAIT &&
          strcmp(inst->row->name, "s_nop") != 0 &&
          strncmp(inst->row->name, "s_wait", 6) != 0);
}

bool aq_wave_op_goes_on(const aq_wave_op *o)
{
  const aq_isa_flow flow = aq_isa_flow_of(&o->decoded->inst);
  return flow != AQ_ISA_FLOW_JUMP && flow != AQ_ISA_FLOW_INDIRECT_JUMP &&
         flow != AQ_ISA_FLOW_END;
}

typedef struct search {
  aq_wave_code *code;
  aq_wave_op *ops;
  aq_wave_blocks *out;
  uint16_t rest[AQ_WAVE_PAGE_OPS + 4];
  unsigned count;
} search;

static void search_push(search *s, const aq_wave_op *o, bool entry)
{
  const size_t i = (size_t)(o - s->ops);
  if (i >= AQ_WAVE_PAGE_OPS)
    return;
  if (entry && !s->out->is_entry[i]) {
    s->out->is_entry[i] = true;
    s->out->entries++;
  }
  if (s->out->is_member[i] || s->out->members == UNIT_MAX ||
      !aq_wave_code_decoded(s->code, s->ops + i))
    return;
  s->out->is_member[i] = true;
  s->out->members++;
  s->rest[s->count++] = (uint16_t)i;
}

void aq_wave_blocks_find(aq_wave_code *code, aq_wave_op *root,
                         aq_wave_blocks *out)
{
  search s = {.code = code, .ops = aq_wave_code_ops(root), .out = out};
  memset(out, 0, sizeof *out);
  search_push(&s, root, true);
  while (s.count > 0) {
    const aq_wave_op *o = s.ops + s.rest[--s.count];
    const bool ends = aq_wave_op_ends_block(o);
    if (aq_isa_flow_is_direct(aq_isa_flow_of(&o->decoded->inst))) {
      const aq_wave_op *to = aq_wave_branch_near(s.ops, o);
      if (to)
        search_push(&s, to, true);
    }
    if (aq_wave_op_goes_on(o))
      search_push(&s, aq_wave_next(o), ends);
  }
}

/* ---- text ---- */

typedef struct writing {
  FILE *out;
  const aq_wave_blocks *blocks;
  const aq_wave_op *ops;
  aq_wave_segment *segment;
} writing;

static bool is_here(const writing *w, const aq_wave_op *o)
{
  const size_t i = (size_t)(o - w->ops);
  return i < AQ_WAVE_PAGE_OPS && w->blocks->is_member[i] &&
         w->blocks->is_entry[i];
}

static void go_write(const writing *w, const aq_wave_op *to)
{
  const size_t i = (size_t)(to - w->ops);
  if (is_here(w, to))
    fprintf(w->out, "goto L%zu;\n", i);
  else
    fprintf(w->out, "OUT(ops + OP * %zu, n);\n", i);
}

/* The last instruction of a block. */
static void end_write(const writing *w, const aq_wave_op *o)
{
  const aq_wave_condition *condition = aq_wave_condition_of(o);
  const aq_wave_op *to = condition ? aq_wave_branch_near(w->ops, o) : NULL;
  const unsigned i = (unsigned)(o - w->ops);
  if (to && is_here(w, to)) {
    fprintf(w->out, "if (%s) ", condition->text);
    go_write(w, to);
    go_write(w, aq_wave_next(o));
    return;
  }
  if (strcmp(o->decoded->inst.row->name, "s_endpgm") == 0) {
    fprintf(w->out, "STATE = %d; OUT(0, n);\n", AQ_WAVE_ENDED);
    return;
  }
  if (strcmp(o->decoded->inst.row->name, "s_barrier") == 0) {
    const size_t next = (size_t)(aq_wave_next(o) - w->ops);
    fprintf(w->out,
            "ARRIVED++; STATE = %d; PC = BASE + 4 * %zu; RESUME = ops + OP * "
            "%zu; RESUMED = STEP; OUT(0, n);\n",
            AQ_WAVE_BARRIER, next, next);
    return;
  }
  fprintf(w->out, "{ const char *to = RUN(%u);\n", i);
  if (aq_wave_op_goes_on(o) && is_here(w, aq_wave_next(o)))
    fprintf(w->out, "if (to == ops + OP * %zu) goto L%zu;\n",
            (size_t)(aq_wave_next(o) - w->ops),
            (size_t)(aq_wave_next(o) - w->ops));
  fprintf(w->out, "OUT(to, n); }\n");
}

bool aq_wave_op_is_nothing(const aq_wave_op *o)
{
#if defined(__x86_64__)
  const char *name = o->decoded->inst.row->name;
  return strcmp(name, "s_nop") == 0 || strcmp(name, "s_waitcnt") == 0;
#else
  (void)o;
  return false;
#endif
}

/* Whether the block ends with this instruction. */
static bool is_last(const writing *w, const aq_wave_op *o)
{
  const aq_wave_op *next = aq_wave_next(o);
  const size_t i = (size_t)(next - w->ops);
  return aq_wave_op_ends_block(o) || i >= AQ_WAVE_PAGE_OPS ||
         !w->blocks->is_member[i] || w->blocks->is_entry[i];
}

/* The condition under which a block is repeated that ends with `o`. */
static const char *repeats(const writing *w, const aq_wave_op *first,
                           const aq_wave_op *o)
{
  const aq_wave_condition *condition = aq_wave_condition_of(o);
  return !condition || condition->of != AQ_WAVE_IF_SCC ||
                 aq_wave_branch_near(w->ops, o) != first
             ? NULL
         : condition->is_set ? "scc0"
                             : "!scc0";
}

static void block_write(const writing *w, const aq_wave_op *o)
{
  const aq_wave_op *const begin = o;
  unsigned added = 0;
  unsigned count = 1;
  const unsigned first = (unsigned)(o - w->ops);
  for (const aq_wave_op *p = o; !is_last(w, p); p = aq_wave_next(p))
    count++;
  fprintf(w->out,
          "L%u:\nif (UNLIKELY(n < %u)) OUT(ops + OP * %u + 1, n);\n"
          "n -= %u;\n",
          first, count, first, count);
  const unsigned all = count;
  for (;; o = aq_wave_next(o)) {
    const bool last = is_last(w, o);
    count--;
    if (aq_wave_op_ends_block(o)) {
      const char *condition = repeats(w, begin, o);
      if (!condition ||
          !aq_wave_segment_loop(w->segment, condition, added, all))
        aq_wave_segment_flush(w->segment);
      end_write(w, o);
      return;
    }
    added += !aq_wave_op_is_nothing(o);
    if (!aq_wave_op_is_nothing(o) && !aq_wave_segment_add(w->segment, o, count))
      fprintf(w->out, "CALL(%zu, %zu, %u);\n", (size_t)(o - w->ops),
              (size_t)(aq_wave_next(o) - w->ops), count);
    if (last) {
      aq_wave_segment_flush(w->segment);
      go_write(w, aq_wave_next(o));
      return;
    }
  }
}

static void unit_write(const writing *w)
{
  fprintf(w->out,
          "__attribute__((visibility(\"default\")))\n"
          "outcome aq_unit(char *w, const char *ops, int64_t n, unsigned at, "
          "reacher *reach_more) {\n(void)reach_more; uint32_t *const s = "
          "(uint32_t *)(w + S_AT);\n"
          "uint32_t (*const v)[ROW] = (void *)__builtin_assume_aligned(w + "
          "V_AT, 64);\n(void)s; (void)v;\nswitch (at) {\n");
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (w->blocks->is_entry[i] && w->blocks->is_member[i])
      fprintf(w->out, "case %u: goto L%u;\n", i, i);
  fprintf(w->out, "default: __builtin_unreachable(); }\n");
  for (unsigned i = 0; i < AQ_WAVE_PAGE_OPS; i++)
    if (w->blocks->is_entry[i] && w->blocks->is_member[i])
      block_write(w, w->ops + i);
  fprintf(w->out, "}\n");
}

char *aq_wave_blocks_text(const aq_wave_blocks *blocks, const aq_wave_op *ops,
                          const aq_wave_texts *texts, bool wave32, size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    return NULL;
  writing w = {.out = out, .blocks = blocks, .ops = ops};
  aq_wave_lives *lives = aq_wave_lives_find(blocks, ops, texts, wave32);
  w.segment =
      lives ? aq_wave_segment_create(texts, ops, lives, wave32, out) : NULL;
  if (w.segment) {
    aq_wave_prelude_write(out, wave32);
    unit_write(&w);
  }
  aq_wave_segment_destroy(w.segment);
  aq_wave_lives_free(lives);
  const bool ok = w.segment && !ferror(out);
  if (fclose(out) == 0 && ok)
    return text;
  free(text);
  return NULL;
}
