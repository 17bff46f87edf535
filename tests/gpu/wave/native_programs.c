/* SPDX-License-Identifier: MIT */
#include "native_programs.h"

#include <stdio.h>
#include <string.h>

aq_rng rng;

unsigned below(unsigned n)
{
  return (unsigned)(aq_rng_bits(&rng) >> 33) % n;
}

static const program_target *target;

/* ---- texts ---- */

static bool is_wide(const char *type)
{
  return type[0] && type[1] == '6';
}

static void registers(char *text, size_t size, char file, unsigned n, bool wide)
{
  if (wide)
    snprintf(text, size, "%c[%u:%u]", file, n & ~1u, (n & ~1u) + 1);
  else
    snprintf(text, size, "%c%u", file, n);
}

static void constant(char *text, size_t size)
{
  static const char *const some[] = {"0",   "1",   "31",   "64", "-1", "-16",
                                     "0.5", "1.0", "-4.0", "17", "5",  "2.0"};
  snprintf(text, size, "%s", some[below(sizeof some / sizeof *some)]);
}

static void vector_source(char *text, size_t size, const char *type)
{
  char plain[24];
  const unsigned kind = below(8);
  if (kind == 0)
    constant(plain, sizeof plain);
  else
    registers(plain, sizeof plain, kind == 1 ? 's' : 'v',
              below(kind == 1 ? SCALARS : ROWS), is_wide(type));
  const unsigned signs = *type == 'f' && kind > 1 ? below(6) : 5;
  snprintf(text, size,
           signs == 0   ? "-%s"
           : signs == 1 ? "|%s|"
           : signs == 2 ? "-|%s|"
                        : "%s",
           plain);
}

static void scalar_source(char *text, size_t size, const char *type)
{
  if (below(4) == 0)
    constant(text, size);
  else
    registers(text, size, 's', below(SCALARS), is_wide(type));
}

static void mask(char *text, size_t size)
{
  if (below(2))
    snprintf(text, size, "vcc");
  else
    registers(text, size, 's', below(SCALARS), !target->wave32);
}

static void vector_text(char *out, const aq_wave_text *t)
{
  char d[24] = "", e[24] = "", m[24] = "", s[3][32] = {""}, name[32];
  const bool bits = t->shape == AQ_WAVE_TEXT_CARRY,
             compares = t->shape == AQ_WAVE_TEXT_COMPARE;
  snprintf(name, sizeof name, "%s", t->name);
  if (compares)
    mask(d, sizeof d);
  else
    registers(d, sizeof d, 'v', below(ROWS), is_wide(t->result));
  if (bits)
    mask(e, sizeof e);
  if (t->carry_in || t->shape == AQ_WAVE_TEXT_PICK)
    mask(m, sizeof m);
  for (int i = 0; i < 3; i++)
    if (*t->sources[i])
      vector_source(s[i], sizeof s[i], t->sources[i]);
  snprintf(out, BED_TEXT, "%s %s%s%s, %s%s%s%s%s%s%s", name, d, *e ? ", " : "",
           e, s[0], *s[1] ? ", " : "", s[1], *s[2] ? ", " : "", s[2],
           *m ? ", " : "", m);
}

/* Parts of words, with their sign, or of floats. */
static void parts_text(char *out)
{
  static const char *const names[] = {"v_add_u32",     "v_xor_b32", "v_min_i32",
                                      "v_mul_u32_u24", "v_mul_f32", "v_add_f32",
                                      "v_lshlrev_b32"};
  static const char *const parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                      "WORD_0", "WORD_1", "DWORD"};
  const char *name = names[below(sizeof names / sizeof *names)];
  char s[2][32];
  for (int i = 0; i < 2; i++) {
    const bool is_float = strstr(name, "_f32") != NULL, changes = below(2);
    snprintf(s[i], sizeof s[i],
             !changes   ? "v%u"
             : is_float ? "-|v%u|"
                        : "sext(v%u)",
             below(ROWS));
  }
  snprintf(out, BED_TEXT,
           "%s_sdwa v%u, %s, %s dst_sel:%s dst_unused:UNUSED_PAD src0_sel:%s "
           "src1_sel:%s",
           name, below(ROWS), s[0], s[1], below(4) ? "DWORD" : parts[below(6)],
           parts[below(7)], parts[below(7)]);
}

