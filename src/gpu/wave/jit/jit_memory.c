/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_segment.h"

#include <inttypes.h>

/* ---- addresses ---- */

static known_address key_of(const aq_wave_segment *g, const aq_wave_op *o,
                            const aq_wave_transfer *t)
{
  known_address key = {.row = o->source[1],
                       .pair = !t->shared && o->dest2 == AQ_WAVE_NONE};
  key.stamps[0] = g->rows[key.row].stamp;
  key.stamps[1] = key.pair ? g->rows[key.row + 1].stamp : 0;
  return key;
}

static uint32_t address_known(const aq_wave_segment *g,
                              const known_address *key)
{
  for (unsigned i = 0; i < KNOWN && i < g->addresses_made; i++) {
    const known_address *k = &g->known[i];
    if (k->row == key->row && k->pair == key->pair &&
        k->stamps[0] == key->stamps[0] && k->stamps[1] == key->stamps[1])
      return k->number;
  }
  return 0;
}

/* The word of LDS that an array waits for, or NULL. */
static pending_word *pending_of(aq_wave_segment *g, uint32_t array)
{
  for (unsigned i = 0; array && i < g->pending_count; i++)
    if (g->pending[i].array == array)
      return &g->pending[i];
  return NULL;
}

bool aq_wave_segment_waits(aq_wave_segment *g, uint32_t array)
{
  pending_word *p = pending_of(g, array);
  if (p)
    p->used = true;
  return p != NULL;
}

void aq_wave_segment_array(aq_wave_segment *g, unsigned row, char *text)
{
  if (g->rows[row].open)
    aq_wave_segment_close(g);
  aq_wave_affine_array(g, row);
  aq_wave_segment_fetch(g, g->rows[row].array);
  if (g->rows[row].array)
    snprintf(text, NAME, "t%u", g->rows[row].array);
  else
    snprintf(text, NAME, "v[%u]", row);
}

/* The addresses of the lanes; lanes that are off have the address of one that
 * is on. Of addresses of two words the upper ones must be the same. */
static uint32_t address_write(aq_wave_segment *g, known_address key)
{
  char low[NAME], high[NAME];
  const uint32_t number = key.number = ++g->numbers;
  aq_wave_segment_array(g, key.row, low);
  if (key.pair)
    aq_wave_segment_array(g, key.row + 1u, high);
  fprintf(g->body,
          "uint32_t la%u[LANES] ALIGNED;\nconst uint32_t *const a%u = "
          "settle(%s, la%u, exec);\n",
          number, number, low, number);
  if (key.pair)
    fprintf(g->body,
            "uint32_t ha%u[LANES] ALIGNED;\nconst uint32_t *const h%u = "
            "settle(%s, ha%u, exec);\nconst order o%u = order_pair(a%u, h%u);\n"
            "if (UNLIKELY(o%u.kind == APART)) goto %c%u;\n",
            number, number, high, number, number, number, number, number,
            aq_wave_segment_else(g), g->list[0]);
  else
    fprintf(g->body, "const order o%u = order_of(a%u);\n", number, number);
  g->known[g->addresses_made++ % KNOWN] = key;
  return number;
}

/* The number that the addresses are added to. */
static void base_write(aq_wave_segment *g, const aq_wave_op *o,
                       uint32_t address, char *text)
{
  if (o->dest2 == AQ_WAVE_NONE)
    snprintf(text, PAIR, "((uint64_t)h%u[0] << 32)", address);
  else
    aq_wave_segment_scalars(g, o->dest2, text);
}

/* ---- loads ---- */

uint32_t aq_wave_segment_loaded(aq_wave_segment *g, unsigned row)
{
  row_value *r = &g->rows[row];
  r->array = ++g->numbers;
  r->stamp = ++g->numbers;
  r->number = 0;
  r->part = WHOLE;
  r->written = true;
  r->open = false;
  r->affine = 0;
  fprintf(g->body, "uint32_t t%u[LANES] ALIGNED;\n", r->array);
  return r->array;
}

