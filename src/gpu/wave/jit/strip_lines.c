/* SPDX-License-Identifier: MIT */
/*
 * The fast form of a run (strip.h), for waves all of whose lanes are on and
 * read memory in rows. Addresses there are lines: words y, y + d, y + 2 d ...
 * from lane to lane, without passing 2^32. The instructions that compute them
 * are done once, on y and d, before the strips; then one comparison of a load
 * or store checks its row against the range that the instruction found last
 * (access.inc). All is checked before anything changes: else the general form
 * of the run executes the strips that are left.
 *
 * A carry of lines is the same in all lanes: their sum does not pass 2^32
 * between two of them. A line in the frame is y, d, and the last lane's
 * distance from y; lines with the same step share theirs.
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/code.h"
#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum { STRIP = 8 /* lanes */, NONE = 0xff /* no line */ };

typedef enum line_kind {
  SUM,   /* of all sources: the third of three may be a carry */
  SHIFT, /* b << a */
  SHIFT_ADD,
  ADD_SHIFT,
  SHIFT64,
  SHIFT_ADD64,
  SIGN,
} line_kind;

/* `shift`: the source that is a number. */
typedef struct line_rule {
  const char *name;
  line_kind kind;
  int shift;
} line_rule;

static const line_rule *rule_of(const aq_strip_op *op)
{
  static const line_rule rules[] = {
      {"v_mov_b32", SUM, -1},           {"v_add_u32", SUM, -1},
      {"v_add3_u32", SUM, -1},          {"v_add_co_u32", SUM, -1},
      {"v_addc_co_u32", SUM, -1},       {"v_lshlrev_b32", SHIFT, 0},
      {"v_lshl_add_u32", SHIFT_ADD, 1}, {"v_add_lshl_u32", ADD_SHIFT, 2},
      {"v_lshlrev_b64", SHIFT64, 0},    {"v_lshl_add_u64", SHIFT_ADD64, 2},
      {"v_ashrrev_i32", SIGN, 0}};
  uint32_t by;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].name, op->rule->name) == 0)
      return rules[i].shift < 0 || (aq_strip_source_number(
                                        op, (unsigned)rules[i].shift, &by) &&
                                    (rules[i].kind == SIGN          ? by == 31
                                     : rules[i].kind == SHIFT_ADD64 ? by < 8
                                                                    : by < 32))
                 ? &rules[i]
                 : NULL;
  return NULL;
}

/* ---- which instructions ---- */

static bool is_mask(unsigned value)
{
  return value >= AQ_STRIP_MASK && value < AQ_STRIP_MOVED;
}

int aq_strip_writer_of(const aq_strip *s, unsigned at, unsigned value)
{
  for (unsigned i = at; i-- > 0;)
    for (unsigned k = 0; k < s->list[i].result_count; k++)
      if (s->list[i].results[k] == value)
        return (int)i;
  return -1;
}

/* Whether a value is a line before instruction `at`, if the rows that the run
 * begins with are. */
static bool value_may_be(const aq_strip *s, unsigned at, unsigned value)
{
  if (value == AQ_STRIP_NUMBER ||
      (value >= AQ_STRIP_SCALAR && value < AQ_STRIP_MASK))
    return true;
  const int writer = aq_strip_writer_of(s, at, value);
  return writer < 0 ? value < AQ_STRIP_SCALAR : s->list[writer].is_line;
}

static bool op_may_be(const aq_strip *s, unsigned at)
{
  const aq_strip_op *op = &s->list[at];
  if (op->moves || op->part || op->is_dead || !rule_of(op))
    return false;
  for (unsigned k = 0; k < op->source_count; k++)
    if (op->sources[k].change || !value_may_be(s, at, op->sources[k].value))
      return false;
  for (unsigned k = 0; k < op->result_count; k++)
    if (is_mask(op->results[k]) && op->is_kept[k])
      return false;
  return true;
}

static bool is_global(const aq_strip_op *op)
{
  return op->rule->nan == AQ_STRIP_LOAD && !aq_strip_is_shared(op);
}

