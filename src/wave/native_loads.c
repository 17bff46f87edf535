/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/native_segment.h"

#include <inttypes.h>

/* ---- addresses ---- */

static known_address key_of(const aq_wave_segment *g, const aq_wave_op *o,
                            const aq_wave_load *load)
{
  known_address key = {.row = o->r[1],
                       .shared = load->shared,
                       .pair = !load->shared && o->e == AQ_WAVE_NONE};
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
        k->shared == key->shared && k->stamps[0] == key->stamps[0] &&
        k->stamps[1] == key->stamps[1])
      return k->number;
  }
  return 0;
}

/* The offsets of a group's lanes in an array, their order, and of addresses the
 * upper words too, which must be the same. Lanes that are off have the address
 * of one that is on. */
static uint32_t address_write(aq_wave_segment *g, known_address key)
{
  char text[NAME];
  const uint32_t number = key.number = ++g->numbers;
  fprintf(g->body, "uint32_t a%u[16] ALIGNED;\n", number);
  aq_wave_segment_row(g, key.row, text);
  fprintf(g->each, "a%u[j] = %s;\n", number, text);
  if (key.pair) {
    fprintf(g->body, "uint32_t h%u[16] ALIGNED;\n", number);
    aq_wave_segment_row(g, key.row + 1u, text);
    fprintf(g->each, "h%u[j] = %s;\n", number, text);
  }
  g->open = true;
  aq_wave_segment_close(g);
  fprintf(g->body, "settle(a%u, on);\n", number);
  if (key.pair)
    fprintf(g->body, "settle(h%u, on);\nif (UNLIKELY(differ(h%u))) goto F%u;\n",
            number, number, g->list[0]);
  fprintf(g->body, "const unsigned k%u = order(a%u);\n", number, number);
  if (key.shared)
    fprintf(g->body, "const uint64_t most%u = most(a%u);\n", number, number);
  g->known[g->addresses_made++ % KNOWN] = key;
  return number;
}

/* ---- loads ---- */

/* A register that the segment did not read so far gets the word at once: if the
 * handlers repeat the segment, they load it again. */
static pending_word word_of(aq_wave_segment *g, uint32_t at, uint32_t address,
                            unsigned row)
{
  row_value *r = &g->rows[row];
  const bool direct = !r->read && !r->written;
  if (!direct && !r->written)
    fprintf(g->body, "uint32_t t%u[16] ALIGNED;\n", row);
  r->number = 0;
  r->part = WHOLE;
  r->stamp = ++g->numbers;
  if (!direct)
    r->written = r->held = true;
  return (pending_word){address, at, (uint16_t)row, direct};
}

/* Words of one address in one way of loading them. */
static void words_fetch(const aq_wave_segment *g, const pending_word *words,
                        unsigned count, uint32_t address, const char *way,
                        const char *last)
{
  for (unsigned i = 0; i < count; i++) {
    const pending_word *p = &words[i];
    if (p->address == address)
      fprintf(g->body,
              p->direct ? "%s(p + %u, a%u, &v[%u][g]%s);\n"
                        : "%s(p + %u, a%u, t%u%s);\n",
              way, p->at, address, p->row, last);
  }
}

/* The same from `p`, whatever order the lanes' addresses have. */
static void words_write(const aq_wave_segment *g, const pending_word *words,
                        unsigned count, uint32_t address)
{
  fprintf(g->body, "if (UNLIKELY(on != 0xffff)) {\n");
  words_fetch(g, words, count, address, "fetch_some", ", on");
  fprintf(g->body, "} else if (k%u == ROWED) {\n", address);
  words_fetch(g, words, count, address, "fetch_row", "");
  fprintf(g->body, "} else if (k%u == ONE) {\n", address);
  words_fetch(g, words, count, address, "fetch_one", "");
  fprintf(g->body, "} else {\n");
  words_fetch(g, words, count, address, "fetch_each", "");
  fprintf(g->body, "}\n");
}

/* Pending words at an address, and the next address. */
static void pending_write(aq_wave_segment *g, uint32_t address)
{
  uint32_t end = 0;
  for (unsigned i = 0; i < g->pending_count; i++)
    if (g->pending[i].address == address && g->pending[i].at + 4 > end)
      end = g->pending[i].at + 4;
  fprintf(g->body,
          "if (UNLIKELY(most%u + %uu > LDS_SIZE)) goto F%u;\n"
          "{ const uint8_t *p = LDS;\n",
          address, end, g->list[0]);
  words_write(g, g->pending, g->pending_count, address);
  fprintf(g->body, "}\n");
}

