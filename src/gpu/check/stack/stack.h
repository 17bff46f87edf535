/* SPDX-License-Identifier: MIT */
/* The state of the room, and what its files ask of each other. */
#ifndef AQ_GPU_CHECK_STACK_STACK_H
#define AQ_GPU_CHECK_STACK_STACK_H

#include "gpu/check/core/stack.h"

/* A word's origin. From AQ_CHECK_TAG_PLACE on, twice the index of a place, and
 * 1 if nothing but constants was added to its address. All others are even. */
typedef uint32_t aq_check_tag;

enum {
  AQ_CHECK_TAG_NONE = 0,     /* any value but an address that is followed */
  AQ_CHECK_TAG_MIXED = 2,    /* of several, or of none that is known */
  AQ_CHECK_TAG_UPPER = 4,    /* the upper word of private addresses */
  AQ_CHECK_TAG_CONSTANT = 6, /* which may be the address of any object */
  AQ_CHECK_TAG_PLACE = 8,
};

enum { AQ_CHECK_NO_OBJECT = UINT32_MAX };

typedef struct aq_check_object {
  uint32_t offset, size; /* in its frame */
  int64_t name;          /* -1: none */
} aq_check_object;

typedef struct aq_check_frame {
  uint64_t base; /* of the code; UINT64_MAX: it is gone */
  uint64_t first, end;
  uint32_t object_first, object_count;
  uint8_t base_register;
  bool plain;
} aq_check_frame;

/* A place in the frame of a function that is under way: the constant part of an
 * address. */
typedef struct aq_check_place {
  uint32_t frame;
  uint32_t base;   /* of the frame: bytes of a lane */
  uint32_t offset; /* from the base */
  uint32_t object; /* that has it, or AQ_CHECK_NO_OBJECT */
  uint32_t kind;   /* aq_check_place_kind */
} aq_check_place;

typedef enum aq_check_place_kind {
  AQ_CHECK_PLACE_OBJECT,
  AQ_CHECK_PLACE_BASE,   /* of the frame: constants choose the object */
  AQ_CHECK_PLACE_WALKED, /* an object's, which small steps have left */
  AQ_CHECK_PLACE_INSIDE, /* of an object, by a constant: perhaps a number */
} aq_check_place_kind;

struct aq_check_stack {
  aq_check_frame *frames; /* sites name them: none moves */
  size_t frame_count, frame_capacity;
  aq_check_object *objects;
  size_t object_count, object_capacity;
  aq_check_place *places;
  size_t place_count, place_capacity;
  aq_map by_place; /* hash → index; others of a hash are MIXED */
  aq_check_stack_unseen unseen;
  bool escapes; /* an address may lie in memory that others see */
};

/* Lanes of a word of private memory that have a tag. */
typedef struct aq_check_stack_word {
  uint64_t lanes;
  aq_check_tag tag;
} aq_check_stack_word;

enum { AQ_CHECK_PENDING = 4 /* words of a result that are followed */ };

/* Of a wave. */
typedef struct aq_check_tags {
  aq_check_tag scalars[128];
  uint64_t any[2 * AQ_WAVE_ACC / 64]; /* rows that have any */
  aq_check_tag rows[2 * AQ_WAVE_ACC][AQ_WAVE_LANES];
  /* Results, before they are known. */
  aq_check_tag pending[AQ_CHECK_PENDING][AQ_WAVE_LANES];
  aq_check_stack_word *words; /* of private memory */
  uint32_t word_count;
} aq_check_tags;

static inline bool aq_check_tag_is_place(aq_check_tag tag)
{
  return tag >= AQ_CHECK_TAG_PLACE;
}

static inline bool aq_check_tag_is_pure(aq_check_tag tag)
{
  return tag >= AQ_CHECK_TAG_PLACE && tag & 1;
}

static inline const aq_check_place *
aq_check_place_of(const struct aq_check_stack *stack, aq_check_tag tag)
{
  return &stack->places[(tag - AQ_CHECK_TAG_PLACE) / 2];
}

static inline bool aq_check_tag_is_inside(const struct aq_check_stack *stack,
                                          aq_check_tag tag)
{
  return aq_check_tag_is_place(tag) &&
         aq_check_place_of(stack, tag)->kind == AQ_CHECK_PLACE_INSIDE;
}

/* The tag of a place, pure. MIXED: out of memory, or no object has it and it is
 * not the base. */
aq_check_tag aq_check_place_tag(aq_check *check, const aq_check_frame *frame,
                                uint32_t base, uint32_t offset,
                                aq_check_place_kind kind);

/* Counts an instruction whose accesses are not followed, once. */
void aq_check_stack_unseen_add(aq_check *check, aq_check_site *site);

/* The number, from 1 on, of the function that has an instruction; 0: none. */
uint32_t aq_check_frame_at(const aq_check *check, uint64_t pc);

/* The object of a frame that has a place in it, or AQ_CHECK_NO_OBJECT. */
uint32_t aq_check_object_at(const struct aq_check_stack *stack,
                            const aq_check_frame *frame, int64_t offset);

/* The tag of an address that was made from a place by constants alone, the last
 * one `by`: another object may begin there. */
aq_check_tag aq_check_tag_resolve(aq_check *check, aq_check_tag from,
                                  uint32_t address, int32_t by);

/* The tag of an address to which more was added: the frame's base becomes an
 * object's by a constant. */
aq_check_tag aq_check_tag_add(aq_check *check, aq_check_tag from,
                              uint32_t constant);

/* The tags of a wave, made if need be; NULL: nothing is followed. */
aq_check_tags *aq_check_tags_of(const aq_wave *w);

/* Whether a function is its dispatch's kernel, whose frame begins at 0. */
static inline bool aq_check_frame_is_kernel(const aq_wave *w,
                                            const aq_check_frame *frame)
{
  return frame->first == w->grid->entry;
}

/* Whether scalar registers count private memory in bytes of a wave. */
bool aq_check_stack_scales(const aq_isa_inst *inst);

/* The tag of the base of a function's frame. */
aq_check_tag aq_check_frame_tag(const aq_wave *w, const aq_check_site *site,
                                uint32_t base);

#endif