/* Steps of divisions. */
static void division_text(char *out)
{
  static const char *const steps[] = {"v_div_scale_f32 v%u, vcc, v%u, v%u, v%u",
                                      "v_div_fmas_f32 v%u, v%u, v%u, v%u",
                                      "v_div_fixup_f32 v%u, v%u, v%u, v%u",
                                      "v_div_fixup_f32 v%u, v%u, -v%u, v%u"};
  snprintf(out, BED_TEXT, steps[below(4)], below(ROWS), below(ROWS),
           below(ROWS), below(ROWS));
}

/* f16 and f32, sums of products of bytes, and bytes by their numbers. */
static void mixed_text(char *out)
{
  static const char *const mixed[] = {
      "v_cvt_f32_f16 v%u, v%u",
      "v_cvt_f16_f32 v%u, v%u",
      "v_cvt_f16_f32 v%u, -v%u",
      "v_fma_mix_f32 v%u, v%u, v%u, v%u op_sel:[1,0,0] op_sel_hi:[1,1,0]",
      "v_fma_mix_f32 v%u, -v%u, |v%u|, v%u op_sel_hi:[0,1,1]",
      "v_fma_mix_f32 v%u, v%u, v%u, v%u",
      "v_dot4_i32_i8 v%u, v%u, v%u, v%u",
      "v_dot4_u32_u8 v%u, v%u, v%u, v%u",
      "v_dot4c_i32_i8 v%u, v%u, v%u",
      "v_perm_b32 v%u, v%u, v%u, %u",
      "v_perm_b32 v%u, v%u, v%u, v26"}; /* SELECTORS */
  snprintf(out, BED_TEXT, mixed[below(sizeof mixed / sizeof *mixed)],
           below(ROWS), below(ROWS), below(ROWS), below(ROWS));
}

/* f16, one or two of a lane. */
static void halves_text(char *out)
{
  static const char *const single[] = {
      "v_add_f16 v%u, %s, v%u",
      "v_sub_f16 v%u, %s, v%u",
      "v_subrev_f16 v%u, %s, v%u",
      "v_mul_f16 v%u, %s, v%u",
      "v_min_f16 v%u, %s, v%u",
      "v_max_f16 v%u, %s, v%u",
      "v_fma_f16 v%u, %s, v%u, v%u",
      "v_fmac_f16 v%u, %s, v%u",
      "v_fma_f16 v%u, -%s, v%u, -|v%u|",
      "v_fma_f16 v%u, %s, v%u, v%u clamp",
      "v_mul_f16_sdwa v%u, %s, v%u dst_sel:DWORD dst_unused:UNUSED_PAD "
      "src0_sel:WORD_1 src1_sel:WORD_0"};
  static const char *const packed[] = {
      "v_pk_add_f16 v%u, %s, v%u",      "v_pk_mul_f16 v%u, %s, v%u",
      "v_pk_min_f16 v%u, %s, v%u",      "v_pk_max_f16 v%u, %s, v%u",
      "v_pk_fma_f16 v%u, %s, v%u, v%u", "v_pk_fma_f16 v%u, %s, v%u, v%u"};
  char a[24];
  const bool pairs = below(2);
  const unsigned k = below(pairs ? 6 : 11);
  if (below(5) == 0) {
    division_text(out);
    return;
  }
  if (below(4) == 0) {
    mixed_text(out);
    return;
  }
  const unsigned kind = k < 10 ? below(8) : 2;
  if (kind == 0)
    constant(a, sizeof a);
  else
    registers(a, sizeof a, kind == 1 ? 's' : 'v',
              below(kind == 1 ? SCALARS : ROWS), false);
  int n = snprintf(out, BED_TEXT, pairs ? packed[k] : single[k], below(ROWS), a,
                   below(ROWS), below(ROWS));
  if (!pairs || below(2))
    return;
  const bool three = k > 3;
  snprintf(out + n, BED_TEXT - (size_t)n,
           three ? " op_sel:[%u,%u,%u] op_sel_hi:[%u,%u,%u] neg_lo:[%u,0,%u]"
                 : " op_sel:[%u,%u] op_sel_hi:[%u,%u]",
           below(2), below(2), below(2), below(2), below(2), below(2), below(2),
           below(2));
}

