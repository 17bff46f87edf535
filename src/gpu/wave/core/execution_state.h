/* SPDX-License-Identifier: MIT */
/*
 * Internal structures of the executor: grids, workgroups, waves and their
 * lowered instructions. Included by src/gpu/wave only.
 *
 * A wave's state is explicit, so it can stop after any instruction. One thread
 * at a time runs the waves of a grid, or of each of its parts
 * (parallel_step.h).
 */
#ifndef AQ_GPU_WAVE_CORE_EXECUTION_STATE_H
#define AQ_GPU_WAVE_CORE_EXECUTION_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/executor.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/isa/isa.h"
#include "gpu/wave/core/execution_unit.h"

enum {
  AQ_WAVE_LANES = 64,
  AQ_WAVE_ACC = 256, /* first row of the accumulation registers */
  AQ_WAVE_SCRATCH_ROWS =
      544, /* first row that no program names; five pairs and more */
  AQ_WAVE_ROWS = 576,
  AQ_WAVE_NULL_DEST = 128, /* scalars behind the codes: writes to null */
  AQ_WAVE_SCALARS = 160,
  AQ_WAVE_STRIP_MASKS = 8,
};

/* High words of the apertures: a flat address there is in the workgroup's LDS,
 * or in the lane's private memory. Both are non-canonical on the host. */
enum { AQ_WAVE_SHARED_HI = 0x10000, AQ_WAVE_PRIVATE_HI = 0x20000 };

typedef struct aq_wave aq_wave;
typedef struct aq_wave_op aq_wave_op;
typedef struct aq_wave_group aq_wave_group;
typedef struct aq_wave_grid aq_wave_grid;

/* Executes one instruction and returns the next one; NULL: the wave stops, its
 * `state` says why and `pc` where it continues. */
typedef const aq_wave_op *aq_wave_handler(aq_wave *w, const aq_wave_op *o);

typedef enum aq_wave_kind {
  AQ_WAVE_VGPR,     /* a row of VGPRs (and the next ones) */
  AQ_WAVE_SGPR,     /* scalar registers, by code */
  AQ_WAVE_CONSTANT, /* a constant */
} aq_wave_kind;

/* An instruction made ready to execute. */
struct aq_wave_op {
  aq_wave_handler *run;
  uint64_t constant[3]; /* constants of the sources */
  uint16_t source[3];   /* registers of the sources */
  uint16_t dest;        /* destination: row or scalar code */
  uint16_t dest2;       /* second destination, a scalar code */
  uint8_t kind[3];
  uint8_t words;  /* of the encoding, and of s_waitcnt and s_nop behind it */
  uint16_t entry; /* of a compiled unit, its number in the page; 0: none */
  int32_t imm;
  struct aq_wave_decoded *decoded; /* NULL: not decoded */
};

/* The decoded instruction, and the handler inside a form. */
typedef struct aq_wave_decoded {
  aq_isa_inst inst;
  aq_wave_handler *base;
  aq_wave_handler *unflagged; /* inside condition_sources.h's */
  const aq_wave_op *target;   /* of a direct branch, once taken */
  struct aq_wave_pair *pair;  /* VOPD: vopd.h */
  struct aq_wave_form *form;  /* operand_modifiers.h */
  struct aq_wave_move *move;  /* of DPP and ds_swizzle_b32: dpp.h */
  uint16_t address, data;     /* memory: rows; AQ_WAVE_NONE */
  uint16_t element_row,
      element_base; /* gfx1250_addressing.h: of offsets, the base */
  uint32_t element_bytes;
  uint16_t data2, scalar; /* second data row; SGPR of the address */
  uint8_t bytes;          /* of memory, a lane */
  bool far;               /* ds_read2st64: places count 64 elements */
  bool resource;          /* scalar memory by a buffer's resource */
  uint32_t note;          /* of an observer; 0: none */
  aq_wave_unit unit;      /* of work_counters.h */
} aq_wave_decoded;

enum { AQ_WAVE_NONE = 0xffff };

