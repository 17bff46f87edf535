/* SPDX-License-Identifier: MIT */
/*
 * Accesses to private memory: by the address of which object, and where.
 *
 * A compiler may make the address of an object from its neighbour's, since
 * `b[i - 8]` is eight words before b. So an access to another object is out of
 * bounds if the instruction has accessed both, or the function is not optimized
 * and the address was exactly an object's before anything was added to it. The
 * end of the object before is the same constant, so that in optimized code an
 * access there is none. All others are counted.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/check/stack/stack.h"

typedef struct access {
  aq_wave *w;
  aq_check *check;
  uint32_t number;
  aq_check_site *site;
  const aq_wave_access_info *touch;
  aq_check_tags *tags;
  const aq_check_registers *address, *offset; /* or NULL */
  const aq_check_frame *frame;                /* or NULL */
  bool flat, buffer;
  uint32_t first; /* bytes of a lane that a buffer's offset adds */
} access;

static const aq_check_registers *named(const aq_check_site *site, char role)
{
  for (unsigned i = 0; i < site->name_count; i++)
    if (site->names[i].role == role)
      return &site->names[i];
  return NULL;
}

static access access_of(aq_wave *w, uint32_t number,
                        const aq_wave_access_info *touch)
{
  aq_check *check = aq_check_grid_of(w)->check;
  aq_check_site *site = &check->sites[number - 1];
  const uint8_t encoding = site->inst.row->encoding;
  access a = {.w = w,
              .check = check,
              .number = number,
              .site = site,
              .touch = touch,
              .address = named(site, 'A'),
              .offset = named(site, 'S'),
              .flat = encoding == AQ_ISA_FLAT,
              .buffer = encoding == AQ_ISA_MUBUF || encoding == AQ_ISA_MTBUF,
              .first = touch->first / w->grid->lanes};
  if (a.address && (a.address->scalar || (a.buffer && !site->inst.offen)))
    a.address = NULL;
  if (check->stack && site->frame)
    a.frame = &check->stack->frames[site->frame - 1];
  return a;
}

/* Whether the offset is the frame's base, which is 0 in a kernel. */
static bool is_frame(const access *a)
{
  enum { FRAME = 33 };
  return a->offset && a->frame && a->offset->first == a->frame->base_register &&
         (!aq_check_frame_is_kernel(a->w, a->frame) ||
          (a->offset->first == FRAME && a->w->s[FRAME] == 0));
}

/* Whether an address is computed: no variable's own, nor a spilled register. */
static bool is_computed(const access *a)
{
  return a->address ||
         (!a->buffer && a->offset && !is_frame(a) && a->offset->first < 32);
}

/* The tag of the address of a lane. What constants choose, the instruction's
 * own chooses, too. */
static aq_check_tag tag_of(const access *a, int l)
{
  const aq_check_tags *t = a->tags;
  const unsigned row = a->address ? a->address->first : 0;
  const uint32_t offset = (uint32_t)a->site->inst.offset;
  aq_check_tag tag =
      a->address && row < 2 * AQ_WAVE_ACC ? t->rows[row][l] : AQ_CHECK_TAG_NONE;
  if (a->flat)
    return aq_check_tag_is_place(tag) && row + 1 < 2 * AQ_WAVE_ACC &&
                   t->rows[row + 1][l] == AQ_CHECK_TAG_UPPER
               ? tag
               : AQ_CHECK_TAG_MIXED;
  if (is_frame(a) && a->address) {
    const uint32_t base = a->buffer ? a->first : a->w->s[a->offset->first];
    return tag == AQ_CHECK_TAG_NONE
               ? aq_check_place_tag(a->check, a->frame, base, offset,
                                    AQ_CHECK_PLACE_WALKED) &
                     ~1u
               : AQ_CHECK_TAG_MIXED;
  }
  if (a->offset && !a->buffer && a->offset->first < 128) {
    const aq_check_tag by_scalar = t->scalars[a->offset->first];
    tag = !a->address                        ? by_scalar
          : tag != AQ_CHECK_TAG_NONE         ? AQ_CHECK_TAG_MIXED
          : aq_check_tag_is_place(by_scalar) ? by_scalar & ~1u
                                             : AQ_CHECK_TAG_MIXED;
  } else if (a->first > 0) {
    return AQ_CHECK_TAG_MIXED;
  }
  /* A kernel's frame begins at 0: the instruction may add the place. */
  if (tag == AQ_CHECK_TAG_NONE && a->address && a->frame && offset > 0 &&
      !a->check->stack->escapes && aq_check_frame_is_kernel(a->w, a->frame))
    return aq_check_place_tag(a->check, a->frame, 0, offset,
                              AQ_CHECK_PLACE_WALKED) &
           ~1u;
  if (!aq_check_tag_is_place(tag))
    return tag;
  const aq_check_place p = *aq_check_place_of(a->check->stack, tag);
  return p.kind == AQ_CHECK_PLACE_BASE && !aq_check_tag_is_pure(tag)
             ? aq_check_place_tag(a->check, &a->check->stack->frames[p.frame],
                                  p.base, offset, AQ_CHECK_PLACE_WALKED) &
                   ~1u
             : tag;
}

