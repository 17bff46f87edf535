/* SPDX-License-Identifier: MIT */
/* DWARF 5, sections 2.17 (ranges), 3.3.8 (inlined subroutines), 7.5 (forms). */
#include "config.h"

#include "gpu/codeobj/inlined.h"

#include <stdlib.h>

#include "common/array.h"

enum { TAG_INLINED = 0x1d, DEPTH_MAX = 1024 };

enum {
  AT_STMT_LIST = 0x10,
  AT_LOW_PC = 0x11,
  AT_HIGH_PC = 0x12,
  AT_RANGES = 0x55,
  AT_CALL_FILE = 0x58,
  AT_CALL_LINE = 0x59,
  AT_ADDR_BASE = 0x73,
  AT_RNGLISTS_BASE = 0x74,
};

typedef struct abbreviation {
  uint64_t code, tag;
  bool children;
  const unsigned char *attributes; /* pairs, up to 0, 0 */
} abbreviation;

/* The attributes that count, of one entry. */
typedef struct entry {
  aq_dwarf_value low, high, ranges, call_file, call_line, stmt_list, addr_base,
      rnglists_base;
} entry;

typedef struct reading {
  aq_dwarf_part info, abbrev, addr, ranges, rnglists;
  const aq_code_file_table *tables, *table; /* of the unit, or NULL */
  size_t table_count;
  aq_code_lines *out;
  aq_dwarf_unit of;
  uint64_t addr_base, rnglists_base, base; /* of the unit */
  abbreviation *list;
  size_t count, capacity;
} reading;

/* ---- abbreviations ---- */

static bool abbreviations_read(reading *r, uint64_t offset)
{
  aq_dwarf d = aq_dwarf_at(&r->abbrev, offset, 0, 0);
  r->count = 0;
  while (!d.bad) {
    abbreviation made = {.code = aq_dwarf_unsigned(&d)};
    if (made.code == 0)
      break;
    made.tag = aq_dwarf_unsigned(&d);
    made.children = aq_dwarf_number(&d, 1) != 0;
    made.attributes = d.at;
    for (uint64_t name = 1, form = 1; (name || form) && !d.bad;) {
      name = aq_dwarf_unsigned(&d);
      form = aq_dwarf_unsigned(&d);
      if (aq_dwarf_form_is_constant(form))
        aq_dwarf_signed(&d);
    }
    if (!AQ_ARRAY_PUSH(r->list, r->count, r->capacity, made))
      return false;
  }
  return true;
}

/* Codes are mostly the numbers from 1 on. */
static const abbreviation *abbreviation_find(const reading *r, uint64_t code)
{
  if (code <= r->count && r->list[code - 1].code == code)
    return &r->list[code - 1];
  for (size_t i = 0; i < r->count; i++)
    if (r->list[i].code == code)
      return &r->list[i];
  return NULL;
}

/* ---- entries ---- */

static aq_dwarf_value *value_of(entry *e, uint64_t name)
{
  switch (name) {
  case AT_LOW_PC:
    return &e->low;
  case AT_HIGH_PC:
    return &e->high;
  case AT_RANGES:
    return &e->ranges;
  case AT_CALL_FILE:
    return &e->call_file;
  case AT_CALL_LINE:
    return &e->call_line;
  case AT_STMT_LIST:
    return &e->stmt_list;
  case AT_ADDR_BASE:
    return &e->addr_base;
  case AT_RNGLISTS_BASE:
    return &e->rnglists_base;
  default:
    return NULL;
  }
}

static bool entry_read(const reading *r, aq_dwarf *d, const abbreviation *a,
                       entry *out)
{
  aq_dwarf abbrev = {a->attributes, r->abbrev.bytes + r->abbrev.size, false};
  *out = (entry){.low = {.form = 0}};
  while (!d->bad && !abbrev.bad) {
    const uint64_t name = aq_dwarf_unsigned(&abbrev),
                   form = aq_dwarf_unsigned(&abbrev);
    aq_dwarf_value value;
    if (!name && !form)
      return true;
    if (!aq_dwarf_value_read(&r->of, d, &abbrev, form, &value))
      return false;
    aq_dwarf_value *to = value_of(out, name);
    if (to)
      *to = value;
  }
  return false;
}

/* ---- addresses and ranges ---- */