static void control_text(char *out, size_t size)
{
  static const char *const names[] = {
      "row_shl:%u",   "row_shr:%u",   "row_ror:%u", "row_newbcast:%u",
      "row_share:%u", "row_xmask:%u", "row_mirror", "row_half_mirror",
      "row_bcast:15", "row_bcast:31", "wave_shl:1", "wave_rol:1",
      "wave_shr:1",   "wave_ror:1"};
  if (below(4) == 0)
    snprintf(out, size, "quad_perm:[%u,%u,%u,%u]", below(4), below(4), below(4),
             below(4));
  else
    snprintf(out, size, names[below(sizeof names / sizeof *names)],
             1 + below(15));
}

/* Values of other lanes; each target refuses some of the controls. */
static void moves_text(char *out)
{
  if (below(6) == 0) {
    snprintf(out, BED_TEXT, "ds_bpermute_b32 v%u, v%u, v%u offset:%u",
             below(ROWS), below(ROWS), below(ROWS), below(2) * below(300));
    return;
  }
  static const char *const plain[] = {
      "v_mov_b32_dpp v%u, v%u",
      "v_add_u32_dpp v%u, v%u, v%u",
      "v_xor_b32_dpp v%u, v%u, v%u",
      "v_cndmask_b32_dpp v%u, v%u, v%u, vcc",
      "v_add_co_u32_dpp v%u, vcc, v%u, v%u",
      "v_addc_co_u32_dpp v%u, vcc, v%u, v%u, vcc",
      "v_mul_f32_dpp v%u, -|v%u|, v%u",
      "v_add_f32_dpp v%u, v%u, -v%u",
      "v_fmac_f32_dpp v%u, v%u, v%u"};
  char name[BED_TEXT / 2], control[40];
  snprintf(name, sizeof name, plain[below(below(8) ? 6 : 9)], below(ROWS),
           below(ROWS), below(ROWS));
  control_text(control, sizeof control);
  if (below(8) == 0)
    snprintf(out, BED_TEXT, "%s dpp8:[%u,%u,%u,7,%u,4,%u,%u]%s", name, below(8),
             below(8), below(8), below(8), below(8), below(8),
             below(2) ? " fi:1" : "");
  else
    snprintf(out, BED_TEXT, "%s %s row_mask:0x%x bank_mask:0x%x%s%s", name,
             control, below(2) ? 15 : below(16), below(2) ? 15 : below(16),
             below(2) ? " bound_ctrl:0" : "", below(4) ? "" : " fi:1");
}

static void scalar_text(char *out, const aq_wave_text *t)
{
  char d[24] = "", a[24], b[24];
  const bool test = t->shape == AQ_WAVE_TEXT_TEST;
  registers(d, sizeof d, 's', below(SCALARS), is_wide(t->result));
  scalar_source(a, sizeof a, t->sources[0]);
  scalar_source(b, sizeof b, t->sources[1]);
  if (t->immediate)
    snprintf(out, BED_TEXT, "%s %s, 0x%x", t->name, d, below(0x10000));
  else if (test)
    snprintf(out, BED_TEXT, "%s %s, %s", t->name, a, b);
  else if (t->shape == AQ_WAVE_TEXT_SAVE || below(2))
    snprintf(out, BED_TEXT, "%s %s, %s", t->name, d, a);
  else
    snprintf(out, BED_TEXT, "%s %s, %s, %s", t->name, d, a, b);
}

/* One in many is at the end of memory, one behind it. */
static void scalar_load_text(char *out)
{
  static const char *const some[] = {"s_load_dword s%u, s[%u:%u], 0x%x",
                                     "s_load_dwordx2 s[%u:%u], s[%u:%u], 0x%x",
                                     "s_load_dwordx4 s[%u:%u], s[%u:%u], 0x%x",
                                     "s_load_dwordx8 s[%u:%u], s[%u:%u], 0x%x"};
  const unsigned kind = below(4), words = 1u << kind, edge = below(64),
                 d = below(SCALARS / words) * words,
                 at = edge == 0   ? BYTES * 3 / 4
                      : edge == 1 ? BYTES * 3 / 4 - 4 * words
                                  : 4 * below(64);
  if (kind == 0)
    snprintf(out, BED_TEXT, some[0], d, BASE, BASE + 1, at);
  else
    snprintf(out, BED_TEXT, some[kind], d, d + words - 1, BASE, BASE + 1, at);
}

