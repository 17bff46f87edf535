/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/wave/core/code.h"

/* Registers that instructions change without naming them. */
static const struct {
  const char *name;
  uint16_t code;
} implied[] = {{"vcc", AQ_ISA_VCC}, {"exec", AQ_ISA_EXEC}};

enum { IMPLIED = sizeof implied / sizeof *implied };

struct aq_wave_trace {
  aq_wave_trace_options options;
  uint64_t steps;
  uint64_t dispatch; /* traced last */
  const aq_wave_grid *grid;
  char *line; /* of the step under way */
  size_t size;
  FILE *to; /* the line; NULL: out of memory, nothing is traced */
  /* Before the step. */
  uint64_t old[IMPLIED];
  uint32_t scc, m0;
};

aq_wave_trace *aq_wave_trace_create(const aq_wave_trace_options *options)
{
  aq_wave_trace *trace = calloc(1, sizeof *trace);
  if (!trace)
    return NULL;
  trace->options = *options;
  return trace;
}

void aq_wave_trace_destroy(aq_wave_trace *trace)
{
  free(trace);
}

bool aq_wave_trace_chooses(const aq_wave_trace_options *options,
                           const aq_wave *w)
{
  const aq_wave_grid *grid = w->grid;
  const uint64_t group =
      w->group->id[0] +
      (uint64_t)grid->groups[0] *
          (w->group->id[1] + (uint64_t)grid->groups[1] * w->group->id[2]);
  return w->number == options->wave && group == options->workgroup;
}

bool aq_wave_trace_wants(const aq_wave_trace *trace, const aq_wave *w)
{
  return aq_wave_trace_chooses(&trace->options, w) &&
         trace->steps <= trace->options.limit;
}

aq_status aq_wave_trace_read(const char *text, aq_wave_trace_options *out,
                             aq_diag *diag)
{
  enum { LIMIT = 10000 };
  static const char *const keys[] = {"wave=", "workgroup=", "limit="};
  uint64_t values[] = {UINT64_MAX, 0, LIMIT};
  const char *at = text;
  bool ok = *text != 0;
  while (ok && *at) {
    size_t k = 0;
    char *end = NULL;
    while (k < 3 && strncmp(at, keys[k], strlen(keys[k])) != 0)
      k++;
    at += k < 3 ? strlen(keys[k]) : 0;
    ok = k < 3 && *at >= '0' && *at <= '9';
    if (ok) {
      values[k] = strtoull(at, &end, 10);
      ok = *end == 0 || (*end == ',' && end[1]);
      at = *end ? end + 1 : end;
    }
  }
  if (!ok || values[0] > UINT32_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "'%s': expected wave=N, with workgroup=N and limit=N "
                       "behind commas, whole numbers",
                       text);
  out->wave = (uint32_t)values[0];
  out->workgroup = values[1];
  out->limit = values[2];
  return AQ_OK;
}

/* ---- registers ---- */

static void lanes_put(FILE *to, const uint32_t *row, uint64_t exec)
{
  const int first = exec ? __builtin_ctzll(exec) : 0;
  uint64_t same = 0;
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    same |= (uint64_t)(row[l] == row[first]) << l;
  if (exec == 0 || (same & exec) == exec) {
    fprintf(to, exec ? "%08" PRIx32 : "-", row[first]);
    return;
  }
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    fputc(l ? ' ' : '[', to);
    fprintf(to, exec >> l & 1 ? "%" PRIx32 : "-", row[l]);
  }
  fputc(']', to);
}

static void scalar_name(FILE *to, unsigned code)
{
  if (code < 102)
    fprintf(to, "s%u=", code);
  else if (code == AQ_ISA_M0)
    fputs("m0=", to);
  else
    fprintf(to, "%s_%s=",
            code < AQ_ISA_XNACK_MASK ? "flat_scratch"
            : code < AQ_ISA_VCC      ? "xnack_mask"
            : code < AQ_ISA_TTMP0    ? "vcc"
            : code >= AQ_ISA_EXEC    ? "exec"
                                     : "ttmp",
            code & 1 ? "hi" : "lo");
}