static uint64_t address_at(const reading *r, uint64_t index)
{
  aq_dwarf d = aq_dwarf_at(&r->addr, r->addr_base, index, r->of.address_size);
  return aq_dwarf_number(&d, r->of.address_size);
}

static uint64_t address_of(const reading *r, const aq_dwarf_value *v)
{
  const bool indexed =
      v->form == AQ_DWARF_FORM_ADDRX ||
      (v->form >= AQ_DWARF_FORM_ADDRX1 && v->form <= AQ_DWARF_FORM_ADDRX4);
  return indexed ? address_at(r, v->number) : v->number;
}

/* A range that was read from `d`. False: out of memory. */
static bool range_put(reading *r, const entry *e, unsigned depth,
                      const aq_dwarf *d, uint64_t low, uint64_t high)
{
  const uint64_t file = e->call_file.number;
  if (d->bad || low >= high || low == 0 || !r->table || file >= r->table->count)
    return true;
  const aq_code_inlined made = {.address = low,
                                .end = high,
                                .file = r->table->files[file],
                                .line = (uint32_t)e->call_line.number,
                                .depth = depth};
  return AQ_ARRAY_PUSH(r->out->inlined, r->out->inlined_count,
                       r->out->inlined_capacity, made);
}

/* An address behind another; there is none beyond the last. */
static uint64_t behind(aq_dwarf *d, uint64_t base, uint64_t bytes)
{
  uint64_t sum;
  d->bad |= __builtin_add_overflow(base, bytes, &sum);
  return sum;
}

/* Version 4 and before: pairs of addresses from the base. */
static bool ranges_old(reading *r, const entry *e, unsigned depth)
{
  aq_dwarf d = aq_dwarf_at(&r->ranges, e->ranges.number, 0, 0);
  uint64_t base = r->base;
  while (!d.bad) {
    const uint64_t low = aq_dwarf_number(&d, r->of.address_size),
                   high = aq_dwarf_number(&d, r->of.address_size);
    if (low == 0 && high == 0)
      break;
    if (low == (r->of.address_size == 8 ? UINT64_MAX : UINT32_MAX))
      base = high;
    else if (!range_put(r, e, depth, &d, behind(&d, base, low),
                        behind(&d, base, high)))
      return false;
  }
  return true;
}

static bool ranges_new(reading *r, const entry *e, unsigned depth)
{
  enum {
    END,
    BASEX,
    STARTX_ENDX,
    STARTX_LENGTH,
    PAIR,
    BASE,
    START_END,
    LENGTH
  };
  uint64_t offset = e->ranges.number, from = 0, base = r->base;
  if (e->ranges.form == AQ_DWARF_FORM_RNGLISTX) {
    aq_dwarf index =
        aq_dwarf_at(&r->rnglists, r->rnglists_base, offset, r->of.offset_size);
    from = r->rnglists_base;
    offset = aq_dwarf_number(&index, r->of.offset_size);
  }
  aq_dwarf d = aq_dwarf_at(&r->rnglists, from, offset, 1);
  while (!d.bad) {
    const uint64_t kind = aq_dwarf_number(&d, 1);
    uint64_t low = 0, high = 0;
    if (kind == BASEX || kind == BASE) {
      base = kind == BASE ? aq_dwarf_number(&d, r->of.address_size)
                          : address_at(r, aq_dwarf_unsigned(&d));
      continue;
    }
    if (kind == STARTX_ENDX || kind == STARTX_LENGTH) {
      low = address_at(r, aq_dwarf_unsigned(&d));
      high = aq_dwarf_unsigned(&d);
      high = kind == STARTX_ENDX ? address_at(r, high) : behind(&d, low, high);
    } else if (kind == PAIR) {
      low = behind(&d, base, aq_dwarf_unsigned(&d));
      high = behind(&d, base, aq_dwarf_unsigned(&d));
    } else if (kind == START_END || kind == LENGTH) {
      low = aq_dwarf_number(&d, r->of.address_size);
      high = kind == LENGTH ? behind(&d, low, aq_dwarf_unsigned(&d))
                            : aq_dwarf_number(&d, r->of.address_size);
    } else {
      break;
    }
    if (!range_put(r, e, depth, &d, low, high))
      return false;
  }
  return true;
}