/* A transfer of registers of the program, at its own address or one that it
 * computes in the instruction before. */
static void transfer_text(char (*texts)[BED_TEXT], const aq_wave_transfer *t)
{
  const unsigned pairs = t->scale ? 2u : 1u, words = t->words * pairs,
                 d = below((ROWS - words) / 2 + 1) * 2,
                 e = below((ROWS - words) / 2 + 1) * 2;
  const bool own = below(2), scalar = !t->shared && below(2);
  char data[64], at[24];
  if (below(4) == 0)
    snprintf(texts[0], BED_TEXT, "ds_read_b32 v%u, v%u", ADDRESS + 4, SHARED);
  else
    snprintf(texts[0], BED_TEXT, "v_and_b32 v%u, 0x%x, v%u", ADDRESS + 4,
             below(8) ? 0x7fc : 0x7ff, below(ROWS));
  if (t->scalar) {
    scalar_load_text(texts[1]);
    return;
  }
  const unsigned last = t->store ? t->words : words;
  int n = snprintf(data, sizeof data, last > 1 ? "v[%u:%u]" : "v%u", d,
                   d + last - 1);
  if (t->store && t->scale)
    snprintf(data + n, sizeof data - (size_t)n,
             last > 1 ? ", v[%u:%u]" : ", v%u", e, e + last - 1);
  const unsigned offset = own ? t->shared ? SHARED : OFFSET : ADDRESS + 4;
  snprintf(at, sizeof at, "v%u", offset);
  if (!t->shared && !scalar)
    snprintf(at, sizeof at, "v[%u:%u]", ADDRESS, ADDRESS + 1);
  static const char *const smaller[] = {
      "global_load_ubyte", "global_load_sbyte", "global_load_ushort",
      "global_load_sshort"};
  const bool small = !t->shared && !t->store && t->words == 1 && below(2);
  n = snprintf(texts[1], BED_TEXT, "%s %s, %s",
               small ? smaller[below(4)] : t->name, t->store ? at : data,
               t->store ? data : at);
  char *rest = texts[1] + n;
  const size_t room = BED_TEXT - (size_t)n;
  if (t->shared && t->scale)
    snprintf(rest, room, " offset0:%u offset1:%u", below(4), below(4));
  else if (t->shared)
    snprintf(rest, room, " offset:%u", 4 * below(64));
  else if (scalar)
    snprintf(rest, room, ", s[%u:%u] offset:%d", BASE, BASE + 1,
             4 * ((int)below(64) - 32));
  else
    snprintf(rest, room, ", off offset:%d", 4 * ((int)below(64) - 32));
}

void deck_make(deck *d, const aq_wave_texts *table)
{
  const aq_wave_text *t;
  d->table = table;
  for (d->transfers = 0; aq_wave_transfer_at(table, d->transfers);
       d->transfers++)
    ;
  d->next = d->count = 0;
  while ((t = aq_wave_text_at(table, d->count)) && d->count < 512)
    d->texts[d->count++] = t;
  for (unsigned i = d->count - 1; i > 0; i--) {
    const unsigned k = below(i + 1);
    t = d->texts[i];
    d->texts[i] = d->texts[k];
    d->texts[k] = t;
  }
}

/* A loop of five turns without anything that needs a handler; in some, lanes
 * leave it in each turn, and others come back behind it. */
