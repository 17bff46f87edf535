/* SPDX-License-Identifier: MIT */
/*
 * The inside of a segment (jit_emit.h), for the files that write it: the
 * whole of it (jit_emit.c), scalar and vector instructions, transfers, and
 * the loops that segments make (jit_loops.c). Its text is made of
 * declarations and scalars, once for all lanes, and of parts, which execute in
 * order, each for all lanes: between two of them lie loads, whose results are
 * arrays of words of all lanes, as the parts' are. Registers change after the
 * last part, stores come behind that.
 */
#ifndef AQ_GPU_WAVE_JIT_JIT_SEGMENT_H
#define AQ_GPU_WAVE_JIT_JIT_SEGMENT_H

#include "gpu/wave/jit/jit_emit.h"

enum { NAME = 48, PAIR = 160, PART = 240 /* lengths of texts */ };
enum { STREAMS = 6, KNOWN = 16, PENDING = 4 * AQ_WAVE_SEGMENT_MAX };
enum { AQ_WAVE_STORE_ROWS = 8 /* that a store reads, at most */ };

/* The value of a row in a part: a word, or half of a pair. */
typedef enum value_part { WHOLE, LOW, HIGH } value_part;

/* How the first value of a row was read. */
typedef enum value_begun { UNREAD, WORD, PAIR_LOW, PAIR_HIGH } value_begun;

typedef struct row_value {
  uint32_t number; /* of a variable of the open part; 0: none */
  uint32_t stamp;  /* of the value; 0: the register's at first */
  uint32_t array;  /* that has it, of an earlier part or load; 0: none */
  uint8_t part;
  uint8_t begun; /* value_begun */
  bool written;
  bool open;       /* by the open part */
  uint32_t affine; /* its y and d (jit_affine.c); 0: it has none */
  bool uniform;    /* d is 0 */
} row_value;

/* The part of a mask that is the same in all lanes: a scalar. */
#define AQ_WAVE_PART_UNIFORM UINT32_MAX

typedef struct scalar_value {
  uint32_t number; /* of a variable; 0: not read */
  bool written;
  uint32_t mask; /* of the lanes' bits that vector instructions wrote */
  uint32_t part; /* that wrote it */
  bool second;   /* it is the upper word of such a mask */
} scalar_value;

/* Addresses that a transfer used: in a and the number. */
typedef struct known_address {
  uint32_t number;
  uint16_t row;
  bool pair;
  uint32_t stamps[2]; /* of its rows */
} known_address;

/* A word of LDS that is loaded when a part or the registers need it: within the
 * segment it does not change. */
typedef struct pending_word {
  uint32_t address; /* its number */
  uint32_t at;
  uint32_t array;
  bool used;    /* by the open part */
  bool bounded; /* it is in LDS */
} pending_word;

struct aq_wave_segment {
  const aq_wave_texts *texts;
  const aq_wave_op *ops;
  const aq_wave_lives *lives;
  bool wave32;
  FILE *out;
  uint16_t list[AQ_WAVE_SEGMENT_MAX];
  uint16_t rests[AQ_WAVE_SEGMENT_MAX]; /* of the block, behind each */
  unsigned count;
  uint32_t numbers;
  uint32_t parts; /* closed */
  row_value rows[AQ_WAVE_ROWS];
  scalar_value scalars[AQ_WAVE_SCALARS], scc;
  known_address known[KNOWN];
  unsigned addresses_made;
  pending_word pending[PENDING];
  unsigned pending_count;
  bool lanes, exec, nan, wide, doubles;
  bool loads, far_loads; /* transfers; of them, loads of lanes from memory */
  bool stores;           /* no other instructions may follow */
  bool moves;            /* values of other lanes */
  bool open;             /* the open part has lines */
  aq_wave_segment *fast; /* the same in its fast form; NULL: this is one */
  unsigned affine_uses;  /* of a fast form: what its tests are for */
  /* Floats of the open part that may be NaNs, by their variables. */
  uint32_t floats[AQ_WAVE_SEGMENT_MAX];
  unsigned float_count;
  /* Texts so far: declarations, scalars, one lane of the open part, the parts
   * before, stores, one group of the open part before its lanes. */
  FILE *heads, *steps, *each, *body, *tail, *group;
  char *texts_made[STREAMS];
  size_t sizes[STREAMS];
};

/* ---- scalars: jit_scalars.c ---- */

/* A scalar register as C, in `name`. */
const char *aq_wave_segment_scalar_name(aq_wave_segment *g, unsigned code,
                                        char *name);

/* Two scalar registers as one number. */
void aq_wave_segment_scalars(aq_wave_segment *g, unsigned code, char *text);

/* A source of a scalar instruction, or one that is the same in all lanes. */
void aq_wave_segment_scalar_source(aq_wave_segment *g, const aq_wave_op *o,
                                   int i, unsigned words, char *text);

/* Whether lanes wrote one of the words as a mask. */
bool aq_wave_segment_has_mask(const aq_wave_segment *g, unsigned code,
                              unsigned words);