static bool inlined_put(reading *r, const entry *e, unsigned depth, aq_dwarf *d)
{
  if (e->ranges.form)
    return r->of.version >= 5 ? ranges_new(r, e, depth)
                              : ranges_old(r, e, depth);
  if (!e->low.form || !e->high.form)
    return true;
  const uint64_t low = address_of(r, &e->low);
  const bool is_address =
      e->high.form == AQ_DWARF_FORM_ADDR || e->high.form == AQ_DWARF_FORM_ADDRX;
  const uint64_t high =
      is_address ? address_of(r, &e->high) : behind(d, low, e->high.number);
  return range_put(r, e, depth, d, low, high);
}

/* ---- units ---- */

/* The first entry has the bases of the others. */
static void unit_begin(reading *r, const entry *e)
{
  r->table = NULL;
  for (size_t i = 0; i < r->table_count && e->stmt_list.form; i++)
    if (r->tables[i].offset == e->stmt_list.number)
      r->table = &r->tables[i];
  r->addr_base = e->addr_base.form ? e->addr_base.number : 8;
  r->rnglists_base = e->rnglists_base.form ? e->rnglists_base.number : 12;
  r->base = e->low.form ? address_of(r, &e->low) : 0;
}

/* False: out of memory. */
static bool entries_read(reading *r, aq_dwarf *d)
{
  unsigned depth = 0;
  bool begun = false;
  while (!d->bad && aq_dwarf_left(d) > 0) {
    const uint64_t code = aq_dwarf_unsigned(d);
    entry e;
    if (code == 0) {
      if (depth-- <= 1)
        break;
      continue;
    }
    const abbreviation *a = abbreviation_find(r, code);
    if (!a || !entry_read(r, d, a, &e) || depth >= DEPTH_MAX)
      break;
    if (!begun)
      unit_begin(r, &e);
    begun = true;
    if (a->tag == TAG_INLINED && !inlined_put(r, &e, depth, d))
      return false;
    depth += a->children;
    if (depth == 0)
      break;
  }
  return true;
}

static bool unit_read(reading *r, aq_dwarf *info)
{
  enum { COMPILE = 1, PARTIAL = 3 };
  uint64_t abbrev;
  unsigned type = COMPILE;
  aq_dwarf d;
  r->of.offset_size = aq_dwarf_unit_begin(info, &d);
  if (r->of.offset_size == 0)
    return true;
  r->of.version = (unsigned)aq_dwarf_number(&d, 2);
  if (r->of.version >= 5) {
    type = (unsigned)aq_dwarf_number(&d, 1);
    r->of.address_size = (unsigned)aq_dwarf_number(&d, 1);
    abbrev = aq_dwarf_number(&d, r->of.offset_size);
  } else {
    abbrev = aq_dwarf_number(&d, r->of.offset_size);
    r->of.address_size = (unsigned)aq_dwarf_number(&d, 1);
  }
  if (d.bad || r->of.version < 3 || r->of.version > 5 ||
      (type != COMPILE && type != PARTIAL) ||
      (r->of.address_size != 4 && r->of.address_size != 8))
    return true;
  return abbreviations_read(r, abbrev) && entries_read(r, &d);
}

/* False: out of memory. */
static bool units_read(reading *r)
{
  aq_dwarf info = aq_dwarf_at(&r->info, 0, 0, 0);
  bool done = true;
  while (done && !info.bad && aq_dwarf_left(&info) > 0)
    done = unit_read(r, &info);
  free(r->list);
  return done;
}

aq_status aq_code_inlined_read(const aq_elf *elf, const aq_dwarf_unit *of,
                               const aq_code_file_table *tables, size_t count,
                               aq_code_lines *out, aq_diag *diag)
{
  reading r = {.of = *of, .tables = tables, .table_count = count, .out = out};
  const struct {
    const char *name;
    aq_dwarf_part *part;
  } sections[] = {{".debug_info", &r.info},
                  {".debug_abbrev", &r.abbrev},
                  {".debug_addr", &r.addr},
                  {".debug_ranges", &r.ranges},
                  {".debug_rnglists", &r.rnglists}};
  const size_t section_count = sizeof sections / sizeof *sections;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < section_count && status == AQ_OK; i++)
    status = aq_dwarf_section(elf, sections[i].name, sections[i].part, diag);
  if (status == AQ_OK && !units_read(&r))
    status = aq_diag_no_memory(diag);
  for (size_t i = 0; i < section_count; i++)
    aq_dwarf_part_fini(sections[i].part);
  return status;
}