/* ---- reports ---- */

static const char *name_of(const access *a, uint32_t object)
{
  const int64_t name = a->check->stack->objects[object].name;
  const char *text = name < 0 ? NULL : aq_names_text(&a->check->names, name);
  return text ? text : "without a name";
}

static void out_report(const access *a, const aq_check_place *of,
                       uint32_t other, uint32_t at, int lane, unsigned lanes)
{
  const aq_check_object *objects = a->check->stack->objects,
                        *own = &objects[of->object], *its = &objects[other];
  const uint32_t first = of->base + own->offset;
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text,
           "%s of %u bytes by the address of variable %.150s, %" PRIu32
           " bytes %s its %" PRIu32 " bytes of stack: %" PRIu32
           " bytes into variable %.150s",
           a->site->kind == AQ_WAVE_ACCESS_READ ? "read" : "write",
           a->touch->bytes, name_of(a, of->object),
           at < first ? first - at : at - first - own->size,
           at < first ? "before" : "past the end of", own->size,
           at - of->base - its->offset, name_of(a, other));
  const aq_check_what what = {.check = AQ_CHECK_MEMORY,
                              .kind = "out of bounds",
                              .wave = a->w,
                              .act = aq_check_grid_of(a->w)->act,
                              .site = a->number,
                              .lane = lane,
                              .lanes = lanes,
                              .other_kernel = -1,
                              .message = text};
  aq_check_report(a->check, &what);
}

/* Whether an access to another object is out of bounds. Optimized code has the
 * end of an array and its neighbour's begin in one constant. */
static bool is_out(const access *a, const aq_check_place *of, uint32_t other)
{
  const struct aq_check_stack *stack = a->check->stack;
  const aq_check_object *own = &stack->objects[of->object],
                        *its = &stack->objects[other];
  if (stack->frames[of->frame].plain && of->kind == AQ_CHECK_PLACE_OBJECT)
    return true;
  return a->site->own_object == of->object + 1 &&
         (stack->frames[of->frame].plain ||
          its->offset + its->size != own->offset);
}

/* Looks where the lanes access; one report an instruction. An address of
 * constants alone is the compiler's own. */
static void lanes_check(const access *a)
{
  const struct aq_check_stack *stack = a->check->stack;
  const unsigned lanes = (unsigned)__builtin_popcountll(a->touch->scratch);
  int out = -1;
  uint32_t other = 0;
  aq_check_place of = {.frame = 0};
  bool known = true;
  for (uint64_t rest = a->touch->scratch; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const aq_check_tag tag = tag_of(a, l);
    if (!aq_check_tag_is_place(tag)) {
      known = false;
      continue;
    }
    const aq_check_place place = *aq_check_place_of(stack, tag);
    const aq_check_frame *frame = &stack->frames[place.frame];
    const uint32_t object = aq_check_object_at(
        stack, frame,
        (int64_t)(uint32_t)a->touch->at[l] + a->first - place.base);
    if (object == place.object) {
      a->site->own_object = object + 1;
    } else if (aq_check_tag_is_pure(tag)) {
      continue;
    } else if (object == AQ_CHECK_NO_OBJECT || frame->base == UINT64_MAX) {
      known = false;
    } else if (out < 0) {
      out = l;
      other = object;
      of = place;
    }
  }
  if (out >= 0) {
    if (is_out(a, &of, other))
      out_report(a, &of, other, (uint32_t)a->touch->at[out] + a->first, out,
                 lanes);
    else
      known = false;
  }
  if (!known && is_computed(a))
    aq_check_stack_unseen_add(a->check, a->site);
}

/* ---- addresses in private memory ---- */

static bool words_make(const access *a)
{
  aq_check_tags *t = a->tags;
  if (!t->words) {
    t->word_count = a->w->scratch_room / 4;
    t->words = calloc(t->word_count, sizeof *t->words);
    a->check->lost |= !t->words;
  }
  return t->words != NULL;
}