void aq_wave_segment_fetch(aq_wave_segment *g)
{
  for (unsigned i = 0; i < g->pending_count; i++) {
    bool first = true;
    for (unsigned k = 0; k < i; k++)
      first &= g->pending[k].address != g->pending[i].address;
    if (first)
      pending_write(g, g->pending[i].address);
  }
  g->pending_count = 0;
}

/* Words that the row waits for come before others. */
static void row_order(aq_wave_segment *g, unsigned row)
{
  for (unsigned i = 0; i < g->pending_count; i++)
    if (g->pending[i].row == row)
      aq_wave_segment_fetch(g);
}

static void global_write(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_load *load, uint32_t address)
{
  const unsigned number = (unsigned)(o - g->ops);
  pending_word words[4];
  char base[PAIR];
  if (o->e == AQ_WAVE_NONE)
    snprintf(base, sizeof base, "((uint64_t)h%u[0] << 32)", address);
  else
    aq_wave_segment_scalars(g, o->e, base);
  for (unsigned i = 0; i < load->words; i++)
    row_order(g, o->d + i);
  for (unsigned i = 0; i < load->words; i++)
    words[i] = word_of(g, 4 * i, address, o->d + i);
  fprintf(g->body,
          "{ AT = ops + OP * %u; const uint8_t *p = reach(w, AT, reach_more, "
          "%s + (uint64_t)%" PRId64 ", a%u, %u);\n"
          "if (UNLIKELY(!p)) goto F%u;\n",
          number, base, (int64_t)o->imm, address, 4u * load->words, g->list[0]);
  words_write(g, words, load->words, address);
  fprintf(g->body, "}\n");
}

static void shared_add(aq_wave_segment *g, uint32_t at, uint32_t address,
                       unsigned row, unsigned words)
{
  for (unsigned i = 0; i < words; i++) {
    row_order(g, row + i);
    g->pending[g->pending_count++] = word_of(g, at + 4 * i, address, row + i);
  }
}

static void shared_write(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_load *load, uint32_t address)
{
  const uint32_t imm = (uint32_t)o->imm, unit = 4u * load->words * load->scale;
  if (!load->scale) {
    shared_add(g, imm, address, o->d, load->words);
    return;
  }
  shared_add(g, (imm & 0xff) * unit, address, o->d, load->words);
  shared_add(g, (imm >> 8 & 0xff) * unit, address, o->d + load->words,
             load->words);
}

bool aq_wave_segment_excludes(const aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_load *load)
{
  return g->exec || (!load->shared && o->e != AQ_WAVE_NONE &&
                     aq_wave_segment_has_mask(g, o->e, 2));
}

void aq_wave_segment_load(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_load *load)
{
  const known_address key = key_of(g, o, load);
  uint32_t address = address_known(g, &key);
  if (!address)
    address = address_write(g, key);
  aq_wave_segment_close(g);
  if (load->shared)
    shared_write(g, o, load, address);
  else
    global_write(g, o, load, address);
  g->lanes = g->loads = true;
}

/* ---- prelude ---- */

/* Words of sixteen lanes in a row, or one word, are one access, as for the
 * interpreter (access.inc), whose ranges of addresses and whose function for
 * others they use. */