static void global_load(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_transfer *t, uint32_t address)
{
  const unsigned number = (unsigned)(o - g->ops);
  char base[PAIR];
  uint32_t arrays[4];
  base_write(g, o, address, base);
  for (unsigned i = 0; i < t->words; i++)
    arrays[i] = aq_wave_segment_loaded(g, o->dest + i);
  fprintf(g->body,
          "{ AT = ops + OP * %u; const uint8_t *p = reach(w, RANGE(%u), "
          "reach_more, "
          "%s + (uint64_t)%" PRId64 ", o%u, %u, false);\n"
          "if (UNLIKELY(!p)) goto %c%u;\n"
          "if (LIKELY(o%u.kind == ROW1)) ahead(STRIDE(%u), p + a%u[0]);\n",
          number, number, base, (int64_t)o->imm, address, 4u * t->words,
          aq_wave_segment_else(g), g->list[0], address, number, address);
  for (unsigned i = 0; i + 1 < t->words; i += 2)
    fprintf(g->body, "fetch2(p + %u, a%u, t%u, t%u);\n", 4 * i, address,
            arrays[i], arrays[i + 1]);
  if (t->words & 1)
    fprintf(g->body, "fetch(p + %u, a%u, o%u.kind, t%u);\n",
            4 * (t->words - 1u), address, address, arrays[t->words - 1]);
  fprintf(g->body, "}\n");
  g->far_loads = true;
}

/* Where an element of LDS lies behind its address. */
static uint32_t element_at(const aq_wave_op *o, const aq_wave_transfer *t,
                           unsigned element)
{
  const uint32_t imm = (uint32_t)o->imm;
  return t->scale ? (imm >> 8 * element & 0xff) * 4u * t->words * t->scale
                  : imm;
}

static void shared_load(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_transfer *t, uint32_t address)
{
  const unsigned words = t->words * (t->scale ? 2u : 1u);
  for (unsigned i = 0; i < words; i++) {
    const uint32_t at = element_at(o, t, i / t->words) + 4 * (i % t->words);
    const uint32_t array = aq_wave_segment_loaded(g, o->dest + i);
    g->pending[g->pending_count++] =
        (pending_word){.address = address, .at = at, .array = array};
  }
}

/* Scalars are the same for all lanes: one load, before the lanes. */
static void scalar_load(aq_wave_segment *g, const aq_wave_op *o)
{
  char base[PAIR], more[NAME] = "0";
  const unsigned number = (unsigned)(o - g->ops),
                 words = o->decoded->bytes / 4u;
  aq_wave_segment_scalars(g, o->source[0], base);
  if (o->decoded->scalar != AQ_WAVE_NONE)
    aq_wave_segment_scalar_name(g, o->decoded->scalar, more);
  for (unsigned i = 0; i < words; i++) {
    g->scalars[o->dest + i] =
        (scalar_value){.number = ++g->numbers, .written = true};
    fprintf(g->heads, "uint32_t s%u_%u;\n", o->dest + i, g->numbers);
  }
  fprintf(g->steps,
          "{ AT = ops + OP * %u; const uint8_t *p = reach_one(w, RANGE(%u), "
          "reach_more, (%s + (uint64_t)%" PRId64 " + %s) & ~(uint64_t)3, %u);\n"
          "if (UNLIKELY(!p)) goto %c%u;\n",
          number, number, base, (int64_t)o->imm, more, 4 * words,
          aq_wave_segment_else(g), g->list[0]);
  for (unsigned i = 0; i < words; i++)
    fprintf(g->steps, "s%u_%u = *(const word *)(p + %u);\n", o->dest + i,
            g->scalars[o->dest + i].number, 4 * i);
  fprintf(g->steps, "}\n");
}

/* ---- parts ---- */

typedef struct part_text {
  const char *each, *group;
  bool nan;
} part_text;

/* Whether it is the first word at its address that the open part uses. */
static bool is_first(const aq_wave_segment *g, unsigned i)
{
  for (unsigned k = 0; k < i; k++)
    if (g->pending[k].used && g->pending[k].address == g->pending[i].address)
      return false;
  return g->pending[i].used;
}

/* Lanes that load words in a row, each, probably load the same ones: else they
 * would load most of them several times. */
static bool is_one(const aq_wave_segment *g, uint32_t address)
{
  for (unsigned i = 0; i < g->pending_count; i++)
    for (unsigned k = 0; k < g->pending_count; k++)
      if (g->pending[i].address == address &&
          g->pending[k].address == address &&
          g->pending[i].at + 4 == g->pending[k].at)
        return true;
  return false;
}

/* All words at each address are in LDS. */
static void bounds_write(aq_wave_segment *g)
{
  for (unsigned i = 0; i < g->pending_count; i++) {
    uint32_t end = 0;
    for (unsigned k = i; k < g->pending_count; k++) {
      pending_word *p = &g->pending[k];
      if (p->address != g->pending[i].address || p->bounded)
        continue;
      end = p->at + 4 > end ? p->at + 4 : end;
      p->bounded = true;
    }
    if (end > 0)
      fprintf(g->body, "if (UNLIKELY(MOST(o%u) + %uu > LDS_SIZE)) goto %c%u;\n",
              g->pending[i].address, end, aq_wave_segment_else(g), g->list[0]);
  }
}

