/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/mode.h"
#include "gpu/wave/jit/jit_segment.h"

/* Whether it reads a scalar before lanes write it as a mask: the next turn
 * would read the mask. */
static bool reads_masks(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].number && (g->scalars[i].mask || g->scalars[i].second))
      return true;
  return false;
}

/* Whether two rows are one value from turn to turn. */
static bool is_pair(const aq_wave_segment *g, unsigned row)
{
  const row_value *a = &g->rows[row], *b = a + 1;
  return row + 1 < AQ_WAVE_ROWS && a->number && a->number == b->number &&
         a->part == LOW && b->part == HIGH &&
         (a->begun == UNREAD || a->begun == PAIR_LOW) &&
         (b->begun == UNREAD || b->begun == PAIR_HIGH);
}

static bool is_word(const aq_wave_segment *g, unsigned row)
{
  return g->rows[row].number && !is_pair(g, row) &&
         !(row > 0 && is_pair(g, row - 1));
}

/* Scalars live in `sl` and `scc0` from turn to turn. */
static void turn_scalars_write(const aq_wave_segment *g)
{
  fprintf(g->out, "%s%s", g->texts_made[0], g->texts_made[1]);
}

static void turn_scalars_end(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written)
      fprintf(g->out, "s[%u] = s%u_%u;\n", i, i, g->scalars[i].number);
  if (g->scc.written)
    fprintf(g->out, "scc0 = scc_%u;\n", g->scc.number);
}

static void turns_begin(const aq_wave_segment *g, const char *name)
{
  fprintf(g->out, "uint32_t %s[%d]; uint32_t scc0 = SCC; (void)scc0;\n", name,
          AQ_WAVE_SCALARS);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].number)
      fprintf(g->out, "%s[%u] = s[%u];\n", name, i, i);
}

/* How often the loop runs, and the scalars after it. */
static void turns_count(const aq_wave_segment *g, const char *condition,
                        unsigned count)
{
  fprintf(g->out,
          "uint32_t turns = 0; uint32_t after[%d], scc_after;\n"
          "const uint32_t most = (uint32_t)((n + %u) / %u);\n{\n",
          AQ_WAVE_SCALARS, count, count);
  turns_begin(g, "sl");
  fprintf(g->out, "{ uint32_t *const s = sl; (void)s; do {\n");
  turn_scalars_write(g);
  turn_scalars_end(g);
  fprintf(g->out, "turns++; } while ((%s) && turns < most); }\n", condition);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written)
      fprintf(g->out, "after[%u] = sl[%u];\n", i, i);
  fprintf(g->out, "scc_after = scc0; }\n(void)after;\n");
}

/* Lanes of a group, all turns. */
static void turns_lanes_write(const aq_wave_segment *g)
{
  turns_begin(g, "sl");
  fprintf(g->out, "uint32_t *const vrow = &v[0][g]; (void)vrow;\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (g->rows[i].number)
      fprintf(g->out,
              "uint32_t t%u[16] ALIGNED; keep16(t%u, &vrow[ROW * %u]);\n", i, i,
              i);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out,
              "uint64_t q%u[16] ALIGNED; EACH16(j) q%u[j] = t%u[j] | "
              "(uint64_t)t%u[j] << 32;\n",
              i, i, i, i + 1);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint32_t b%u[16] ALIGNED = {0};\n", g->scalars[i].mask);
  if (g->nan)
    fprintf(g->out, "uint32_t nans[16] ALIGNED = {0};\n");
  fprintf(g->out, "for (uint32_t turn = 0; turn < turns; turn++) {\n"
                  "uint32_t *const s = sl; (void)s;\n");
  turn_scalars_write(g);
  fprintf(g->out, "EACH16(j) { const int l = g + j; (void)l;\n%s",
          g->nan ? "uint32_t nan = 0;\n" : "");
  for (unsigned i = 0; i + 1 < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out, "const uint64_t p%u = q%u[j];\n", i, i);
    else if (g->rows[i].begun == PAIR_LOW)
      fprintf(g->out, "const uint64_t p%u = t%u[j] | (uint64_t)t%u[j] << 32;\n",
              i, i, i + 1);
  fputs(g->texts_made[2], g->out);
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i) && g->rows[i].written)
      fprintf(g->out, "q%u[j] = x%u;\n", i, g->rows[i].number);
    else if (is_word(g, i) && g->rows[i].written)
      fprintf(g->out, "t%u[j] = (uint32_t)(x%u%s);\n", i, g->rows[i].number,
              g->rows[i].part == HIGH ? " >> 32" : "");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "b%u[j] = 0u - c%u;\n", g->scalars[i].mask,
              g->scalars[i].mask);
  fprintf(g->out, "%s}\n", g->nan ? "nans[j] |= 0u - nan;\n" : "");
  turn_scalars_end(g);
  fprintf(g->out, "}\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (is_pair(g, i))
      fprintf(g->out,
              "EACH16(j) { t%u[j] = (uint32_t)q%u[j]; t%u[j] = "
              "(uint32_t)(q%u[j] >> 32); }\n",
              i, i, i + 1, i);
}