/* Whether a scalar instruction must come after the segment so far; *exec: it
 * reads or writes EXEC. */
bool aq_wave_segment_scalar_conflicts(const aq_wave_segment *g,
                                      const aq_wave_op *o,
                                      const aq_wave_text *t, bool *exec);

void aq_wave_segment_scalar(aq_wave_segment *g, const aq_wave_op *o,
                            const aq_wave_text *t);

/* ---- lanes: jit_lanes.c ---- */

/* The value of a row in the open part, as C. */
void aq_wave_segment_row(aq_wave_segment *g, unsigned row, char *text);

/* Whether a vector instruction must come after the segment so far. */
bool aq_wave_segment_lane_conflicts(const aq_wave_segment *g,
                                    const aq_wave_op *o, const aq_wave_text *t);

void aq_wave_segment_lane(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t);

/* A vector instruction wrote a mask. */
void aq_wave_segment_mask_written(aq_wave_segment *g, unsigned code,
                                  uint32_t number);

/* Writes whether one of the open part's floats is a NaN. */
void aq_wave_segment_floats(aq_wave_segment *g);

/* ---- values of other lanes: jit_moves.c ---- */

/* A first source that DPP takes from other lanes. */
typedef struct aq_wave_moved {
  char source[NAME]; /* of a lane of the open part, as C */
  char mask[NAME];   /* all ones in lanes that write; empty: all do */
} aq_wave_moved;

/* Whether it reads lanes that are off of a row that the segment wrote: only the
 * register has their values. */
bool aq_wave_segment_move_conflicts(const aq_wave_segment *g,
                                    const aq_wave_op *o);

/* Writes the move of an instruction that has one, for the open part, from the
 * words of all lanes in `array`, as C. */
void aq_wave_segment_move(aq_wave_segment *g, const aq_wave_op *o,
                          const char *array, aq_wave_moved *out);

/* ---- the whole: jit_emit.c ---- */

/* Ends the open part: its results are in arrays. */
void aq_wave_segment_close(aq_wave_segment *g);

/* Whether a row or scalar that the segment wrote may be read after it. */
bool aq_wave_segment_row_lives(const aq_wave_segment *g, unsigned row);
bool aq_wave_segment_scalar_lives(const aq_wave_segment *g, unsigned code);

/* Writes the numbers of its instructions as an array of `name`. */
void aq_wave_segment_list(const aq_wave_segment *g, const char *name,
                          const uint16_t *numbers);

/* Writes masks of all groups; `how`: "=" or "|=". */
void aq_wave_segment_masks_commit(const aq_wave_segment *g, const char *how);

/* Ends the texts, which can be read then; begins the next segment. */
void aq_wave_segment_texts_end(aq_wave_segment *g);
void aq_wave_segment_restart(aq_wave_segment *g);

/* ---- transfers: jit_memory.c ---- */

/* Whether a transfer must come after the segment so far. */
bool aq_wave_segment_excludes(const aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_transfer *t);

/* Adds a transfer, the last one of the list. */
void aq_wave_segment_transfer(aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_transfer *t);

/* Writes one more part, with `each` as the text of a lane and `group` before
 * the lanes of a group, and the pending loads, which it reads. */
void aq_wave_segment_part(aq_wave_segment *g, const char *each,
                          const char *group, bool nan);

/* The words of all lanes in a row, as an array; `text`: NAME. */
void aq_wave_segment_array(aq_wave_segment *g, unsigned row, char *text);

/* The array of a row's new words. */
uint32_t aq_wave_segment_loaded(aq_wave_segment *g, unsigned row);

/* Whether an array waits for its words of LDS; the open part, which uses it
 * then, calls them T and the array's number, a macro. */
bool aq_wave_segment_waits(aq_wave_segment *g, uint32_t array);

/* Writes the load of such an array, if it is one. */
void aq_wave_segment_fetch(aq_wave_segment *g, uint32_t array);

/* Writes that all words that wait are in LDS. */
void aq_wave_segment_bound(aq_wave_segment *g);

/* ---- the fast form: jit_affine_select.c, jit_affine.c ---- */

/* Adds the instructions of a segment to its fast form. */
void aq_wave_fast_fill(const aq_wave_segment *g, aq_wave_segment *fast);

/* Whether its results are affine if its sources are, under conditions. */
bool aq_wave_affine_has_rule(const aq_wave_op *o, const aq_wave_text *t);

/* Adds one, if its results are affine; false: they are not. */
bool aq_wave_affine_lane(aq_wave_segment *g, const aq_wave_op *o,
                         const aq_wave_text *t);

/* Adds a transfer of words in a row, if its addresses may be such; a general
 * form has none. */
bool aq_wave_affine_transfer(aq_wave_segment *g, const aq_wave_op *o,
                             const aq_wave_transfer *t);

/* Writes an affine row as an array, unless there is one. */
void aq_wave_affine_array(aq_wave_segment *g, unsigned row);

/* What tests jump to that fail: the handlers, or the general form. */
static inline char aq_wave_segment_else(const aq_wave_segment *g)
{
  return g->fast ? 'F' : 'G';
}

#endif
