/* SPDX-License-Identifier: MIT */
/* DWARF 5, sections 2.17 (ranges), 3.3.8 (inlined subroutines). */
#include "config.h"

#include "gpu/codeobj/inlined.h"

#include "common/array.h"
#include "gpu/codeobj/dwarf_entries.h"

typedef struct reading {
  const aq_dwarf_info *in;
  const aq_code_file_table *tables, *table; /* of the unit, or NULL */
  size_t table_count;
  aq_code_lines *out;
} reading;

/* A range that was read from `d`. False: out of memory. */
static bool range_put(reading *r, const aq_dwarf_entry *e, unsigned depth,
                      const aq_dwarf *d, uint64_t low, uint64_t high)
{
  const uint64_t file = e->of[AQ_DWARF_AT_CALL_FILE].number;
  if (d->bad || low >= high || low == 0 || !r->table || file >= r->table->count)
    return true;
  const aq_code_inlined made = {
      .address = low,
      .end = high,
      .file = r->table->files[file],
      .line = (uint32_t)e->of[AQ_DWARF_AT_CALL_LINE].number,
      .depth = depth};
  return AQ_ARRAY_PUSH(r->out->inlined, r->out->inlined_count,
                       r->out->inlined_capacity, made);
}

/* Version 4 and before: pairs of addresses from the base. */
static bool ranges_old(reading *r, const aq_dwarf_entry *e, unsigned depth)
{
  aq_dwarf d =
      aq_dwarf_at(&r->in->ranges, e->of[AQ_DWARF_AT_RANGES].number, 0, 0);
  uint64_t base = r->in->base;
  while (!d.bad) {
    const uint64_t low = aq_dwarf_number(&d, r->in->unit.address_size),
                   high = aq_dwarf_number(&d, r->in->unit.address_size);
    if (low == 0 && high == 0)
      break;
    if (low == (r->in->unit.address_size == 8 ? UINT64_MAX : UINT32_MAX))
      base = high;
    else if (!range_put(r, e, depth, &d, aq_dwarf_behind(&d, base, low),
                        aq_dwarf_behind(&d, base, high)))
      return false;
  }
  return true;
}

static bool ranges_new(reading *r, const aq_dwarf_entry *e, unsigned depth)
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
  uint64_t offset = e->of[AQ_DWARF_AT_RANGES].number, from = 0,
           base = r->in->base;
  if (e->of[AQ_DWARF_AT_RANGES].form == AQ_DWARF_FORM_RNGLISTX) {
    aq_dwarf index = aq_dwarf_at(&r->in->rnglists, r->in->rnglists_base, offset,
                                 r->in->unit.offset_size);
    from = r->in->rnglists_base;
    offset = aq_dwarf_number(&index, r->in->unit.offset_size);
  }
  aq_dwarf d = aq_dwarf_at(&r->in->rnglists, from, offset, 1);
  while (!d.bad) {
    const uint64_t kind = aq_dwarf_number(&d, 1);
    uint64_t low = 0, high = 0;
    if (kind == BASEX || kind == BASE) {
      base = kind == BASE ? aq_dwarf_number(&d, r->in->unit.address_size)
                          : aq_dwarf_address_at(r->in, aq_dwarf_unsigned(&d));
      continue;
    }
    if (kind == STARTX_ENDX || kind == STARTX_LENGTH) {
      low = aq_dwarf_address_at(r->in, aq_dwarf_unsigned(&d));
      high = aq_dwarf_unsigned(&d);
      high = kind == STARTX_ENDX ? aq_dwarf_address_at(r->in, high)
                                 : aq_dwarf_behind(&d, low, high);
    } else if (kind == PAIR) {
      low = aq_dwarf_behind(&d, base, aq_dwarf_unsigned(&d));
      high = aq_dwarf_behind(&d, base, aq_dwarf_unsigned(&d));
    } else if (kind == START_END || kind == LENGTH) {
      low = aq_dwarf_number(&d, r->in->unit.address_size);
      high = kind == LENGTH ? aq_dwarf_behind(&d, low, aq_dwarf_unsigned(&d))
                            : aq_dwarf_number(&d, r->in->unit.address_size);
    } else {
      break;
    }
    if (!range_put(r, e, depth, &d, low, high))
      return false;
  }
  return true;
}

/* The entries of a unit come behind the unit's. */
static bool entry_take(void *user, const aq_dwarf_info *info,
                       const aq_dwarf_entry *e)
{
  reading *r = user;
  const aq_dwarf d = {.bad = false};
  const aq_dwarf_value *lines = &e->of[AQ_DWARF_AT_STMT_LIST];
  uint64_t low, high;
  r->in = info;
  if (e->depth == 0) {
    r->table = NULL;
    for (size_t i = 0; i < r->table_count && lines->form; i++)
      if (r->tables[i].offset == lines->number)
        r->table = &r->tables[i];
  }
  if (e->tag != AQ_DWARF_TAG_INLINED)
    return true;
  if (e->of[AQ_DWARF_AT_RANGES].form)
    return info->unit.version >= 5 ? ranges_new(r, e, e->depth)
                                   : ranges_old(r, e, e->depth);
  return !aq_dwarf_entry_range(info, e, &low, &high) ||
         range_put(r, e, e->depth, &d, low, high);
}

aq_status aq_code_inlined_read(const aq_elf *elf, const aq_dwarf_unit *of,
                               const aq_code_file_table *tables, size_t count,
                               aq_code_lines *out, aq_diag *diag)
{
  reading r = {.tables = tables, .table_count = count, .out = out};
  aq_dwarf_info info;
  aq_status status = aq_dwarf_info_open(elf, of, &info, diag);
  if (status == AQ_OK && !aq_dwarf_entries_each(&info, entry_take, &r))
    status = aq_diag_no_memory(diag);
  aq_dwarf_info_fini(&info);
  return status;
}
