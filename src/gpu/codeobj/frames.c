/* SPDX-License-Identifier: MIT */
/*
 * DWARF 5, section 4.1 (locations of variables) and 5 (types); registers and
 * address spaces as LLVM's "DWARF Extensions For Heterogeneous Debugging" has
 * them for AMDGPU.
 *
 * A variable is an object if its location is a distance from the frame's base
 * and nothing else: lists of locations, pieces and values are none.
 */
#include "config.h"

#include "gpu/codeobj/frames.h"

#include <limits.h>
#include <stdlib.h>

#include "common/array.h"
#include "gpu/codeobj/dwarf_entries.h"

/* An entry that others refer to: a type, or the origin of a variable. */
typedef struct node {
  uint64_t offset, type, size, count;
  const char *name;
  bool is_array;
} node;

/* A variable as it was read; its type may come behind it. */
typedef struct variable {
  uint64_t type, origin;
  const char *name;
  int64_t offset;
  uint32_t frame;
} variable;

typedef struct reading {
  aq_code_frames *out;
  node *nodes; /* by offset */
  size_t node_count, node_capacity;
  variable *variables;
  size_t variable_count, variable_capacity;
  int64_t frame; /* around the entry; -1: none */
  unsigned frame_depth;
  unsigned inner_depth; /* of a local class's method; UINT_MAX: none */
  int64_t array;        /* index of the node; -1: none */
  unsigned array_depth;
} reading;

/* ---- expressions ---- */

enum {
  OP_LIT5 = 0x35,
  OP_REGX = 0x90,
  OP_FBREG = 0x91,
  OP_SWAP = 0x16,
  OP_XDEREF = 0x18,
  SGPR_0 = 32, /* DWARF's number of the first scalar register */
};

static aq_dwarf block_of(const aq_dwarf_value *v)
{
  return (aq_dwarf){v->block, v->block ? v->block + v->number : NULL, false};
}

/* DW_OP_fbreg N, or the same in address space 5, of a lane's private memory. */
static bool place_read(const aq_dwarf_value *v, int64_t *out)
{
  static const unsigned char space[] = {OP_LIT5, OP_SWAP, OP_XDEREF};
  aq_dwarf d = block_of(v);
  if (!v->form || !v->block || aq_dwarf_number(&d, 1) != OP_FBREG)
    return false;
  *out = aq_dwarf_signed(&d);
  const size_t left = aq_dwarf_left(&d);
  return !d.bad && *out >= 0 && *out < INT32_MAX &&
         (left == 0 ||
          (left == sizeof space && memcmp(d.at, space, sizeof space) == 0));
}

/* DW_OP_regx of a scalar register, or none: a kernel's frame begins at 0. */
static bool base_read(const aq_dwarf_value *v, uint8_t *out)
{
  aq_dwarf d = block_of(v);
  *out = AQ_CODE_FRAME_KERNEL;
  if (!v->form)
    return true;
  if (!v->block || aq_dwarf_number(&d, 1) != OP_REGX)
    return false;
  const uint64_t number = aq_dwarf_unsigned(&d);
  if (d.bad || aq_dwarf_left(&d) > 0 || number < SGPR_0 ||
      number >= SGPR_0 + 64)
    return false;
  *out = (uint8_t)(number - SGPR_0);
  return true;
}

/* ---- entries ---- */

static bool function_begin(reading *r, const aq_dwarf_info *info,
                           const aq_dwarf_entry *e)
{
  aq_code_frame made = {.plain = info->unit.version >= 4 &&
                                 !e->of[AQ_DWARF_AT_CALL_ALL_CALLS].form &&
                                 !e->of[AQ_DWARF_AT_GNU_ALL_CALLS].form};
  if (!aq_dwarf_entry_range(info, e, &made.address, &made.end) ||
      made.address == 0 || made.address >= made.end ||
      !base_read(&e->of[AQ_DWARF_AT_FRAME_BASE], &made.base))
    return true;
  r->frame = (int64_t)r->out->count;
  r->frame_depth = e->depth;
  return AQ_ARRAY_PUSH(r->out->list, r->out->count, r->out->capacity, made);
}

