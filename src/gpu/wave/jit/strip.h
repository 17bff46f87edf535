/* SPDX-License-Identifier: MIT */
/*
 * A run of vector instructions as machine code: a loop over strips of eight
 * lanes, in each of which registers of the wave live in the host's. The essay
 * is in emit_unit.c.
 *
 * Instructions are added until one conflicts or has no rule; then the caller
 * flushes. Rules (aq_strip_tables) write one instruction with the functions of
 * the second half. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_JIT_STRIP_H
#define AQ_GPU_WAVE_JIT_STRIP_H

#include <stddef.h>

#include "gpu/wave/jit/jit_liveness.h"
#include "gpu/wave/jit/x86.h"

enum {
  AQ_STRIP_MAX = 128, /* instructions of a run */
  AQ_STRIP_SOURCES = 8,
  AQ_STRIP_RESULTS = 4,
  AQ_STRIP_MASKS = AQ_WAVE_STRIP_MASKS, /* scalars that a run writes as masks */
  AQ_STRIP_LOADS = 16,
  AQ_STRIP_SPILLS = 96, /* of a strip's values, in the frame */
  AQ_STRIP_MOVES = 4,   /* rows of a run that DPP reads in another order */
  AQ_STRIP_LINES = 64,  /* words that grow by a step (strip_lines.c) */
  /* Values of a strip: rows, scalars in every lane, masks by their scalar,
   * moved rows, and the lanes' places in windows of LDS. */
  AQ_STRIP_SCALAR = AQ_WAVE_ROWS,
  AQ_STRIP_MASK = AQ_STRIP_SCALAR + AQ_WAVE_SCALARS,
  AQ_STRIP_MOVED = AQ_STRIP_MASK + AQ_WAVE_SCALARS,
  AQ_STRIP_WINDOWS = AQ_STRIP_MOVED + AQ_STRIP_MOVES,
  AQ_STRIP_VALUES = AQ_STRIP_WINDOWS + AQ_STRIP_LOADS,
  /* Rows in another form, by their first row: f64 of lanes 0, 1, 4 and 5, and
   * of the others; f32 of f16: the lower halves, both of the first four lanes,
   * and both of the others. They are dropped where a register is needed. */
  AQ_STRIP_PAIRS = AQ_STRIP_VALUES,
  AQ_STRIP_OTHER_PAIRS = AQ_STRIP_PAIRS + AQ_WAVE_ROWS,
  AQ_STRIP_WIDE_HALVES = AQ_STRIP_OTHER_PAIRS + AQ_WAVE_ROWS,
  AQ_STRIP_FOURS = AQ_STRIP_WIDE_HALVES + AQ_WAVE_ROWS,
  AQ_STRIP_OTHER_FOURS = AQ_STRIP_FOURS + AQ_WAVE_ROWS,
  AQ_STRIP_FORMS_END = AQ_STRIP_OTHER_FOURS + AQ_WAVE_ROWS,
  AQ_STRIP_NUMBER = 0xffff, /* no value: a constant */
  AQ_STRIP_DEAD = 0xffff,   /* the next reader of a value: none, */
  AQ_STRIP_END = 0xfffe,    /* or one behind the run */
  /* Registers of the host: the first are allocated. */
  AQ_STRIP_REGISTERS = 12,
  AQ_STRIP_NANS = 12, /* lanes with a NaN so far */
  AQ_STRIP_T0,
  AQ_STRIP_T1,
  AQ_STRIP_T2,
  /* The frame. */
  AQ_STRIP_AT_OLD = 0, /* aq_strip_old */
  AQ_STRIP_AT_KEEPS = AQ_STRIP_AT_OLD + 32,
  AQ_STRIP_AT_MOVED = AQ_STRIP_AT_KEEPS + 8 * AQ_STRIP_MOVES,
  AQ_STRIP_AT_LOADS = /* strip_loads.c */
  AQ_STRIP_AT_MOVED + 4 * AQ_WAVE_LANES * AQ_STRIP_MOVES,
  AQ_STRIP_AT_INDICES = AQ_STRIP_AT_LOADS + 32 * AQ_STRIP_LOADS,
  AQ_STRIP_AT_WINDOWS = AQ_STRIP_AT_INDICES + 32 * AQ_STRIP_LOADS,
  AQ_STRIP_AT_LINES = AQ_STRIP_AT_WINDOWS + 32 * AQ_STRIP_LOADS,
  AQ_STRIP_AT_SPILLS = AQ_STRIP_AT_LINES + 16 * AQ_STRIP_LINES,
  AQ_STRIP_FRAME = AQ_STRIP_AT_SPILLS + 32 * AQ_STRIP_SPILLS,
};