static void loop_make(char (*texts)[BED_TEXT], deck *d)
{
  const bool diverges = below(2);
  const char *const ends[] = {"s_add_i32 s33, s33, -1",
                              "s_cmp_lg_i32 s33, 0",
                              "s_cbranch_scc1 %d",
                              diverges ? "s_or_b64 exec, exec, s[12:13]"
                                       : "s_nop 0",
                              "v_max_u32 v5, v3, v4",
                              "v_xor_b32 v11, v5, v6",
                              READS_ALL,
                              "s_endpgm"};
  enum {
    LOOP = 20,
    WORDS = BED_STRIDE / 4,
    BACK = -(LOOP + 2) * WORDS - 1,
    ENDS = sizeof ends / sizeof *ends
  };
  snprintf(texts[0], BED_TEXT, "s_nop 0");
  for (unsigned i = 1; i < LOOP;) {
    if (i == 9 && diverges)
      snprintf(texts[i++], BED_TEXT, "v_cmp_gt_u32 vcc, v3, v4");
    if (i == 10 && diverges)
      snprintf(texts[i++], BED_TEXT, "s_andn2_b64 exec, exec, vcc");
    if (i % 3 == 0)
      parts_text(texts[i++]);
    if (i % 5 == 2)
      halves_text(texts[i++]);
    if (i % 7 == 4 && below(2))
      moves_text(texts[i++]);
    const aq_wave_text *t = d->texts[d->next++ % d->count];
    const bool doubles = t->sources[0][0] == 'f' && is_wide(t->sources[0]);
    if (t->shape > AQ_WAVE_TEXT_PICK || (i % 2 && !doubles))
      continue;
    vector_text(texts[i++], t);
  }
  for (unsigned i = 0; i < COUNT - LOOP; i++)
    snprintf(texts[LOOP + i], BED_TEXT, ends[i < ENDS ? i : ENDS - 1], BACK);
}

/* Whether waves have such masks: words, or pairs of them. */
static bool saves_other(const aq_wave_text *t)
{
  return t->shape == AQ_WAVE_TEXT_SAVE && is_wide(t->result) == target->wave32;
}

static void program_make(char (*texts)[BED_TEXT], deck *d)
{
  static const char *const others[] = {"v_fmac_f32 v3, v1, v2",
                                       "v_readfirstlane_b32 s5, v7",
                                       "s_mov_b64 exec, -1",
                                       "s_and_b64 exec, exec, s[8:9]",
                                       "s_andn2_b64 exec, exec, s[10:11]",
                                       "s_or_b64 exec, exec, s[12:13]",
                                       "s_or_b64 exec, s[14:15], exec",
                                       "s_andn2_b64 exec, s[10:11], exec",
                                       "s_xor_b64 exec, exec, s[8:9]",
                                       "v_cmpx_gt_u32 vcc, v3, v4",
                                       "ds_swizzle_b32 v2, v3 offset:0x801f",
                                       "v_rcp_f32 v9, v3",
                                       "s_nop 0",
                                       "v_fmac_f64 v[4:5], v[2:3], v[6:7]"};
  /* Floats that use floats, and words that do. */
  static const char *const chains[] = {
      "v_fma_f32 v3, v1, v2, v3",
      "v_mul_f32 v4, v3, v2",
      "v_add_f32 v3, v4, v3",
      "v_max_u32 v5, v3, v4",
      "v_min_f32 v3, v4, v6",
      "v_fma_f64 v[6:7], v[2:3], v[4:5], v[6:7]",
      "v_add_f64 v[8:9], v[6:7], v[2:3]",
      "v_cvt_f32_f64 v10, v[8:9]"};
  /* Words of LDS that lead to others. */
  static const char *const chase[] = {"ds_read_b32 v24, v24",
                                      "ds_read_b32 v24, v24",
                                      "v_xor_b32 v11, v11, v24"};
  static const char *const branches[] = {
      "s_cbranch_scc1 %d", "s_cbranch_vccz %d", "s_cbranch_execnz %d"};
  for (unsigned i = 0; i + 2 < COUNT; i++) {
    const aq_wave_text *t = d->texts[d->next++ % d->count];
    if (i % 40 == 23)
      snprintf(texts[i], BED_TEXT, branches[below(3)], 15 * BED_STRIDE / 4 - 1);
    else if (i % 16 == 15)
      snprintf(texts[i], BED_TEXT, "%s",
               others[below(sizeof others / sizeof *others)]);
    else if (i % 16 > 7 && i % 16 < 11)
      snprintf(texts[i], BED_TEXT, "%s", chase[i % 16 - 8]);
    else if (i % 16 == 7)
      parts_text(texts[i]);
    else if (i % 16 == 13 || i % 16 == 14)
      moves_text(texts[i]);
    else if (i % 16 > 10 && below(2))
      halves_text(texts[i]);
    else if (i % 16 > 10)
      snprintf(texts[i], BED_TEXT, "%s",
               chains[below(sizeof chains / sizeof *chains)]);
    else if (t->shape <= AQ_WAVE_TEXT_PICK)
      vector_text(texts[i], t);
    else if (saves_other(t))
      snprintf(texts[i], BED_TEXT, "s_nop 0");
    else
      scalar_text(texts[i], t);
    if (i % 16 < 8 && i % 40 < 22 && i % 5 == 0 && i + 3 < COUNT)
      transfer_text(&texts[i++],
                    aq_wave_transfer_at(d->table, below(d->transfers)));
  }
  snprintf(texts[COUNT - 2], BED_TEXT, READS_ALL);
  snprintf(texts[COUNT - 1], BED_TEXT, "s_endpgm");
}

