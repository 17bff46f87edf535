/* SPDX-License-Identifier: MIT */
/*
 * Values of other lanes, by DPP: the row that they come from is an array or a
 * register, which the open part did not write. A group takes its lanes from it
 * at once, before the lanes' arithmetic.
 */
#include "config.h"

#include "gpu/wave/core/dpp.h"
#include "gpu/wave/jit/jit_segment.h"

/* How the lanes of a move lie. */
typedef enum move_kind {
  NEAR, /* within eight */
  ROW,  /* within sixteen */
  ONE,  /* sixteen read one */
  FAR
} move_kind;

static move_kind kind_of(const aq_wave_move *move)
{
  bool near = true, row = true, one = true;
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    near &= move->from[l] / 8 == l / 8;
    row &= move->from[l] / 16 == l / 16;
    one &= !(move->reads >> l & 1) || move->from[l] == move->from[l | 15];
  }
  return one ? ONE : near ? NEAR : row ? ROW : FAR;
}

bool aq_wave_segment_move_conflicts(const aq_wave_segment *g,
                                    const aq_wave_op *o)
{
  const aq_wave_move *move = aq_wave_text_move(o);
  return move && move->fetches && g->rows[o->source[0]].written;
}

/* A table of words, one a lane. */
static void table_write(const aq_wave_segment *g, char letter, uint32_t number,
                        const uint32_t *words)
{
  fprintf(g->body, "static const uint32_t %c%u[LANES] ALIGNED = {", letter,
          number);
  for (int l = 0; l < (g->wave32 ? 32 : AQ_WAVE_LANES); l++)
    fprintf(g->body, words[l] == UINT32_MAX ? "~0u," : "%u,", words[l]);
  fprintf(g->body, "};\n");
}

static void mask_table_write(const aq_wave_segment *g, char letter,
                             uint32_t number, uint64_t lanes)
{
  uint32_t words[AQ_WAVE_LANES];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    words[l] = lanes >> l & 1 ? UINT32_MAX : 0;
  table_write(g, letter, number, words);
}

void aq_wave_segment_move(aq_wave_segment *g, const aq_wave_op *o,
                          const char *array, aq_wave_moved *out)
{
  static const char *const functions[] = {[NEAR] = "move_near",
                                          [ROW] = "move_row",
                                          [ONE] = "move_one",
                                          [FAR] = "move_far"};
  const aq_wave_move *move = aq_wave_text_move(o);
  const uint32_t number = ++g->numbers;
  uint32_t from[AQ_WAVE_LANES];
  g->moves = true;
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    from[l] = move->from[l];
  table_write(g, 'f', number, from);
  /* z and the number: all ones in the lanes whose source can be read or, where
   * the others keep their words, in the lanes that write. */
  mask_table_write(g, 'r', number,
                   move->zeroes ? move->reads : move->reads & move->writes);
  if (move->fetches)
    fprintf(g->body, "const uint32_t *const z%u = r%u;\n", number, number);
  else
    fprintf(g->body,
            "uint32_t e%u[LANES] ALIGNED;\nconst uint32_t *const z%u = "
            "move_valid(exec, r%u, f%u, e%u);\n",
            number, number, number, number, number);
  fprintf(g->group,
          "uint32_t m%u[GROUP] ALIGNED; *(group *)m%u = %s(%s, f%u, g)", number,
          number, functions[kind_of(move)], array, number);
  fprintf(g->group, move->zeroes ? " & *(const group *)(z%u + g);\n" : ";\n",
          number);
  snprintf(out->source, sizeof out->source, "m%u[j]", number);
  *out->mask = '\0';
  if (!move->zeroes) {
    snprintf(out->mask, sizeof out->mask, "z%u[l]", number);
  } else if (move->writes != UINT64_MAX) {
    mask_table_write(g, 'w', number, move->writes);
    snprintf(out->mask, sizeof out->mask, "w%u[l]", number);
  }
}