static void slow_turns_write(const aq_wave_segment *g, const char *exec)
{
  aq_wave_segment_list(g, "list", g->list);
  fprintf(g->out,
          "for (uint32_t turn = 0; turn < turns; turn++) "
          "slow(w, ops, list, %u, %s);\n",
          g->count, exec);
}

static void turns_groups_write(const aq_wave_segment *g)
{
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "uint64_t m%u = 0;\n", g->scalars[i].mask);
  if (g->wide) {
    fprintf(g->out, "if (UNLIKELY(SPLIT)) {\n");
    slow_turns_write(g, "exec");
    fprintf(g->out, "goto N%u; }\n", g->list[0]);
  }
  fprintf(g->out, "#undef R\n#define R(i) t##i[j]\n"
                  "#undef P\n#define P(i, k) p##i\n"
                  "for (int g = 0; g < LANES; g += 16) {\n"
                  "const uint32_t on = (uint32_t)(exec >> g) & 0xffff;\n"
                  "if (UNLIKELY(!on)) continue;\n");
  turns_lanes_write(g);
  if (g->nan) {
    fprintf(g->out, "if (UNLIKELY(bits16(nans) & on)) {\n");
    slow_turns_write(g, "exec & ~(uint64_t)0 << g");
    aq_wave_segment_masks_commit(g, "|=");
    fprintf(g->out, "goto N%u; }\n", g->list[0]);
  }
  /* A group's results go into the registers. */
  fprintf(g->out, "if (LIKELY(on == 0xffff)) {\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (aq_wave_segment_row_lives(g, i))
      fprintf(g->out, "keep16(&v[%u][g], t%u);\n", i, i);
  fprintf(g->out, "} else {\n");
  for (unsigned i = 0; i < AQ_WAVE_ROWS; i++)
    if (aq_wave_segment_row_lives(g, i))
      fprintf(g->out, "mix16(&v[%u][g], t%u, on);\n", i, i);
  fprintf(g->out, "}\n");
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].mask)
      fprintf(g->out, "m%u |= (uint64_t)bits16(b%u) << g;\n",
              g->scalars[i].mask, g->scalars[i].mask);
  fprintf(g->out, "}\n#undef R\n#define R(i) v[i][l]\n"
                  "#undef P\n#define P(i, k) (v[i][l] | (uint64_t)v[k][l] << "
                  "32)\n");
}

bool aq_wave_segment_loop(aq_wave_segment *g, const char *condition,
                          unsigned added, unsigned count)
{
  if (g->count != added || !g->lanes || g->exec || g->parts > 0 || g->loads ||
      g->moves || reads_masks(g) || !g->doubles)
    return false;
  const bool named = g->nan || g->wide;
  aq_wave_segment_floats(g);
  aq_wave_segment_texts_end(g);
  fprintf(g->out,
          "{\nconst uint32_t ieee = MODE & %d; (void)ieee; SIGNS\n"
          "const uint64_t exec = EXEC;\n",
          AQ_WAVE_MODE_IEEE);
  turns_count(g, condition, count);
  fprintf(g->out, "n -= (int64_t)(turns - 1) * %u;\n", count);
  turns_groups_write(g);
  for (unsigned i = 0; i < AQ_WAVE_SCALARS; i++)
    if (g->scalars[i].written && !g->scalars[i].mask && !g->scalars[i].second)
      fprintf(g->out, "s[%u] = after[%u];\n", i, i);
  fprintf(g->out, "SCC = scc_after;\n");
  aq_wave_segment_masks_commit(g, "=");
  fprintf(g->out, "}\n");
  if (named)
    fprintf(g->out, "N%u:;\n", g->list[0]);
  aq_wave_segment_restart(g);
  return true;
}