static void word_fetch(const aq_wave_segment *g, const pending_word *p)
{
  fprintf(g->body, "fetch(LDS + %u, a%u, o%u.kind, t%u);\n", p->at, p->address,
          p->address, p->array);
}

void aq_wave_segment_fetch(aq_wave_segment *g, uint32_t array)
{
  pending_word *p = pending_of(g, array);
  if (!p)
    return;
  bounds_write(g);
  word_fetch(g, p);
  if (p->used) /* by the open part */
    fprintf(g->body, "#undef T%u\n#define T%u t%u[l]\n", array, array, array);
  *p = g->pending[--g->pending_count];
}

void aq_wave_segment_bound(aq_wave_segment *g)
{
  bounds_write(g);
}

/* The part; `direct`: with words from LDS. */
static void loop_write(const aq_wave_segment *g, const part_text *part,
                       bool direct)
{
  fprintf(g->body, "for (int g = 0; g < LANES; g += GROUP) { ON\n%s",
          part->nan ? "uint32_t nans[GROUP] ALIGNED;\n" : "");
  for (unsigned i = 0; direct && i < g->pending_count; i++)
    if (is_first(g, i))
      fprintf(g->body, "const uint8_t *const p%u = LDS + a%u[g];\n",
              g->pending[i].address, g->pending[i].address);
  fprintf(g->body, "%sEACH(j) { const int l = g + j; (void)l;\n%s%s%s}\n%s}\n",
          part->group, part->nan ? "uint32_t nan = 0;\n" : "", part->each,
          part->nan ? "nans[j] = 0u - nan;\n" : "",
          part->nan ? "bad |= bits(nans) & on;\n" : "");
}

static void macros_write(const aq_wave_segment *g, bool direct)
{
  for (unsigned i = 0; i < g->pending_count; i++) {
    const pending_word *p = &g->pending[i];
    if (!p->used)
      continue;
    fprintf(g->body, "#undef T%u\n#define T%u ", p->array, p->array);
    if (!direct)
      fprintf(g->body, "t%u[l]\n", p->array);
    else if (is_one(g, p->address))
      fprintf(g->body, "(*(const word *)(p%u + %u))\n", p->address, p->at);
    else
      fprintf(g->body, "(((const word *)(p%u + %u))[j])\n", p->address, p->at);
  }
}

/* Words of LDS go from there into the part's arithmetic if lanes load what
 * their number of words lets expect. */
static void direct_write(const aq_wave_segment *g, const part_text *part)
{
  fprintf(g->body, "if (LIKELY(1");
  for (unsigned i = 0; i < g->pending_count; i++)
    if (is_first(g, i))
      fprintf(g->body, " && o%u.kind %s", g->pending[i].address,
              is_one(g, g->pending[i].address) ? "== ONES" : "<= ROWS");
  fprintf(g->body, ")) {\n");
  macros_write(g, true);
  loop_write(g, part, true);
  fprintf(g->body, "} else {\n");
  macros_write(g, false);
  for (unsigned i = 0; i < g->pending_count; i++)
    if (g->pending[i].used)
      word_fetch(g, &g->pending[i]);
  loop_write(g, part, false);
  fprintf(g->body, "}\n");
}

void aq_wave_segment_part(aq_wave_segment *g, const char *each,
                          const char *group, bool nan)
{
  const part_text part = {each, group, nan};
  bool used = false;
  bounds_write(g);
  for (unsigned i = 0; i < g->pending_count; i++)
    used |= g->pending[i].used;
  if (used)
    direct_write(g, &part);
  else
    loop_write(g, &part, false);
  for (unsigned i = 0; i < g->pending_count; i++)
    g->pending[i].used = false;
}

/* ---- stores ---- */

/* A store that cannot be made at once is its handler's, which reads the
 * registers, also the dead ones. */
static void store_else(aq_wave_segment *g, const aq_wave_op *o, bool shared,
                       const unsigned *rows, unsigned count)
{
  const unsigned at = (unsigned)(o - g->ops);
  for (unsigned i = 0; i < count; i++)
    if (g->rows[rows[i]].written)
      fprintf(g->tail, "put(v[%u], t%u, exec);\n", rows[i],
              g->rows[rows[i]].array);
  for (unsigned i = 0; !shared && o->dest2 != AQ_WAVE_NONE && i < 2; i++)
    if (g->scalars[o->dest2 + i].written)
      fprintf(g->tail, "s[%u] = s%u_%u;\n", o->dest2 + i, o->dest2 + i,
              g->scalars[o->dest2 + i].number);
  fprintf(g->tail, "CALL(%u, %u, %u); }\n", at,
          (unsigned)(aq_wave_next(o) - g->ops), g->rests[g->count - 1]);
}