/* Whether the instruction's address of `words` rows may be lines. */
static bool address_may_be(const aq_strip *s, unsigned at, unsigned row,
                           unsigned words)
{
  for (unsigned k = 0; k < words; k++)
    if (!value_may_be(s, at, row + k))
      return false;
  return true;
}

static void value_need(const aq_strip *s, bool *needed, unsigned at,
                       unsigned value)
{
  const int writer =
      value == AQ_STRIP_NUMBER ? -1 : aq_strip_writer_of(s, at, value);
  if (writer >= 0)
    needed[writer] = true;
}

/* Whether one that stays in the strips reads a mask of a line. */
static bool is_mask_read(const aq_strip *s)
{
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    for (unsigned k = 0; !op->is_line && k < op->source_count; k++) {
      const unsigned value = op->sources[k].value;
      const int writer =
          is_mask(value) && !op->is_dead ? aq_strip_writer_of(s, i, value) : -1;
      if (writer >= 0 && s->list[writer].is_line)
        return true;
    }
  }
  return false;
}

static unsigned store_address_words(const aq_wave_op *store)
{
  return store->dest2 == AQ_WAVE_NONE ? 2 : 1;
}

/* Instructions that addresses need stay lines. False: an address is none. */
static bool needs_find(aq_strip *s, bool *reaches)
{
  bool needed[AQ_STRIP_MAX] = {false};
  if (s->store) {
    const unsigned words = store_address_words(s->store);
    if (!address_may_be(s, s->count, s->store->source[1], words))
      return false;
    for (unsigned k = 0; k < words; k++)
      value_need(s, needed, s->count, s->store->source[1] + k);
    *reaches = true;
  }
  for (unsigned i = s->count; i-- > 0;) {
    aq_strip_op *op = &s->list[i];
    if (is_global(op)) {
      if (op->result_count == 3 ||
          !address_may_be(s, i, op->sources[0].value, op->source_count))
        return false;
      needed[i] = op->is_line = *reaches = true;
    } else {
      op->is_line &= needed[i];
    }
    for (unsigned k = 0; needed[i] && k < op->source_count; k++)
      value_need(s, needed, i, op->sources[k].value);
  }
  return true;
}

/* Whether its results are lines. */
static bool has_rows(const aq_strip_op *op)
{
  return op->is_line && !is_global(op);
}

/* Whether the strips or the wave need a row of a line. */
static bool is_row_read(const aq_strip *s, unsigned at, unsigned k)
{
  const unsigned row = s->list[at].results[k];
  for (unsigned i = at + 1; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    for (unsigned n = 0; !op->is_line && !op->is_dead && n < op->source_count;
         n++)
      if (op->sources[n].value == row &&
          aq_strip_writer_of(s, i, row) == (int)at)
        return true;
  }
  return s->list[at].is_kept[k];
}

/* Gives such rows their places in the frame. Returned is how many these are. */
static unsigned rows_number(aq_strip *s)
{
  unsigned count = 0;
  for (unsigned i = 0; i < s->count; i++) {
    aq_strip_op *op = &s->list[i];
    for (unsigned k = 0; has_rows(op) && k < op->result_count; k++) {
      op->row_at[k] = -1;
      if (!is_mask(op->results[k]) && is_row_read(s, i, k)) {
        op->row_at[k] = (int8_t)count;
        count += 2;
      }
    }
  }
  return count;
}

static bool lines_may_be(aq_strip *s)
{
  bool gains = false;
  unsigned lines = 0;
  for (unsigned i = 0; i < s->count; i++) {
    s->list[i].is_line = op_may_be(s, i);
    gains |= aq_strip_is_shared(&s->list[i]);
  }
  if (s->move_count > 0 || !needs_find(s, &gains) || is_mask_read(s))
    return false;
  for (unsigned i = 0; i < s->count; i++)
    if (s->list[i].is_line)
      lines += s->list[i].result_count + s->list[i].source_count;
  s->line_rows = rows_number(s);
  return gains && lines + 2 < AQ_STRIP_LINES &&
         s->rows_written + s->line_rows + 4 < AQ_STRIP_SPILLS;
}

