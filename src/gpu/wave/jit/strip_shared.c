/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): loads of words from LDS. Where all lanes are on
 * and none of their addresses lies before lane 0's or more than seven words
 * behind it, a load reads eight words and picks each lane's: LDS ends with
 * enough room for that. Else the words are gathered.
 *
 * Loads at one address, with several offsets, have a leader: the first of the
 * run, by whose part of the frame they go. The one that is written first checks
 * the address for all of them, and finds the window: its base, the numbers of
 * the lanes' words there, or the lanes' addresses if there is none.
 *
 * A loaded word that waits needs a register. So loads move down to the first
 * use of their words; nothing stores to LDS within a run.
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum {
  FRAME_BASE,      /* of LDS, */
  FRAME_FIRST = 8, /* and of the window, if no register is left for that */
  FRAME_LAST = 16  /* the last address that fits */
};
enum { FULL = 0xff };

/* Bases of the first windows of a strip; bits of the windows that a strip
 * lacks. */
enum { FIRST_BASE = AQ_R9, LAST_BASE = AQ_R10, NONE_BITS = AQ_R11 };

static int32_t frame_of(const aq_strip_op *op, int32_t at)
{
  return AQ_STRIP_AT_LOADS + 32 * op->leader + at;
}

/* Offsets of the words from the lane's address, and the end of the last. */
typedef struct shared_words {
  uint32_t parts[4], end;
} shared_words;

/* `number`: words of an element, and of two elements their scale above. */
static shared_words words_of(const aq_strip_op *op)
{
  const uint32_t n = op->rule->number & 15, scale = op->rule->number >> 4;
  uint32_t at[2];
  aq_memory_shared_offsets(op->o, n, scale, at);
  shared_words w = {.end = (at[0] > at[1] ? at[0] : at[1]) + 4 * n};
  for (uint32_t k = 0; k < n; k++) {
    w.parts[k] = at[0] + 4 * k;
    if (scale)
      w.parts[n + k] = at[1] + 4 * k;
  }
  return w;
}

/* ---- before the strips ---- */

void aq_strip_shared_join(aq_strip *s, aq_strip_op *op)
{
  const shared_words w = words_of(op);
  op->leader = op->load;
  bool is_same = true;
  for (unsigned i = s->count; i-- > 0 && is_same;) {
    const aq_strip_op *before = &s->list[i];
    for (unsigned k = 0; k < before->result_count; k++)
      is_same &= before->results[k] != op->sources[0].value;
    if (is_same && aq_strip_is_shared(before) &&
        before->sources[0].value == op->sources[0].value) {
      op->leader = before->leader;
      break;
    }
  }
  op->sources[op->source_count++] =
      (aq_strip_source){.value = (uint16_t)(AQ_STRIP_WINDOWS + op->leader)};
  uint32_t *bytes = &s->shared_bytes[op->leader];
  if (op->leader == op->load || *bytes < w.end)
    *bytes = w.end;
}

/* Whether a load may not move below another instruction. */
static bool is_bound(const aq_strip_op *load, const aq_strip_op *other)
{
  for (unsigned k = 0; k < other->result_count; k++) {
    if (other->results[k] == load->sources[0].value)
      return true;
    for (unsigned i = 0; i < load->result_count; i++)
      if (other->results[k] == load->results[i])
        return true;
  }
  for (unsigned k = 0; k < other->source_count; k++)
    for (unsigned i = 0; i < load->result_count; i++)
      if (other->sources[k].value == load->results[i])
        return true;
  return false;
}

void aq_strip_shared_sink(aq_strip *s)
{
  for (unsigned i = s->count; i-- > 0;) {
    if (!aq_strip_is_shared(&s->list[i]))
      continue;
    unsigned to = i;
    while (to + 1 < s->count && !is_bound(&s->list[i], &s->list[to + 1]))
      to++;
    const aq_strip_op load = s->list[i];
    memmove(&s->list[i], &s->list[i + 1], (to - i) * sizeof load);
    s->list[to] = load;
  }
}

void aq_strip_shared_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  if (op->leader != op->load)
    return;
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RAX, false, AQ_RAX,
                (int32_t)offsetof(aq_wave_grid, lds_size));
  aq_x86_number(x, 5, AQ_RAX, false, (int32_t)s->shared_bytes[op->load]);
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_memory(x, 0x89, AQ_RAX, false, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, group));
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RAX,
                (int32_t)offsetof(aq_wave_group, lds));
  aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
}

