/* SPDX-License-Identifier: MIT */
/*
 * A NaN or an infinity that an instruction makes of finite values is a finding
 * where it reaches memory: many never do, since expansions of divisions and
 * square roots select another value. So the lanes of registers that have one
 * are followed, with the instruction that made it first. A value that was
 * loaded is an input, whatever it is.
 */
#include "config.h"

#include "gpu/check/nan_tracking.h"

#include <stdio.h>

#include "common/allocations.h"
#include "gpu/wave/core/mode.h"

/* ---- values ---- */

enum {
  EXPONENT16 = 0x7c00,
  EXPONENT_BRAIN = 0x7f80,
  EXPONENT32 = 0x7f800000,
  EXPONENT64 = 0x7ff00000 /* of the upper word */
};

static bool half_is(uint32_t word, uint32_t exponent, bool nan)
{
  const uint32_t value = word & 0x7fff;
  return nan ? value > exponent : value >= exponent;
}

/* Whether a word is no number, or (nan) a NaN. Of a double it is the upper one.
 */
static bool word_is(aq_check_float type, uint32_t word, uint32_t below,
                    bool nan)
{
  const uint32_t value = word & 0x7fffffff;
  switch (type) {
  case AQ_CHECK_FLOAT_HALF:
    return half_is(word, EXPONENT16, nan);
  case AQ_CHECK_FLOAT_HALVES:
    return half_is(word, EXPONENT16, nan) ||
           half_is(word >> 16, EXPONENT16, nan);
  case AQ_CHECK_FLOAT_BRAIN:
    return half_is(word, EXPONENT_BRAIN, nan) ||
           half_is(word >> 16, EXPONENT_BRAIN, nan);
  case AQ_CHECK_FLOAT_SINGLE:
    return nan ? value > EXPONENT32 : value >= EXPONENT32;
  case AQ_CHECK_FLOAT_DOUBLE:
    return nan ? value > EXPONENT64 || (value == EXPONENT64 && below)
               : value >= EXPONENT64;
  case AQ_CHECK_FLOAT_MIXED:
    return word_is(AQ_CHECK_FLOAT_HALVES, word, below, nan) ||
           word_is(AQ_CHECK_FLOAT_SINGLE, word, below, nan);
  default:
    return false;
  }
}

static uint64_t row_is(const aq_wave *w, aq_check_float type, unsigned row,
                       bool nan)
{
  uint64_t lanes = 0;
  if (type <= AQ_CHECK_FLOAT_ELSE)
    return 0;
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
    lanes |=
        (uint64_t)word_is(type, w->v[row][l], row ? w->v[row - 1][l] : 0, nan)
        << l;
  return lanes;
}

/* ---- sources ---- */

/* The sources of an instruction: lanes with values that are no numbers, with
 * NaNs, and with values that an instruction made, and which that was. */
typedef struct inputs {
  uint64_t odd, nan, made;
  aq_check_maker by;
} inputs;

/* C of matrices and dot products has the type of the result. */
static aq_check_float type_of(const aq_check_site *site, char role)
{
  return (aq_check_float)(role == 'C' || role == 'D' ? site->float_result
                                                     : site->float_source);
}

static void vector_add(const aq_wave *w, const aq_check_odd *u,
                       aq_check_float type, unsigned row, bool upper,
                       inputs *in)
{
  if (type != AQ_CHECK_FLOAT_DOUBLE || upper) {
    in->odd |= row_is(w, type, row, false);
    in->nan |= row_is(w, type, row, true);
  }
  if (u->lanes[row] && !in->made)
    in->by = u->by[row];
  in->made |= u->lanes[row];
}

static void scalar_add(const aq_wave *w, const aq_check_odd *u,
                       aq_check_float type, unsigned code, bool upper,
                       inputs *in)
{
  const uint32_t below = code ? w->s[code - 1] : 0;
  if (type != AQ_CHECK_FLOAT_DOUBLE || upper) {
    in->odd |= word_is(type, w->s[code], below, false) ? UINT64_MAX : 0;
    in->nan |= word_is(type, w->s[code], below, true) ? UINT64_MAX : 0;
  }
  if (code >= 128 || !u->scalar_by[code] || u->scalar[code] != w->s[code])
    return;
  in->by = in->made ? in->by : u->scalar_by[code];
  in->made = UINT64_MAX;
}