/* The last of n, whose addresses are seldom in a row, now and then only. */
static unsigned mostly_first(unsigned n)
{
  return below(8) ? below(n - 1) : n - 1;
}

/* Addresses computed from numbers of words, as compilers do. The seven numbers
 * of a program are the next ones of the list: two programs have all of them. */
static void address_program_make(char (*texts)[BED_TEXT], unsigned number)
{
  static const char *const indices[] = {"v_mov_b32 v10, v25",
                                        "v_add_u32 v10, 5, v25",
                                        "v_lshl_or_b32 v10, s42, 6, v25",
                                        "v_or_b32 v10, s42, v25",
                                        "v_or_b32_e64 v10, v25, s42",
                                        "v_lshl_or_b32 v10, s43, 1, v25",
                                        "v_sub_u32 v10, v25, s42",
                                        "v_mul_lo_u32 v10, v25, s44",
                                        "v_add3_u32 v10, s43, v25, 2",
                                        "v_lshl_add_u32 v10, s42, 3, v25",
                                        "v_add_u32 v10, v25, v11",
                                        "v_add_lshl_u32 v10, v25, s43, s42"};
  static const char *const guards[] = {
      "v_cmp_gt_u32 vcc, s45, v10", "v_cmp_le_i32 vcc, s45, v10",
      "v_cmp_lt_i32 vcc, v10, v11", "v_cmp_ge_u32 vcc, v10, v25"};
  static const char *const address[] = {
      "v_mov_b32 v11, 0", "v_lshlrev_b64 v[12:13], 2, v[10:11]",
      "v_mov_b32 v14, s41", "v_add_co_u32 v12, vcc, s40, v12",
      "v_addc_co_u32 v13, vcc, v14, v13, vcc"};
  static const char *const accesses[] = {
      "global_load_dword v%u, v[12:13], off",
      "global_load_dword v%u, v15, s[40:41] offset:8",
      "global_load_dword v%u, v[12:13], off offset:-4",
      "global_load_dword v%u, v[20:21], off"};
  static const char *const stores[] = {
      "global_store_dword v[12:13], v%u, off",
      "global_store_dword v15, v%u, s[40:41]",
      "global_store_dword v[12:13], v%u, off offset:12",
      "global_store_dword v[20:21], v%u, off"};
  unsigned i = 0;
  for (unsigned turn = 0; turn < 7; turn++) {
    snprintf(texts[i++], BED_TEXT, "%s", indices[(7 * number + turn) % 12]);
    if (below(2)) {
      snprintf(texts[i++], BED_TEXT, "%s", guards[below(4)]);
      snprintf(texts[i++], BED_TEXT, "v_cndmask_b32 v2, v3, v4, vcc");
      snprintf(texts[i++], BED_TEXT, "v_xor_b32 v8, v8, v2");
    }
    for (unsigned k = 0; k < sizeof address / sizeof *address; k++)
      snprintf(texts[i++], BED_TEXT, "%s", address[k]);
    snprintf(texts[i++], BED_TEXT, "v_lshlrev_b32 v15, 2, v10");
    for (unsigned k = 0; k < 2; k++)
      snprintf(texts[i++], BED_TEXT, accesses[mostly_first(4)], 5 + below(3));
    snprintf(texts[i++], BED_TEXT, "v_add_f32 v3, v5, v6");
    snprintf(texts[i++], BED_TEXT, "v_xor_b32 v9, v9, v12");
    for (unsigned k = 1 + below(2); k > 0; k--)
      snprintf(texts[i++], BED_TEXT, stores[mostly_first(4)], 3 + below(3));
    if (below(4))
      snprintf(texts[i++], BED_TEXT, READS_ALL);
    else if (below(2))
      snprintf(texts[i++], BED_TEXT, "s_mov_b64 exec, -1");
  }
  snprintf(texts[i++], BED_TEXT, READS_ALL);
  for (; i < COUNT; i++)
    snprintf(texts[i], BED_TEXT, "s_endpgm");
}