static void operand_put(FILE *to, const aq_wave *w, const aq_isa_operand *of)
{
  const unsigned words = of->bits == 1632 || of->bits < 32 ? 1 : of->bits / 32u;
  for (unsigned i = 0; i < words; i++) {
    const unsigned code = of->code + i;
    if (of->file == 's') {
      if (code >= 128)
        return; /* a constant, which the text has */
      fputc(' ', to);
      scalar_name(to, code);
      fprintf(to, "%08" PRIx32, w->s[code]);
    } else {
      fprintf(to, " %c%u=", of->file, code);
      lanes_put(to, w->v[code + (of->file == 'a' ? AQ_WAVE_ACC : 0)],
                AQ_WAVE_EXEC(w));
    }
  }
}

/* 'D' of a store is its data. */
static bool is_written(const aq_isa_inst *inst, const aq_isa_operand *of)
{
  return (of->role == 'D' || of->role == 'E') &&
         !strstr(inst->row->name, "store");
}

static void operands_put(FILE *to, const aq_wave *w, const aq_isa_inst *inst,
                         bool written)
{
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *of = &inst->operands[i];
    if (of->file && is_written(inst, of) == written)
      operand_put(to, w, of);
  }
}

/* ---- steps ---- */

static void head_put(aq_wave_trace *trace, const aq_wave *w)
{
  const aq_wave_grid *grid = w->grid;
  if (trace->grid == grid && trace->dispatch == grid->desc.dispatch_id)
    return;
  trace->grid = grid;
  trace->dispatch = grid->desc.dispatch_id;
  fprintf(trace->options.to,
          "kernel %s, dispatch %" PRIu64 ", workgroup %" PRIu64 " (%" PRIu32
          ",%" PRIu32 ",%" PRIu32 "), wave %" PRIu32 "\n",
          grid->desc.kernel, grid->desc.dispatch_id, trace->options.workgroup,
          w->group->id[0], w->group->id[1], w->group->id[2], w->number);
}

static void line_end(aq_wave_trace *trace)
{
  fclose(trace->to);
  if (trace->line)
    fprintf(trace->options.to, "%s\n", trace->line);
  free(trace->line);
  trace->line = NULL;
  trace->to = NULL;
}

void aq_wave_trace_before(aq_wave_trace *trace, const aq_wave *w,
                          const aq_wave_op *o)
{
  char text[AQ_ISA_TEXT_SIZE];
  const uint64_t pc = aq_wave_code_pc(o), entry = w->grid->entry;
  const bool behind = pc >= entry;
  if (trace->to) /* memory went away during the step before this one */
    line_end(trace);
  if (++trace->steps > trace->options.limit) {
    if (trace->steps == trace->options.limit + 1)
      fprintf(trace->options.to,
              "the trace ends after its limit of %" PRIu64 " steps\n",
              trace->options.limit);
    return;
  }
  head_put(trace, w);
  trace->to = open_memstream(&trace->line, &trace->size);
  if (!trace->to)
    return;
  aq_isa_print(&o->decoded->inst, text);
  fprintf(trace->to, "%c0x%05" PRIx64 "  %-48s", behind ? '+' : '-',
          behind ? pc - entry : entry - pc, text);
  operands_put(trace->to, w, &o->decoded->inst, false);
  for (unsigned i = 0; i < IMPLIED; i++)
    trace->old[i] = w->s64[implied[i].code / 2];
  trace->scc = w->scc;
  trace->m0 = w->s[AQ_ISA_M0];
}

void aq_wave_trace_after(aq_wave_trace *trace, const aq_wave *w,
                         const aq_wave_op *o)
{
  if (trace->to) {
    const aq_isa_operand *to = aq_isa_operand_find(&o->decoded->inst, 'D');
    fputs(" ->", trace->to);
    operands_put(trace->to, w, &o->decoded->inst, true);
    for (unsigned i = 0; i < IMPLIED; i++)
      if (trace->old[i] != w->s64[implied[i].code / 2] &&
          !(to && to->file == 's' && to->code == implied[i].code))
        fprintf(trace->to, " %s=%016" PRIx64, implied[i].name,
                w->s64[implied[i].code / 2]);
    if (trace->scc != w->scc)
      fprintf(trace->to, " scc=%" PRIu32, w->scc);
    if (trace->m0 != w->s[AQ_ISA_M0])
      fprintf(trace->to, " m0=%08" PRIx32, w->s[AQ_ISA_M0]);
    line_end(trace);
  }
}