static bool variable_add(reading *r, const aq_dwarf_info *info,
                         const aq_dwarf_entry *e)
{
  const aq_dwarf_value *place = &e->of[AQ_DWARF_AT_LOCATION];
  variable made = {.type = aq_dwarf_reference(info, &e->of[AQ_DWARF_AT_TYPE]),
                   .origin =
                       aq_dwarf_reference(info, &e->of[AQ_DWARF_AT_ORIGIN]),
                   .name = aq_dwarf_text_of(info, &e->of[AQ_DWARF_AT_NAME]),
                   .frame = (uint32_t)r->frame};
  if (!place_read(place, &made.offset)) {
    r->out->list[r->frame].plain = false;
    return true;
  }
  return AQ_ARRAY_PUSH(r->variables, r->variable_count, r->variable_capacity,
                       made);
}

/* Pointers to LDS (3) and private memory (5) are words. */
static uint64_t pointer_size(const aq_dwarf_info *info, const aq_dwarf_entry *e)
{
  const aq_dwarf_value *space = &e->of[AQ_DWARF_AT_ADDRESS_CLASS];
  return space->form && (space->number == 3 || space->number == 5)
             ? 4
             : info->unit.address_size;
}

static bool node_add(reading *r, const aq_dwarf_info *info,
                     const aq_dwarf_entry *e)
{
  const bool is_pointer = e->tag == AQ_DWARF_TAG_POINTER ||
                          e->tag == AQ_DWARF_TAG_REFERENCE ||
                          e->tag == AQ_DWARF_TAG_RVALUE_REFERENCE;
  const node made = {.offset = e->offset,
                     .type = aq_dwarf_reference(info, &e->of[AQ_DWARF_AT_TYPE]),
                     .size = e->of[AQ_DWARF_AT_BYTE_SIZE].form
                                 ? e->of[AQ_DWARF_AT_BYTE_SIZE].number
                             : is_pointer ? pointer_size(info, e)
                                          : 0,
                     .count = 1,
                     .name = aq_dwarf_text_of(info, &e->of[AQ_DWARF_AT_NAME]),
                     .is_array = e->tag == AQ_DWARF_TAG_ARRAY};
  if (made.is_array) {
    r->array = (int64_t)r->node_count;
    r->array_depth = e->depth;
  }
  return AQ_ARRAY_PUSH(r->nodes, r->node_count, r->node_capacity, made);
}

/* A dimension; 0 elements: their number is not known. */
static void dimension_add(reading *r, const aq_dwarf_entry *e)
{
  node *array = &r->nodes[r->array];
  const aq_dwarf_value *count = &e->of[AQ_DWARF_AT_COUNT],
                       *last = &e->of[AQ_DWARF_AT_UPPER_BOUND];
  const uint64_t elements = count->form && !count->block ? count->number
                            : last->form && !last->block ? last->number + 1
                                                         : 0;
  if (__builtin_mul_overflow(array->count, elements, &array->count))
    array->count = 0;
}

static bool entry_take(void *user, const aq_dwarf_info *info,
                       const aq_dwarf_entry *e)
{
  reading *r = user;
  if (e->depth <= r->frame_depth)
    r->frame = -1;
  if (e->depth <= r->array_depth)
    r->array = -1;
  if (e->depth <= r->inner_depth)
    r->inner_depth = UINT_MAX;
  if (e->tag == AQ_DWARF_TAG_FUNCTION) {
    if (r->frame >= 0 && r->inner_depth == UINT_MAX)
      r->inner_depth = e->depth;
    return function_begin(r, info, e);
  }
  if (e->tag == AQ_DWARF_TAG_SUBRANGE && r->array >= 0)
    dimension_add(r, e);
  if (e->tag != AQ_DWARF_TAG_VARIABLE && e->tag != AQ_DWARF_TAG_PARAMETER)
    return !(e->of[AQ_DWARF_AT_BYTE_SIZE].form ||
             e->of[AQ_DWARF_AT_TYPE].form) ||
           node_add(r, info, e);
  return node_add(r, info, e) && (r->frame < 0 || r->inner_depth != UINT_MAX ||
                                  variable_add(r, info, e));
}

/* ---- types ---- */