/* Sums of other lanes, as reductions make them, in some of the lanes too. At
 * its end are a register that keeps words of a segment before, and one that
 * gets lanes that are off of one that its segment writes. */
static void moves_program_make(char (*texts)[BED_TEXT])
{
  static const char *const last[] = {
      "v_add_co_u32 v1, vcc, v2, v3",
      "v_mov_b32 v8, v4",
      "s_and_b64 s[38:39], vcc, s[36:37]",
      "v_mov_b32_dpp v8, v5 row_shr:3 row_mask:0xf bank_mask:0xf",
      READS_ALL,
      "v_xor_b32 v9, v9, v10",
      "v_mov_b32_dpp v11, v9 row_ror:5 row_mask:0xf bank_mask:0xf fi:1",
      READS_ALL};
  static const char *const between[] = {
      "v_min_u32 v%u, v%u, v%u", "v_xor_b32 v%u, v%u, v%u",
      "v_add_f32 v%u, v%u, v%u", "v_mov_b32 v%u, v%u",
      "v_subb_co_u32 v%u, vcc, v%u, v%u, vcc"};
  static const char *const masks[] = {
      "s_mov_b64 exec, -1", "s_and_b64 exec, exec, s[34:35]",
      "s_mov_b64 exec, s[36:37]", "s_and_b64 s[38:39], vcc, s[36:37]"};
  enum { LAST = sizeof last / sizeof *last, MOST = COUNT / 2 };
  for (unsigned i = 0; i < COUNT; i++)
    if (i >= MOST)
      snprintf(texts[i], BED_TEXT, "%s",
               i < MOST + LAST ? last[i - MOST] : "s_endpgm");
    else if (i % 3 < 2)
      moves_text(texts[i]);
    else if (below(4) == 0)
      snprintf(texts[i], BED_TEXT, "%s", masks[below(4)]);
    else
      snprintf(texts[i], BED_TEXT, between[below(5)], below(ROWS), below(ROWS),
               below(ROWS));
}

/* Few rows that lanes write which a mask leaves on, and read when the others
 * are back: masks are nested, parted as `else` is, and some of its instructions
 * read lanes that are off. Only one of them is read at
 * the end. */
static void masks_program_make(char (*texts)[BED_TEXT])
{
  static const char *const vectors[] = {
      "v_xor_b32 v%u, v%u, v%u", "v_add_u32 v%u, v%u, v%u",
      "v_mov_b32 v%u, v%u",
      "v_mov_b32_dpp v%u, v%u quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
      "ds_swizzle_b32 v%u, v%u offset:0x801f"};
  static const char *const opens[] = {"s_and_saveexec_b64 s[%u:%u], s[%u:%u]",
                                      "s_or_saveexec_b64 s[%u:%u], s[%u:%u]",
                                      "s_andn2_saveexec_b64 s[%u:%u], s[%u:%u]",
                                      "s_xor_saveexec_b64 s[%u:%u], s[%u:%u]"};
  enum { FEW = 4, DEEPEST = 3, MASKS = 8, KEPT = 16, MOST = COUNT - 8 };
  unsigned depth = 0;
  for (unsigned i = 0; i < MOST; i++) {
    const unsigned turn = below(8), mask = MASKS + 2 * below(4);
    const unsigned kept = KEPT + 2 * depth;
    if (turn == 0 && depth < DEEPEST) {
      snprintf(texts[i], BED_TEXT, opens[below(4)], kept, kept + 1, mask,
               mask + 1);
      depth++;
    } else if (turn == 1 && depth > 0) {
      depth--;
      snprintf(texts[i], BED_TEXT, "s_or_b64 exec, exec, s[%u:%u]", kept - 2,
               kept - 1);
    } else if (turn == 3 && !target->wave32 && below(4) == 0) {
      snprintf(texts[i], BED_TEXT, "s_mov_b32 exec_lo, -1");
    } else if (turn == 4 && !target->is_rdna && below(4) == 0) {
      snprintf(texts[i], BED_TEXT, "v_cmpx_gt_u32 vcc, v%u, v%u", below(FEW),
               below(FEW));
    } else if (turn == 2 && depth > 0) {
      snprintf(texts[i], BED_TEXT, "s_andn2_b64 exec, s[%u:%u], exec", kept - 2,
               kept - 1);
    } else {
      snprintf(texts[i], BED_TEXT, vectors[turn < 7 ? below(3) : 3 + below(2)],
               below(FEW), below(FEW), below(FEW));
    }
  }
  snprintf(texts[MOST], BED_TEXT, "s_mov_b64 exec, -1");
  for (unsigned i = 1; i < FEW; i++)
    snprintf(texts[MOST + i], BED_TEXT, "v_mov_b32 v%u, v0", i);
  snprintf(texts[MOST + FEW], BED_TEXT, READS_ALL);
  for (unsigned i = MOST + FEW + 1; i < COUNT; i++)
    snprintf(texts[i], BED_TEXT, "s_endpgm");
}