bool aq_strip_lines_find(aq_strip *s)
{
  if (lines_may_be(s))
    return true;
  for (unsigned i = 0; i < s->count; i++)
    s->list[i].is_line = false;
  s->line_rows = 0;
  return false;
}

/* ---- lines ---- */

static int32_t line_at(unsigned line)
{
  return AQ_STRIP_AT_LINES + 16 * (int32_t)line;
}

static int32_t step_at(unsigned line)
{
  return line_at(line) + 4;
}

static int32_t span_at(unsigned line)
{
  return line_at(line) + 8;
}

static uint8_t line_add(aq_strip *s, aq_strip_line line)
{
  s->lines[s->line_count] = line;
  return (uint8_t)s->line_count++;
}

static int lanes_of(const aq_strip *s)
{
  return s->wave32 ? 32 : 64;
}

static aq_x86_operand lanes_numbers(aq_strip *s)
{
  static const uint32_t numbers[STRIP] = {0, 1, 2, 3, 4, 5, 6, 7};
  return aq_x86_constant(s->x, numbers);
}

/* Stores the step in rcx, and the span, which rdx becomes. */
static void step_put(aq_strip *s, unsigned line)
{
  aq_x86 *x = s->x;
  aq_x86_memory(x, 0x89, AQ_RCX, false, AQ_RSP, step_at(line));
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RDX, true);
  aq_x86_shift(x, 4, AQ_RDX, true, s->wave32 ? 5 : 6);
  aq_x86_registers(x, 0x29, AQ_RCX, AQ_RDX, true);
  aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, span_at(line));
}

static void first_put(aq_strip *s, unsigned line)
{
  aq_x86_memory(s->x, 0x89, AQ_RAX, false, AQ_RSP, line_at(line));
}

/* A row that the run begins with. */
static unsigned row_line(aq_strip *s, unsigned row)
{
  enum { AT, STEP, DIFFERENCE, T };
  aq_x86 *x = s->x;
  const int32_t at = aq_strip_row_at(row);
  if (s->line_of[row] != NONE)
    return s->line_of[row];
  const unsigned line = s->line_of[row] =
      line_add(s, (aq_strip_line){.step = (uint8_t)s->line_count});
  aq_x86_wave(x, 0x8b, AQ_RAX, false, at);
  aq_x86_wave(x, 0x8b, AQ_RCX, false, at + 4);
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RCX, false);
  first_put(s, line);
  step_put(s, line);
  aq_x86_registers(x, 0x01, AQ_RAX, AQ_RDX, true);
  aq_x86_wave(x, 0x8b, AQ_R8, false, at + 4 * (lanes_of(s) - 1));
  aq_x86_registers(x, 0x39, AQ_R8, AQ_RDX, true);
  aq_strip_leave_if(s, AQ_X86_NE);
  avx_spread(s, STEP, aq_x86_frame(step_at(line)));
  avx_spread(s, AT, aq_x86_frame(line_at(line)));
  avx_mul(s, T, STEP, lanes_numbers(s));
  avx_add(s, AT, AT, aq_x86_ymm(T));
  avx_shift(s, 6, STEP, STEP, 3);
  for (int i = 0; i < lanes_of(s) / STRIP; i++) {
    if (i)
      avx_add(s, AT, AT, aq_x86_ymm(STEP));
    avx_xor(s, i ? T : DIFFERENCE, AT,
            (aq_x86_operand){AQ_X86_WAVE, at + 4 * STRIP * i});
    if (i)
      avx_or(s, DIFFERENCE, DIFFERENCE, aq_x86_ymm(T));
  }
  avx_test(s, DIFFERENCE, aq_x86_ymm(DIFFERENCE));
  aq_strip_leave_if(s, AQ_X86_NE);
  return line;
}

/* The line of a row or mask before instruction `at`. */
static unsigned value_line(aq_strip *s, unsigned at, unsigned value)
{
  const int writer = aq_strip_writer_of(s, at, value);
  if (writer < 0)
    return row_line(s, value);
  for (unsigned k = 0;; k++)
    if (s->list[writer].results[k] == value)
      return s->list[writer].lines[k];
}