static inputs inputs_find(const aq_wave *w, const aq_check_site *site,
                          const aq_check_odd *u)
{
  enum { LITERAL = 255 };
  inputs in = {.odd = 0};
  const bool keeps =
      site->inst.form == AQ_ISA_SDWA || site->inst.op_sel || site->mixes;
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    const aq_check_float type = type_of(site, r->role);
    if ((r->dest && !keeps) || (site->skips_a && r->role == 'A'))
      continue;
    for (unsigned k = 0; k < r->count; k++)
      if (r->scalar)
        scalar_add(w, u, type, r->first + k, k & 1, &in);
      else
        vector_add(w, u, type, aq_check_row(w, site, r, k), k & 1, &in);
  }
  for (unsigned i = 0; i < site->inst.operand_count; i++) {
    const aq_isa_operand *o = &site->inst.operands[i];
    const aq_check_float type = type_of(site, o->role);
    if (o->file != 's' || o->code != LITERAL)
      continue;
    in.odd |= word_is(type, site->inst.literal, 0, false) ? UINT64_MAX : 0;
    in.nan |= word_is(type, site->inst.literal, 0, true) ? UINT64_MAX : 0;
  }
  if (site->mixes) {
    in.odd = in.odd ? UINT64_MAX : 0;
    in.nan = in.nan ? UINT64_MAX : 0;
    in.made = in.made ? UINT64_MAX : 0;
  }
  return in;
}

/* ---- results ---- */

static void row_mark(aq_check_odd *u, unsigned row, uint64_t which,
                     uint64_t lanes, aq_check_maker by)
{
  const uint64_t old = u->lanes[row] & ~which, now = old | lanes;
  if (!old && lanes)
    u->by[row] = by;
  u->rows += (now != 0) - (u->lanes[row] != 0);
  u->lanes[row] = now;
}

/* The type of the values in a result: of moved bits, the maker's. */
static aq_check_float result_type(const aq_check *check,
                                  const aq_check_site *site, const inputs *in)
{
  if (site->float_result != AQ_CHECK_FLOAT_NONE)
    return (aq_check_float)site->float_result;
  return in->by ? (aq_check_float)check->sites[aq_check_maker_site(in->by) - 1]
                      .float_result
                : AQ_CHECK_FLOAT_NONE;
}

/* The maker of a value that comes of another: an infinity can become a NaN. */
static aq_check_maker carried_by(const aq_check_site *site, const inputs *in,
                                 uint64_t nan)
{
  const bool becomes = site->float_result > AQ_CHECK_FLOAT_ELSE && nan &&
                       aq_check_maker_kind(in->by) == AQ_CHECK_ODD_INFINITY;
  return becomes ? aq_check_maker_of(aq_check_maker_site(in->by),
                                     AQ_CHECK_ODD_NAN_LATER)
                 : in->by;
}

static void row_result(aq_wave *w, uint32_t number, const inputs *in,
                       aq_check_float type, unsigned row, aq_check_odd *u)
{
  const aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  const uint64_t which = site->matrix ? UINT64_MAX : AQ_WAVE_EXEC(w),
                 odd = row_is(w, type, row, false) & which,
                 carried = odd & in->made,
                 nan = row_is(w, type, row, true) & odd & ~in->made & ~in->nan,
                 fresh = odd & ~in->made & ~in->odd;
  const bool makes = site->float_result > AQ_CHECK_FLOAT_ELSE &&
                     site->float_source != AQ_CHECK_FLOAT_ELSE;
  const uint64_t made = makes ? nan | fresh : 0;
  const int first = made ? __builtin_ctzll(made) : 0;
  const aq_check_odd_kind kind = !(nan >> first & 1) ? AQ_CHECK_ODD_INFINITY
                                 : in->odd >> first & 1
                                     ? AQ_CHECK_ODD_NAN_OF_INFINITY
                                     : AQ_CHECK_ODD_NAN;
  row_mark(u, row, which, carried | made,
           carried ? carried_by(site, in, row_is(w, type, row, true) & carried)
                   : aq_check_maker_of(number, kind));
}

