/* SPDX-License-Identifier: MIT */
/*
 * The variables of loaded code: each is an allocation of its own, and what lies
 * between them is none.
 *
 * Neighbours touch, so an access that leaves one for the next is in an
 * allocation, too. Code makes the address of a variable of its own place:
 * s_getpc and the distance. The registers that come of it by sums and copies
 * remember the variable, as long as the code has any; of two variables, none.
 */
#include "config.h"

#include <string.h>

#include "common/allocations.h"
#include "common/array.h"
#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"

typedef struct adding {
  aq_check *check;
  uint64_t base, bias;
} adding;

static uint64_t page_end(uint64_t address)
{
  return (address + AQ_ALLOCATION_PAGE - 1) &
         ~(uint64_t)(AQ_ALLOCATION_PAGE - 1);
}

/* Of two symbols at one place the longer one counts. */
static void variable_add(void *user, const aq_code_variable *one)
{
  const adding *a = user;
  aq_check *check = a->check;
  const uint64_t first = one->address + a->bias, end = first + one->size;
  if (!one->name) {
    const aq_check_readonly zone = {a->base, first,
                                    one->ends ? page_end(end) : end};
    if (!AQ_ARRAY_PUSH(check->variables, check->variable_count,
                       check->variable_capacity, zone))
      check->lost = true;
    return;
  }
  const size_t at = aq_check_known_from(check, first);
  const aq_check_known *there =
      at < check->known_count && check->known[at].block.base < end
          ? &check->known[at]
          : NULL;
  if (there && !(there->is_variable && there->block.base == first &&
                 there->block.size < one->size))
    return;
  const aq_check_known made = {
      .block = {.base = first, .size = one->size, .ours = true},
      .is_variable = true,
      .code = a->base,
      .name = aq_names_id(&check->names, one->name, strlen(one->name))};
  aq_check_known_put(check, &made);
}

void aq_check_variables_add(aq_check *check, uint64_t base, uint64_t bias,
                            const void *bytes, size_t size)
{
  adding a = {.check = check, .base = base, .bias = bias};
  if (check->options.checks & AQ_CHECK_MEMORY)
    aq_code_variables_each(bytes, size, variable_add, &a);
}

void aq_check_variables_gone(aq_check *check, uint64_t base)
{
  size_t kept = 0;
  for (size_t i = 0; i < check->variable_count; i++)
    if (check->variables[i].base == base)
      check->variables[i--] = check->variables[--check->variable_count];
  for (size_t i = 0; i < check->known_count; i++)
    if (!check->known[i].is_variable || check->known[i].code != base)
      check->known[kept++] = check->known[i];
  check->known_count = kept;
  check->known_epoch++;
}

bool aq_check_among_variables(const aq_check *check, uint64_t address)
{
  for (size_t i = 0; i < check->variable_count; i++)
    if (address >= check->variables[i].first &&
        address < check->variables[i].end)
      return true;
  return false;
}

/* ---- bases of addresses ---- */

enum { HERE = 1 };