static aq_strip_line source_line(aq_strip *s, unsigned at,
                                 const aq_strip_source *source)
{
  if (source->value == AQ_STRIP_NUMBER)
    return (aq_strip_line){AQ_STRIP_IN_CODE, source->number, true, 0};
  if (source->value >= AQ_STRIP_SCALAR && source->value < AQ_STRIP_MASK)
    return (aq_strip_line){AQ_STRIP_IN_SCALAR, source->value - AQ_STRIP_SCALAR,
                           true, 0};
  const unsigned line = value_line(s, at, source->value);
  aq_strip_line out = s->lines[line];
  if (out.kind == AQ_STRIP_IN_FRAME)
    out.first = line;
  return out;
}

static void first_load(aq_strip *s, int reg, const aq_strip_line *line)
{
  if (line->kind == AQ_STRIP_IN_FRAME)
    aq_x86_memory(s->x, 0x8b, reg, false, AQ_RSP, line_at(line->first));
  else if (line->kind == AQ_STRIP_IN_SCALAR)
    aq_x86_wave(s->x, 0x8b, reg, false, aq_strip_scalar_at(line->first));
  else
    aq_x86_load_number(s->x, reg, line->first);
}

static bool is_nothing(const aq_strip_line *line)
{
  return line->kind == AQ_STRIP_IN_CODE && line->first == 0;
}

/* A sum that is made: lane 0's in rax, modulo 2^64; `step` is the only line
 * with one so far, if `steps` is 1, else rcx has it. */
typedef struct line_sum {
  bool begun;
  unsigned steps, step;
} line_sum;

static void sum_add(aq_strip *s, line_sum *sum, const aq_strip_line *line)
{
  aq_x86 *x = s->x;
  if (!sum->begun || !is_nothing(line)) {
    first_load(s, sum->begun ? AQ_RDX : AQ_RAX, line);
    if (sum->begun)
      aq_x86_registers(x, 0x01, AQ_RDX, AQ_RAX, true);
    sum->begun = true;
  }
  if (line->is_same)
    return;
  if (sum->steps == 0) {
    sum->step = line->step;
  } else {
    if (sum->steps == 1)
      aq_x86_memory(x, 0x8b, AQ_RCX, false, AQ_RSP, step_at(sum->step));
    aq_x86_memory(x, 0x8b, AQ_RDX, false, AQ_RSP, step_at(line->step));
    aq_x86_registers(x, 0x01, AQ_RDX, AQ_RCX, true);
  }
  sum->steps++;
}

/* Two words as one; the upper one has to be the same in all lanes. */
static void pair_add(aq_strip *s, line_sum *sum, const aq_strip_line *lines)
{
  aq_x86 *x = s->x;
  const aq_strip_line *upper = &lines[1];
  sum_add(s, sum, &lines[0]);
  if (!upper->is_same) {
    aq_x86_memory(x, 0x83, 7, false, AQ_RSP, step_at(upper->step));
    aq_x86_byte(x, 0);
    aq_strip_leave_if(s, AQ_X86_NE);
  }
  if (is_nothing(upper))
    return;
  first_load(s, AQ_RDX, upper);
  aq_x86_shift(x, 4, AQ_RDX, true, 32);
  aq_x86_registers(x, 0x01, AQ_RDX, AQ_RAX, true);
}

/* The step becomes that of no line. */
static void sum_shift(aq_strip *s, line_sum *sum, uint32_t by)
{
  if (by == 0)
    return;
  aq_x86_shift(s->x, 4, AQ_RAX, true, (int)by);
  if (sum->steps == 1)
    aq_x86_memory(s->x, 0x8b, AQ_RCX, false, AQ_RSP, step_at(sum->step));
  if (sum->steps == 0)
    return;
  aq_x86_shift(s->x, 4, AQ_RCX, true, (int)by);
  sum->steps = 2;
}