const char aq_wave_load_functions[] =
    "typedef struct range { uint64_t base, end, shift; bool writable; } "
    "range;\n"
    "typedef uint32_t __attribute__((vector_size(64), may_alias, aligned(4))) "
    "words16;\n"
    "typedef uint32_t __attribute__((may_alias, aligned(1))) word;\n"
    "typedef void *reacher(char *grid, uint64_t at, uint64_t size, bool "
    "write);\n"
    "enum { OTHER, ROWED, ONE };\n"
    "static inline bool any(row16 x) {\n"
    "#if defined(__AVX512F__) && !defined(__clang__)\n"
    "  typedef int v16 __attribute__((vector_size(64)));\n"
    "  return __builtin_ia32_ptestmd512((v16)x, (v16)x, (short)-1) != 0;\n"
    "#else\n"
    "  uint32_t r = 0; EACH(j) r |= x[j]; return r != 0;\n"
    "#endif\n}\n"
    "static inline bool above(const uint32_t *at, uint32_t low, uint32_t most) "
    "{\n"
    "#if defined(__AVX512F__) && !defined(__clang__)\n"
    "  typedef int v16 __attribute__((vector_size(64)));\n"
    "  const row16 x = *(const row16 *)at - low, y = (row16){0} + most;\n"
    "  return __builtin_ia32_ucmpd512_mask((v16)x, (v16)y, 6, (short)-1) != "
    "0;\n"
    "#else\n"
    "  uint32_t r = 0; EACH(j) r |= at[j] - low > most; return r != 0;\n"
    "#endif\n}\n"
    "static inline bool differ(const uint32_t *t) {\n"
    "  const row16 x = *(const row16 *)t; return any(x ^ x[0]);\n}\n"
    "static inline unsigned order(const uint32_t *at) {\n"
    "  const row16 steps = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, "
    "52, 56, 60};\n"
    "  const row16 x = *(const row16 *)at, far = x - x[0];\n"
    "  return !any(far ^ steps) ? ROWED : !any(far) ? ONE : OTHER;\n}\n"
    "static inline uint32_t most(const uint32_t *at) {\n"
    "  uint32_t r = 0; EACH(j) r = MAX(r, at[j]); return r;\n}\n"
    "static inline void settle(uint32_t *at, uint32_t on) {\n"
    "  if (LIKELY(on == 0xffff)) return;\n"
    "  const uint32_t some = at[__builtin_ctz(on)];\n"
    "  EACH(j) { const uint32_t m = 0u - (on >> j & 1);\n"
    "    at[j] = (at[j] & m) | (some & ~m); }\n}\n"
    "static __attribute__((noinline, cold)) const uint8_t *reach_far(char *w, "
    "range *r, reacher *more, uint64_t base, const uint32_t *at, uint32_t "
    "size) {\n"
    "  uint32_t least = at[0]; const uint32_t end = most(at);\n"
    "  EACH(j) least = MIN(least, at[j]);\n"
    "  const uint8_t *to = more(GRID, base + least, (uint64_t)end - least + "
    "size, false);\n"
    "  if (!to) return 0;\n"
    "  *r = *(range *)(GRID + RANGE_AT);\n"
    "  return to - least;\n}\n"
    "static inline const uint8_t *reach(char *w, const char *o, reacher *more, "
    "uint64_t base, const uint32_t *at, uint32_t size) {\n"
    "  range *r = (range *)(GRID + RANGES_AT) + (uintptr_t)o / OP % RANGES;\n"
    "  const uint64_t low = r->base > base ? r->base - base : 0;\n"
    "  if (LIKELY(r->end >= base && r->end - base >= size && low <= "
    "UINT32_MAX)) {\n"
    "    const uint64_t last = r->end - base - size,\n"
    "                   high = last > UINT32_MAX ? UINT32_MAX : last;\n"
    "    if (LIKELY(high >= low && !above(at, (uint32_t)low, (uint32_t)(high - "
    "low))))\n"
    "      return (const uint8_t *)(base - r->shift);\n"
    "  }\n"
    "  return reach_far(w, r, more, base, at, size);\n}\n"
    /* The host's gather adds numbers with signs. */
    "static inline void fetch_each(const uint8_t *p, const uint32_t *at, "
    "uint32_t *t) {\n"
    "#if defined(__AVX512F__) && !defined(__clang__)\n"
    "  typedef int v16 __attribute__((vector_size(64)));\n"
    "  *(row16 *)t = (row16)__builtin_ia32_gathersiv16si((v16){0}, p + "
    "0x80000000u, (v16)(*(const row16 *)at ^ 0x80000000u), (short)-1, 1);\n"
    "#else\n"
    "  EACH(j) t[j] = *(const word *)(p + at[j]);\n"
    "#endif\n}\n"
    "static inline void fetch_row(const uint8_t *p, const uint32_t *at, "
    "uint32_t *t) {\n"
    "  *(row16 *)t = *(const words16 *)(p + at[0]);\n}\n"
    "static inline void fetch_one(const uint8_t *p, const uint32_t *at, "
    "uint32_t *t) {\n"
    "  *(row16 *)t = (row16){0} + *(const word *)(p + at[0]);\n}\n"
    "static __attribute__((noinline, cold)) void fetch_some(const uint8_t *p, "
    "const uint32_t *at, uint32_t *d, uint32_t on) {\n"
    "  uint32_t t[16] ALIGNED; fetch_each(p, at, t); mix(d, t, on);\n}\n";
