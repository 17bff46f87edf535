/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/dwarf_entries.h"

#include <stdlib.h>

#include "common/array.h"

enum { DEPTH_MAX = 1024 };

typedef struct abbreviation {
  uint64_t code, tag;
  bool children;
  const unsigned char *attributes; /* pairs, up to 0, 0 */
} abbreviation;

typedef struct reading {
  aq_dwarf_info *info;
  aq_dwarf_entry_take *take;
  void *user;
  abbreviation *list;
  size_t count, capacity;
} reading;

/* ---- abbreviations ---- */

static bool abbreviations_read(reading *r, uint64_t offset)
{
  aq_dwarf d = aq_dwarf_at(&r->info->abbrev, offset, 0, 0);
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

/* AQ_DWARF_ATTRIBUTES: it is not kept. */
static aq_dwarf_attribute attribute_of(uint64_t number)
{
  switch (number) {
#define A(name, of)                                                            \
  case of:                                                                     \
    return AQ_DWARF_AT_##name;
    AQ_DWARF_ATTRIBUTES_EACH(A)
#undef A
  default:
    return AQ_DWARF_ATTRIBUTES;
  }
}

static bool entry_read(const reading *r, aq_dwarf *d, const abbreviation *a,
                       aq_dwarf_entry *out)
{
  const aq_dwarf_part *part = &r->info->abbrev;
  aq_dwarf abbrev = {a->attributes, part->bytes + part->size, false};
  out->tag = a->tag;
  memset(out->of, 0, sizeof out->of);
  while (!d->bad && !abbrev.bad) {
    const uint64_t name = aq_dwarf_unsigned(&abbrev),
                   form = aq_dwarf_unsigned(&abbrev);
    aq_dwarf_value value;
    if (!name && !form)
      return true;
    if (!aq_dwarf_value_read(&r->info->unit, d, &abbrev, form, &value))
      return false;
    const aq_dwarf_attribute at = attribute_of(name);
    if (at < AQ_DWARF_ATTRIBUTES)
      out->of[at] = value;
  }
  return false;
}

/* The first entry has the bases of the others. */
static void unit_begin(aq_dwarf_info *info, const aq_dwarf_entry *e)
{
  const aq_dwarf_value *addr = &e->of[AQ_DWARF_AT_ADDR_BASE],
                       *rnglists = &e->of[AQ_DWARF_AT_RNGLISTS_BASE],
                       *texts = &e->of[AQ_DWARF_AT_STR_OFFSETS_BASE],
                       *low = &e->of[AQ_DWARF_AT_LOW_PC];
  info->addr_base = addr->form ? addr->number : 8;
  info->rnglists_base = rnglists->form ? rnglists->number : 12;
  info->str_offsets_base = texts->form ? texts->number : 8;
  info->base = low->form ? aq_dwarf_address(info, low) : 0;
}

/* False: out of memory, or not taken. */
static bool entries_read(reading *r, aq_dwarf *d)
{
  unsigned depth = 0;
  bool begun = false;
  while (!d->bad && aq_dwarf_left(d) > 0) {
    aq_dwarf_entry e = {.offset = (uint64_t)(d->at - r->info->info.bytes),
                        .depth = depth};
    const uint64_t code = aq_dwarf_unsigned(d);
    if (code == 0) {
      if (depth-- <= 1)
        break;
      continue;
    }
    const abbreviation *a = abbreviation_find(r, code);
    if (!a || !entry_read(r, d, a, &e) || depth >= DEPTH_MAX)
      break;
    if (!begun)
      unit_begin(r->info, &e);
    begun = true;
    if (!r->take(r->user, r->info, &e))
      return false;
    depth += a->children;
    if (depth == 0)
      break;
  }
  return true;
}

static bool unit_read(reading *r, aq_dwarf *all)
{
  enum { COMPILE = 1, PARTIAL = 3 };
  aq_dwarf_unit *unit = &r->info->unit;
  uint64_t abbrev;
  unsigned type = COMPILE;
  aq_dwarf d;
  r->info->unit_at = (uint64_t)(all->at - r->info->info.bytes);
  unit->offset_size = aq_dwarf_unit_begin(all, &d);
  if (unit->offset_size == 0)
    return true;
  unit->version = (unsigned)aq_dwarf_number(&d, 2);
  if (unit->version >= 5) {
    type = (unsigned)aq_dwarf_number(&d, 1);
    unit->address_size = (unsigned)aq_dwarf_number(&d, 1);
    abbrev = aq_dwarf_number(&d, unit->offset_size);
  } else {
    abbrev = aq_dwarf_number(&d, unit->offset_size);
    unit->address_size = (unsigned)aq_dwarf_number(&d, 1);
  }
  if (d.bad || unit->version < 3 || unit->version > 5 ||
      (type != COMPILE && type != PARTIAL) ||
      (unit->address_size != 4 && unit->address_size != 8))
    return true;
  return abbreviations_read(r, abbrev) && entries_read(r, &d);
}

bool aq_dwarf_entries_each(aq_dwarf_info *info, aq_dwarf_entry_take *take,
                           void *user)
{
  reading r = {.info = info, .take = take, .user = user};
  aq_dwarf all = aq_dwarf_at(&info->info, 0, 0, 0);
  bool done = true;
  while (done && !all.bad && aq_dwarf_left(&all) > 0)
    done = unit_read(&r, &all);
  free(r.list);
  return done;
}

/* ---- values ---- */

uint64_t aq_dwarf_address_at(const aq_dwarf_info *info, uint64_t index)
{
  const unsigned size = info->unit.address_size;
  aq_dwarf d = aq_dwarf_at(&info->addr, info->addr_base, index, size);
  return aq_dwarf_number(&d, size);
}

static bool is_address(uint64_t form)
{
  return form == AQ_DWARF_FORM_ADDR || form == AQ_DWARF_FORM_ADDRX ||
         (form >= AQ_DWARF_FORM_ADDRX1 && form <= AQ_DWARF_FORM_ADDRX4);
}

uint64_t aq_dwarf_address(const aq_dwarf_info *info, const aq_dwarf_value *v)
{
  return v->form != AQ_DWARF_FORM_ADDR && is_address(v->form)
             ? aq_dwarf_address_at(info, v->number)
             : v->number;
}

const char *aq_dwarf_text_of(const aq_dwarf_info *info, const aq_dwarf_value *v)
{
  if (v->form != AQ_DWARF_FORM_STRX &&
      (v->form < AQ_DWARF_FORM_STRX1 || v->form > AQ_DWARF_FORM_STRX4))
    return v->form && v->text && *v->text ? v->text : NULL;
  aq_dwarf d = aq_dwarf_at(&info->str_offsets, info->str_offsets_base,
                           v->number, info->unit.offset_size);
  const uint64_t offset = aq_dwarf_number(&d, info->unit.offset_size);
  const aq_dwarf_part *texts = &info->unit.texts;
  aq_dwarf text = aq_dwarf_at(texts, offset, 0, 0);
  const char *found = d.bad ? NULL : aq_dwarf_text(&text);
  return found && !text.bad && *found ? found : NULL;
}

uint64_t aq_dwarf_reference(const aq_dwarf_info *info, const aq_dwarf_value *v)
{
  return v->form == AQ_DWARF_FORM_REF_ADDR ? v->number
         : v->form >= AQ_DWARF_FORM_REF1 && v->form <= AQ_DWARF_FORM_REF_UDATA
             ? info->unit_at + v->number
             : 0;
}

uint64_t aq_dwarf_behind(aq_dwarf *d, uint64_t base, uint64_t bytes)
{
  uint64_t sum;
  d->bad |= __builtin_add_overflow(base, bytes, &sum);
  return sum;
}

bool aq_dwarf_entry_range(const aq_dwarf_info *info, const aq_dwarf_entry *e,
                          uint64_t *low, uint64_t *high)
{
  const aq_dwarf_value *from = &e->of[AQ_DWARF_AT_LOW_PC],
                       *to = &e->of[AQ_DWARF_AT_HIGH_PC];
  aq_dwarf d = {.bad = false};
  if (!from->form || !to->form)
    return false;
  *low = aq_dwarf_address(info, from);
  *high = is_address(to->form) ? aq_dwarf_address(info, to)
                               : aq_dwarf_behind(&d, *low, to->number);
  return !d.bad;
}

/* ---- life ---- */

aq_status aq_dwarf_info_open(const aq_elf *elf, const aq_dwarf_unit *unit,
                             aq_dwarf_info *out, aq_diag *diag)
{
  *out = (aq_dwarf_info){.unit = *unit};
  const struct {
    const char *name;
    aq_dwarf_part *part;
  } sections[] = {{".debug_info", &out->info},
                  {".debug_abbrev", &out->abbrev},
                  {".debug_addr", &out->addr},
                  {".debug_ranges", &out->ranges},
                  {".debug_rnglists", &out->rnglists},
                  {".debug_str_offsets", &out->str_offsets}};
  const size_t count = sizeof sections / sizeof *sections;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = aq_dwarf_section(elf, sections[i].name, sections[i].part, diag);
  return status;
}

void aq_dwarf_info_fini(aq_dwarf_info *info)
{
  aq_dwarf_part *parts[] = {&info->info,   &info->abbrev,   &info->addr,
                            &info->ranges, &info->rnglists, &info->str_offsets};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    aq_dwarf_part_fini(parts[i]);
}