static line_sum sum_write(aq_strip *s, const aq_strip_op *op,
                          const line_rule *rule, const aq_strip_line *lines)
{
  line_sum sum = {.begun = false};
  uint32_t by = 0;
  if (rule->shift >= 0)
    aq_strip_source_number(op, (unsigned)rule->shift, &by);
  switch (rule->kind) {
  case SHIFT:
    sum_add(s, &sum, &lines[1]);
    sum_shift(s, &sum, by);
    break;
  case SHIFT_ADD:
    sum_add(s, &sum, &lines[0]);
    sum_shift(s, &sum, by);
    sum_add(s, &sum, &lines[2]);
    break;
  case ADD_SHIFT:
    sum_add(s, &sum, &lines[0]);
    sum_add(s, &sum, &lines[1]);
    sum_shift(s, &sum, by);
    break;
  case SHIFT64:
    pair_add(s, &sum, &lines[1]);
    sum_shift(s, &sum, by);
    break;
  case SHIFT_ADD64:
    pair_add(s, &sum, &lines[0]);
    sum_shift(s, &sum, by);
    pair_add(s, &sum, &lines[3]);
    break;
  default:
    for (unsigned k = 0; k < op->source_count; k++)
      sum_add(s, &sum, &lines[k]);
    break;
  }
  return sum;
}

/* The sign of all lanes, if it is the same. */
static void sign_write(aq_strip *s, const aq_strip_line *line)
{
  aq_x86 *x = s->x;
  first_load(s, AQ_RAX, line);
  if (!line->is_same) {
    aq_x86_registers(x, 0x89, AQ_RAX, AQ_RDX, false);
    aq_x86_memory(x, 0x03, AQ_RDX, false, AQ_RSP, span_at(line->step));
    aq_x86_registers(x, 0x31, AQ_RAX, AQ_RDX, false);
    aq_strip_leave_if(s, 8); /* js */
  }
  aq_x86_shift(x, 7, AQ_RAX, false, 31);
}

static void op_write(aq_strip *s, unsigned at)
{
  aq_strip_op *op = &s->list[at];
  const line_rule *rule = rule_of(op);
  aq_x86 *x = s->x;
  aq_strip_line lines[AQ_STRIP_SOURCES];
  line_sum sum = {.begun = false};
  for (unsigned k = 0; k < op->source_count; k++)
    lines[k] = source_line(s, at, &op->sources[k]);
  if (rule->kind == SUM && op->source_count == 1) {
    op->lines[0] = line_add(s, lines[0]);
    if (lines[0].kind == AQ_STRIP_IN_FRAME)
      op->lines[0] = (uint8_t)lines[0].first;
    return;
  }
  if (rule->kind == SIGN)
    sign_write(s, &lines[1]);
  else
    sum = sum_write(s, op, rule, lines);
  const unsigned line = s->line_count;
  op->lines[0] = line_add(
      s, (aq_strip_line){.is_same = sum.steps == 0,
                         .step = (uint8_t)(sum.steps == 1 ? sum.step : line)});
  first_put(s, line);
  if (op->result_count == 2) { /* an upper word, or a carry */
    op->lines[1] = line_add(s, (aq_strip_line){.is_same = true});
    if (!aq_strip_is_dead(op, 1)) {
      aq_x86_registers(x, 0x89, AQ_RAX, AQ_RDX, true);
      aq_x86_shift(x, 5, AQ_RDX, true, 32);
      aq_x86_memory(x, 0x89, AQ_RDX, false, AQ_RSP, line_at(op->lines[1]));
    }
  }
  if (sum.steps == 0)
    return;
  if (sum.steps > 1)
    step_put(s, line);
  aq_x86_registers(x, 0x89, AQ_RAX, AQ_RAX, false);
  aq_x86_memory(x, 0x03, AQ_RAX, true, AQ_RSP, span_at(s->lines[line].step));
  aq_x86_shift(x, 5, AQ_RAX, true, 32);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* ---- addresses ---- */

/* rax becomes where the host sees the row of a wave, of two lines' address or
 * one's; `each`: bytes of a lane. */
static void row_check(aq_strip *s, const aq_wave_op *o, const uint8_t *lines,
                      int32_t each, bool writes)
{
  aq_x86 *x = s->x;
  const int32_t range = aq_memory_range_at(o);
  line_sum sum = {.begun = false};
  aq_strip_line address[2] = {s->lines[lines[0]], s->lines[lines[0]]};
  for (unsigned k = 0; k < (o->dest2 == AQ_WAVE_NONE ? 2u : 1u); k++) {
    address[k] = s->lines[lines[k]];
    if (address[k].kind == AQ_STRIP_IN_FRAME)
      address[k].first = lines[k];
  }
  if (address[0].is_same) {
    aq_strip_leave(s);
    return;
  }
  aq_x86_memory(x, 0x81, 7, false, AQ_RSP, step_at(address[0].step));
  aq_x86_word(x, (uint32_t)each);
  aq_strip_leave_if(s, AQ_X86_NE);
  if (o->dest2 == AQ_WAVE_NONE) {
    pair_add(s, &sum, address);
  } else {
    sum_add(s, &sum, &address[0]);
    aq_x86_wave(x, 0x03, AQ_RAX, true, aq_strip_scalar_at(o->dest2));
  }
  if (o->imm)
    aq_x86_number(x, 0, AQ_RAX, true, o->imm);
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  if (writes) {
    aq_x86_memory(x, 0x80, 7, false, AQ_RDX,
                  range + (int32_t)offsetof(aq_wave_range, writable));
    aq_x86_byte(x, 0);
    aq_strip_leave_if(s, AQ_X86_E);
  }
  aq_x86_memory(x, 0x3b, AQ_RAX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, base));
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, end));
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RCX, true);
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_number(x, 7, AQ_RCX, true, each * lanes_of(s));
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_memory(x, 0x2b, AQ_RAX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, shift));
}

