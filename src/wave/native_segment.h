/* SPDX-License-Identifier: MIT */
/*
 * The inside of a segment (native_emit.h), for the files that write it: the
 * whole of it (native_emit.c), scalar and vector instructions, loads, and the
 * loops that segments make (native_turns.c). Its text is made of declarations
 * and scalars, once for all lanes, and of parts, which each group of sixteen
 * lanes executes in order: between two of them lie loads, whose addresses and
 * results are arrays of a group.
 */
#ifndef AQ_WAVE_NATIVE_SEGMENT_H
#define AQ_WAVE_NATIVE_SEGMENT_H

#include "wave/native_emit.h"

enum { NAME = 48, PAIR = 160 /* lengths of texts */ };
enum { STREAMS = 4, KNOWN = 16, PENDING = 4 * AQ_WAVE_SEGMENT_MAX };

/* The value of a row in a part: a word, or half of a pair. */
typedef enum value_part { WHOLE, LOW, HIGH } value_part;

/* How the first value of a row was read. */
typedef enum value_begun { UNREAD, WORD, PAIR_LOW, PAIR_HIGH } value_begun;

typedef struct row_value {
  uint32_t number; /* of a variable of the open part; 0: none */
  uint32_t stamp;  /* of the value; 0: the register's at first */
  uint8_t part;
  uint8_t begun; /* value_begun */
  bool written;
  bool open; /* by the open part */
  bool held; /* in t and the row's number, of an earlier part */
  bool read; /* before it was written; or it is not the register's any more */
} row_value;

typedef struct scalar_value {
  uint32_t number; /* of a variable; 0: not read */
  bool written;
  uint32_t mask; /* of the lanes' bits that vector instructions wrote */
  uint32_t part; /* that wrote it */
  bool second;   /* it is the upper word of such a mask */
} scalar_value;

/* Addresses of a group that a load used: in a and the number. */
typedef struct known_address {
  uint32_t number;
  uint16_t row;
  bool pair, shared;
  uint32_t stamps[2]; /* of its rows */
} known_address;

/* A word of LDS that is loaded before the open part, with others. */
typedef struct pending_word {
  uint32_t address; /* its number */
  uint32_t at;
  uint16_t row;
  bool direct; /* into the register */
} pending_word;

struct aq_wave_segment {
  const aq_wave_texts *texts;
  const aq_wave_op *ops;
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
  bool lanes, exec, nan, wide, doubles, loads;
  bool open; /* the open part has lines */
  /* Floats of the open part that may be NaNs, by their variables. */
  uint32_t floats[AQ_WAVE_SEGMENT_MAX];
  unsigned float_count;
  /* Texts so far: declarations, scalars, one lane of the open part, the parts
   * before. */
  FILE *heads, *steps, *each, *body;
  char *texts_made[STREAMS];
  size_t sizes[STREAMS];
};

/* ---- operands ---- */

static inline bool aq_wave_is_exec(unsigned code)
{
  return code == AQ_ISA_EXEC || code == AQ_ISA_EXEC + 1;
}

/* Words of a type of native_table.h. */
static inline unsigned aq_wave_type_words(const char *type)
{
  return !*type ? 0 : type[1] == '6' ? 2 : 1;
}

static inline bool aq_wave_text_is_vector(const aq_wave_text *t)
{
  return t->shape <= AQ_WAVE_TEXT_PICK;
}

/* ---- scalars: native_scalars.c ---- */

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

/* ---- lanes: native_lanes.c ---- */

/* The value of a row in the open part, as C. */
void aq_wave_segment_row(aq_wave_segment *g, unsigned row, char *text);

/* Whether a vector instruction must come after the segment so far. */
bool aq_wave_segment_lane_conflicts(const aq_wave_segment *g,
                                    const aq_wave_op *o, const aq_wave_text *t);

void aq_wave_segment_lane(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_text *t);

/* Writes whether one of the open part's floats is a NaN. */
void aq_wave_segment_floats(aq_wave_segment *g);

/* ---- the whole: native_emit.c ---- */

/* Ends the open part: its results are in arrays. */
void aq_wave_segment_close(aq_wave_segment *g);

/* Writes a group's results into the registers. */
void aq_wave_segment_lanes_commit(const aq_wave_segment *g);

/* Writes masks of all groups; `how`: "=" or "|=". */
void aq_wave_segment_masks_commit(const aq_wave_segment *g, const char *how);

/* Ends the texts, which can be read then; begins the next segment. */
void aq_wave_segment_texts_end(aq_wave_segment *g);
void aq_wave_segment_restart(aq_wave_segment *g);

/* ---- loads: native_loads.c ---- */

/* Whether a load must come after the segment so far. */
bool aq_wave_segment_excludes(const aq_wave_segment *g, const aq_wave_op *o,
                              const aq_wave_load *load);

/* Adds a load, the last one of the list. */
void aq_wave_segment_load(aq_wave_segment *g, const aq_wave_op *o,
                          const aq_wave_load *load);

/* Writes the pending loads, which the open part follows. */
void aq_wave_segment_fetch(aq_wave_segment *g);

/* What loads call. */
extern const char aq_wave_load_functions[];

#endif