static void results_mark(aq_wave *w, uint32_t number, const inputs *in,
                         aq_check_odd *u)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_site *site = &check->sites[number - 1];
  const aq_check_float type = result_type(check, site, in);
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; r->dest && k < r->count; k++) {
      if (r->scalar) {
        const unsigned code = r->first + k;
        const bool odd = in->made &&
                         site->float_result == AQ_CHECK_FLOAT_NONE &&
                         word_is(type, w->s[code], 0, false);
        u->scalar_by[code] = odd ? in->by : 0;
        u->scalar[code] = w->s[code];
        u->scalars |= odd;
        continue;
      }
      const unsigned row = aq_check_row(w, site, r, k);
      /* Of a double that is computed, the upper word. */
      if (site->float_result == AQ_CHECK_FLOAT_DOUBLE && !(k & 1))
        row_mark(u, row, AQ_WAVE_EXEC(w), 0, 0);
      else
        row_result(w, number, in, type, row, u);
    }
  }
}

/* ---- denormals ---- */

enum { ROWS = 4 };

/* Rows of the results of an instruction that may flush: one register, or two.
 */
typedef struct flush {
  unsigned count;
  unsigned rows[ROWS];
  uint32_t before[ROWS][AQ_WAVE_LANES], after[ROWS][AQ_WAVE_LANES];
  uint32_t scalars[AQ_WAVE_SCALARS];
} flush;

static bool flush_begin(const aq_wave *w, const aq_check_site *site, flush *f)
{
  const bool single = site->float_result == AQ_CHECK_FLOAT_SINGLE &&
                      site->float_source == AQ_CHECK_FLOAT_SINGLE;
  const unsigned keeps =
      single ? w->mode >> 4 & 3 : (w->mode >> 4 & 3) & (w->mode >> 6 & 3);
  f->count = 0;
  if (keeps == 3 || site->matrix || site->float_result <= AQ_CHECK_FLOAT_ELSE)
    return false;
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; r->dest && !r->scalar && k < r->count; k++) {
      if (f->count == ROWS)
        return false;
      f->rows[f->count] = aq_check_row(w, site, r, k);
      memcpy(f->before[f->count], w->v[f->rows[f->count]], sizeof f->before[0]);
      f->count++;
    }
  }
  memcpy(f->scalars, w->s, sizeof f->scalars);
  return f->count > 0;
}

static const aq_wave_op *plain_run(aq_wave *w, const aq_wave_op *o)
{
  return w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
}

/* Runs it again as if MODE kept denormals, and puts its own results back. */
static void flush_compare(aq_wave *w, const aq_wave_op *o, uint32_t number,
                          flush *f)
{
  enum { KEEPS_ALL = 0xf0 };
  aq_check_grid *grid = aq_check_grid_of(w);
  const uint32_t mode = w->mode;
  uint32_t scalars[AQ_WAVE_SCALARS];
  uint64_t differs = 0;
  memcpy(scalars, w->s, sizeof scalars);
  memcpy(w->s, f->scalars, sizeof w->s);
  for (unsigned i = 0; i < f->count; i++) {
    memcpy(f->after[i], w->v[f->rows[i]], sizeof f->after[0]);
    memcpy(w->v[f->rows[i]], f->before[i], sizeof f->before[0]);
  }
  w->mode |= KEEPS_ALL;
  aq_wave_mode_enter(w);
  plain_run(w, o);
  w->mode = mode;
  aq_wave_mode_enter(w);
  memcpy(w->s, scalars, sizeof scalars);
  for (unsigned i = 0; i < f->count; i++) {
    for (unsigned l = 0; l < AQ_WAVE_LANES; l++)
      differs |= (uint64_t)(w->v[f->rows[i]][l] != f->after[i][l]) << l;
    memcpy(w->v[f->rows[i]], f->after[i], sizeof f->after[0]);
  }
  if (!(differs &= AQ_WAVE_EXEC(w)))
    return;
  const aq_check_what what = {
      .check = AQ_CHECK_FLOAT,
      .kind = "flushed denormal",
      .wave = w,
      .act = grid->act,
      .site = number,
      .lane = __builtin_ctzll(differs),
      .lanes = (unsigned)__builtin_popcountll(differs),
      .other_kernel = -1,
      .message = "the result differs from that with denormals kept",
      .missing = "a MODE that keeps denormals, or a scale that avoids them"};
  aq_check_report(grid->check, &what);
}