/* ---- in a strip ---- */

enum { WINDOW_BYTES = 32 };
_Static_assert((int)WINDOW_BYTES <= (int)AQ_WAVE_LDS_BEHIND,
               "a window ends in memory");

/* Whether all addresses are in LDS, and their window: the lanes' places there
 * are in the register that is returned. */
static int window_find(aq_strip *s, const aq_strip_op *op)
{
  enum { WINDOW = WINDOW_BYTES - 4 /* distances in it */, AND = 4, OR = 1 };
  aq_x86 *x = s->x;
  const int address = aq_strip_source_register(s, op, 0),
            to = aq_strip_form_take(s, AQ_STRIP_WINDOWS + op->leader),
            free_base = FIRST_BASE + (int)s->window_count++,
            base = free_base <= LAST_BASE ? free_base : AQ_RDX;
  const int32_t bit = 1 << op->leader;
  avx_spread(s, AQ_STRIP_T1, aq_x86_frame(frame_of(op, FRAME_LAST)));
  avx_least(s, AQ_STRIP_T1, address, aq_x86_ymm(AQ_STRIP_T1));
  avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, address);
  aq_strip_leave_unless(s, AQ_STRIP_T1);
  aq_x86_memory(x, 0x8b, base, true, AQ_RSP, frame_of(op, FRAME_BASE));
  aq_x86_number(x, 7, AQ_RBP, false, FULL);
  const uint32_t some = aq_x86_jump_if(x, AQ_X86_NE);
  avx_spread(s, AQ_STRIP_T1, aq_x86_ymm(address));
  avx_sub(s, to, address, aq_x86_ymm(AQ_STRIP_T1));
  avx_test(s, to, avx_same(s, ~(uint32_t)WINDOW));
  const uint32_t far = aq_x86_jump_if(x, AQ_X86_NE);
  avx_shift(s, 2, to, to, 2);
  aq_x86_vex128(x, 1, 1, false, 0x7e, address, 0, aq_x86_ymm(AQ_RAX));
  aq_x86_registers(x, 0x01, AQ_RAX, base, true);
  aq_x86_number(x, AND, NONE_BITS, false, ~bit);
  const uint32_t found = aq_x86_jump(x);
  aq_x86_land_here(x, some);
  aq_x86_land_here(x, far);
  avx_load(s, to, aq_x86_ymm(address));
  aq_x86_number(x, OR, NONE_BITS, false, bit);
  aq_x86_land_here(x, found);
  if (base == AQ_RDX)
    aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_strip_register_store(s, to,
                          aq_x86_frame(AQ_STRIP_AT_INDICES + 32 * op->leader));
  s->window_base[op->leader] = base;
  return to;
}

/* Whether a leader's lanes are guessed to read at one address, as they mostly
 * do where one of them reads words that lie together: else theirs are in a row.
 */
static bool is_same_guess(const aq_strip *s, unsigned leader)
{
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    if (!aq_strip_is_shared(op) || op->leader != leader)
      continue;
    const shared_words w = words_of(op);
    for (unsigned k = 1; k < op->result_count; k++)
      if (w.parts[k] == w.parts[k - 1] + 4)
        return true;
  }
  return false;
}

