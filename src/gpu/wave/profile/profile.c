/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/profile/profile.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "gpu/isa/cfg_walk.h"
#include "gpu/isa/control_flow.h"
#include "gpu/wave/profile/access_pattern.h"

/* An instruction, by its address. */
typedef struct counted {
  aq_instruction row;
  uint64_t pc;
  uint8_t access_bytes;
  bool is_vector, is_branch;
} counted;

struct aq_wave_profile_kernel {
  aq_wave_profile_kernel *next;
  char *name, *gfx;
  uint64_t entry;
  uint64_t code; /* of the same name and another entry: 0, 1, … */
  aq_map places; /* of the list, by address */
  counted *list;
  size_t count, capacity;
};

struct aq_wave_profile {
  bool done; /* the rows were put */
  aq_wave_profile_kernel *first;
};

/* ---- life ---- */

aq_wave_profile *aq_wave_profile_create(void)
{
  return calloc(1, sizeof(aq_wave_profile));
}

static void kernel_free(aq_wave_profile_kernel *kernel)
{
  aq_map_fini(&kernel->places);
  free(kernel->list);
  free(kernel->name);
  free(kernel->gfx);
  free(kernel);
}

void aq_wave_profile_destroy(aq_wave_profile *profile)
{
  if (!profile)
    return;
  while (profile->first) {
    aq_wave_profile_kernel *kernel = profile->first;
    profile->first = kernel->next;
    kernel_free(kernel);
  }
  free(profile);
}

/* ---- instructions ---- */

static bool is_vector(const aq_isa_inst *inst)
{
  const aq_isa_class class = aq_isa_class_of(inst);
  return class == AQ_ISA_CLASS_VALU || class == AQ_ISA_CLASS_MATRIX ||
         class == AQ_ISA_CLASS_VMEM || class == AQ_ISA_CLASS_SCRATCH ||
         class == AQ_ISA_CLASS_LDS;
}

/* Adds an instruction that was not counted. */
static counted *counted_add(aq_wave_profile_kernel *kernel, uint64_t pc,
                            const aq_isa_inst *inst)
{
  counted made = {.pc = pc,
                  .access_bytes = (uint8_t)aq_wave_access_bytes(inst),
                  .is_vector = is_vector(inst),
                  .is_branch = aq_isa_flow_is_direct(aq_isa_flow_of(inst))};
  const bool memory = made.access_bytes > 0;
  const bool lds = memory && inst->row->encoding == AQ_ISA_DS;
  made.row = (aq_instruction){.code = (int64_t)kernel->code,
                              .offset = (int64_t)(pc - kernel->entry),
                              .word0 = inst->words[0],
                              .word1 = inst->size > 4 ? (int64_t)inst->words[1]
                                                      : AQ_NONE,
                              .lanes = made.is_vector ? 0 : AQ_NONE,
                              .taken = made.is_branch ? 0 : AQ_NONE,
                              .bytes = memory ? 0 : AQ_NONE,
                              .segments = memory && !lds ? 0 : AQ_NONE,
                              .segments_least = memory && !lds ? 0 : AQ_NONE,
                              .bank_cycles = lds ? 0 : AQ_NONE,
                              .bank_cycles_least = lds ? 0 : AQ_NONE};
  if (!AQ_ARRAY_PUSH(kernel->list, kernel->count, kernel->capacity, made))
    return NULL;
  if (!aq_map_put(&kernel->places, pc, kernel->count - 1)) {
    kernel->count--;
    return NULL;
  }
  return &kernel->list[kernel->count - 1];
}

static counted *counted_find(const aq_wave_profile_kernel *kernel, uint64_t pc)
{
  uint64_t place;
  return aq_map_get(&kernel->places, pc, &place) ? &kernel->list[place] : NULL;
}

static void add(int64_t *sum, uint64_t value)
{
  if (*sum != AQ_NONE)
    *sum += (int64_t)value;
}

bool aq_wave_profile_count(aq_wave_profile_kernel *kernel, aq_wave *w,
                           const aq_wave_op *o)
{
  const uint64_t pc = aq_wave_code_pc(o);
  counted *c = counted_find(kernel, pc);
  if (!c && !(c = counted_add(kernel, pc, &o->decoded->inst)))
    return false;
  c->row.issued++;
  if (c->is_vector)
    c->row.lanes += __builtin_popcountll(AQ_WAVE_EXEC(w));
  if (c->access_bytes == 0)
    return true;
  const aq_wave_access_pattern pattern =
      aq_wave_access_pattern_find(w, o, c->access_bytes);
  add(&c->row.bytes, pattern.bytes);
  add(&c->row.segments, pattern.segments);
  add(&c->row.segments_least, pattern.segments_least);
  /* A flat access to LDS has cycles, too. */
  if (pattern.bank_cycles > 0 && c->row.bank_cycles == AQ_NONE)
    c->row.bank_cycles = c->row.bank_cycles_least = 0;
  add(&c->row.bank_cycles, pattern.bank_cycles);
  add(&c->row.bank_cycles_least, pattern.bank_cycles_least);
  return true;
}