typedef struct aq_strip aq_strip;
typedef struct aq_strip_op aq_strip_op;
typedef void aq_strip_emit(aq_strip *s, const aq_strip_op *op);

/* How an instruction is written. Letters: u a word, U two, m a mask, n a word
 * that is a constant. */
typedef struct aq_strip_rule {
  const char *name, *results, *sources;
  aq_strip_emit *emit;
  uint32_t number; /* the rule's own, such as an opcode */
  enum {
    AQ_STRIP_PLAIN,
    AQ_STRIP_CHAINS, /* a NaN of a source gives a NaN, which is a handler's */
    AQ_STRIP_LOOKS,  /* the rule itself looks for NaNs */
    AQ_STRIP_LOOKS_VCC, /* the same; VCC is its last source */
    AQ_STRIP_WIDE,      /* the same, of f64 */
    AQ_STRIP_HALVES,    /* the same, of f16 */
    AQ_STRIP_MIXES,     /* f16 and f32: the rule looks itself */
    AQ_STRIP_LOAD,      /* no number: a load (strip_loads.c) */
  } nan;
} aq_strip_rule;

typedef struct aq_strip_source {
  uint16_t value; /* AQ_STRIP_NUMBER: */
  uint16_t next;  /* instruction of the run that reads it next */
  uint32_t number;
  const struct aq_wave_form_source *change; /* NULL: none */
} aq_strip_source;

struct aq_strip_op {
  const aq_wave_op *o;
  const aq_strip_rule *rule;
  aq_strip_source sources[AQ_STRIP_SOURCES];
  uint16_t results[AQ_STRIP_RESULTS], nexts[AQ_STRIP_RESULTS];
  uint8_t source_count, result_count;
  uint8_t load;                    /* its number in the run */
  uint8_t leader;                  /* of LDS: the load whose address it has */
  bool moves;                      /* it reads other lanes, */
  uint8_t moved;                   /* of the run's moved row of this number, */
  uint16_t from;                   /* which this row is, */
  const struct aq_wave_move *move; /* by this; NULL: by their addresses */
  const struct aq_wave_form *part; /* of its register that it writes; or NULL */
  uint64_t keeps;                  /* lanes whose result it does not write */
  bool is_dead;                    /* nothing reads its results */
  bool looks;                      /* for a NaN in its result */
  bool is_kept[AQ_STRIP_RESULTS];  /* the wave needs it after the run */
  bool is_line;     /* done once in the fast form; of a load: its address is, */
  uint8_t lines[2]; /* these of its results, or of its address */
  int8_t row_at[2]; /* of its results in the frame: a spill; -1: none */
};

/* An instruction of a run as the program has it. */
typedef struct aq_strip_step {
  const aq_wave_op *o;
  uint16_t rest; /* instructions of its block behind it */
} aq_strip_step;

/* A word that grows by a step from lane to lane (strip_lines.c). */
typedef struct aq_strip_line {
  enum { AQ_STRIP_IN_FRAME, AQ_STRIP_IN_SCALAR, AQ_STRIP_IN_CODE } kind;
  uint32_t first; /* lane 0's: the scalar that has it, or the number */
  bool is_same;   /* the step is 0 */
  uint8_t step;   /* else the line in the frame that has it */
} aq_strip_line;

