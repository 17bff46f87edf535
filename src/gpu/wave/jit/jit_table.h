/* SPDX-License-Identifier: MIT */
/*
 * The operands and shapes of instructions, made of the lines that also make
 * their handlers (vector.def, scalar.def), for compiled code (jit.h).
 * Constant after aq_wave_texts_create.
 */
#ifndef AQ_GPU_WAVE_JIT_JIT_TABLE_H
#define AQ_GPU_WAVE_JIT_JIT_TABLE_H

#include "gpu/wave/core/execution_state.h"

typedef enum aq_wave_shape {
  AQ_WAVE_TEXT_LANE,    /* a result of each lane, of up to three sources */
  AQ_WAVE_TEXT_NAN,     /* the same; a NaN is the handler's affair */
  AQ_WAVE_TEXT_WORDS,   /* a result of two words of each lane */
  AQ_WAVE_TEXT_CARRY,   /* a result and a bit of each lane */
  AQ_WAVE_TEXT_COMPARE, /* a bit of each lane */
  AQ_WAVE_TEXT_PICK,    /* v_cndmask_b32 */
  AQ_WAVE_TEXT_SCALAR,  /* result and SCC */
  AQ_WAVE_TEXT_SAVE,    /* EXEC changes: SAVEEXEC, WREXEC, EXEC32 */
  AQ_WAVE_TEXT_TEST,    /* SCC only */
} aq_wave_shape;

/* Types of operands: 'u', 'i', 'f' or 'b' (bits), and a width; 0: none. */
typedef struct aq_wave_text {
  aq_wave_handler *run;
  const char *name;
  /* Of SCALAR: C of its result, and of SCC, in which OLD is the
   * destination's value. */
  const char *expression, *second;
  char result[4], sources[3][4];
  uint8_t shape;  /* aq_wave_shape */
  bool carry_in;  /* CARRY */
  bool immediate; /* the second source is the instruction's number */
  bool reads_old; /* SCALAR: the destination is a source too */
  const struct aq_strip_rule *rule; /* as machine code: strip.h; or NULL */
} aq_wave_text;

/* A transfer of words between registers and global memory or LDS. */
typedef struct aq_wave_transfer {
  aq_wave_handler *run;
  const char *name;
  uint8_t words; /* of an element; 0: as many as the instruction says */
  uint8_t scale; /* of two elements, their offsets count so many; 0: one */
  bool shared;   /* LDS */
  bool store;
  bool scalar; /* to scalar registers */
} aq_wave_transfer;

/* An instruction that has a rule and no text: f16, lanes
 * that read others by their addresses, loads of less than a word, and steps of
 * divisions. */
typedef struct aq_wave_ruled {
  aq_wave_handler *run;
  const char *name;
  uint8_t sources; /* words; 0: an address and data of a lane */
  bool packed;     /* two f16 of a lane */
  bool loads;      /* global memory */
  bool divides;    /* it has no form, */
  bool reads_vcc;
  bool writes_mask; /* of lanes, beside its result */
  bool converts;    /* it has no signs and parts of its own */
  const struct aq_strip_rule *rule;
} aq_wave_ruled;

typedef struct aq_wave_texts aq_wave_texts;

/* Words of an operand's type. */
static inline unsigned aq_wave_type_words(const char *type)
{
  return !*type ? 0 : type[1] == '6' ? 2 : 1;
}

static inline bool aq_wave_text_is_vector(const aq_wave_text *t)
{
  return t->shape <= AQ_WAVE_TEXT_PICK;
}

static inline bool aq_wave_is_exec(unsigned code)
{
  return code == AQ_ISA_EXEC || code == AQ_ISA_EXEC + 1;
}

/* For handlers of a level; NULL: out of memory. */
aq_wave_texts *aq_wave_texts_create(unsigned level);
void aq_wave_texts_destroy(aq_wave_texts *texts);

/* Gives each its rule of machine code, by its name (strip.h). */
void aq_wave_texts_rules_put(
    aq_wave_texts *texts, const struct aq_strip_rule *(*named)(const char *));

/* The text of a handler's instructions, or NULL. */
const aq_wave_text *aq_wave_text_of(const aq_wave_texts *texts,
                                    aq_wave_handler *run);

/* The text of an instruction, or NULL. */
const aq_wave_text *aq_wave_text_for(const aq_wave_texts *texts,
                                     const aq_wave_op *o);

/* Where an instruction that has a text takes its first source from: the lanes
 * of DPP, or NULL: its own. */
const struct aq_wave_move *aq_wave_text_move(const aq_wave_op *o);

/* Whether its move lets active lanes keep what their destination holds. */
bool aq_wave_text_keeps(const aq_wave_op *o);

/* The transfer that an instruction makes, or NULL: none, or one that writes
 * EXEC. */
const aq_wave_transfer *aq_wave_transfer_for(const aq_wave_texts *texts,
                                             const aq_wave_op *o);

/* Such an instruction, or NULL. */
const aq_wave_ruled *aq_wave_ruled_for(const aq_wave_texts *texts,
                                       const aq_wave_op *o);

/* The form of one that writes a part of its register, or NULL.
 */
const struct aq_wave_form *aq_wave_ruled_part(const aq_wave_op *o);

/* The condition of a direct branch: the word or the mask of lanes that it looks
 * at, and whether it is taken where that is set or where that is 0. */
typedef struct aq_wave_condition {
  const char *name;
  enum { AQ_WAVE_IF_SCC, AQ_WAVE_IF_VCC, AQ_WAVE_IF_EXEC, AQ_WAVE_IF_ANY } of;
  bool is_set;
} aq_wave_condition;

/* NULL: it is no such branch, its handler decides. */
const aq_wave_condition *aq_wave_condition_of(const aq_wave_op *o);

/* Texts and transfers by number; NULL: there are no more. */
const aq_wave_text *aq_wave_text_at(const aq_wave_texts *texts, size_t number);

const aq_wave_transfer *aq_wave_transfer_at(const aq_wave_texts *texts,
                                            size_t number);

#endif