/* Where a load's row is, in the frame, and the store's. */
static int32_t host_at(unsigned load)
{
  return AQ_STRIP_AT_LOADS + 32 * (int32_t)load;
}

static int32_t store_host_at(void)
{
  return line_at(AQ_STRIP_LINES - 1);
}

static aq_x86_operand first_operand(aq_strip *s, unsigned number)
{
  const aq_strip_line *line = &s->lines[number];
  return line->kind == AQ_STRIP_IN_FRAME ? aq_x86_frame(line_at(number))
         : line->kind == AQ_STRIP_IN_SCALAR
             ? (aq_x86_operand){AQ_X86_WAVE, aq_strip_scalar_at(line->first)}
             : avx_same(s, line->first);
}

/* The words of the first strip, and the sum for each next one. */
static void row_begin(aq_strip *s, unsigned line, int words, int step)
{
  avx_spread(s, words, first_operand(s, line));
  if (s->lines[line].is_same)
    return;
  avx_spread(s, step, aq_x86_frame(step_at(s->lines[line].step)));
  avx_mul(s, AQ_STRIP_T0, step, lanes_numbers(s));
  avx_add(s, words, words, aq_x86_ymm(AQ_STRIP_T0));
  avx_shift(s, 6, step, step, 3);
}

/* Puts rows of lines that the strips or the wave need into the frame. */
static void rows_place(aq_strip *s)
{
  enum { WORDS, STEP };
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    for (unsigned k = 0; has_rows(op) && k < op->result_count; k++) {
      if (op->row_at[k] < 0)
        continue;
      row_begin(s, op->lines[k], WORDS, STEP);
      aq_strip_register_store(s, WORDS, aq_strip_spill_operand(op->row_at[k]));
      if (!s->lines[op->lines[k]].is_same)
        aq_strip_register_store(s, STEP,
                                aq_strip_spill_operand(op->row_at[k] + 1));
    }
  }
}

/* Registers that are free in strips without loads of LDS. */
enum { FIRST_HOST = AQ_R8, HOSTS = 4 };