typedef enum aq_wave_state {
  AQ_WAVE_RUNS,
  AQ_WAVE_SLEEPS,  /* s_sleep: the others first */
  AQ_WAVE_BARRIER, /* waits for its workgroup */
  AQ_WAVE_ENDED,
  AQ_WAVE_FAULTS, /* grid->fault says what */
} aq_wave_state;

/* The numbers of a wave's work-items as it begins: wave_init.c. */
typedef struct aq_wave_items {
  uint32_t rows[3][AQ_WAVE_LANES];
  uint64_t exec;
  uint32_t size[3]; /* of the workgroup */
  uint32_t first;   /* of the wave */
  uint32_t lanes, form;
} aq_wave_items;

/* What every wave of a grid begins with: wave_init.c. */
typedef struct aq_wave_initial_regs {
  uint32_t s[AQ_WAVE_SCALARS];
  uint32_t mode, form; /* form: of the numbers of work-items */
  bool made;           /* all but s */
  bool kept;           /* s */
  bool ids_apart;      /* of the workgroup, in trap registers */
} aq_wave_initial_regs;

struct aq_wave {
  union {
    uint32_t s[AQ_WAVE_SCALARS]; /* by scalar code */
    uint64_t s64[AQ_WAVE_SCALARS / 2];
  } __attribute__((aligned(64)));
  uint32_t mask[AQ_WAVE_LANES]; /* all ones where EXEC was `mask_for` */
  uint64_t mask_for;
  uint32_t scc, mode;
  uint64_t pc;
  const aq_wave_op *resume; /* at pc, in step `resumed` of the grid */
  uint64_t resumed;         /* 0: never */
  int64_t left;             /* instructions of the budget */
  aq_wave *next;            /* in a pool */
  aq_wave_group *group;
  aq_wave_grid *grid;
  uint8_t *scratch; /* buffer.h; room for scratch_room bytes of a lane */
  /* The bytes of an access that a buffer's range drops: read as 0. */
  uint8_t nowhere[16] __attribute__((aligned(16)));
  /* An access to private memory across its words. */
  struct {
    uint8_t bytes[16] __attribute__((aligned(16)));
    uint64_t first, offset;
    unsigned lane, size;
  } across;
  uint32_t scratch_size, scratch_room; /* of a lane */
  uint32_t number;                     /* in its workgroup */
  uint8_t state;
  bool wave32;   /* 32 lanes: masks are words, the upper half of EXEC is 0 */
  bool index_on; /* s_set_gpr_idx; rows of vector instructions move */
  uint8_t index_mode, index;
  uint8_t banks;            /* of VGPRs: gfx1250's s_set_vgpr_msb */
  uint32_t arrived, passed; /* barriers of its workgroup */
  bool gws_waits, gws_flag; /* at a global barrier that had this flag */
  uint64_t issued;          /* instructions, for clocks */
  uint32_t clock_reads;     /* since it accessed memory of others */
  const aq_wave_op *at;     /* the last one that accessed memory of others */
  bool spins; /* it used its last slice, read memory of others and changed none
               */
  /* A run of compiled code (jit/strip.h) that touches memory. */
  struct {
    const struct aq_strip_rest *rest; /* NULL: none is at work */
    uint64_t number;                  /* of its strip */
    uint64_t masks[AQ_WAVE_STRIP_MASKS];
  } strip;
  void *observed;      /* of an observer: observe.h */
  aq_wave_items items; /* of its last beginning */
  uint32_t v[AQ_WAVE_ROWS][AQ_WAVE_LANES] __attribute__((aligned(64)));
};

#define AQ_WAVE_EXEC(w) ((w)->s64[AQ_ISA_EXEC / 2])
#define AQ_WAVE_VCC(w)  ((w)->s64[AQ_ISA_VCC / 2])

/* The base of the buffer resource that stands for private memory: where it lies
 * (buffer.h); 0: the wave has none. */
static inline uint64_t aq_wave_private_base(const aq_wave *w)
{
  return w->scratch_size ? (uintptr_t)w->scratch : 0;
}

/* A scalar offset in the arena of private memory (buffer.h): programs count
 * rows of their waves' lanes. */