/* The rare way of a load, written behind the strips. */
typedef struct aq_strip_rare {
  void (*write)(struct aq_strip *s, const struct aq_strip_rare *rare);
  const aq_strip_op *op;
  uint32_t from[4]; /* jumps there */
  unsigned from_count;
  uint32_t back;         /* where it continues */
  int address[2], to[4]; /* registers of the host; -1: none */
} aq_strip_rare;

struct aq_strip {
  aq_x86 *x;
  const aq_wave_texts *texts;
  const aq_wave_op *ops;
  const aq_wave_lives *lives;
  bool wave32;
  aq_strip_op list[AQ_STRIP_MAX]; /* as they are written */
  aq_strip_step program[AQ_STRIP_MAX];
  unsigned count;
  uint16_t masks[AQ_STRIP_MASKS]; /* scalars that get them */
  unsigned mask_count;
  bool masks_turn;          /* aq_strip_mask_register has the first ones */
  uint64_t scalars_read[3]; /* by code */
  unsigned rows_written;    /* about */
  unsigned load_count;
  uint32_t shared_bytes[AQ_STRIP_LOADS]; /* of LDS, behind a leader's address */
  bool doubles, halves;                  /* it has some: MODE is looked at */
  bool reaches;                          /* it has loads of global memory */
  bool may_leave; /* it has instructions that let a strip leave */
  unsigned move_count;
  uint64_t written[AQ_WAVE_ROWS / 64]; /* rows: a bit each */
  /* Of a strip that is written: */
  int16_t register_of[AQ_STRIP_FORMS_END]; /* -1: none */
  int16_t spill_of[AQ_STRIP_VALUES];       /* -1: none */
  uint16_t next_of[AQ_STRIP_VALUES];
  bool is_dirty[AQ_STRIP_VALUES];
  bool mask_is_ours[AQ_WAVE_SCALARS]; /* the run wrote it, */
  bool mask_is_kept[AQ_WAVE_SCALARS]; /* to the frame too */
  int16_t owner[AQ_STRIP_REGISTERS];
  unsigned pinned;  /* registers of the instruction: a bit each, */
  unsigned others;  /* and of other strips */
  int strip;        /* the only one that is written; -1: all, as a loop */
  bool plain;       /* runs have no fast forms */
  bool fast;        /* the fast form is written, */
  bool restarts;    /* of which all strips leave, or none */
  bool keeps_hosts; /* in which registers have the rows of the first loads */
  aq_strip_line lines[AQ_STRIP_LINES];
  unsigned line_count, line_rows; /* spills of their rows */
  uint8_t line_of[AQ_WAVE_ROWS];  /* of rows that the run begins with */
  /* The store behind the run that its fast form does, too; NULL: none. */
  const aq_wave_op *store;
  unsigned store_words;
  uint8_t store_lines[2];
  uint32_t behind; /* the jump behind that store; 0: none */
  uint16_t dirty_rows[4 * AQ_STRIP_MAX];
  unsigned dirty_count, spill_count;
  int window_base[AQ_STRIP_LOADS]; /* of leaders: a register; -1: not found */
  unsigned window_count;
  aq_strip_rare rare[AQ_STRIP_LOADS];
  unsigned rare_count;
  bool nans;            /* AQ_STRIP_NANS has some */
  uint32_t leaves[512]; /* jumps to the handlers */
  unsigned leave_count;
  uint32_t done; /* the jump behind the run; 0: none */
  uint32_t
      rest; /* where the place of its aq_strip_rest is needed; 0: nowhere */
  int result_registers[AQ_STRIP_RESULTS];
  /* Forms of the first result that the instruction made; -1: none. */
  struct {
    int16_t form, reg;
  } made[2];
  uint32_t outs[1024]; /* jumps that leave the unit, rax being 0, of all runs */
  unsigned out_count;
  bool failed;
};

/* The rule of an instruction, or NULL. */
const aq_strip_rule *aq_strip_rule_of(const aq_wave_texts *texts,
                                      const aq_wave_op *o);

/* The rule of a load into registers of lanes, or NULL. */
const aq_strip_rule *aq_strip_load_rule(const aq_wave_texts *texts,
                                        const aq_wave_op *o);