void aq_wave_profile_branched(aq_wave_profile_kernel *kernel,
                              const aq_wave_op *o)
{
  counted *c = counted_find(kernel, aq_wave_code_pc(o));
  if (c && c->is_branch)
    c->row.taken++;
}

/* ---- kernels ---- */

typedef struct listing {
  aq_wave_profile_kernel *kernel;
  aq_wave_grid *grid;
} listing;

static size_t listing_code(void *user, uint64_t address, const void **bytes)
{
  const listing *l = user;
  for (size_t size = 8; size >= 4; size -= 4)
    if ((*bytes = aq_wave_translate(l->grid, address, size, false)))
      return size;
  return 0;
}

/* Pointers of loaded code are what lies in memory. */
static bool listing_pointer(void *user, uint64_t address, uint64_t *value)
{
  const listing *l = user;
  const void *at = aq_wave_translate(l->grid, address, sizeof *value, false);
  if (at)
    memcpy(value, at, sizeof *value);
  return at;
}

static bool listing_visit(void *user, uint64_t pc, const aq_isa_inst *inst)
{
  const listing *l = user;
  return !inst || counted_add(l->kernel, pc, inst);
}

static aq_wave_profile_kernel *kernel_create(aq_wave_profile *profile,
                                             aq_wave_grid *grid)
{
  aq_wave_profile_kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return NULL;
  kernel->name = strdup(grid->desc.kernel);
  kernel->gfx = strdup(grid->desc.gfx);
  kernel->entry = grid->entry;
  for (const aq_wave_profile_kernel *k = profile->first; k; k = k->next)
    kernel->code += kernel->name && strcmp(k->name, kernel->name) == 0;
  listing user = {kernel, grid};
  aq_isa_walk walk = {.decoder = aq_wave_code_decoder(grid->code),
                      .code = listing_code,
                      .pointer = listing_pointer,
                      .visit = listing_visit,
                      .user = &user};
  const bool ok =
      kernel->name && kernel->gfx && aq_isa_walk_from(&walk, grid->entry);
  aq_isa_walk_fini(&walk);
  if (ok)
    return kernel;
  kernel_free(kernel);
  return NULL;
}

/* Whether the kernel is the one that was counted, with the same code. */
static bool is_same(const aq_wave_profile_kernel *kernel, aq_wave_grid *grid)
{
  if (kernel->entry != grid->entry ||
      strcmp(kernel->name, grid->desc.kernel) != 0 ||
      strcmp(kernel->gfx, grid->desc.gfx) != 0)
    return false;
  for (size_t i = 0; i < kernel->count; i++) {
    const uint32_t *now =
        aq_wave_translate(grid, kernel->list[i].pc, sizeof *now, false);
    if (!now || *now != kernel->list[i].row.word0)
      return false;
  }
  return true;
}

aq_status aq_wave_profile_open(aq_wave_profile *profile, aq_wave_grid *grid,
                               aq_wave_profile_kernel **out, aq_diag *diag)
{
  aq_wave_profile_kernel *kernel = profile->first;
  while (kernel && !is_same(kernel, grid))
    kernel = kernel->next;
  if (!kernel && (kernel = kernel_create(profile, grid))) {
    kernel->next = profile->first;
    profile->first = kernel;
  }
  if (!kernel)
    return aq_diag_no_memory(diag);
  *out = kernel;
  return AQ_OK;
}

/* ---- rows ---- */

static aq_status kernel_put(const aq_wave_profile_kernel *kernel,
                            aq_record_sink *sink, aq_diag *diag)
{
  int64_t name, gfx;
  aq_status status =
      sink->name(sink, kernel->name, strlen(kernel->name), &name, diag);
  if (status == AQ_OK)
    status = sink->name(sink, kernel->gfx, strlen(kernel->gfx), &gfx, diag);
  for (size_t i = 0; i < kernel->count && status == AQ_OK; i++) {
    aq_instruction row = kernel->list[i].row;
    row.kernel = name;
    row.gfx = gfx;
    status = sink->put_instructions(sink, &row, 1, diag);
  }
  return status;
}

aq_status aq_wave_profile_put(aq_wave_profile *profile, aq_record_sink *sink,
                              aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (!sink->put_instructions)
    return AQ_OK;
  for (const aq_wave_profile_kernel *kernel = profile->first;
       kernel && !profile->done && status == AQ_OK; kernel = kernel->next)
    status = kernel_put(kernel, sink, diag);
  profile->done = true;
  return status;
}