static inline uint32_t aq_wave_private_first(const aq_wave *w, uint32_t scalar)
{
  return w->wave32 ? 2 * scalar : scalar;
}

/* Bytes behind LDS that loads of whole vectors may read. */
enum { AQ_WAVE_LDS_BEHIND = 64 };

struct aq_wave_group {
  aq_wave_group *next;
  aq_wave_grid *grid;
  uint32_t id[3];
  uint32_t wave_count, ended, waiting;
  uint32_t opened; /* barriers at which all waves arrived */
  bool splits;     /* waves arrive at them before they wait: gfx12 */
  uint8_t *lds;
  aq_wave **waves;
  void *observed;                    /* of an observer: observe.h */
  struct aq_wave_group_tally *tally; /* NULL: not counted; work_counters.h */
  bool counts;                       /* it is, and not yet cut short */
  uint32_t size[3];                  /* smaller at the grid's edge */
};

/* A range of addresses that may be touched, as found last. */
typedef struct aq_wave_range {
  uint64_t base, end;
  uint64_t shift; /* an address less this is where the host sees it */
  bool writable, fine;
} aq_wave_range;

/* Instructions of a wave in a tick of the device's clock. */
enum { AQ_WAVE_CYCLES = 20 };

enum { AQ_WAVE_OLDER = 3, AQ_WAVE_RANGES = 64 };

struct aq_wave_code;
struct aq_wave_gws;
struct aq_wave_machine;
struct aq_jit;

/* State that the parts of a grid (parallel_step.h) share. */
typedef struct aq_wave_grid_shared {
  uint64_t group_next; /* to start. Atomic */
  uint32_t resident;   /* atomic */
  uint64_t group_end;  /* the first that parts do not start in this step */
} aq_wave_grid_shared;

struct aq_wave_grid {
  struct aq_wave_machine *machine;
  struct aq_wave_code *code; /* of the device's processor */
  struct aq_wave_gws *gws;   /* of the device */
  aq_execution_desc desc;
  uint64_t ticks;
  uint64_t step;                   /* its number, from 1 */
  aq_kernel_descriptor descriptor; /* a copy */
  aq_wave_initial_regs begun;
  uint64_t entry; /* of the kernel's code */
  uint32_t groups[3], size[3];
  uint64_t group_count;
  uint32_t lds_size;  /* allocated */
  uint32_t lds_asked; /* by the packet */
  uint32_t scratch_size;
  uint32_t items, waves;       /* of a whole workgroup */
  uint32_t lanes;              /* of a wave: 32 or 64 */
  aq_wave_group *first, *last; /* resident */
  aq_wave *running;            /* NULL: none is at work */
  const aq_wave_op *entry_op;  /* at `entry`, in this step; NULL: not found */
  uint32_t mode_now; /* the MODE that the thread computes with; ~0: unknown */
  uint64_t started;  /* the workgroup that started last had this number, */
  uint32_t started_id[3]; /* and this id */
  uint32_t residents_max;
  aq_wave_group *free;
  struct aq_wave_reachable *reachable;
  struct aq_wave_pool *pool;
  aq_wave_range range; /* touched last */
  aq_wave_range older[AQ_WAVE_OLDER];
  aq_wave_range ranges[AQ_WAVE_RANGES]; /* by instructions: access.inc */
  bool quiet;      /* nothing that others could see happened in the step */
  bool looked;     /* a wave read memory of others in the step */
  uint64_t silent; /* instructions of the last steps without either */
  aq_execution_fault fault;
  uint64_t executed;
  uint64_t clock_read; /* the most by which a wave's clock has advanced */
  uint64_t clock_told; /* of that, in elapsed times; of the first part */
  bool
      watched; /* its instructions are counted or traced: instrumented_loop.h */
  struct aq_jit *native; /* NULL: all is interpreted; jit.h */
  uint64_t native_from;  /* instructions of a page that make it worth more */
  bool reported;         /* where its waves are: wave_status.h */
  struct aq_wave_profile_kernel *profile; /* NULL: they are not counted */
  struct aq_wave_trace *trace;            /* NULL: they are not traced */
  uint64_t random;  /* schedule.h: what orders draw from; 0: the fixed order */
  uint64_t shuffle; /* of the workgroups' starts; 0: by their numbers */
  uint64_t seed;    /* of both */
  const struct aq_wave_observer *observer; /* NULL: none; observe.h */
  void *observed;                          /* of that */
  struct aq_work_counters *tally;          /* NULL: its work is not counted */
  unsigned steps_alone; /* of the first part, in a row: parallel_step.c */
  uint64_t repeats;     /* known dispatch + 1 whose time it takes; 0: none */
  struct aq_wave_steps *steps; /* NULL: none are kept; wave_trace_rows.h */
  aq_wave_grid_shared *share, own_share; /* of the first part */
  aq_wave_grid **parts; /* NULL: one thread; else [0] is the grid itself */
  unsigned part_count;
};