static const node *node_find(const reading *r, uint64_t offset)
{
  size_t low = 0, high = r->node_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (r->nodes[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->node_count && r->nodes[low].offset == offset ? &r->nodes[low]
                                                               : NULL;
}

/* Bytes of a type; 0: not known. */
static uint64_t size_of(const reading *r, uint64_t type)
{
  enum { DEPTH = 64 };
  uint64_t count = 1;
  for (int i = 0; i < DEPTH; i++) {
    const node *n = node_find(r, type);
    uint64_t bytes;
    if (!n)
      return 0;
    if (n->size) /* of an array, too: a vector of 3 has the size of 4 */
      return __builtin_mul_overflow(count, n->size, &bytes) ? 0 : bytes;
    if (n->is_array && __builtin_mul_overflow(count, n->count, &count))
      return 0;
    type = n->type;
  }
  return 0;
}

static int by_place(const void *a, const void *b)
{
  const aq_code_frame_object *x = a, *y = b;
  return x->frame != y->frame ? (x->frame > y->frame) - (x->frame < y->frame)
         : x->offset != y->offset
             ? (x->offset > y->offset) - (x->offset < y->offset)
             : (x->size < y->size) - (x->size > y->size);
}

/* A variable without a size may have any: its frame is not known then. */
static bool objects_make(reading *r)
{
  aq_code_frames *out = r->out;
  for (size_t i = 0; i < r->variable_count; i++) {
    const variable *v = &r->variables[i];
    const node *origin = node_find(r, v->origin);
    const uint64_t size = size_of(r, v->type  ? v->type
                                     : origin ? origin->type
                                              : 0);
    const char *name = v->name ? v->name : origin ? origin->name : NULL;
    aq_code_frame_object made = {
        .frame = v->frame, .offset = v->offset, .size = (uint32_t)size};
    if (size == 0 || size > INT32_MAX) {
      out->list[v->frame].plain = false;
      continue;
    }
    made.name = name ? aq_names_id(&out->names, name, strlen(name)) : -1;
    if (!AQ_ARRAY_PUSH(out->objects, out->object_count, out->object_capacity,
                       made))
      return false;
  }
  return true;
}

/* Joins objects that overlap, and gives frames theirs. */
static void objects_join(aq_code_frames *out)
{
  size_t kept = 0;
  if (out->object_count > 0)
    qsort(out->objects, out->object_count, sizeof *out->objects, by_place);
  for (size_t i = 0; i < out->object_count; i++) {
    const aq_code_frame_object one = out->objects[i];
    aq_code_frame_object *last = kept > 0 ? &out->objects[kept - 1] : NULL;
    const bool joins = last && last->frame == one.frame &&
                       one.offset < last->offset + last->size;
    if (!joins) {
      aq_code_frame *f = &out->list[one.frame];
      f->first = f->count ? f->first : kept;
      f->count++;
      out->objects[kept++] = one;
      continue;
    }
    const int64_t end = one.offset + one.size;
    if (last->name < 0)
      last->name = one.name;
    if (end > last->offset + last->size)
      last->size = (uint32_t)(end - last->offset);
  }
  out->object_count = kept;
}

static int by_address(const void *a, const void *b)
{
  const aq_code_frame *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* ---- files ---- */

aq_status aq_code_frames_read(const void *bytes, size_t size,
                              aq_code_frames *out, aq_diag *diag)
{
  aq_dwarf_unit of = {.version = 0};
  aq_dwarf_info info = {.unit_at = 0};
  reading r = {.out = out, .frame = -1, .inner_depth = UINT_MAX, .array = -1};
  aq_elf elf;
  *out = (aq_code_frames){.names = AQ_NAMES_INIT};
  if (!aq_elf_open(bytes, size, &elf))
    return aq_diag_set(diag, AQ_ERR_INPUT, "no ELF file");
  aq_status status = aq_dwarf_section(&elf, ".debug_str", &of.texts, diag);
  if (status == AQ_OK)
    status = aq_dwarf_section(&elf, ".debug_line_str", &of.line_texts, diag);
  if (status == AQ_OK)
    status = aq_dwarf_info_open(&elf, &of, &info, diag);
  if (status == AQ_OK &&
      !(aq_dwarf_entries_each(&info, entry_take, &r) && objects_make(&r)))
    status = aq_diag_no_memory(diag);
  aq_dwarf_info_fini(&info);
  aq_dwarf_part_fini(&of.texts);
  aq_dwarf_part_fini(&of.line_texts);
  free(r.nodes);
  free(r.variables);
  if (status != AQ_OK) {
    aq_code_frames_fini(out);
    return status;
  }
  objects_join(out);
  if (out->count > 0)
    qsort(out->list, out->count, sizeof *out->list, by_address);
  return AQ_OK;
}

void aq_code_frames_fini(aq_code_frames *frames)
{
  aq_names_fini(&frames->names);
  free(frames->list);
  free(frames->objects);
  *frames = (aq_code_frames){.names = AQ_NAMES_INIT};
}