/* Writes the parts of a load that are the same for the whole wave, before the
 * strips. */
void aq_strip_load_prepare(aq_strip *s, const aq_strip_op *op);

/* `number` of a rule of such a load: words of a lane; or of less than one,
 * bytes. */
enum { AQ_STRIP_SMALL = 1 << 4, AQ_STRIP_SIGNED = 1 << 5 };

/* Bytes of a lane. */
static inline int32_t aq_strip_load_bytes(const aq_strip_op *op)
{
  return op->rule->number & AQ_STRIP_SMALL ? (int32_t)(op->rule->number & 15)
                                           : 4 * (int32_t)op->rule->number;
}

/* Loads of LDS (strip_shared.c): finding the leader of one that is added;
 * moving a run's loads down to the first use of their words; the parts before
 * the strips. */
static inline bool aq_strip_is_shared(const aq_strip_op *op)
{
  return op->rule->nan == AQ_STRIP_LOAD && op->rule->name[0] == 'd'; /* ds_ */
}
void aq_strip_shared_join(aq_strip *s, aq_strip_op *op);
void aq_strip_shared_sink(aq_strip *s);
void aq_strip_shared_prepare(aq_strip *s, const aq_strip_op *op);

/* ---- the fast form (strip_lines.c) ---- */

/* Finds the instructions of a run that compute addresses of rows, and the store
 * behind it. False: there are none, the run has no store. */
bool aq_strip_lines_find(aq_strip *s);

/* The instruction before `at` that writes a value, or -1. */
int aq_strip_writer_of(const aq_strip *s, unsigned at, unsigned value);

/* Writes the part before the strips: addresses, and checks, which leave. */
void aq_strip_lines_prepare(aq_strip *s, bool is_unrolled);

/* Behind a strip: those rows become the next one's. */
void aq_strip_lines_turn(aq_strip *s);

/* Where the host sees a strip's first word of a load; rax and rcx may change.
 */
aq_x86_operand aq_strip_line_load(aq_strip *s, const aq_strip_op *op);

/* Writes the store behind the strips. */
void aq_strip_lines_store(aq_strip *s);

/* Finds the next reader of each value, and which floats lead to no others;
 * `store`: one that is part of the run, or NULL. */
void aq_strip_nexts_find(aq_strip *s, const aq_wave_op *store);

/* Whether an instruction with a rule reads lanes in another order, as its rule
 * allows; adds its move. */
bool aq_strip_move_fits(const aq_strip_rule *rule, const aq_wave_op *o);
void aq_strip_move_join(aq_strip *s, aq_strip_op *op);

/* Whether it has to be a run of its own: lanes of other strips may be NaNs. */
static inline bool aq_strip_is_moved_float(const aq_strip_op *op)
{
  return op->move && op->rule->nan != AQ_STRIP_PLAIN;
}

/* Writes the moved row, before the strips. */
void aq_strip_move_prepare(aq_strip *s, const aq_strip_op *op);

/* Loads the words that a strip's lanes read of the row; T1 and T2 change. */
void aq_strip_move_load(aq_strip *s, const aq_strip_op *op, unsigned strip,
                        int to);

/* Lanes that the instruction does not write keep what their row had. */
void aq_strip_move_keep(aq_strip *s, const aq_strip_op *op, aq_x86_operand old,
                        int reg);

/* Lets a run of f16 leave in all MODEs but the one that its rules compute in.
 */
void aq_strip_halves_prepare(aq_strip *s);

/* Whether an instruction of f16 has two of a lane, and whether it computes with
 * the lower or upper half of a source, which is all of that. */
bool aq_strip_is_pair(const aq_strip_op *op);
bool aq_strip_half_is_taken(const aq_strip_op *op, unsigned k, bool upper);

/* A rare way, and a jump there. */
aq_strip_rare *aq_strip_rare_begin(aq_strip *s, const aq_strip_op *op);
void aq_strip_rare_if(aq_strip *s, aq_strip_rare *rare, int condition);