/* ---- sources ---- */

static inline uint32_t aq_wave_s32(const aq_wave *w, const aq_wave_op *o, int i)
{
  return o->kind[i] == AQ_WAVE_CONSTANT ? (uint32_t)o->constant[i]
                                        : w->s[o->source[i]];
}

static inline uint64_t aq_wave_s64(const aq_wave *w, const aq_wave_op *o, int i)
{
  return o->kind[i] == AQ_WAVE_CONSTANT
             ? o->constant[i]
             : w->s[o->source[i]] | (uint64_t)w->s[o->source[i] + 1] << 32;
}

static inline void aq_wave_put64(aq_wave *w, uint16_t code, uint64_t value)
{
  memcpy(&w->s[code], &value, sizeof value); /* low word first */
}

/* A mask of lanes: a word in waves of 32. */
static inline void aq_wave_put_mask(aq_wave *w, uint16_t code, uint64_t mask)
{
  w->s[code] = (uint32_t)mask;
  if (!w->wave32)
    w->s[code + 1] = (uint32_t)(mask >> 32);
}

static inline uint64_t aq_wave_mask_of(const aq_wave *w, uint64_t bits)
{
  return w->wave32 ? (uint32_t)bits : bits;
}

static inline const aq_wave_op *aq_wave_next(const aq_wave_op *o)
{
  return o + o->words;
}

/* Stops the wave after the instruction. */
const aq_wave_op *aq_wave_stop(aq_wave *w, const aq_wave_op *o,
                               aq_wave_state state);

/* Stops the grid at the instruction. `address` counts for MEMORY. */
const aq_wave_op *aq_wave_fault(aq_wave *w, const aq_wave_op *o,
                                aq_execution_fault_kind kind, uint64_t address,
                                const char *what);

/* The same where no instruction was decoded; its text is the caller's. */
void aq_wave_fault_at(aq_wave *w, uint64_t pc, const char *instruction,
                      aq_execution_fault_kind kind, uint64_t address,
                      const char *what);

/* Stops the grid for an access that the device may not make; lane -1: of the
 * wave. */
const aq_wave_op *aq_wave_access_fault(aq_wave *w, const aq_wave_op *o,
                                       int lane, uint64_t address, bool write);

/* The same for an atomic access that is not aligned. */
const aq_wave_op *aq_wave_misaligned(aq_wave *w, const aq_wave_op *o, int lane,
                                     uint64_t address);

/* The kind of fault of a wave that has no code to execute at `pc`. */
aq_execution_fault_kind aq_wave_fetch_fault(const aq_wave *w, uint64_t pc);

/* Stops the grid for it; `how` are words before the address. */
const aq_wave_op *aq_wave_fetch_miss(aq_wave *w, const aq_wave_op *o,
                                     uint64_t pc, const char *how);

/* ---- handlers ---- */

/* A handler by the name of its instruction. A NULL name ends a list. */
typedef struct aq_wave_semantics {
  const char *name;
  aq_wave_handler *run;
} aq_wave_semantics;