/* The same in the fast form: a base alone, of the last lane. */
static void fast_find(aq_strip *s, const aq_strip_op *op, bool is_same)
{
  enum { ROW = 28 /* bytes from the first lane to the last */ };
  static const uint32_t steps[8] = {0, 4, 8, 12, 16, 20, 24, ROW};
  aq_x86 *x = s->x;
  const int address = aq_strip_source_register(s, op, 0),
            free_base = FIRST_BASE + (int)s->window_count++,
            base = free_base <= NONE_BITS ? free_base : AQ_RDX;
  avx_spread(s, AQ_STRIP_T1, aq_x86_ymm(address));
  avx_sub(s, AQ_STRIP_T1, address, aq_x86_ymm(AQ_STRIP_T1));
  if (!is_same)
    avx_xor(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_constant(x, steps));
  avx_test(s, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T1));
  aq_strip_leave_if(s, AQ_X86_NE);
  aq_x86_vex128(x, 1, 1, false, 0x7e, address, 0, aq_x86_ymm(AQ_RAX));
  if (!is_same) {
    aq_x86_number(x, 0, AQ_RAX, false, ROW);
    aq_strip_leave_if(s, AQ_X86_B);
  }
  aq_x86_memory(x, 0x3b, AQ_RAX, false, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_strip_leave_if(s, AQ_X86_A);
  if (!is_same)
    aq_x86_number(x, 5, AQ_RAX, false, ROW);
  aq_x86_memory(x, 0x03, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
  aq_x86_registers(x, 0x89, AQ_RAX, base, true);
  if (base == AQ_RDX)
    aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  s->window_base[op->leader] = base;
}

static void fast_load(aq_strip *s, const aq_strip_op *op)
{
  const shared_words w = words_of(op);
  const bool is_same = is_same_guess(s, op->leader);
  if (s->window_base[op->leader] < 0)
    fast_find(s, op, is_same);
  const int base = s->window_base[op->leader];
  if (base == AQ_RDX)
    aq_x86_memory(s->x, 0x8b, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_strip_read(s, op);
  for (unsigned k = 0; k < op->result_count; k++) {
    const int to = aq_strip_result(s, k);
    const aq_x86_operand from = aq_x86_at(base, (int32_t)w.parts[k]);
    if (aq_strip_is_dead(op, k))
      continue;
    if (is_same)
      avx_spread(s, to, from);
    else
      avx_load(s, to, from);
  }
}

/* From the base and the lanes' offsets. */
static void shared_gather(aq_strip *s, const aq_strip_rare *rare)
{
  const shared_words w = words_of(rare->op);
  for (unsigned k = 0; k < rare->op->result_count; k++) {
    aq_strip_lanes(s, AQ_STRIP_T1);
    aq_x86_gather(s->x, false, rare->to[k], s->window_base[rare->op->leader],
                  rare->address[0], (int32_t)(w.parts[k]), AQ_STRIP_T1);
  }
}

static void shared_load(aq_strip *s, const aq_strip_op *op)
{
  enum { TEST = 0xf7 };
  aq_x86 *x = s->x;
  const shared_words w = words_of(op);
  if (s->fast) {
    fast_load(s, op);
    return;
  }
  const bool is_found = s->window_base[op->leader] >= 0;
  const int at = is_found
                     ? aq_strip_value_register(s, AQ_STRIP_WINDOWS + op->leader)
                     : window_find(s, op),
            base = s->window_base[op->leader];
  aq_strip_rare *rare = aq_strip_rare_begin(s, op);
  rare->write = shared_gather;
  rare->address[0] = at;
  for (unsigned k = 0; k < op->result_count; k++)
    rare->to[k] = aq_strip_result(s, k);
  if (base == AQ_RDX)
    aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_registers(x, TEST, 0, NONE_BITS, false);
  aq_x86_word(x, 1u << op->leader);
  aq_strip_rare_if(s, rare, AQ_X86_NE);
  for (unsigned k = 0; k < op->result_count; k++)
    if (!aq_strip_is_dead(op, k))
      avx_permute(s, rare->to[k], at, aq_x86_at(base, (int32_t)(w.parts[k])));
  rare->back = x->size;
}

/* ---- the table ---- */

const aq_strip_rule aq_strip_rules_shared[] = {
    {"ds_read_b32", "1", "u", shared_load, 1, AQ_STRIP_LOAD},
    {"ds_read_b64", "2", "u", shared_load, 2, AQ_STRIP_LOAD},
    {"ds_read_b96", "3", "u", shared_load, 3, AQ_STRIP_LOAD},
    {"ds_read_b128", "4", "u", shared_load, 4, AQ_STRIP_LOAD},
    {"ds_read2_b32", "2", "u", shared_load, 1 | 1 << 4, AQ_STRIP_LOAD},
    {"ds_read2_b64", "4", "u", shared_load, 2 | 1 << 4, AQ_STRIP_LOAD},
    {"ds_read2st64_b32", "2", "u", shared_load, 1 | 64 << 4, AQ_STRIP_LOAD},
    {"ds_read2st64_b64", "4", "u", shared_load, 2 | 64 << 4, AQ_STRIP_LOAD},
    {NULL, NULL, NULL, NULL, 0, 0}};