/* Loads eight words at offsets in a register from `base` and `at` on, faster
 * than hosts gather. rax, rcx and r8 change, and T1. */
void aq_strip_words_gather(aq_strip *s, int to, int base, int offsets,
                           int32_t at);

/* Lets the strip leave, where a condition holds, or unless a mask is set in all
 * lanes that are on; rcx changes then. */
void aq_strip_leave(aq_strip *s);
void aq_strip_leave_if(aq_strip *s, int condition);
void aq_strip_leave_unless(aq_strip *s, int mask);

/* Bits of eight lanes, in a general register, as a mask in `reg`. */
void aq_strip_bits_expand(aq_strip *s, int reg, int from);

/* The lanes that are on as a mask, in `reg`. */
void aq_strip_lanes(aq_strip *s, int reg);

/* Gives texts their rules, by their names. */
void aq_strip_rules_give(aq_wave_texts *texts);

/* A table ends with a rule without a name, the list of all tables with NULL.
 * Loads by an address of two rows have one table, loads by an SGPR and the
 * lanes' offsets another. */
extern const aq_strip_rule aq_strip_rules_words[], aq_strip_rules_floats[],
    aq_strip_rules_halves[], aq_strip_rules_moves[], aq_strip_rules_divisions[],
    aq_strip_rules_loads[], aq_strip_rules_offset_loads[],
    aq_strip_rules_shared[];
extern const aq_strip_rule *const aq_strip_tables[];

/* The rule of a table by its name, or NULL. */
const aq_strip_rule *aq_strip_rule_in(const aq_strip_rule *table,
                                      const char *name);

void aq_strip_begin(aq_strip *s, aq_x86 *x, const aq_wave_texts *texts,
                    const aq_wave_op *ops, const aq_wave_lives *lives,
                    bool wave32);

/* Adds an instruction; false: it has no rule, or has to begin a new run. */
bool aq_strip_add(aq_strip *s, const aq_wave_op *o, unsigned rest);

/* Whether a scalar instruction that touches these scalars may go before the
 * run: `reads` and `writes` are pairs of a first code and a count. */
bool aq_strip_lets_pass(const aq_strip *s, const uint16_t reads[][2],
                        unsigned read_count, unsigned write_first,
                        unsigned write_count);

/* Writes the run and begins the next. */
void aq_strip_flush(aq_strip *s);

/* The same before a store of words to global memory. Returned is a jump behind
 * the store, which did it; 0: none. */
uint32_t aq_strip_flush_before(aq_strip *s, const aq_wave_op *store,
                               unsigned words);

/* ---- strips that leave ---- */

/* A run as its handlers need it, in the code. */
typedef struct aq_strip_rest {
  uint16_t count, mask_count;
  uint16_t masks[AQ_STRIP_MASKS];
  struct {
    uint16_t op, rest;
  } list[];
} aq_strip_rest;

/* Executes the run with its handlers for the lanes from strip `strip` on; the
 * others are done, and the run's masks have their bits in w->strip. -1, or of a
 * fault the instructions behind it in its block. */
int64_t aq_strip_rest_run(aq_wave *w, const aq_wave_op *ops,
                          const aq_strip_rest *rest, unsigned strip);

void aq_strip_vzeroupper(aq_x86 *x);

/* ---- between strip_write.c and strip_registers.c ---- */

static inline int32_t aq_strip_row_at(unsigned row)
{
  return (int32_t)(offsetof(aq_wave, v) + 4 * AQ_WAVE_LANES * row);
}

/* Its words of the strip that is written. */
static inline aq_x86_operand aq_strip_row_words(const aq_strip *s, unsigned row)
{
  return s->strip < 0 ? (aq_x86_operand){AQ_X86_ROW, aq_strip_row_at(row)}
                      : (aq_x86_operand){AQ_X86_WAVE,
                                         aq_strip_row_at(row) + 32 * s->strip};
}

static inline int32_t aq_strip_scalar_at(unsigned code)
{
  return (int32_t)(offsetof(aq_wave, s) + 4 * code);
}