/* Lanes whose tags differ are of none that is known. */
static void word_put(aq_check_tags *t, uint32_t index, int l, aq_check_tag tag)
{
  const uint64_t bit = (uint64_t)1 << l;
  if (index >= t->word_count)
    return;
  aq_check_stack_word *word = &t->words[index];
  if (tag == AQ_CHECK_TAG_NONE) {
    word->lanes &= ~bit;
    return;
  }
  word->tag = word->lanes & ~bit && word->tag != tag ? AQ_CHECK_TAG_MIXED : tag;
  word->lanes |= bit;
}

static aq_check_tag word_get(const aq_check_tags *t, uint32_t index, int l)
{
  return index < t->word_count && t->words[index].lanes >> l & 1
             ? t->words[index].tag
             : AQ_CHECK_TAG_NONE;
}

/* A store of whole words keeps their tags, any other drops them. */
static void words_store(const access *a)
{
  aq_check_tags *t = a->tags;
  const aq_check_registers *data = named(a->site, a->buffer ? 'D' : 'B');
  const bool whole = a->touch->bytes % 4 == 0 && data && !a->site->halves &&
                     a->site->kind == AQ_WAVE_ACCESS_WRITE;
  bool any = t->words != NULL;
  for (unsigned k = 0; whole && k < data->count; k++)
    any |= data->first + k < 2 * AQ_WAVE_ACC &&
           t->any[(data->first + k) / 64] >> (data->first + k) % 64 & 1;
  if (!any || !words_make(a))
    return;
  /* Of all lanes first: a lane's new tag is not mixed with old ones of others.
   */
  for (uint64_t rest = a->touch->scratch; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const uint32_t at = (uint32_t)a->touch->at[l] + a->first;
    for (unsigned k = 0; 4 * k < at % 4 + a->touch->bytes; k++)
      word_put(t, at / 4 + k, l, AQ_CHECK_TAG_NONE);
  }
  if (!whole)
    return;
  for (uint64_t rest = a->touch->scratch; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const uint32_t at = (uint32_t)a->touch->at[l] + a->first;
    for (unsigned k = 0; 4 * k < at % 4 + a->touch->bytes; k++)
      word_put(t, at / 4 + k, l,
               at % 4 == 0 && k < data->count &&
                       data->first + k < 2 * AQ_WAVE_ACC
                   ? t->rows[data->first + k][l]
                   : AQ_CHECK_TAG_NONE);
  }
}

/* The tags of loaded words, for aq_check_stack_after. */
static void words_load(const access *a)
{
  aq_check_tags *t = a->tags;
  const bool whole = a->touch->bytes % 4 == 0 && t->words && !a->site->halves;
  memset(t->pending, 0, sizeof t->pending);
  for (uint64_t rest = a->touch->scratch; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const uint32_t at = (uint32_t)a->touch->at[l] + a->first;
    for (unsigned k = 0; k < AQ_CHECK_PENDING; k++)
      t->pending[k][l] = whole && at % 4 == 0 && 4 * k < a->touch->bytes
                             ? word_get(t, at / 4 + k, l)
                             : AQ_CHECK_TAG_NONE;
  }
}

/* Addresses that are stored where they are not followed. */
static void escapes_see(const access *a)
{
  struct aq_check_stack *stack = a->check->stack;
  const aq_check_tags *t = a->tags;
  for (unsigned i = 0; i < a->site->name_count && !stack->escapes; i++) {
    const aq_check_registers *r = &a->site->names[i];
    for (unsigned row = r->first; row < (unsigned)r->first + r->count; row++)
      for (int l = 0; !r->scalar && r->role != 'A' && l < AQ_WAVE_LANES &&
                      row < 2 * AQ_WAVE_ACC && t->any[row / 64] >> row % 64 & 1;
           l++)
        stack->escapes |= aq_check_tag_is_place(t->rows[row][l]) &&
                          aq_check_place_of(stack, t->rows[row][l])->offset > 0;
  }
}

void aq_check_stack_access(aq_wave *w, uint32_t number,
                           const aq_wave_access_info *touch)
{
  access a = access_of(w, number, touch);
  a.tags = aq_check_tags_of(w);
  if (!a.tags) {
    if (touch->scratch && is_computed(&a))
      aq_check_stack_unseen_add(a.check, a.site);
    return;
  }
  if (touch->scratch)
    lanes_check(&a);
  else if (a.site->kind == AQ_WAVE_ACCESS_WRITE)
    escapes_see(&a);
  if (a.site->tags == AQ_CHECK_TAGS_LOAD)
    words_load(&a);
  else
    words_store(&a);
}