/* ---- targets ---- */

/* What RDNA calls the instructions that programs name themselves. */
static const char *const rdna_names[][2] = {
    {"v_add_u32", "v_add_nc_u32"},
    {"v_sub_u32", "v_sub_nc_u32"},
    {"v_subrev_u32", "v_subrev_nc_u32"},
    {"v_addc_co_u32", "v_add_co_ci_u32"},
    {"v_subb_co_u32", "v_sub_co_ci_u32"},
    {"v_subbrev_co_u32", "v_subrev_co_ci_u32"}};

/* The first `from` behind `at` becomes `to`. */
static void replace(char *text, size_t at, const char *from, const char *to)
{
  char rest[BED_TEXT];
  char *found = strstr(text + at, from);
  if (!found)
    return;
  snprintf(rest, sizeof rest, "%s", found + strlen(from));
  snprintf(found, BED_TEXT - (size_t)(found - text), "%s%s", to, rest);
}

/* Operands that are masks of lanes, in waves of 32. */
static void masks_narrow(char *text)
{
  const size_t at = strcspn(text, " ");
  const bool has_exec = strstr(text, "exec") != NULL,
             has_vcc = strstr(text + at, "vcc") != NULL;
  if (strncmp(text, "s_", 2) == 0 && (has_exec || has_vcc)) {
    char *pair;
    replace(text, 0, "_b64", "_b32");
    while ((pair = strchr(text, '['))) {
      const char *behind = strchr(pair, ']') + 1;
      const size_t digits = strcspn(pair + 1, ":");
      memmove(pair, pair + 1, digits);
      memmove(pair + digits, behind, strlen(behind) + 1);
    }
  }
  char *from = text + at, *next;
  while ((next = strstr(from, "vcc")) || (next = strstr(from, "exec"))) {
    const char *name = *next == 'v' ? "vcc" : "exec";
    char narrow[8];
    snprintf(narrow, sizeof narrow, "%s_lo", name);
    const size_t where = (size_t)(next - text);
    replace(text, where, name, narrow);
    from = text + where + strlen(narrow);
  }
}

static void target_write(char *text)
{
  const size_t name = strcspn(text, " ");
  const char *suffix = strstr(text, "_dpp");
  const size_t size = suffix ? (size_t)(suffix - text) : name;
  for (size_t i = 0;
       target->is_rdna && i < sizeof rdna_names / sizeof *rdna_names; i++)
    if (strlen(rdna_names[i][0]) == size &&
        strncmp(rdna_names[i][0], text, size) == 0) {
      replace(text, 0, rdna_names[i][0], rdna_names[i][1]);
      break;
    }
  if (target->wave32)
    masks_narrow(text);
}

void program_texts(char (*texts)[BED_TEXT], unsigned number, deck *d,
                   const program_target *of)
{
  target = of;
  if (number % 5 == 3)
    moves_program_make(texts);
  else if (number % 5 == 1)
    masks_program_make(texts);
  else if (number % 4 == 2)
    loop_make(texts, d);
  else if (number % 2 == 1)
    address_program_make(texts, number / 2);
  else
    program_make(texts, d);
  for (unsigned i = 0; i < COUNT; i++)
    target_write(texts[i]);
}