extern const aq_wave_semantics aq_wave_scalar[];
extern const aq_wave_semantics aq_wave_control[];
extern const aq_wave_semantics aq_wave_smem[];
extern const aq_wave_semantics aq_wave_memory[];
extern const aq_wave_semantics aq_wave_shared[];
extern const aq_wave_semantics aq_wave_shared_lanes[];
extern const aq_wave_semantics aq_wave_rare[];
extern const aq_wave_semantics aq_wave_rdna[];
extern const aq_wave_semantics aq_wave_scalar_float[];
extern const aq_wave_semantics aq_wave_wmma[];
extern const aq_wave_semantics aq_wave_typed[];
extern const aq_wave_semantics aq_wave_images[];
extern const aq_wave_semantics aq_wave_samples[];
extern const aq_wave_semantics aq_wave_direct[];
extern const aq_wave_semantics aq_wave_cross[];
extern const aq_wave_semantics aq_wave_packed[];
extern const aq_wave_semantics aq_wave_special[];
extern const aq_wave_semantics aq_wave_division[];
extern const aq_wave_semantics aq_wave_half[];
extern const aq_wave_semantics aq_wave_short[];
extern const aq_wave_semantics aq_wave_convert[];
extern const aq_wave_semantics aq_wave_gws_semantics[];
/* The same semantics compiled for levels of the host's processor. */
extern const aq_wave_semantics aq_wave_vector_base[];
extern const aq_wave_semantics aq_wave_access_base[];
extern const aq_wave_semantics aq_wave_small_base[];
extern const aq_wave_semantics aq_wave_packed_base[];
extern const aq_wave_semantics aq_wave_division_base[];
extern const aq_wave_semantics aq_wave_functions_base[];
#if defined(__x86_64__)
extern const aq_wave_semantics aq_wave_vector_v3[];
extern const aq_wave_semantics aq_wave_access_v3[];
extern const aq_wave_semantics aq_wave_small_v3[];
extern const aq_wave_semantics aq_wave_packed_v3[];
extern const aq_wave_semantics aq_wave_division_v3[];
extern const aq_wave_semantics aq_wave_functions_v3[];
extern const aq_wave_semantics aq_wave_vector_v4[];
extern const aq_wave_semantics aq_wave_access_v4[];
extern const aq_wave_semantics aq_wave_small_v4[];
extern const aq_wave_semantics aq_wave_packed_v4[];
extern const aq_wave_semantics aq_wave_division_v4[];
extern const aq_wave_semantics aq_wave_functions_v4[];
#endif

/* The name of the instruction of gfx9 that computes the same, or the name. */
const char *aq_wave_name_of(const char *name);

/* The handler of an instruction in any list, or NULL. */
aq_wave_handler *aq_wave_handler_named(unsigned level, const char *name);

/* False for matrix instructions whose target or modifiers are not simulated. */
bool aq_wave_matrix_executes(const aq_isa_inst *inst);

/* Whether a conversion applies signs and selections of VOP3 itself: it writes a
 * part of its destination. */
bool aq_wave_convert_selects(const aq_isa_inst *inst);

/* Whether the index of s_set_gpr_idx_on moves the rows of an instruction. */
bool aq_wave_op_moves(const aq_wave_op *o);

/* Runs an instruction while that index is on. */
const aq_wave_op *aq_wave_indexed_run(aq_wave *w, const aq_wave_op *o);

/* ---- memory ---- */

/* The host address of `size` bytes at `address`, or NULL: the device may not
 * access them so. */
void *aq_wave_translate_slow(aq_wave_grid *grid, uint64_t address,
                             uint64_t size, bool write);

/* Whether memory that can be reached is fine-grained. */
bool aq_wave_translate_is_fine(const aq_wave_grid *grid, uint64_t address);

static inline void *aq_wave_translate(aq_wave_grid *grid, uint64_t address,
                                      uint64_t size, bool write)
{
  const aq_wave_range *range = &grid->range;
  if (__builtin_expect(address >= range->base && address < range->end &&
                           size <= range->end - address &&
                           (range->writable || !write),
                       true))
    return (void *)(uintptr_t)(address - range->shift);
  return aq_wave_translate_slow(grid, address, size, write);
}

#endif