/* Of the run's masks. */
static inline int32_t aq_strip_mask_at(int slot)
{
  return (int32_t)offsetof(aq_wave, strip.masks) + 8 * slot;
}

/* The register of a mask whose lowest byte is the strip's, or -1: bytes of it
 * are in the frame. Where an access to memory may fault, they are there too. */
static inline int aq_strip_mask_register(const aq_strip *s, int slot)
{
  const int count = !s->masks_turn ? 0 : s->reaches ? 1 : 2;
  return slot >= count ? -1 : slot ? AQ_RSI : AQ_RDI;
}

void aq_strip_registers_reset(aq_strip *s);
void aq_strip_value_forget(aq_strip *s, unsigned value);
void aq_strip_forms_forget(aq_strip *s, unsigned row);
void aq_strip_forms_keep(aq_strip *s);
void aq_strip_register_store(aq_strip *s, int reg, aq_x86_operand to);
void aq_strip_register_load(aq_strip *s, int reg, aq_x86_operand from);
aq_x86_operand aq_strip_spill_operand(int spill);

/* The number of a scalar among the run's masks. */
int aq_strip_mask_slot(const aq_strip *s, unsigned code);

/* ---- for rules ---- */

/* A source's register, with its changes; it stays until the instruction ends,
 * or until aq_strip_read. */
int aq_strip_source_register(aq_strip *s, const aq_strip_op *op, unsigned k);

/* The register of a value, without changes. */
int aq_strip_value_register(aq_strip *s, unsigned value);

/* A source, maybe in memory. */
aq_x86_operand aq_strip_source_operand(aq_strip *s, const aq_strip_op *op,
                                       unsigned k);

/* Whether it is a constant, and which. */
bool aq_strip_source_number(const aq_strip_op *op, unsigned k, uint32_t *out);

/* No source is read any more: results may take their registers. */
void aq_strip_read(aq_strip *s, const aq_strip_op *op);

/* A register for a result; once each. */
int aq_strip_result(aq_strip *s, unsigned k);

/* Whether nothing reads a result, so that it need not be computed; its register
 * is taken nevertheless. */
static inline bool aq_strip_is_dead(const aq_strip_op *op, unsigned k)
{
  return op->nexts[k] == AQ_STRIP_DEAD;
}

/* The row of a result before the instruction, for use behind its rule. */
aq_x86_operand aq_strip_old(aq_strip *s, const aq_strip_op *op);

/* A register until the instruction ends. */
int aq_strip_temporary(aq_strip *s);

/* The register that has a row in a form, or -1; it stays until the instruction
 * ends. */
int aq_strip_form_register(aq_strip *s, unsigned form);

/* A register for a form that the caller computes from a source's row. */
int aq_strip_form_take(aq_strip *s, unsigned form);

/* A register for the first result in a form, until the instruction ends; or -1:
 * the next instruction that reads it does not take it so. `k`: which of the
 * two; `had`: the register of a form that the result may take over, or -1. */
int aq_strip_form_make(aq_strip *s, const aq_strip_op *op, unsigned k,
                       unsigned form, int had);

/* Whether the instruction is the last that reads source k's row in a form, and
 * reads it once. */
bool aq_strip_form_ends(const aq_strip *s, const aq_strip_op *op, unsigned k,
                        unsigned form);

/* Lets other values have all registers but the forms that were made. */
void aq_strip_sources_unpin(aq_strip *s);

/* Where a row's words are, a register of which may be taken later. */
aq_x86_operand aq_strip_row_operand(const aq_strip *s, unsigned row);

/* Lets other values have a register before the instruction ends. */
void aq_strip_unpin(aq_strip *s, int reg);

/* Stores the bits of a mask that was made in a result's register. */
void aq_strip_mask(aq_strip *s, const aq_strip_op *op, unsigned k, int reg);

/* Lanes with a NaN in `a` or `b`, or lanes of a mask, go to the handlers. */
void aq_strip_nans(aq_strip *s, int a, int b);
void aq_strip_nans_mask(aq_strip *s, int mask);

#endif