/* The rows that a store reads: addresses, then words. */
static unsigned store_rows(const aq_wave_op *o, const aq_wave_transfer *t,
                           unsigned rows[AQ_WAVE_STORE_ROWS])
{
  unsigned count = 0;
  rows[count++] = o->source[1];
  if (!t->shared && o->dest2 == AQ_WAVE_NONE)
    rows[count++] = o->source[1] + 1u;
  for (unsigned i = 0; i < t->words; i++)
    rows[count++] = o->source[2] + i;
  for (unsigned i = 0; t->scale && i < t->words; i++)
    rows[count++] = o->decoded->data2 + i;
  return count;
}

static void store_write(aq_wave_segment *g, const aq_wave_op *o,
                        const aq_wave_transfer *t, uint32_t address)
{
  unsigned rows[AQ_WAVE_STORE_ROWS];
  char base[PAIR], text[NAME];
  const unsigned number = (unsigned)(o - g->ops),
                 count = store_rows(o, t, rows),
                 words = t->words * (t->scale ? 2u : 1u);
  const uint32_t first = element_at(o, t, 0), second = element_at(o, t, 1);
  for (unsigned i = count - words; i < count; i++)
    aq_wave_segment_array(g, rows[i], text);
  fprintf(g->tail, "{ const uint32_t *const d[] = {");
  for (unsigned i = count - words; i < count; i++) {
    aq_wave_segment_array(g, rows[i], text);
    fprintf(g->tail, "%s,", text);
  }
  fprintf(g->tail, "};\n");
  if (t->shared) {
    fprintf(g->tail,
            "if (LIKELY(MOST(o%u) + %uu <= LDS_SIZE)) {\n"
            "store(LDS + %u, a%u, o%u.kind, exec, %u, d);\n",
            address, (second > first ? second : first) + 4u * t->words, first,
            address, address, t->words);
    if (t->scale)
      fprintf(g->tail, "store(LDS + %u, a%u, o%u.kind, exec, %u, d + %u);\n",
              second, address, address, t->words, t->words);
  } else {
    base_write(g, o, address, base);
    fprintf(g->tail,
            "AT = ops + OP * %u; uint8_t *p = (uint8_t *)reach(w, RANGE(%u), "
            "reach_more, %s + (uint64_t)%" PRId64 ", o%u, %u, true);\n"
            "if (LIKELY(p != 0)) { QUIET = false;\n"
            "if (LIKELY(o%u.kind == ROW1)) ahead(STRIDE(%u), p + a%u[0]);\n"
            "store(p, a%u, o%u.kind, exec, %u, d);\n",
            number, number, base, (int64_t)o->imm, address, 4u * t->words,
            address, number, address, address, address, t->words);
  }
  fprintf(g->tail, "} else {\n");
  store_else(g, o, t->shared, rows, count);
  fprintf(g->tail, "}\n");
}

/* ---- transfers ---- */

bool aq_wave_segment_excludes(const aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_transfer *t)
{
  const unsigned base = t->scalar ? o->source[0] : o->dest2;
  if (g->exec)
    return true;
  if (t->scalar)
    return g->far_loads || aq_wave_segment_has_mask(g, base, 2) ||
           aq_wave_segment_has_mask(g, o->dest, o->decoded->bytes / 4u) ||
           (o->decoded->scalar != AQ_WAVE_NONE &&
            aq_wave_segment_has_mask(g, o->decoded->scalar, 1));
  return !t->shared && base != AQ_WAVE_NONE &&
         aq_wave_segment_has_mask(g, base, 2);
}

void aq_wave_segment_transfer(aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_transfer *t)
{
  g->loads = true;
  if (t->scalar) {
    scalar_load(g, o);
    return;
  }
  if (aq_wave_affine_transfer(g, o, t)) {
    g->stores |= t->store;
    return;
  }
  const known_address key = key_of(g, o, t);
  uint32_t address = address_known(g, &key);
  if (!address)
    address = address_write(g, key);
  g->lanes = true;
  if (t->store)
    store_write(g, o, t, address);
  else if (t->shared)
    shared_load(g, o, t, address);
  else
    global_load(g, o, t, address);
  g->stores |= t->store;
}
