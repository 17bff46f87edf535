/* SPDX-License-Identifier: MIT */
/* Functions, their objects, and the places in frames of running ones. */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "gpu/check/stack/stack.h"

/* ---- code ---- */

static bool stack_make(aq_check *check)
{
  if (!check->stack)
    check->stack = calloc(1, sizeof *check->stack);
  return check->stack != NULL;
}

static bool frame_add(aq_check *check, uint64_t base, uint64_t bias,
                      const aq_code_frames *all, const aq_code_frame *f)
{
  struct aq_check_stack *stack = check->stack;
  const aq_check_frame made = {.base = base,
                               .first = f->address + bias,
                               .end = f->end + bias,
                               .object_first = (uint32_t)stack->object_count,
                               .object_count = (uint32_t)f->count,
                               .base_register = f->base,
                               .plain = f->plain};
  for (size_t i = 0; i < f->count; i++) {
    const aq_code_frame_object *o = &all->objects[f->first + i];
    const char *name = o->name < 0 ? NULL : aq_names_text(&all->names, o->name);
    const aq_check_object one = {
        .offset = (uint32_t)o->offset,
        .size = o->size,
        .name = name ? aq_names_id(&check->names, name, strlen(name)) : -1};
    if (!AQ_ARRAY_PUSH(stack->objects, stack->object_count,
                       stack->object_capacity, one))
      return false;
  }
  return AQ_ARRAY_PUSH(stack->frames, stack->frame_count, stack->frame_capacity,
                       made);
}

void aq_check_stack_code(aq_check *check, uint64_t base, uint64_t bias,
                         aq_code_frames *frames)
{
  bool ok = frames->count == 0 || stack_make(check);
  for (size_t i = 0; i < frames->count && ok; i++)
    ok = frame_add(check, base, bias, frames, &frames->list[i]);
  check->lost |= !ok;
  aq_code_frames_fini(frames);
}

void aq_check_stack_code_gone(aq_check *check, uint64_t base)
{
  struct aq_check_stack *stack = check->stack;
  for (size_t i = 0; stack && i < stack->frame_count; i++)
    if (stack->frames[i].base == base) {
      stack->frames[i].base = UINT64_MAX;
      stack->frames[i].first = stack->frames[i].end = 0;
    }
}

uint32_t aq_check_frame_at(const aq_check *check, uint64_t pc)
{
  const struct aq_check_stack *stack = check->stack;
  for (size_t i = 0; stack && i < stack->frame_count; i++)
    if (pc >= stack->frames[i].first && pc < stack->frames[i].end)
      return (uint32_t)i + 1;
  return 0;
}

void aq_check_stack_unseen_add(aq_check *check, aq_check_site *site)
{
  if (site->unseen || !stack_make(check))
    return;
  site->unseen = true;
  if (site->frame)
    check->stack->unseen.other++;
  else
    check->stack->unseen.without++;
}

aq_check_stack_unseen aq_check_stack_unseen_get(const aq_check *check)
{
  return check->stack ? check->stack->unseen : (aq_check_stack_unseen){0, 0};
}

void aq_check_stack_fini(aq_check *check)
{
  struct aq_check_stack *stack = check->stack;
  if (!stack)
    return;
  free(stack->frames);
  free(stack->objects);
  free(stack->places);
  aq_map_fini(&stack->by_place);
  free(stack);
}

/* ---- places ---- */

static uint64_t hash_of(const aq_check_place *p)
{
  const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
  return ((p->frame ^ (uint64_t)p->kind << 30 ^ (uint64_t)p->base << 32) *
              prime ^
          p->offset) *
         prime;
}

uint32_t aq_check_object_at(const struct aq_check_stack *stack,
                            const aq_check_frame *frame, int64_t offset)
{
  for (uint32_t i = 0; i < frame->object_count; i++) {
    const aq_check_object *o = &stack->objects[frame->object_first + i];
    if (offset >= o->offset && offset < (int64_t)o->offset + o->size)
      return frame->object_first + i;
  }
  return AQ_CHECK_NO_OBJECT;
}