/* ---- instructions ---- */

void aq_check_float_begin(aq_check_odd *odd)
{
  memset(odd->lanes, 0, sizeof odd->lanes);
  memset(odd->scalar_by, 0, sizeof odd->scalar_by);
  odd->rows = 0;
  odd->scalars = false;
}

const aq_wave_op *aq_check_float_run(aq_wave *w, const aq_wave_op *o,
                                     uint32_t number)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_site *site = &check->sites[number - 1];
  aq_check_odd *u = &aq_check_group_of(w)->odd[w->number];
  const bool init = aq_check_grid_of(w)->checks & AQ_CHECK_INIT && site->init;
  const bool matters =
      site->float_result > AQ_CHECK_FLOAT_ELSE || u->rows > 0 || u->scalars;
  flush f;
  const bool flushes = matters && flush_begin(w, site, &f);
  const inputs in = matters ? inputs_find(w, site, u) : (inputs){.odd = 0};
  const aq_wave_op *next =
      init ? aq_check_uninit_run(w, o, number) : plain_run(w, o);
  if (matters && next)
    results_mark(w, number, &in, u);
  if (flushes && next)
    flush_compare(w, o, number, &f);
  return next;
}

/* ---- memory ---- */

static void store_report(aq_wave *w, uint32_t number,
                         const aq_wave_access_info *touch, uint64_t lanes,
                         aq_check_maker by)
{
  static const struct {
    const char *kind, *message;
  } texts[] = {
      [AQ_CHECK_ODD_INFINITY] = {"infinity",
                                 "an infinity made of finite values reaches "
                                 "memory"},
      [AQ_CHECK_ODD_NAN] = {"NaN",
                            "a NaN made of finite values reaches memory"},
      [AQ_CHECK_ODD_NAN_OF_INFINITY] = {"NaN of infinities",
                                        "a NaN made of infinities reaches "
                                        "memory"},
      [AQ_CHECK_ODD_NAN_LATER] = {
          "NaN", "a NaN reaches memory that comes of an infinity, which this "
                 "instruction made of finite values"}};
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_odd_kind kind = aq_check_maker_kind(by);
  aq_check_site *maker = &grid->check->sites[aq_check_maker_site(by) - 1];
  const int lane = __builtin_ctzll(lanes);
  const bool place = touch->global >> lane & 1;
  if (!maker->stored_by)
    maker->stored_by = number;
  const aq_check_what what = {.check = AQ_CHECK_FLOAT,
                              .kind = texts[kind].kind,
                              .wave = w,
                              .act = grid->act,
                              .site = aq_check_maker_site(by),
                              .lane = lane,
                              .lanes = (unsigned)__builtin_popcountll(lanes),
                              .has_address = place,
                              .has_place = place,
                              .address =
                                  place ? aq_address_host(touch->at[lane]) : 0,
                              .other_kernel = grid->kernel,
                              .other_site = maker->stored_by,
                              .other_text = "store of the value",
                              .message = texts[kind].message};
  aq_check_report(grid->check, &what);
}

void aq_check_float_memory(aq_wave *w, uint32_t number,
                           const aq_wave_access_info *touch)
{
  const aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  const uint64_t exec = AQ_WAVE_EXEC(w),
                 lanes = touch->global | touch->shared | touch->scratch;
  aq_check_odd *u = &aq_check_group_of(w)->odd[w->number];
  if (u->rows == 0)
    return;
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    if (site->inst.row->encoding == AQ_ISA_MIMG && r->role != 'D')
      continue; /* a coordinate */
    const bool result = r->dest && (site->kind == AQ_WAVE_ACCESS_READ ||
                                    (site->returns && r->role == 'D'));
    for (unsigned k = 0; !r->scalar && k < r->count; k++) {
      const unsigned row = r->first + k;
      const uint64_t bad = result ? 0 : u->lanes[row] & lanes;
      if (bad)
        store_report(w, number, touch, bad, u->by[row]);
      if (result)
        row_mark(u, row, exec, 0, 0);
    }
  }
}