static void hosts_load(aq_strip *s)
{
  s->keeps_hosts = true;
  for (unsigned i = 0; i < s->count; i++)
    s->keeps_hosts &= !aq_strip_is_shared(&s->list[i]);
  for (unsigned i = 0; s->keeps_hosts && i < s->load_count && i < HOSTS; i++)
    aq_x86_memory(s->x, 0x8b, FIRST_HOST + (int)i, true, AQ_RSP, host_at(i));
}

/* Waves mostly write one behind the other: asks for the lines of a later one,
 * behind the store's row in rax. Else all stores wait for these. */
static void ahead_fetch(aq_strip *s)
{
  enum { WAVES = 2, LINE = 64 /* bytes */ };
  const int32_t bytes = 4 * (int32_t)s->store_words * lanes_of(s);
  for (int32_t i = 0; i < bytes; i += LINE)
    aq_x86_memory(s->x, 0x0f0d, 1, false, AQ_RAX, /* prefetchw */
                  WAVES * bytes + i);
}

void aq_strip_lines_prepare(aq_strip *s, bool is_unrolled)
{
  s->line_count = 0;
  s->keeps_hosts = false;
  s->spill_count = s->line_rows;
  memset(s->line_of, NONE, sizeof s->line_of);
  for (unsigned i = 0; i < s->count; i++) {
    aq_strip_op *op = &s->list[i];
    if (!op->is_line)
      continue;
    if (!is_global(op)) {
      op_write(s, i);
      continue;
    }
    for (unsigned k = 0; k < op->source_count; k++)
      op->lines[k] = (uint8_t)value_line(s, i, op->sources[k].value);
    row_check(s, op->o, op->lines, aq_strip_load_bytes(op), false);
    aq_x86_memory(s->x, 0x89, AQ_RAX, true, AQ_RSP, host_at(op->load));
  }
  if (s->store) {
    for (unsigned k = 0; k < store_address_words(s->store); k++)
      s->store_lines[k] =
          (uint8_t)value_line(s, s->count, s->store->source[1] + k);
    row_check(s, s->store, s->store_lines, 4 * (int32_t)s->store_words, true);
    aq_x86_memory(s->x, 0x89, AQ_RAX, true, AQ_RSP, store_host_at());
    ahead_fetch(s);
  }
  rows_place(s);
  if (is_unrolled)
    hosts_load(s);
}

/* ---- in a strip ---- */

void aq_strip_lines_turn(aq_strip *s)
{
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    for (unsigned k = 0; has_rows(op) && k < op->result_count; k++)
      if (op->row_at[k] >= 0 && !s->lines[op->lines[k]].is_same) {
        const aq_x86_operand at = aq_strip_spill_operand(op->row_at[k]);
        avx_load(s, AQ_STRIP_T0, at);
        avx_add(s, AQ_STRIP_T0, AQ_STRIP_T0,
                aq_strip_spill_operand(op->row_at[k] + 1));
        aq_strip_register_store(s, AQ_STRIP_T0, at);
      }
  }
}

aq_x86_operand aq_strip_line_load(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  const int32_t each = aq_strip_load_bytes(op);
  const bool is_kept = s->keeps_hosts && op->load < HOSTS;
  if (!is_kept)
    aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RSP, host_at(op->load));
  if (s->strip >= 0)
    return aq_x86_at(is_kept ? FIRST_HOST + op->load : AQ_RAX,
                     STRIP * each * s->strip);
  if (each < 4) {
    aq_x86_registers(x, 0x89, AQ_R14, AQ_RCX, false);
    aq_x86_shift(x, 5, AQ_RCX, false, each == 1 ? 2 : 1);
    aq_x86_registers(x, 0x01, AQ_RCX, AQ_RAX, true);
  }
  for (int32_t i = 0; i < each / 4; i++)
    aq_x86_registers(x, 0x01, AQ_R14, AQ_RAX, true);
  return aq_x86_at(AQ_RAX, 0);
}

void aq_strip_lines_store(aq_strip *s)
{
  aq_x86 *x = s->x;
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RSP, store_host_at());
  aq_memory_rows_store(x, s->store, s->store_words, s->ops, s->wave32);
}