aq_check_tag aq_check_place_tag(aq_check *check, const aq_check_frame *frame,
                                uint32_t base, uint32_t offset,
                                aq_check_place_kind kind)
{
  struct aq_check_stack *stack = check->stack;
  const aq_check_place place = {.frame = (uint32_t)(frame - stack->frames),
                                .base = base,
                                .offset = offset,
                                .object =
                                    aq_check_object_at(stack, frame, offset),
                                .kind = kind};
  const uint64_t hash = hash_of(&place);
  uint64_t at = stack->place_count;
  const bool there = aq_map_get(&stack->by_place, hash, &at);
  if ((place.object == AQ_CHECK_NO_OBJECT && kind != AQ_CHECK_PLACE_BASE) ||
      (there && memcmp(&stack->places[at], &place, sizeof place) != 0))
    return AQ_CHECK_TAG_MIXED;
  if (!there && (!AQ_ARRAY_PUSH(stack->places, stack->place_count,
                                stack->place_capacity, place) ||
                 !aq_map_put(&stack->by_place, hash, at))) {
    check->lost = true;
    return AQ_CHECK_TAG_MIXED;
  }
  return (aq_check_tag)(AQ_CHECK_TAG_PLACE + 2 * at + 1);
}

aq_check_tag aq_check_tag_resolve(aq_check *check, aq_check_tag from,
                                  uint32_t address, int32_t by)
{
  const struct aq_check_stack *stack = check->stack;
  const aq_check_place place = *aq_check_place_of(stack, from);
  const aq_check_frame *frame = &stack->frames[place.frame];
  const uint32_t offset = address - place.base,
                 object = aq_check_object_at(stack, frame, offset),
                 step = by < 0 ? -(uint32_t)by : (uint32_t)by;
  if (place.kind == AQ_CHECK_PLACE_BASE)
    return aq_check_place_tag(check, frame, place.base, offset,
                              offset == 0 ? AQ_CHECK_PLACE_BASE
                                          : AQ_CHECK_PLACE_OBJECT);
  if (object == place.object)
    return from;
  const aq_check_object *own = &stack->objects[place.object];
  /* Past the last element, as for a loop's end, it is no neighbour's yet. */
  const bool ends = frame->plain && offset == own->offset + own->size;
  if (place.kind != AQ_CHECK_PLACE_INSIDE && (step < own->size || ends))
    return aq_check_place_tag(check, frame, place.base, place.offset,
                              AQ_CHECK_PLACE_WALKED) &
           ~1u;
  return object != AQ_CHECK_NO_OBJECT && stack->objects[object].offset == offset
             ? aq_check_place_tag(check, frame, place.base, offset,
                                  AQ_CHECK_PLACE_OBJECT)
             : AQ_CHECK_TAG_MIXED;
}

aq_check_tag aq_check_tag_add(aq_check *check, aq_check_tag from,
                              uint32_t constant)
{
  const struct aq_check_stack *stack = check->stack;
  const aq_check_place place = *aq_check_place_of(stack, from);
  if (place.kind != AQ_CHECK_PLACE_BASE || constant == 0)
    return from & ~1u;
  const aq_check_tag made =
      aq_check_place_tag(check, &stack->frames[place.frame], place.base,
                         constant, AQ_CHECK_PLACE_OBJECT);
  return aq_check_tag_is_place(made) ? made & ~1u : made;
}

aq_check_tag aq_check_frame_tag(const aq_wave *w, const aq_check_site *site,
                                uint32_t base)
{
  aq_check *check = aq_check_grid_of(w)->check;
  return aq_check_place_tag(check, &check->stack->frames[site->frame - 1], base,
                            0, AQ_CHECK_PLACE_BASE);
}

bool aq_check_stack_scales(const aq_isa_inst *inst)
{
  return !(inst->target & (AQ_ISA_FROM_940 | AQ_ISA_FROM_GFX11));
}