static bool is_sum(const char *name)
{
  static const char *const names[] = {
      "s_mov_b",      "s_add_u32",  "s_addc_u32", "s_add_co_u32",
      "s_add_co_ci",  "s_add_nc",   "s_lshl",     "v_mov_b",
      "v_add_co",     "v_addc_co",  "v_add_u32",  "v_add_nc_u32",
      "v_lshl_add_u", "v_add3_u32", "v_readfirst"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return strncmp(name, "s_lshl", 6) != 0 || strstr(name, "_add_");
  return false;
}

void aq_check_bases_site(const aq_check *check, aq_check_site *site)
{
  const char *name = site->inst.row->name;
  bool writes = site->writes[0] | site->writes[1];
  for (unsigned i = 0; i < site->name_count; i++)
    writes |= site->names[i].dest;
  if (check->variable_count == 0 || !writes)
    return;
  site->base = strcmp(name, "s_getpc_b64") == 0 ? AQ_CHECK_BASE_HERE
               : is_sum(name)                   ? AQ_CHECK_BASE_KEEPS
                                                : AQ_CHECK_BASE_ENDS;
}

/* The base of the first register of an operand, and the lanes that have it.
 */
static uint64_t base_get(const aq_check_bases *all, const aq_check_registers *r,
                         uint64_t *lanes)
{
  *lanes = UINT64_MAX;
  if (r->scalar)
    return r->first < 128 ? all->scalars[r->first] : 0;
  if (r->first >= 2 * AQ_WAVE_ACC)
    return 0;
  *lanes = all->lanes[r->first];
  return all->rows[r->first];
}

/* The lanes that are off keep their base, if it is the same. */
static void row_put(aq_check_bases *all, unsigned row, uint64_t base,
                    uint64_t lanes, uint64_t exec)
{
  if (base && base != all->rows[row])
    all->lanes[row] = 0;
  if (base)
    all->rows[row] = base;
  all->lanes[row] = (all->lanes[row] & ~exec) | (base ? lanes & exec : 0);
  if (!all->lanes[row])
    all->rows[row] = 0;
}

static void base_put(aq_check_bases *all, const aq_check_registers *r,
                     uint64_t base, uint64_t lanes, uint64_t exec)
{
  for (unsigned at = r->first; at < (unsigned)r->first + r->count; at++)
    if (r->scalar && at < 128)
      all->scalars[at] = base;
    else if (!r->scalar && at < 2 * AQ_WAVE_ACC)
      row_put(all, at, base, lanes, exec);
}

/* The variable that lies at the place of an instruction, which a register
 * has, plus the distance that this one adds. */
static uint64_t variable_begin(const aq_wave *w, const aq_wave_op *o)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const unsigned at = o->source[0];
  if (o->kind[0] != AQ_WAVE_SGPR || o->kind[1] != AQ_WAVE_CONSTANT ||
      at + 1 >= 128)
    return 0;
  const uint64_t address = (w->s[at] | (uint64_t)w->s[at + 1] << 32) +
                           (uint64_t)(int64_t)(int32_t)o->constant[1];
  const size_t i = aq_check_known_from(check, address);
  const aq_check_known *k = &check->known[i];
  return i < check->known_count && k->is_variable && k->block.base <= address
             ? k->block.base
             : 0;
}

void aq_check_bases_step(const aq_wave *w, const aq_wave_op *o,
                         const aq_check_site *site)
{
  aq_check_bases *all = aq_check_group_of(w)->bases;
  uint64_t base = 0;
  if (!all)
    return;
  all += w->number;
  bool one = true;
  uint64_t lanes = UINT64_MAX;
  for (unsigned i = 0;
       site->base == AQ_CHECK_BASE_KEEPS && i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    uint64_t its;
    const uint64_t of =
        r->role >= 'A' && r->role <= 'C' ? base_get(all, r, &its) : 0;
    if (!of || !(its & AQ_WAVE_EXEC(w)))
      continue;
    one &= !base || base == of;
    base = of;
    lanes &= its;
  }
  base = site->base == AQ_CHECK_BASE_HERE ? HERE
         : !one                           ? 0
         : base == HERE                   ? variable_begin(w, o)
                                          : base;
  for (unsigned i = 0; i < site->name_count; i++)
    if (site->names[i].dest)
      base_put(all, &site->names[i], base, lanes, AQ_WAVE_EXEC(w));
    else if (site->names[i].scalar && site->names[i].role == 'E')
      base_put(all, &site->names[i], 0, 0, 0); /* a carry */
}

const aq_check_known *
aq_check_base_of(const aq_wave *w, const aq_check_site *site, uint64_t *lanes)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_bases *all = aq_check_group_of(w)->bases;
  uint64_t base = 0;
  for (unsigned i = 0; all && i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    uint64_t its;
    const uint64_t of = r->role == 'A' || r->role == 'S'
                            ? base_get(all + w->number, r, &its)
                            : 0;
    if (of <= HERE)
      continue;
    base = of;
    *lanes = its;
  }
  if (!base)
    return NULL;
  const size_t i = aq_check_known_from(check, base);
  return i < check->known_count && check->known[i].block.base == base &&
                 check->known[i].is_variable
             ? &check->known[i]
             : NULL;
}
